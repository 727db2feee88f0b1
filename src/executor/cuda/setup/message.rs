//! Words on their way from the device to the host.
//!
//! A kernel writes them to page-locked memory, and then a last word that says that they are there. To look for that takes
//! 5 microseconds less than to enqueue a copy and wait for the stream; and where the kernel whose results they are does so itself, in
//! the end, no other one has to be launched.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::super::locked::Page;
use super::super::page_pool::WORDS;
use super::super::{memory, Launcher};
use super::args::{Question, SetupArgs, LONGEST_MESSAGE, SETUP};
use crate::address::{Address, Stream};
use crate::error::Result;
use crate::tuning::SETUP_POLLS;

/// Threads of the block that writes them, at most.
const BLOCK: usize = 1024;

// The last word of a page says that the others are there.
const _: () = assert!(LONGEST_MESSAGE as usize == WORDS - 1);

/// Some words, from when they are asked for until they have arrived.
pub(super) struct Message {
    /// None where there are too many for it: then they are copied.
    page: Option<Page>,
    address: Address,
    count: usize,
    stream: Stream,
}

impl Message {
    /// Words that a kernel is still to be asked for, by its `question`.
    ///
    /// # Safety
    /// `address` is a device address of that many words.
    pub(super) unsafe fn new(launcher: &Launcher, address: Address, count: usize) -> Result<Message> {
        let page = (count <= LONGEST_MESSAGE as usize).then(|| Page::new(launcher.gpu)).transpose()?;
        if let Some(page) = &page {
            page.last_word().store(0, Ordering::Release);
        }
        Ok(Message { page, address, count, stream: launcher.stream })
    }

    /// The same, which come from a kernel of their own as they are when the stream comes to it.
    ///
    /// # Safety
    /// As above.
    pub(super) unsafe fn send(launcher: &Launcher, address: Address, count: usize) -> Result<Message> {
        // SAFETY: the caller's promise.
        let message = unsafe { Self::new(launcher, address, count)? };
        if message.page.is_some() {
            let args = SetupArgs::default().asked(message.question()?);
            let threads = count.next_multiple_of(32).min(BLOCK) as u32;
            launcher.setup_kernel(SETUP, "setup_message")?.launch(1, threads, 0, &args)?;
        }
        Ok(message)
    }

    /// What has a kernel write the words.
    pub(super) fn question(&self) -> Result<Question> {
        let ask = |page: &Page| {
            Ok(Question { words: self.count as u32, from: self.address, to: page.device_address()? })
        };
        self.page.as_ref().map_or(Ok(Question::default()), ask)
    }

    fn has_arrived(&self) -> bool {
        self.page.as_ref().is_none_or(|page| page.last_word().load(Ordering::Acquire) != 0)
    }

    /// Waits for the words.
    pub(super) fn words(self) -> Result<Vec<u32>> {
        let start = Instant::now();
        while !self.has_arrived() {
            if start.elapsed() > SETUP_POLLS {
                // This also tells what has gone wrong.
                memory::synchronize(self.stream)?;
                break;
            }
            std::hint::spin_loop();
        }
        match &self.page {
            Some(page) => Ok(page.words(self.count)),
            // SAFETY: the promise of who asked for them, and any pattern of bits is a word.
            None => unsafe { memory::read(self.address, self.count, self.stream) },
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        if self.has_arrived() {
            return;
        }
        // The next one who gets the page must not find these words in it. What has gone wrong is told elsewhere.
        let is_over = memory::synchronize(self.stream).is_ok() || memory::wait_for_kernels();
        if let (false, Some(page)) = (is_over, &mut self.page) {
            page.set_lost();
        }
    }
}
