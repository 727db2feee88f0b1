//! The caller's pattern as kernels read it, and where the diagonal entry of each row lies.
#![forbid(unsafe_code)]

use super::shared::diagonal::{DiagonalArgs, DiagonalsFound, DIAGONAL_BLOCK, DIAGONAL_LENGTHS};
use super::{DeviceArray, KernelName, Launcher};
use crate::analysis::NONE;
use crate::error::Result;
use crate::executor::Unfit;
use crate::problem::{Arrays, Index, Shape};

pub use super::shared::Pattern;

const PLACES: KernelName<DiagonalArgs> = KernelName::new("diagonal_places");

impl Pattern {
    pub fn new(shape: &Shape, arrays: Arrays) -> Pattern {
        Pattern {
            row_ptr: arrays.ptr,
            col_ind: arrays.ind,
            wide_offsets: (shape.descr.offsets == Index::I64) as u32,
            wide_columns: (shape.descr.columns == Index::I64) as u32,
            base: shape.base() as u32,
            n: shape.n,
        }
    }
}

/// Where the diagonal entry of each row lies, in a pattern whose rows ascend and have one each.
pub struct Diagonal {
    pub place: DeviceArray,
    /// What `DiagonalsFound` counts of rows.
    pub longer: [u32; DIAGONAL_LENGTHS],
    pub longer_lower: [u32; DIAGONAL_LENGTHS],
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
        let none = [0; DIAGONAL_LENGTHS];
        let found = DiagonalsFound { unsorted: NONE, missing: NONE, longer: none, longer_lower: none };
        let found = DeviceArray::copy_of(gpu, &[found], stream)?;
        let pattern = Pattern::new(shape, arrays);
        let args = DiagonalArgs { pattern, place: place.address(), found: found.address() };
        launcher.setup_kernel(PLACES, "")?.cover(shape.n.into(), DIAGONAL_BLOCK, &args)?;
        Ok(match found.read::<DiagonalsFound>(1, stream)?[0] {
            DiagonalsFound { unsorted: NONE, missing: NONE, longer, longer_lower } => {
                Ok(Diagonal { place, longer, longer_lower })
            }
            DiagonalsFound { unsorted: NONE, missing: row, .. } => Err(Unfit::NoDiagonal(row)),
            DiagonalsFound { unsorted: row, .. } => Err(Unfit::Unsorted(row)),
        })
    }
}
