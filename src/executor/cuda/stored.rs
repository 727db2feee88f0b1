//! A schedule whose arrays are on the device, and the facts of it that launches go by.

use std::sync::Arc;

use super::args::SolveArgs;
use super::{DeviceArray, Gpu, Launcher};
use crate::address::Address;
use crate::analysis::Values;
use crate::error::{Error, Result};
use crate::problem::{DataType, DiagSource, Shape, MAX_SIZE};

/// What kernels read of a matrix, in solve after solve.
pub struct Stored {
    pub(super) gpu: Arc<Gpu>,
    pub(super) shape: Shape,
    /// Everything that does not change from solve to solve.
    pub base: SolveArgs,
    pub(super) owned: Vec<DeviceArray>,
    /// Two vectors of n values, all reset to the sentinel, for algorithms that publish values in one word.
    pub(super) work: Option<DeviceArray>,
    pub levels: usize,
    /// Unknowns of the widest level.
    pub widest: u32,
    /// Entries of the triangle off its diagonal.
    pub entries: u32,
    /// Unknowns of a node.
    pub(super) node: u32,
}

impl Stored {
    /// One without arrays.
    pub(super) fn new(gpu: &Arc<Gpu>, shape: &Shape, entries: u32) -> Stored {
        Stored {
            gpu: gpu.clone(),
            shape: *shape,
            base: SolveArgs { n: shape.n, ..Default::default() },
            owned: Vec::new(),
            work: None,
            levels: 0,
            widest: 0,
            entries,
            node: 1,
        }
    }

    /// Copies an array to the device for as long as this lives; its address.
    pub fn keep<T: Copy>(&mut self, launcher: &Launcher, data: &[T]) -> Result<Address> {
        let array = DeviceArray::copy_of(launcher.gpu, data, launcher.stream)?;
        let address = array.address();
        self.owned.push(array);
        Ok(address)
    }

    pub(super) fn keep_values(
        &mut self,
        launcher: &Launcher,
        values: &Option<Values>,
    ) -> Result<(Address, u32)> {
        Ok(match values {
            None => (Address::NULL, 0),
            Some(Values::Contiguous(first)) => (self.keep(launcher, first)?, 0),
            Some(Values::Permuted(index)) => (self.keep(launcher, index)?, 1),
        })
    }

    /// Adds the two work vectors, with so many words behind those of positions. They are reset to the sentinel in the end.
    pub fn add_work_vectors(&mut self, launcher: &Launcher, further: u32) -> Result<()> {
        let words = self.shape.n as u64 + further as u64;
        self.base.words = u32::try_from(words).map_err(|_| Error::TooLarge {
            what: "rows and segments of long rows together",
            value: words as i64,
            limit: MAX_SIZE,
        })?;
        let bytes = 2 * self.base.words as usize * self.shape.dtype.bytes();
        let work = DeviceArray::on_stream(launcher.gpu, bytes, launcher.stream)?;
        self.work = Some(work);
        Ok(())
    }

    /// Frees arrays that were kept, by their addresses.
    pub fn release(&mut self, addresses: &[Address]) {
        self.owned.retain(|array| !addresses.contains(&array.address()));
    }

    /// What a warp or block takes at a time.
    pub fn set_work_items(&mut self, launcher: &Launcher, work_items: &[[u32; 2]]) -> Result<()> {
        self.base.work_item = self.keep(launcher, work_items)?;
        self.base.work_items = work_items.len() as u32;
        Ok(())
    }

    /// What is to be known of each row in one place.
    pub fn set_records(&mut self, launcher: &Launcher, record: &[[u32; 4]]) -> Result<()> {
        self.base.record = self.keep(launcher, record)?;
        self.base.diag_index = diag_in_records(&self.shape, self.base.record);
        Ok(())
    }

    pub fn diag_source(&self) -> DiagSource {
        self.shape.diag
    }

    /// Unknowns of a node.
    pub fn node(&self) -> u32 {
        self.node
    }

    /// Steps of dependencies: levels of rows, or of nodes.
    pub fn dependent_steps(&self) -> usize {
        self.levels / self.node() as usize
    }

    /// Whether unknowns are solved from the first to the last.
    pub fn is_forward(&self) -> bool {
        self.shape.forward()
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn n(&self) -> u32 {
        self.shape.n
    }
    pub fn tiles(&self) -> u32 {
        self.base.tiles
    }
    /// Whether the values of the rows are found by permutation.
    pub fn is_permuted(&self) -> bool {
        self.base.row_permuted != 0
    }

    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    pub fn dtype(&self) -> DataType {
        self.shape.dtype
    }

    /// Work items of the schedule, where the algorithm asked for some.
    pub fn work_items(&self) -> u32 {
        self.base.work_items
    }
}

/// What stands for the array of diagonal indices where the records have them: kernels look only at whether
/// there is one.
pub(super) fn diag_in_records(shape: &Shape, record: Address) -> Address {
    match shape.diag {
        DiagSource::Unit => Address::NULL,
        DiagSource::Separate | DiagSource::Matrix => record,
    }
}
