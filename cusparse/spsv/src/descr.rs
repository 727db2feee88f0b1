//! What `cusparseSpSVDescr_t` and `cusparseSpSMDescr_t` are here: numbers that no address is, each used once, so that a
//! descriptor that was destroyed, or made by another library, is recognised.

use crate::call::Family;
use crate::kept;
use crate::ours::Ours;
use crate::real::{real_for, Real, RealDescr};
use crate::report;
use doors::driver::DeviceMemory;
use doors::status::{Status, INVALID_VALUE};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

/// The upper bits of every descriptor: no address of a 64-bit system begins so.
const TAG: usize = 0x5350 << 48;

pub struct Descr {
    pub family: Family,
    state: Mutex<State>,
}

/// Who answers for a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Nobody has analysed anything, or not with success.
    #[default]
    Nobody,
    Ours,
    Real,
}

#[derive(Default)]
pub struct State {
    /// Who said last how large the buffer must be.
    pub sized_by: Side,
    /// Who made the last analysis.
    pub analysed_by: Side,
    pub ours: Option<Ours>,
    pub real: Option<RealDescr>,
    /// The real library's buffer, where the caller's has the size that we asked for.
    pub buffer: Option<PassedBuffer>,
}

pub enum PassedBuffer {
    Device(DeviceMemory),
    Host(Vec<u128>),
}

impl Descr {
    fn into_state(self) -> State {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        // The state says what was done, whatever a panicking thread wanted to do.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static TABLE: LazyLock<RwLock<HashMap<usize, Arc<Descr>>>> = LazyLock::new(Default::default);
static MADE: AtomicUsize = AtomicUsize::new(1);

/// # Safety
/// `descr` is NULL or writable.
pub unsafe fn create(family: Family, descr: *mut usize) -> Result<(), Status> {
    if descr.is_null() {
        return Err(report::refused(
            family,
            "createDescr",
            INVALID_VALUE,
            "the pointer to the descriptor is NULL",
        ));
    }
    let number = TAG | MADE.fetch_add(1, Ordering::Relaxed) << 4;
    let made = Descr { family, state: Mutex::default() };
    TABLE.write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(made));
    descr.write(number);
    Ok(())
}

pub unsafe fn destroy(family: Family, descr: usize) -> Result<(), Status> {
    if descr == 0 {
        return Ok(());
    }
    if let Found::Foreign(real) = find(family, "destroyDescr", descr)? {
        return real.destroy(family, descr);
    }
    // Its memory is freed after the table is: others go on meanwhile.
    let gone = TABLE.write().unwrap_or_else(PoisonError::into_inner).remove(&descr);
    // A call of another thread that still has it ends it.
    if let Some(State { ours: Some(ours), .. }) = gone.and_then(Arc::into_inner).map(Descr::into_state) {
        ours.retire().into_iter().for_each(kept::keep);
    }
    Ok(())
}

/// What a call is to do with its descriptor.
pub enum Found {
    Here(Arc<Descr>),
    /// NULL, or made by the real library, which answers for it.
    Foreign(&'static Real),
}

pub fn find(family: Family, function: &'static str, descr: usize) -> Result<Found, Status> {
    if descr & TAG != TAG {
        let real = real_for(family, function)?;
        report::passed_on(family, function, "the descriptor is none of libsptrsv's");
        return Ok(Found::Foreign(real));
    }
    let found = TABLE.read().unwrap_or_else(PoisonError::into_inner).get(&descr).cloned();
    match found {
        Some(found) if found.family == family => Ok(Found::Here(found)),
        Some(_) => {
            Err(report::refused(family, function, INVALID_VALUE, "the descriptor is one of the other family"))
        }
        None => Err(report::refused(family, function, INVALID_VALUE, "the descriptor has been destroyed")),
    }
}
