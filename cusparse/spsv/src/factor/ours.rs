//! What libsptrsv holds for an info: one of its own, that was analysed for factorisations.

use super::args::{Call, Factorise, Kind, NOT_GENERAL};
use crate::info::Info;
use crate::kept;
use crate::matrix::{Storage, Why};
use crate::ours::{message, Failure};
use crate::report::{self, Timer};
use doors::cusparse::Handle;
use doors::pivot;
use doors::pooled::Pooled;
use doors::sptrsv::{self, DataType};
use doors::status::{
    Status, ALLOC_FAILED, INTERNAL_ERROR, INVALID_VALUE, MATRIX_TYPE_NOT_SUPPORTED, NOT_INITIALIZED,
};
use libc::c_int;
use std::ptr;

/// Statuses of libsptrsv.
const INVALID_MATRIX: c_int = 100;
/// cusparseOperation_t.
const NON_TRANSPOSE: c_int = 0;
/// cusparseSolvePolicy_t.
const NO_LEVEL: c_int = 0;
const USE_LEVEL: c_int = 1;

/// What small pivots are replaced by.
#[derive(Clone, Copy)]
pub struct PivotBoost {
    pub data_type: DataType,
    pub enable: c_int,
    pub tolerance: f64,
    pub value: [f64; 2],
}

pub struct Ours {
    info: Info,
    analysed: Option<Analysed>,
}

struct Analysed {
    storage: Storage,
    policy: c_int,
    has_factorised: bool,
    /// For the report.
    counted: report::Key,
}

impl Ours {
    pub fn new() -> Result<Ours, Status> {
        let info = Info::plain()?;
        // SAFETY: the info is live.
        Status::from_sptrsv(unsafe { sptrsv::sptrsvSetFactorization(info.0, 1) })?;
        Ok(Ours { info, analysed: None })
    }

    pub fn is_analysed(&self) -> bool {
        self.analysed.is_some()
    }

    /// # Safety
    /// The handle of the call is live; so below.
    pub unsafe fn buffer_size(&mut self, call: &Call, storage: &Storage) -> Result<usize, Why> {
        buffer_size(&self.info, call.handle, storage)
    }

    /// The caller's buffer is as large as `buffer_size` says, and the handle's stream is not captured.
    pub unsafe fn analyse(&mut self, step: &Factorise, storage: Storage) -> Result<(), Failure> {
        let pass_on = |_| Failure::PassOn("libsptrsv has no handle for this GPU".into());
        let pooled = Pooled::open(step.call.handle).map_err(pass_on)?;
        storage.describe(&pooled).map_err(|status| Failure::Refused(status, message()))?;
        let timer = Timer::of_call();
        let mut status = analyse(&self.info, &pooled, step, &storage);
        if status == ALLOC_FAILED.0 && kept::clear() {
            status = analyse(&self.info, &pooled, step, &storage);
        }
        if status != 0 {
            let why = message();
            return Err(match status {
                // Memory, size, GPU, the watchdog, no driver: what the real library may be able to do.
                2 | 4 | 10 | 11 | 103 | 104 => {
                    self.analysed = None;
                    Failure::PassOn(why)
                }
                INVALID_MATRIX if is_well_formed(&pooled, step, &storage) => Failure::PassOn(why),
                _ => Failure::Refused(Status::from_sptrsv(status).err().unwrap_or(INTERNAL_ERROR), why),
            });
        }
        let mut stats = sptrsv::Stats { struct_size: size_of::<sptrsv::Stats>(), ..Default::default() };
        let _ = sptrsv::sptrsvGetStats(self.info.0, &mut stats);
        let letter = storage.data_type.letter().to_string();
        let counted = report::Key::new(step.call.kind, &letter, [storage.m, storage.nnz], "");
        report::analysed(&counted, &stats, timer);
        self.analysed = Some(Analysed { storage, policy: step.policy, has_factorised: false, counted });
        Ok(())
    }

    pub unsafe fn factorise(&mut self, step: &Factorise, boost: Option<PivotBoost>) -> Result<(), Refusal> {
        let analysed = self.analysed.as_mut().ok_or((INTERNAL_ERROR, "no analysis is kept".to_string()))?;
        let storage = &analysed.storage;
        check(step, analysed.policy, storage)?;
        let call = &step.call;
        let no_handle = |status| (status, "no handle for this GPU".to_string());
        let pooled = Pooled::open(call.handle).map_err(no_handle)?;
        storage.describe(&pooled).map_err(|status| (status, message()))?;
        self.info.set(boost)?;
        let timer = Timer::of_stream(&pooled);
        let function = match call.kind {
            Kind::Ilu => sptrsv::sptrsvIlu0,
            Kind::Ic => sptrsv::sptrsvIc0,
        };
        let status = function(
            pooled.handle,
            storage.m,
            storage.nnz,
            pooled.descr,
            storage.data_type.number,
            call.val,
            call.row_ptr,
            call.col_ind,
            self.info.0,
            step.buffer,
        );
        Status::from_sptrsv(status).map_err(|status| (status, message()))?;
        analysed.has_factorised = true;
        report::factorised(&analysed.counted, timer, &pooled);
        Ok(())
    }

    /// Waits, and tells the first row with a zero pivot in the last factorisation.
    pub unsafe fn zero_pivot(&self, handle: Handle, position: *mut c_int) -> Result<(), Status> {
        let has_factorised = self.analysed.as_ref().is_some_and(|analysed| analysed.has_factorised);
        // A pattern without a structural zero, or libsptrsv would not have analysed it.
        let find = if has_factorised { sptrsv::sptrsvFactorZeroPivot } else { pivot::none };
        pivot::report(handle, self.info.0, position, find)
    }
}

type Refusal = (Status, String);

impl Info {
    fn set(&self, boost: Option<PivotBoost>) -> Result<(), Refusal> {
        let (tolerance, [re, im]) = match boost {
            // cuSPARSE boosts what is smaller than the tolerance, libsptrsv what is not larger. A comparison with NaN is never true.
            Some(boost) if boost.enable != 0 && boost.tolerance > 0.0 => {
                // The next smaller number.
                (f64::from_bits(boost.tolerance.to_bits() - 1), boost.value)
            }
            _ => (-1.0, [0.0; 2]),
        };
        // SAFETY: the info is live.
        let status = unsafe { sptrsv::sptrsvSetPivotBoost(self.0, tolerance, re, im) };
        Status::from_sptrsv(status).map_err(|status| (status, message()))
    }
}

unsafe fn buffer_size(info: &Info, handle: Handle, storage: &Storage) -> Result<usize, Why> {
    let pooled = Pooled::open(handle).map_err(|_| "libsptrsv has no handle for this GPU")?;
    storage.describe(&pooled).map_err(|_| "libsptrsv refuses the matrix")?;
    let mut bytes = 0;
    let status = sptrsv::sptrsvBufferSize(
        pooled.handle,
        NON_TRANSPOSE,
        storage.m,
        storage.nnz,
        pooled.descr,
        storage.data_type.number,
        ptr::null(),
        ptr::null(),
        ptr::null(),
        info.0,
        &mut bytes,
    );
    match status {
        0 => Ok(bytes),
        _ => Err("libsptrsv refuses the matrix"),
    }
}

/// The status of libsptrsv's analysis.
unsafe fn analyse(info: &Info, pooled: &Pooled, step: &Factorise, storage: &Storage) -> c_int {
    sptrsv::sptrsvAnalysis(
        pooled.handle,
        NON_TRANSPOSE,
        storage.m,
        storage.nnz,
        pooled.descr,
        storage.data_type.number,
        step.call.val,
        step.call.row_ptr,
        step.call.col_ind,
        info.0,
        sptrsv::SOLVE_POLICY_USE_LEVEL,
        step.buffer,
    )
}

/// Whether an analysis for solves takes the matrix: then its rows are not sorted, or lack a diagonal entry. Where it does not, cuSPARSE
/// would read wherever the offsets lead.
unsafe fn is_well_formed(pooled: &Pooled, step: &Factorise, storage: &Storage) -> bool {
    // A buffer for factorisations suffices.
    Info::plain().is_ok_and(|info| analyse(&info, pooled, step, storage) == 0)
}

/// Whether it is a call that the analysis is for.
unsafe fn check(step: &Factorise, policy: c_int, storage: &Storage) -> Result<(), Refusal> {
    let call = &step.call;
    let refused = |status, why: &str| Err((status, why.to_string()));
    if call.handle.is_null() {
        return refused(NOT_INITIALIZED, "the handle is NULL");
    }
    let now = match call.storage() {
        Ok(now) => now,
        Err(why) if why == NOT_GENERAL => return refused(MATRIX_TYPE_NOT_SUPPORTED, why),
        Err(why) => return refused(INVALID_VALUE, why),
    };
    if step.buffer.is_null() {
        return refused(INVALID_VALUE, "the buffer is NULL");
    }
    if now != *storage {
        return refused(INVALID_VALUE, "the matrix is of another size, type or base than the analysed one");
    }
    match (policy, step.policy) {
        (NO_LEVEL, USE_LEVEL) => {
            refused(INTERNAL_ERROR, "levels were left out of the analysis by its policy NO_LEVEL")
        }
        (_, NO_LEVEL | USE_LEVEL) => Ok(()),
        _ => refused(INVALID_VALUE, "there is no such policy"),
    }
}
