//! Right-hand sides and solutions in another order of their rows.
#![forbid(unsafe_code)]

use super::shared::copies::{PermuteArgs, PERMUTE_BLOCK};
use super::{CudaPlan, KernelName};
use crate::address::Stream;
use crate::error::Result;
use crate::executor::PermuteCall;

const PERMUTE: KernelName<PermuteArgs> = KernelName::new("permute");

impl CudaPlan {
    /// Enqueues the copy.
    pub fn permute(&mut self, stream: Stream, call: &PermuteCall) -> Result<()> {
        self.note_use(stream)?;
        let args = PermuteArgs {
            from: call.from.address,
            to: call.to.address,
            index: call.index,
            ld_from: call.from.ld as u64,
            ld_to: call.to.ld as u64,
            columns: call.columns as u64,
            n: self.stored.shape().n,
            base: call.base as u32,
            is_wide: call.is_wide as u32,
            scatters: call.scatters as u32,
        };
        self.launcher(stream).kernel_overlapped(PERMUTE, "")?.cover(args.n.into(), PERMUTE_BLOCK, &args)
    }
}
