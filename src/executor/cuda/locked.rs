//! Page-locked memory: host-visible words that a kernel's watchdog sets, so that the next call learns of it without
//! waiting, and pages that kernels write words to.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use cust::sys;

use super::errors::check;
use super::{lock, Gpu};
use crate::address::Address;
use crate::error::Result;

/// Words of a page.
pub const WORDS: usize = 32768;

/// Page-locked pages, whole ones and single words of others: to lock a page for each info would be slow.
#[derive(Default)]
pub struct PagePool(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    pages: Vec<Address>,
    free_words: Vec<Address>,
    free_pages: Vec<Address>,
}

/// One word; 0 is "nothing happened".
pub struct Flag {
    gpu: Arc<Gpu>,
    address: Address,
}

impl Pages {
    fn page(&mut self) -> Result<Address> {
        if let Some(page) = self.free_pages.pop() {
            return Ok(page);
        }
        let mut page: *mut c_void = std::ptr::null_mut();
        let bytes = WORDS * std::mem::size_of::<u32>();
        const MAPPED: u32 = 0x02; // CU_MEMHOSTALLOC_DEVICEMAP
                                  // SAFETY: writes one pointer.
        check(unsafe { sys::cuMemHostAlloc(&mut page, bytes, MAPPED) }, "cuMemHostAlloc")?;
        // SAFETY: it was just allocated.
        let page = unsafe { Address::new(page as u64) };
        self.pages.push(page);
        Ok(page)
    }

    fn need_words(&mut self) -> Result<()> {
        if self.free_words.is_empty() {
            let page = self.page()?;
            self.free_words.extend((0..WORDS).rev().map(|i| page.offset(i * std::mem::size_of::<u32>())));
        }
        Ok(())
    }

    fn word(&mut self) -> Result<Address> {
        self.need_words()?;
        Ok(self.free_words.pop().expect("just filled"))
    }
}

impl PagePool {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        lock(&self.0)
    }

    /// Locks what one analysis needs, which takes some milliseconds. The context is current.
    pub fn fill(&self) -> Result<()> {
        let mut pages = self.pages();
        pages.need_words()?;
        let page = pages.page()?;
        pages.free_pages.push(page);
        Ok(())
    }

    /// Frees the pages; the context is current and none is in use.
    pub fn free(&self) {
        for page in self.pages().pages.drain(..) {
            // SAFETY: allocated by `page`.
            unsafe { sys::cuMemFreeHost(page.pointer()) };
        }
    }
}

/// A page.
pub struct Page {
    gpu: Arc<Gpu>,
    address: Address,
    is_lost: bool,
}

impl Page {
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        Ok(Page { gpu: gpu.clone(), address: gpu.locked.pages().page()?, is_lost: false })
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
            self.gpu.locked.pages().free_pages.push(self.address);
        }
    }
}

impl Flag {
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let flag = Flag { gpu: gpu.clone(), address: gpu.locked.pages().word()? };
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
        self.gpu.locked.pages().free_words.push(self.address);
    }
}
