//! The threads of the program's own work: as many as there are processors, or as address space has room for.

use std::thread::available_parallelism;

use rayon::ThreadPoolBuilder;

use crate::base::Result;

/// Address space for each thread, for its stack and what malloc reserves: a quarter of what is allowed goes to threads.
const OF_THREAD: u64 = 72 << 20;

/// Starts them; fails where the system gives none.
pub fn start() -> Result<()> {
    let processors = available_parallelism().map_or(1, |count| count.get());
    let count = fitting(address_space(), processors);
    // The main thread is one of them.
    let pool = ThreadPoolBuilder::new().num_threads(count).use_current_thread().build_global();
    pool.map_err(|e| format!("the system does not give {count} threads: {e}"))
}

fn fitting(address_space: Option<u64>, processors: usize) -> usize {
    let most = address_space.map_or(usize::MAX, |bytes| (bytes / 4 / OF_THREAD) as usize);
    processors.min(most).max(1)
}

/// The limit of the process's address space in bytes, if it has one.
fn address_space() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is there to be written to.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    (is_known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_threads_in_little_address_space() {
        assert_eq!(fitting(None, 32), 32);
        assert_eq!(fitting(Some(450_000_000), 32), 1);
        assert_eq!(fitting(Some(800_000_000), 32), 2);
        assert_eq!(fitting(Some(1 << 40), 32), 32);
        assert_eq!(fitting(Some(0), 4), 1);
    }
}
