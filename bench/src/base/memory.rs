//! Checks that memory is free before a step allocates it.
//!
//! Rust aborts where a vector finds no memory, and Linux kills a process that touches more memory than there is. A
//! matrix file names its number of rows in a few bytes, so whatever grows with the rows is asked for here first.

use std::fmt::Display;
use std::fs::read_to_string;
use std::path::Path;

use crate::base::Result;

/// Requests up to this size are not compared with free memory: to read /proc takes longer than to fill them.
const FEW: u64 = 8 << 20;

/// Fails if `bytes` of memory are not free. Holds no memory afterwards.
pub fn must_have(bytes: u64, what: impl Display) -> Result<()> {
    let free = free(bytes);
    // Other programs need some memory too.
    let why = match free.filter(|free| bytes > free - free / 16) {
        Some(free) => format!("{} are free", size(free)),
        // Address space may be limited as well.
        None if !can_be_reserved(bytes) => "the system does not give them".into(),
        None => return Ok(()),
    };
    Err(format!("there is not enough memory for {what}: {} are needed, {why}", size(bytes)))
}

fn can_be_reserved(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(bytes).is_ok();
    // The compiler could leave out an allocation that nobody sees.
    std::hint::black_box(&room);
    is_there
}

/// An empty vector with room for `count` elements, or the sentence of `must_have`.
pub fn room<T>(count: usize, what: impl Display) -> Result<Vec<T>> {
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    must_have(bytes, &what)?;
    let mut out = Vec::new();
    out.try_reserve_exact(count).map_err(|e| format!("there is not enough memory for {what}: {e}"))?;
    Ok(out)
}

/// A vector of `count` zeros, or the sentence of `must_have`.
pub fn zeros<T: Clone + Default>(count: usize, what: impl Display) -> Result<Vec<T>> {
    let mut out = room(count, what)?;
    out.resize(count, T::default());
    Ok(out)
}

/// Free bytes; none for a small request, and where the system does not tell.
fn free(wanted: u64) -> Option<u64> {
    #[cfg(test)]
    if let Some(most) = LIMIT.get() {
        return Some(most);
    }
    if wanted <= FEW {
        return None;
    }
    [of_machine(), of_groups()].into_iter().flatten().min()
}

/// Free bytes, for a reader that does not know how long its input is.
pub fn most() -> u64 {
    free(u64::MAX).unwrap_or(u64::MAX)
}

fn of_machine() -> Option<u64> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    kilobytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Free bytes under the memory limits of this process's control groups (version 2). Containers set such limits.
fn of_groups() -> Option<u64> {
    let text = read_to_string("/proc/self/cgroup").ok()?;
    let own = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Path::new(own).ancestors().filter_map(|group| of_group(&Path::new("/sys/fs/cgroup").join(group))).min()
}

fn of_group(folder: &Path) -> Option<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let file = |name: &str| read_to_string(folder.join(name)).ok();
    let most = number(&file("memory.max")?)?;
    let used = number(&file("memory.current")?)?;
    // The kernel drops these cached pages before it refuses memory.
    let cached = file("memory.stat")
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix("inactive_file ")).and_then(number));
    Some(most.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

/// Bytes in words.
fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e6 => format!("{bytes} bytes"),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

#[cfg(test)]
thread_local! {
    static LIMIT: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// Runs `work` as if `bytes` of memory were free; for this thread only.
#[cfg(test)]
pub fn with_limit<T>(bytes: u64, work: impl FnOnce() -> T) -> T {
    LIMIT.set(Some(bytes));
    let done = work();
    LIMIT.set(None);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_refused_in_words() {
        assert!(most() > 1 << 20);
        assert_eq!(must_have(1 << 20, "a test"), Ok(()));
        for bytes in [1 << 60, u64::MAX] {
            let message = must_have(bytes, "a test").unwrap_err();
            assert!(message.starts_with("there is not enough memory for a test: "), "{message}");
        }
        assert!(room::<u64>(usize::MAX / 4, "a test").is_err());
        assert_eq!(zeros::<u8>(3, "a test"), Ok(vec![0; 3]));
        let message = with_limit(1000, || zeros::<f64>(1000, "a test")).unwrap_err();
        assert_eq!(
            message,
            "there is not enough memory for a test: 8000 bytes are needed, 1000 bytes are free"
        );
    }
}
