//! The page-locked pages of a context.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard};

use cust::sys;

use super::errors::check;
use crate::address::Address;
use crate::error::Result;
use crate::executor::lock;

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

    /// A page that nobody has.
    pub fn page(&self) -> Result<Address> {
        self.pages().page()
    }

    /// A word that nobody has.
    pub fn word(&self) -> Result<Address> {
        self.pages().word()
    }

    pub fn give_page_back(&self, page: Address) {
        self.pages().free_pages.push(page);
    }

    pub fn give_word_back(&self, word: Address) {
        self.pages().free_words.push(word);
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
