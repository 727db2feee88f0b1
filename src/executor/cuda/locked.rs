//! Page-locked memory: host-visible words that a kernel's watchdog sets, so that the next call learns of it without
//! waiting, and pages that kernels write words to.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use cust::sys;

use super::errors::check;
use super::page_pool::WORDS;
use super::Gpu;
use crate::address::Address;
use crate::error::Result;

/// One word; 0 is "nothing happened".
pub struct Flag {
    gpu: Arc<Gpu>,
    address: Address,
}

/// A page.
pub struct Page {
    gpu: Arc<Gpu>,
    address: Address,
    is_lost: bool,
}

impl Page {
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        Ok(Page { gpu: gpu.clone(), address: gpu.locked.page()?, is_lost: false })
    }

    /// Its address as kernels see it.
    pub fn device_address(&self) -> Result<Address> {
        device_address(self.address)
    }

    /// Says that a kernel may still write it, for nobody knows how long: no one else gets it.
    pub fn set_lost(&mut self) {
        self.is_lost = true;
    }

    /// The last word, which says something of the others.
    pub fn last_word(&self) -> &AtomicU32 {
        // SAFETY: a word of a page that lives as long as the GPU object, aligned, and accessed only as an atomic here and
        // by a volatile store on the device.
        unsafe { &*self.address.pointer::<AtomicU32>().add(WORDS - 1) }
    }

    /// Its first words, which nobody writes meanwhile.
    pub fn words(&self, count: usize) -> Vec<u32> {
        assert!(count < WORDS);
        // SAFETY: the page is this object's alone, and any pattern of bits is a word.
        unsafe { std::slice::from_raw_parts(self.address.pointer::<u32>(), count) }.to_vec()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if !self.is_lost {
            self.gpu.locked.give_page_back(self.address);
        }
    }
}

impl Flag {
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let flag = Flag { gpu: gpu.clone(), address: gpu.locked.word()? };
        flag.clear();
        Ok(flag)
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: a word of a pinned page that lives as long as the GPU object, aligned, and accessed
        // only as an atomic here and by a volatile store on the device.
        unsafe { &*self.address.pointer::<AtomicU32>() }
    }

    pub fn value(&self) -> u32 {
        self.word().load(Ordering::Acquire)
    }

    pub fn is_set(&self) -> bool {
        self.value() != 0
    }

    pub fn clear(&self) {
        self.word().store(0, Ordering::Release);
    }

    /// The word's address as kernels see it.
    pub fn device_address(&self) -> Result<Address> {
        device_address(self.address)
    }
}

/// The address, as kernels see it, of what lies there in a page.
fn device_address(address: Address) -> Result<Address> {
    let mut seen = 0;
    // SAFETY: the page was allocated mapped.
    let result = unsafe { sys::cuMemHostGetDevicePointer_v2(&mut seen, address.pointer(), 0) };
    check(result, "cuMemHostGetDevicePointer")?;
    // SAFETY: the driver says that the page is there.
    Ok(unsafe { Address::new(seen) })
}

impl Drop for Flag {
    fn drop(&mut self) {
        self.gpu.locked.give_word_back(self.address);
    }
}
