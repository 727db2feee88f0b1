//! What a sweep solves its triangle for, on the GPU.
#![forbid(unsafe_code)]

use super::CudaPlan;
use crate::error::Result;
use crate::executor::SweepCall;
use crate::problem::Index;

/// Threads of a block: SWEEP_BLOCK in kernels/sweep.cu.
const THREADS: u32 = 256;

/// The mirror of SweepArgs in kernels/sweep.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct SweepArgs {
    row_ptr: u64,
    col_ind: u64,
    val: u64,
    b: u64,
    x: u64,
    diagonal: u64,
    rest: u64,
    scaled: u64,
    factor: f64,
    n: u32,
    lanes: u32,
    wide_offsets: u32,
    wide_columns: u32,
    base: u32,
    backward: u32,
    is_zero: u32,
    unused: u32,
}

impl CudaPlan {
    /// Enqueues what comes before the sweep's solve.
    pub fn begin_sweep(&mut self, stream: usize, call: &SweepCall) -> Result<()> {
        self.note_use(stream)?;
        let shape = self.shape();
        // Two entries and more for each lane.
        let lanes = (shape.nnz / shape.n / 2).max(1).next_power_of_two().min(32);
        let args = SweepArgs {
            row_ptr: call.arrays.ptr as u64,
            col_ind: call.arrays.ind as u64,
            val: call.arrays.val as u64,
            b: call.b as u64,
            x: call.x as u64,
            diagonal: call.diagonal as u64,
            rest: call.rest as u64,
            scaled: call.scaled as u64,
            factor: call.factor,
            n: shape.n,
            lanes,
            wide_offsets: (shape.descr.offsets == Index::I64) as u32,
            wide_columns: (shape.descr.columns == Index::I64) as u32,
            base: shape.base() as u32,
            backward: !shape.forward() as u32,
            is_zero: call.is_zero as u32,
            unused: 0,
        };
        let threads = u64::from(shape.n) * u64::from(lanes);
        self.launcher(stream).kernel_before_turn("sweep_rest")?.cover(threads, THREADS, &args)
    }
}
