//! Memory on the host that the library owns.

use crate::address::Address;
use crate::error::{Error, Result};

/// Bytes on the host, zero at the beginning, in words that are aligned for every type.
pub struct HostArray(Vec<u128>);

impl HostArray {
    pub fn new(bytes: usize) -> Result<HostArray> {
        let (mut words, count) = (Vec::new(), bytes.div_ceil(size_of::<u128>()));
        let none = |_| Error::OutOfMemory { place: "host", bytes: bytes as u64 };
        words.try_reserve_exact(count).map_err(none)?;
        words.resize(count, 0);
        Ok(HostArray(words))
    }

    pub fn address(&mut self) -> Address {
        // SAFETY: the words stay where they are for as long as the array lives, whose owner lives longer than what uses them.
        unsafe { Address::of(&mut self.0) }
    }

    pub fn bytes(&self) -> usize {
        size_of_val(self.0.as_slice())
    }
}
