//! Right-hand sides and solutions in another order of their rows.
#![forbid(unsafe_code)]

use super::CudaPlan;
use crate::error::Result;
use crate::executor::PermuteCall;

/// Threads of a block: PERMUTE_BLOCK in kernels/copies/permute.cu.
const THREADS: u32 = 256;

/// The mirror of PermuteArgs in kernels/copies/permute.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct PermuteArgs {
    from: u64,
    to: u64,
    index: u64,
    ld_from: u64,
    ld_to: u64,
    columns: u64,
    n: u32,
    base: u32,
    is_wide: u32,
    scatters: u32,
}

impl CudaPlan {
    /// Enqueues the copy.
    pub fn permute(&mut self, stream: usize, call: &PermuteCall) -> Result<()> {
        self.note_use(stream)?;
        let args = PermuteArgs {
            from: call.from.address as u64,
            to: call.to.address as u64,
            index: call.index as u64,
            ld_from: call.from.ld as u64,
            ld_to: call.to.ld as u64,
            columns: call.columns as u64,
            n: self.stored.shape().n,
            base: call.base as u32,
            is_wide: call.is_wide as u32,
            scatters: call.scatters as u32,
        };
        self.launcher(stream).kernel_before_turn("permute")?.cover(args.n.into(), THREADS, &args)
    }
}
