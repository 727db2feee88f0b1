//! Host-visible words that a kernel's watchdog sets, so that the next call learns of it without waiting.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cust::sys;

use super::{check, Gpu};
use crate::status::Result;

const WORDS: usize = 1024;

/// Pinned pages of words, handed out one by one: pinning a page for each info would be slow.
#[derive(Default)]
pub struct FlagPool(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    pages: Vec<usize>,
    free: Vec<usize>,
}

/// One word; 0 is "nothing happened".
pub struct Flag {
    gpu: Arc<Gpu>,
    address: usize,
}

impl FlagPool {
    fn take(&self) -> Result<usize> {
        let mut pool = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.free.is_empty() {
            let mut page: *mut c_void = std::ptr::null_mut();
            let bytes = WORDS * std::mem::size_of::<u32>();
            const MAPPED: u32 = 0x02; // CU_MEMHOSTALLOC_DEVICEMAP
                                      // SAFETY: writes one pointer.
            check(unsafe { sys::cuMemHostAlloc(&mut page, bytes, MAPPED) }, "cuMemHostAlloc")?;
            pool.pages.push(page as usize);
            pool.free.extend((0..WORDS).rev().map(|i| page as usize + i * std::mem::size_of::<u32>()));
        }
        Ok(pool.free.pop().expect("just filled"))
    }

    fn put(&self, address: usize) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).free.push(address);
    }

    /// Frees the pages; the context is current and no flag is left.
    pub fn free(&self) {
        for page in self.0.lock().unwrap_or_else(PoisonError::into_inner).pages.drain(..) {
            // SAFETY: allocated by `take`.
            unsafe { sys::cuMemFreeHost(page as *mut c_void) };
        }
    }
}

impl Flag {
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let flag = Flag { gpu: gpu.clone(), address: gpu.watch.take()? };
        flag.clear();
        Ok(flag)
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: a word of a pinned page that lives as long as the GPU object, aligned, and accessed
        // only as an atomic here and by a volatile store on the device.
        unsafe { &*(self.address as *const AtomicU32) }
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
    pub fn device_address(&self) -> Result<u64> {
        let mut address = 0;
        // SAFETY: the page was allocated mapped.
        let result =
            unsafe { sys::cuMemHostGetDevicePointer_v2(&mut address, self.address as *mut c_void, 0) };
        check(result, "cuMemHostGetDevicePointer")?;
        Ok(address)
    }
}

impl Drop for Flag {
    fn drop(&mut self) {
        self.gpu.watch.put(self.address);
    }
}
