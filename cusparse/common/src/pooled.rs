//! One call's worth of libsptrsv: a handle of the right executor and context, and a descriptor, both set up
//! as the program's cuSPARSE handle and descriptor say.
//!
//! Handles are kept for reuse. A call takes one out and puts it back, so that two threads never share one, and
//! there are as many per context as there ever were calls at the same time.

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

static IDLE: LazyLock<Mutex<HashMap<Place, Vec<Pair>>>> = LazyLock::new(Default::default);

fn idle() -> MutexGuard<'static, HashMap<Place, Vec<Pair>>> {
    // The map is valid whatever a panicking thread did with it.
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
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
            None => Pair::new(executor)?,
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
        // SAFETY: both are writable; a handle without a descriptor is destroyed again.
        unsafe {
            Status::from_sptrsv(sptrsv::sptrsvCreateWithExecutor(&mut pair.handle, number))?;
            if let Err(status) = Status::from_sptrsv(sptrsv::sptrsvCreateMatDescr(&mut pair.descr)) {
                sptrsv::sptrsvDestroy(pair.handle);
                return Err(status);
            }
        }
        Ok(pair)
    }
}
