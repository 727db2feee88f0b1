//! What `cusparseSpSVDescr_t` and `cusparseSpSMDescr_t` are here: numbers in a table.

use crate::args::Family;
use crate::buffer::PassedBuffer;
use crate::kept;
use crate::ours::Ours;
use crate::real::{real_for, Real, RealDescr};
use crate::report;
use crate::table::{Entry, Table};
use doors::status::{Status, INVALID_VALUE};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

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

impl Descr {
    fn into_state(self) -> State {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        // The state says what was done, whatever a panicking thread wanted to do.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static TABLE: LazyLock<Table<Descr>> = LazyLock::new(Table::default);

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
    descr.write(TABLE.insert(Descr { family, state: Mutex::default() }));
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
    if let Some(State { ours: Some(ours), .. }) = TABLE.remove(descr).map(Descr::into_state) {
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
    let refused = |why| Err(report::refused(family, function, INVALID_VALUE, why));
    match TABLE.find(descr) {
        Entry::Live(found) if found.family == family => Ok(Found::Here(found)),
        Entry::Live(_) => refused("the descriptor is one of the other family"),
        Entry::Destroyed => refused("the descriptor has been destroyed"),
        Entry::Foreign => {
            let real = real_for(family, function)?;
            report::passed_on(family, function, "the descriptor is none of libsptrsv's");
            Ok(Found::Foreign(real))
        }
    }
}
