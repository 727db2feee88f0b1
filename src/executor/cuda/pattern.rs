//! The caller's pattern as kernels read it, and where the diagonal entry of each row lies.
#![forbid(unsafe_code)]

use super::{DeviceArray, Launcher};
use crate::analysis::NONE;
use crate::error::Result;
use crate::executor::Unfit;
use crate::problem::{Arrays, Index, Shape};

/// Threads of a block: DIAGONAL_BLOCK in kernels/analysis/diagonal.cu.
const THREADS: u32 = 256;

/// The mirror of Pattern in kernels/device/pattern.cuh.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Pattern {
    row_ptr: u64,
    col_ind: u64,
    wide_offsets: u32,
    wide_columns: u32,
    base: u32,
    n: u32,
}

impl Pattern {
    pub fn new(shape: &Shape, arrays: Arrays) -> Pattern {
        Pattern {
            row_ptr: arrays.ptr as u64,
            col_ind: arrays.ind as u64,
            wide_offsets: (shape.descr.offsets == Index::I64) as u32,
            wide_columns: (shape.descr.columns == Index::I64) as u32,
            base: shape.base() as u32,
            n: shape.n,
        }
    }
}

/// The mirror of DiagonalArgs in kernels/analysis/diagonal.cu.
#[repr(C)]
#[derive(Clone, Copy)]
struct DiagonalArgs {
    pattern: Pattern,
    place: u64,
    found: u64,
}

/// Where the diagonal entry of each row lies, in a pattern whose rows ascend and have one each.
pub struct Diagonal {
    pub place: DeviceArray,
    /// Rows of more than 8, and of more than 32 entries.
    pub longer: [u32; 2],
}

impl Diagonal {
    /// That of a well-formed pattern. Waits for the stream.
    pub fn find(
        launcher: &Launcher,
        shape: &Shape,
        arrays: Arrays,
    ) -> Result<std::result::Result<Diagonal, Unfit>> {
        let (gpu, stream) = (launcher.gpu, launcher.stream);
        let place = DeviceArray::on_stream(gpu, 4 * shape.n as usize, stream)?;
        let found = DeviceArray::copy_of(gpu, &[NONE, NONE, 0, 0], stream)?;
        let pattern = Pattern::new(shape, arrays);
        let args = DiagonalArgs { pattern, place: place.address(), found: found.address() };
        launcher.setup_kernel("diagonal_places")?.cover(shape.n.into(), THREADS, &args)?;
        Ok(match found.read::<u32>(4, stream)?[..] {
            [NONE, NONE, eight, more] => Ok(Diagonal { place, longer: [eight, more] }),
            [NONE, row, ..] => Err(Unfit::NoDiagonal(row)),
            [row, ..] => Err(Unfit::Unsorted(row)),
            [] => unreachable!("four words were read"),
        })
    }
}
