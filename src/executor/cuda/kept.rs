//! A copy of the pattern of an analysis, by which a later one of the same pattern is recognised.

use std::sync::Arc;

use super::shared::copies::{EqualArgs, EQUAL_BLOCK, EQUAL_WORDS};
use super::{memory, DeviceArray, Gpu, KernelName, Launcher};
use crate::address::{Address, Stream};
use crate::error::Result;
use crate::problem::{Arrays, Shape};

const EQUAL: KernelName<EqualArgs> = KernelName::new("equal_words");

/// The offsets and the indices of a pattern, as the caller's arrays had them.
pub struct KeptPattern([DeviceArray; 2]);

impl KeptPattern {
    /// A copy of a pattern that is known to be well-formed. Waits for the stream.
    pub fn new(gpu: &Arc<Gpu>, shape: &Shape, arrays: Arrays, stream: Stream) -> Result<KeptPattern> {
        let _bound = gpu.bind()?;
        let copy = |from: Address, bytes: usize| {
            let copied = DeviceArray::on_stream(gpu, bytes, stream)?;
            if bytes > 0 {
                // SAFETY: the analysis has found the caller's array to be that long, and so is the copy.
                unsafe { memory::copy(copied.address(), from, bytes, stream)? };
            }
            Ok(copied)
        };
        let [offsets, indices] = shape.pattern_bytes();
        let mut kept = KeptPattern([copy(arrays.ptr, offsets)?, copy(arrays.ind, indices)?]);
        memory::synchronize(stream)?;
        kept.0.iter_mut().for_each(DeviceArray::set_idle);
        Ok(kept)
    }

    /// Whether the caller's pattern, of the same shape, is equal. Waits for the stream.
    pub fn equals(&self, launcher: &Launcher, shape: &Shape, arrays: Arrays) -> Result<bool> {
        let _bound = launcher.gpu.bind()?;
        let mut differ = DeviceArray::copy_of(launcher.gpu, &[0u32], launcher.stream)?;
        differ.set_only_on(launcher.stream);
        let kernel = launcher.setup_kernel(EQUAL, "")?;
        // Offsets first: only where they are equal are there as many indices.
        for ((kept, address), bytes) in self.0.iter().zip([arrays.ptr, arrays.ind]).zip(shape.pattern_bytes())
        {
            let words = bytes as u64 / 4;
            let args = EqualArgs { a: kept.address(), b: address, words, differ: differ.address() };
            kernel.cover(words.div_ceil(EQUAL_WORDS.into()), EQUAL_BLOCK, &args)?;
        }
        Ok(differ.read::<u32>(1, launcher.stream)? == [0])
    }

    pub fn bytes_held(&self) -> usize {
        self.0.iter().map(DeviceArray::bytes).sum()
    }
}
