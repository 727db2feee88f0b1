//! Analyses of descriptors that the program has destroyed. Bindings analyse the same matrix in every call, with a new descriptor each
//! time: the next one takes over the analysis of a pattern that is equal, which libsptrsv finds out.

use crate::args::{Call, Family};
use crate::info::Info;
use crate::matrix::{Matrix, Storage};
use doors::driver;
use doors::pooled::Executor;
use libc::c_int;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// What an analysis must have in common with the one that takes it over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    process: u32,
    /// A context by address and number; zeros on the host.
    context: (usize, u64),
    family: Family,
    op: c_int,
    storage: Storage,
    columns: i64,
    /// Where the arrays of the pattern are: two matrices of the same size are seldom equal, and lie apart.
    at: [usize; 2],
}

impl Key {
    /// None where there is no context.
    pub fn new(call: &Call, matrix: &Matrix) -> Option<Key> {
        let context = match Executor::chosen().ok()? {
            Executor::Cuda => driver::place().ok()?,
            Executor::Host => (0, 0),
        };
        Some(Key {
            process: std::process::id(),
            context,
            family: call.family,
            op: call.op,
            storage: matrix.storage,
            columns: matrix.columns_of_b,
            at: [matrix.rows as usize, matrix.columns as usize],
        })
    }

    /// Whether arrays elsewhere may hold the same pattern.
    fn is_alike(&self, other: &Key) -> bool {
        Key { at: self.at, ..*other } == *self
    }

    fn is_gone(&self) -> bool {
        self.context != (0, 0) && !driver::is_alive(self.context.0, self.context.1)
    }
}

pub struct Kept {
    pub key: Key,
    pub info: Info,
    pub bytes: usize,
    /// Whether a graph has captured a solve with it. Nobody takes it over then, as that would change what the graph solves with.
    pub is_captured: bool,
}

/// The last one was kept last.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<Kept>> {
    // The list is whole whatever a panicking thread did with it.
    let mut list = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    // In a child of fork those of its parent are not ours to destroy.
    let is_own = |one: &Kept| one.key.process == std::process::id();
    if !list.iter().all(is_own) {
        std::mem::take(&mut *list).into_iter().for_each(std::mem::forget);
    }
    list
}

/// How many are kept: SPTRSV_SPSV_KEEP.
pub fn most() -> usize {
    static MOST: LazyLock<usize> = LazyLock::new(|| {
        let asked = std::env::var("SPTRSV_SPSV_KEEP").ok();
        asked.and_then(|number| number.trim().parse().ok()).unwrap_or(8)
    });
    *MOST
}

/// The part of the memory that they may hold together.
const PART: usize = 32;

/// Keeps it, and destroys the oldest ones where there are too many.
pub fn keep(new: Kept) {
    let limit = match new.key.context {
        (0, 0) => host_memory() / PART,
        _ => driver::total_memory() / PART,
    };
    let mut gone = Vec::new();
    let mut list = kept();
    let (context, mut i) = (new.key.context, 0);
    list.push(new);
    while i < list.len() {
        match list[i].key.context != context && list[i].key.is_gone() {
            true => gone.push(list.remove(i)),
            false => i += 1,
        }
    }
    while list.len() > most() || list.iter().map(|one| one.bytes).sum::<usize>() > limit {
        gone.push(list.remove(0));
    }
    // That waits for the GPU, and others go on meanwhile.
    drop(list);
    drop(gone);
}

/// The last one that was kept of arrays at the same place, else of others of the same kind.
pub fn take(key: &Key) -> Option<Info> {
    let mut list = kept();
    let last =
        |is_it: &dyn Fn(&Key) -> bool| list.iter().rposition(|one| !one.is_captured && is_it(&one.key));
    let found = last(&|of| of == key).or_else(|| last(&|of| of.is_alike(key)))?;
    Some(list.remove(found).info)
}

/// Destroys all, whose memory may be what is missing; whether there were any.
pub fn clear() -> bool {
    let all = std::mem::take(&mut *kept());
    !all.is_empty()
}

fn host_memory() -> usize {
    // SAFETY: plain calls.
    let [pages, bytes] = unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
    usize::try_from(pages).unwrap_or(0).saturating_mul(usize::try_from(bytes).unwrap_or(0))
}
