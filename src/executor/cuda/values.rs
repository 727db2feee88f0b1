//! Values that a plan keeps in the order in which its solves read them.
//!
//! Where the rows of op(A) are not what is stored, the values of a row lie apart, and a solve would fetch a piece of memory for
//! each, one level after the other. They are copied by an explicit call, if the caller wants that: then the matrix is transposed
//! (`setup::transpose`), and analysed as if it were stored that way. Or they are gathered: each solve begins by a copy, of all at
//! once, where the model says that this is worth it (`choice::decide`).
#![forbid(unsafe_code)]

use super::args::SolveArgs;
use super::shared::copies::{ValuesArgs, VALUES_BLOCK, VALUES_EACH};
use super::{DeviceArray, KernelName, Launcher};
use crate::address::Address;
use crate::error::Result;

const GATHER: KernelName<ValuesArgs> = KernelName::new("values_gather");
const SET_DIAGONAL: KernelName<DiagonalPlaces> = KernelName::new("values_set_diagonal");

/// Places on the device, in arrays that the plan owns.
#[derive(Clone, Copy)]
pub struct CopiedValues {
    values: Address,
    source: Address,
    count: u32,
}

impl CopiedValues {
    /// Room for as many values, which come from where `source` says.
    pub fn new(launcher: &Launcher, source: &DeviceArray, count: u32) -> Result<(CopiedValues, DeviceArray)> {
        // Loaded now, as the first update may be captured into a graph.
        launcher.kernel(GATHER, "")?;
        let bytes = count as usize * launcher.dtype.bytes();
        let values = DeviceArray::on_stream(launcher.gpu, bytes, launcher.stream)?;
        Ok((CopiedValues { values: values.address(), source: source.address(), count }, values))
    }

    pub fn address(&self) -> Address {
        self.values
    }

    /// Where each value comes from.
    pub fn source(&self) -> Address {
        self.source
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Enqueues the copy from the caller's array.
    pub fn update(&self, launcher: &Launcher, from: Address) -> Result<()> {
        let CopiedValues { values, source, count } = *self;
        let args = ValuesArgs { from, to: values, source, count };
        launcher.kernel_overlapped(GATHER, "")?.launch(
            count.div_ceil(VALUES_BLOCK * VALUES_EACH),
            VALUES_BLOCK,
            0,
            &args,
        )
    }
}

pub use super::shared::copies::DiagonalPlaces;

impl DiagonalPlaces {
    /// Those of a schedule by rows, or by nodes of so many unknowns.
    pub fn of(base: &SolveArgs, node: u32) -> DiagonalPlaces {
        let SolveArgs { record, node_row, order, diag_index, n, .. } = *base;
        DiagonalPlaces {
            from: Address::NULL,
            to: Address::NULL,
            record,
            node_row,
            order,
            diag_index,
            n,
            node,
        }
    }

    /// Loads the kernel, as the first update may be captured into a graph.
    pub fn load(launcher: &Launcher) -> Result<()> {
        launcher.kernel(SET_DIAGONAL, "").map(drop)
    }

    /// Enqueues the copy of a diagonal, in the order of the unknowns, to where its values lie in `to`.
    pub fn update(self, launcher: &Launcher, from: Address, to: Address) -> Result<()> {
        let args = DiagonalPlaces { from, to, ..self };
        launcher.kernel_overlapped(SET_DIAGONAL, "")?.cover(self.n.into(), VALUES_BLOCK, &args)
    }
}
