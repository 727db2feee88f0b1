//! One call's worth of libsptrsv: a handle of the right executor and context, and a descriptor, both set up
//! as the program's cuSPARSE handle and descriptor say.
//!
//! Handles are kept for reuse. A call takes one out and puts it back, so that two threads never share one, and
//! there are as many per context as there ever were calls at the same time. Those of a context that is gone are destroyed when the
//! next handle is made.

use crate::cusparse::{self, DescrState, HandleState};
use crate::driver;
use crate::sptrsv;
use crate::status::{Status, INVALID_VALUE};
use libc::{c_int, c_void};
use std::collections::HashMap;
use std::ptr;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// Where the work is done; from the environment, read once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Executor {
    Cuda,
    Host,
}

impl Executor {
    pub fn chosen() -> Result<Executor, Status> {
        static CHOSEN: LazyLock<Result<Executor, Status>> =
            LazyLock::new(|| match std::env::var_os("SPTRSV_CUSPARSE_EXECUTOR") {
                None => Ok(Executor::Cuda),
                Some(name) if name == "cuda" || name.is_empty() => Ok(Executor::Cuda),
                Some(name) if name == "host" => Ok(Executor::Host),
                Some(_) => Err(INVALID_VALUE),
            });
        *CHOSEN
    }
}

/// What a libsptrsv handle belongs to: an executor, and there a context by address and number.
type Place = (Executor, usize, u64);

struct Pair {
    handle: sptrsv::Handle,
    descr: sptrsv::MatDescr,
}
// SAFETY: a libsptrsv handle may be used by any thread, one at a time; so may a descriptor.
unsafe impl Send for Pair {}

type Idle<T> = HashMap<Place, Vec<T>>;

static IDLE: LazyLock<Mutex<Idle<Pair>>> = LazyLock::new(Default::default);

fn idle() -> MutexGuard<'static, Idle<Pair>> {
    // The map is valid whatever a panicking thread did with it.
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes out what belongs to contexts that are gone.
fn take_dead<T>(idle: &mut Idle<T>, is_alive: impl Fn(usize, u64) -> bool) -> Vec<T> {
    let mut dead = Vec::new();
    idle.retain(|&(executor, context, id), kept| {
        let stays = executor == Executor::Host || is_alive(context, id);
        if !stays {
            dead.append(kept);
        }
        stays
    });
    dead
}

pub struct Pooled {
    place: Place,
    pair: Option<Pair>,
    pub handle: sptrsv::Handle,
    pub descr: sptrsv::MatDescr,
    pub stream: *mut c_void,
    pub pointer_mode: c_int,
}

impl Pooled {
    /// # Safety
    /// `handle` is NULL or a live cuSPARSE handle.
    pub unsafe fn open(handle: cusparse::Handle) -> Result<Pooled, Status> {
        let HandleState { stream, pointer_mode } = HandleState::read(handle)?;
        let executor = Executor::chosen()?;
        let (context, id) = match executor {
            Executor::Cuda => driver::place()?,
            Executor::Host => (0, 0),
        };
        let place = (executor, context, id);
        let kept = idle().get_mut(&place).and_then(Vec::pop);
        let pair = match kept {
            Some(pair) => pair,
            None => {
                let dead = take_dead(&mut idle(), driver::is_alive);
                drop(dead);
                Pair::new(executor)?
            }
        };
        let pooled =
            Pooled { place, handle: pair.handle, descr: pair.descr, pair: Some(pair), stream, pointer_mode };
        Status::from_sptrsv(sptrsv::sptrsvSetStream(pooled.handle, stream))?;
        pooled.set_pointer_mode(pointer_mode)?;
        Ok(pooled)
    }

    /// The same with a descriptor.
    ///
    /// # Safety
    /// `handle` and `descr` are NULL or live objects of cuSPARSE.
    pub unsafe fn open_with(handle: cusparse::Handle, descr: cusparse::MatDescr) -> Result<Pooled, Status> {
        let pooled = Pooled::open(handle)?;
        let state = DescrState::read(descr)?;
        for status in [
            sptrsv::sptrsvSetMatType(pooled.descr, state.mat_type),
            sptrsv::sptrsvSetMatFillMode(pooled.descr, state.fill_mode),
            sptrsv::sptrsvSetMatDiagType(pooled.descr, state.diag_type),
            sptrsv::sptrsvSetMatIndexBase(pooled.descr, state.index_base),
        ] {
            Status::from_sptrsv(status)?;
        }
        Ok(pooled)
    }

    pub fn executor(&self) -> Executor {
        self.place.0
    }

    /// Whether its stream is being captured into a graph.
    pub fn is_capturing(&self) -> bool {
        // SAFETY: the stream is that of a live handle of the program's.
        self.executor() == Executor::Cuda && unsafe { driver::is_capturing(self.stream) }
    }

    pub fn set_pointer_mode(&self, mode: c_int) -> Result<(), Status> {
        // SAFETY: the handle is live for as long as this.
        Status::from_sptrsv(unsafe { sptrsv::sptrsvSetPointerMode(self.handle, mode) })
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(pair) = self.pair.take() {
            idle().entry(self.place).or_default().push(pair);
        }
    }
}

impl Pair {
    fn new(executor: Executor) -> Result<Pair, Status> {
        let number = match executor {
            Executor::Cuda => sptrsv::EXECUTOR_CUDA,
            Executor::Host => sptrsv::EXECUTOR_HOST,
        };
        let mut pair = Pair { handle: ptr::null_mut(), descr: ptr::null_mut() };
        // SAFETY: both are writable.
        unsafe {
            Status::from_sptrsv(sptrsv::sptrsvCreateWithExecutor(&mut pair.handle, number))?;
            Status::from_sptrsv(sptrsv::sptrsvCreateMatDescr(&mut pair.descr))?;
        }
        Ok(pair)
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        // SAFETY: made by `new`, or NULL, which both calls allow.
        unsafe {
            sptrsv::sptrsvDestroyMatDescr(self.descr);
            sptrsv::sptrsvDestroy(self.handle);
        }
    }
}

/// Whether the stream of a handle is being captured into a graph.
///
/// # Safety
/// The handle is NULL or live.
pub unsafe fn is_captured(handle: cusparse::Handle) -> bool {
    Executor::chosen() == Ok(Executor::Cuda)
        && HandleState::read(handle).is_ok_and(|state| driver::is_capturing(state.stream))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_contexts_that_are_gone_is_taken_out() {
        let mut idle = Idle::from([
            ((Executor::Host, 0, 0), vec![1]),
            ((Executor::Cuda, 100, 7), vec![2, 3]),
            // Another context has come to lie there since.
            ((Executor::Cuda, 200, 8), vec![4, 5]),
            ((Executor::Cuda, 200, 9), vec![6]),
            ((Executor::Cuda, 300, 4), vec![]),
        ]);
        let alive = [(100, 7), (200, 9)];
        let mut dead = take_dead(&mut idle, |context, id| alive.contains(&(context, id)));
        dead.sort();
        assert_eq!(dead, [4, 5]);
        let mut kept: Vec<_> = idle.into_values().flatten().collect();
        kept.sort();
        assert_eq!(kept, [1, 2, 3, 6]);
    }
}
