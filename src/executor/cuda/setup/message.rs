//! Words on their way from the device to the host.
//!
//! A kernel writes them to page-locked memory, and then a last word that says that they are there. To look for that takes
//! 5 microseconds less than to enqueue a copy and wait for the stream.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::super::locked::{Page, WORDS};
use super::super::{memory, Launcher};
use super::args::SetupArgs;
use crate::status::Result;
use crate::tuning::SETUP_LOOKS;

/// Threads of the block that writes them, at most.
const BLOCK: usize = 1024;

/// Some words, from when they are enqueued until they have arrived.
pub(super) struct Message {
    page: Page,
    count: usize,
    stream: usize,
}

impl Message {
    /// The most words.
    pub(super) const LONGEST: usize = WORDS - 1;

    /// Asks for words as they are when the stream comes to it; and, unless `stamp` is 0, for the time then, to be left there.
    ///
    /// # Safety
    /// `address` is a device address of that many words, and `stamp` of two.
    pub(super) unsafe fn send(
        launcher: &Launcher,
        stamp: u64,
        address: u64,
        count: usize,
    ) -> Result<Message> {
        assert!(count <= Self::LONGEST);
        let page = Page::new(launcher.gpu)?;
        page.last_word().store(0, Ordering::Release);
        let to = page.device_address()?;
        let args = SetupArgs {
            count: count as u32,
            key_in: address,
            key_out: to,
            bounds: to + 4 * Self::LONGEST as u64,
            stamp,
            ..Default::default()
        };
        let threads = count.next_multiple_of(32).min(BLOCK) as u32;
        let message = Message { page, count, stream: launcher.stream };
        launcher.setup_kernel("setup_message")?.launch(1, threads, 0, &args)?;
        Ok(message)
    }

    fn has_arrived(&self) -> bool {
        self.page.last_word().load(Ordering::Acquire) != 0
    }

    /// Waits for the words.
    pub(super) fn words(self) -> Result<Vec<u32>> {
        let start = Instant::now();
        while !self.has_arrived() {
            if start.elapsed() > SETUP_LOOKS {
                // This also tells what has gone wrong.
                memory::synchronize(self.stream)?;
                break;
            }
            std::hint::spin_loop();
        }
        Ok(self.page.words(self.count))
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        if !self.has_arrived() {
            // The next one who gets the page must not find these words in it. What has gone wrong is told elsewhere.
            let _ = memory::synchronize(self.stream);
        }
    }
}

/// Reads words from the device.
///
/// # Safety
/// `address` is a device address of that many words.
pub(super) unsafe fn read_words(launcher: &Launcher, address: u64, count: usize) -> Result<Vec<u32>> {
    // SAFETY: the caller's promise, and any pattern of bits is a word.
    unsafe {
        match count {
            0..=Message::LONGEST => Message::send(launcher, 0, address, count)?.words(),
            _ => memory::read(address as usize, count, launcher.stream),
        }
    }
}
