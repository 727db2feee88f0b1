//! The types of all addresses: of the caller's arrays, of memory on the device, of what kernels get, and of streams.

/// A place in memory of the executor, or null. No safe function takes an address as a plain number.
///
/// A launch or a copy touches the memory that its arguments name. It is a safe function all the same, for these reasons:
/// * A number becomes an address in [`Address::new`] alone, and values on the host get one in [`Address::of`]. Both are unsafe: who
///   calls them vouches for the memory. At the C interface this is the caller's promise, and in the executors the driver or the allocator
///   has just given the memory.
/// * Null stays null, so safe code makes no address out of nothing.
/// * The type knows neither how many bytes are there nor for how long. The sizes of the caller's arrays follow from the checked
///   [`Shape`](crate::problem::Shape), and one function lays out the places of an allocation and gives its size. A plan owns the
///   memory that its arguments name, and the caller keeps the arrays until a solve is done.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Address(u64);

impl Address {
    pub const NULL: Address = Address(0);

    /// # Safety
    /// The number is 0 or the address of memory that the executor may use: as the documentation of an exported function asks for it, or
    /// for as long as the owner in the library lives.
    pub unsafe fn new(number: u64) -> Address {
        Address(number)
    }

    /// Of values on the host.
    ///
    /// # Safety
    /// They stay where they are, and nothing else uses them, while the address is used.
    pub unsafe fn of<T>(values: &mut [T]) -> Address {
        Address(values.as_mut_ptr() as u64)
    }

    /// The place so many bytes further on in the same allocation. That of null is null.
    pub fn offset(self, bytes: usize) -> Address {
        match self {
            Address::NULL => Address::NULL,
            Address(begin) => Address(begin + bytes as u64),
        }
    }

    /// The first place from here on, in the same allocation, at a multiple of so many bytes.
    pub fn aligned(self, bytes: usize) -> Address {
        Address(self.0.next_multiple_of(bytes as u64))
    }

    pub fn is_null(self) -> bool {
        self == Address::NULL
    }

    /// Itself, or where it is null the other one.
    pub fn or(self, other: Address) -> Address {
        if self.is_null() {
            other
        } else {
            self
        }
    }

    /// The number, for the driver and for checks.
    pub fn get(self) -> u64 {
        self.0
    }

    /// A pointer to it on the host, which unsafe code may follow.
    pub fn pointer<T>(self) -> *mut T {
        self.0 as *mut T
    }
}

/// A stream of the CUDA driver. Safe functions enqueue work on it, as only unsafe code makes one of a number.
#[repr(transparent)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Stream(usize);

impl Stream {
    /// The default stream of a context.
    pub const DEFAULT: Stream = Stream(0);
    /// The driver's CU_STREAM_PER_THREAD: each thread has a stream of its own by that number.
    pub const PER_THREAD: Stream = Stream(2);

    /// # Safety
    /// The number is the handle of a stream, which lives for as long as work is enqueued on it.
    pub unsafe fn new(handle: usize) -> Stream {
        Stream(handle)
    }

    /// The handle, for the driver.
    pub fn handle<T>(self) -> *mut T {
        self.0 as *mut T
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_stays_null() {
        assert!(Address::NULL.is_null() && Address::default().is_null());
        assert_eq!(Address::NULL.offset(8), Address::NULL);
        assert_eq!(Address::NULL.aligned(256), Address::NULL);
    }

    #[test]
    fn places_of_an_allocation() {
        let mut values = [1u32, 2, 3];
        // SAFETY: the values outlive the test's addresses.
        let first = unsafe { Address::of(&mut values) };
        let last = first.offset(8);
        assert_eq!((first.or(last), Address::NULL.or(last)), (first, last));
        assert_eq!(last.get() - first.get(), 8);
        assert_eq!(first.offset(1).aligned(4), first.offset(4));
        // SAFETY: the third of three.
        assert_eq!(unsafe { last.pointer::<u32>().read() }, 3);
    }
}
