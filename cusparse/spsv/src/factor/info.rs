//! What `csrilu02Info_t` and `csric02Info_t` are here: numbers in a table.

use super::args::Kind;
use super::ours::{Ours, PivotBoost};
use super::real::{self, Functions, RealInfo};
use crate::buffer::PassedBuffer;
use crate::descr::Side;
use crate::report;
use crate::table::{Entry, Table};
use doors::status::{Status, INVALID_VALUE};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

pub struct Info {
    kind: Kind,
    state: Mutex<State>,
}

/// Who said last how large the buffer must be.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum SizedBy {
    #[default]
    Nobody,
    /// So many bytes.
    Ours(usize),
    Real,
}

#[derive(Default)]
pub struct State {
    pub sized_by: SizedBy,
    /// Who made the last analysis.
    pub analysed_by: Side,
    pub ours: Option<Ours>,
    pub real: Option<RealInfo>,
    /// The real library's buffer, where the caller's is not of its size.
    pub buffer: Option<PassedBuffer>,
    pub boost: Option<PivotBoost>,
}

impl State {
    /// The real library's info, made when it is needed.
    pub fn real(&mut self, real: &'static Functions) -> Result<usize, Status> {
        if self.real.is_none() {
            self.real = Some(RealInfo::new(real)?);
        }
        Ok(self.real.as_ref().expect("made above").info)
    }
}

impl Info {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        // The state says what was done, whatever a panicking thread wanted to do.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static TABLE: LazyLock<Table<Info>> = LazyLock::new(Table::default);

/// # Safety
/// `info` is NULL or writable.
pub unsafe fn create(kind: Kind, info: *mut usize) -> Result<(), Status> {
    if !report::factorises() {
        return real::functions(kind, "createInfo")?.create(info);
    }
    if info.is_null() {
        return Err(report::refused(kind, "createInfo", INVALID_VALUE, "the pointer to the info is NULL"));
    }
    info.write(TABLE.insert(Info { kind, state: Mutex::default() }));
    Ok(())
}

/// # Safety
/// `info` is NULL or live, and not used afterwards.
pub unsafe fn destroy(kind: Kind, info: usize) -> Result<(), Status> {
    match find(kind, "destroyInfo", info)? {
        Found::Foreign(real) => real.destroy(info),
        Found::Here(found) => {
            drop(found);
            // What it held is freed here, after the table is: others go on meanwhile.
            drop(TABLE.remove(info));
            Ok(())
        }
    }
}

/// What a call is to do with its info.
pub enum Found {
    Here(Arc<Info>),
    /// NULL, or made by the real library, which answers for it.
    Foreign(&'static Functions),
}

pub fn find(kind: Kind, function: &'static str, info: usize) -> Result<Found, Status> {
    let refused = |why| Err(report::refused(kind, function, INVALID_VALUE, why));
    match TABLE.find(info) {
        Entry::Live(found) if found.kind == kind => Ok(Found::Here(found)),
        Entry::Live(_) => refused("the info is one of the other factorisation"),
        Entry::Destroyed => refused("the info has been destroyed"),
        Entry::Foreign => {
            let real = real::functions(kind, function)?;
            if report::factorises() {
                report::passed_on(kind, function, "the info is none of libsptrsv's");
            }
            Ok(Found::Foreign(real))
        }
    }
}
