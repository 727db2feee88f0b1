//! What the library says to the kernels of a setup, and how it reads what they say.

use super::super::args::State;
use super::super::KernelName;
use crate::address::Address;
use crate::analysis::shared::ranges::LevelSpan;

pub(super) use super::shared::*;

/// The kernels, by their names.
pub(super) const SETUP: KernelName<SetupArgs> = KernelName::new("");

/// Words of the `State` behind the summary.
pub(super) const STATE: usize = size_of::<State>() / 4;
/// The watchdog has ended a wait.
pub(super) const FAILED: usize = Summary::WORDS + std::mem::offset_of!(State, failed) / 4;

/// What words of a message are.
///
/// # Safety
/// Of a type that any pattern of bits is one of.
pub(super) unsafe trait OfWords: Copy {
    const WORDS: usize = size_of::<Self>() / 4;

    /// From the first of some words.
    fn of_words(words: &[u32]) -> Self {
        assert!(words.len() >= Self::WORDS, "more than there is");
        // SAFETY: there are as many, and they are one, whatever they are.
        unsafe { words.as_ptr().cast::<Self>().read_unaligned() }
    }
}

// SAFETY: numbers, and arrays of them.
unsafe impl OfWords for Summary {}
// SAFETY: as above.
unsafe impl OfWords for LevelSpan {}
// SAFETY: as above.
unsafe impl OfWords for u64 {}

/// Elements of a thread of a scan: few where the GPU has room for all blocks then.
pub(super) const SCAN_FEW: u32 = 4;
pub(super) const SCAN_MANY: u32 = 16;
/// Blocks of a scan on a multiprocessor.
pub(super) const SCANS_AT_ONCE: u64 = 4;
pub(super) const SORT_TILE: u32 = SORT_BLOCK * SORT_ITEMS;
/// Fewer levels than these are looked for by a warp each.
pub(super) const BOUNDS_BY_WARPS: u32 = 8192;

/// Bytes that a thread resets, and the most blocks on a multiprocessor, which go over the words by strides.
pub(super) const RESET_BYTES: u64 = 32;
pub(super) const RESET_BLOCKS: u64 = 8;

/// Rows and entries must fit into 31 bits here, and the work items of 32 rows, of 128 entries each in type z, into 24.
pub const MAX_SIZE: u32 = i32::MAX as u32 - 8192;

/// The message that a kernel is to send to the host at its end: nothing, or so many words.
#[derive(Clone, Copy, Default)]
pub(super) struct Question {
    pub words: u32,
    pub from: Address,
    pub to: Address,
}

impl SetupArgs {
    pub(super) fn asked(self, question: Question) -> SetupArgs {
        let Question { words, from, to } = question;
        SetupArgs { message_words: words, message_from: from, message_to: to, ..self }
    }
}
