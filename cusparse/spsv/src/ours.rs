//! What libsptrsv holds for a descriptor: an info with a copy of the values, and how its matrix is stored.

use crate::args::{Call, Family};
use crate::info::Info;
use crate::kept::{self, Kept, Key};
use crate::matrix::{self, Dense, Matrix, Storage, Why};
use crate::real::Real;
use crate::report::{self, Timer};
use doors::cusparse::Handle;
use doors::pooled::{Executor, Pooled};
use doors::sptrsv;
use doors::status::{Status, ALLOC_FAILED, INTERNAL_ERROR, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED};
use libc::{c_int, c_void};
use std::cell::Cell;
use std::ffi::CStr;
use std::ptr;

/// On a GPU nothing of libsptrsv is in the buffer with one right-hand side: an info has work vectors of its own.
const BYTES: usize = 64;
/// Numbers of cudaDataType.
const DATA_TYPES: std::ops::Range<c_int> = 0..64;
/// Where something in the buffer begins.
const ALIGN: usize = 64;

impl Info {
    /// One whose analyses copy all values.
    fn new() -> Result<Info, Status> {
        let info = Info::plain()?;
        // SAFETY: the info is live.
        unsafe {
            Status::from_sptrsv(sptrsv::sptrsvSetCopyValues(info.0, sptrsv::COPY_ALL))?;
            Status::from_sptrsv(sptrsv::sptrsvSetKeepPattern(info.0, (kept::most() > 0).into()))?;
            Ok(info)
        }
    }
}

pub struct Ours {
    info: Info,
    analysed: Option<Analysed>,
}
// SAFETY: as that of an info; the buffer is the caller's, for calls one at a time.
unsafe impl Send for Ours {}

struct Analysed {
    storage: Storage,
    op: c_int,
    /// libsptrsv's part of the caller's buffer.
    buffer: *mut c_void,
    /// On the host that is in our own memory for SpSV, whose buffer nobody needs to keep for us.
    _scratch: Vec<u128>,
    /// What it may be taken over by, and the bytes that it holds.
    key: Option<Key>,
    bytes: usize,
    /// Whether a graph has captured a solve, and so reads its memory.
    is_captured: Cell<bool>,
    /// For the report.
    counted: report::Key,
}

/// Why there is no analysis.
pub enum Failure {
    /// The real library is to try.
    PassOn(String),
    Refused(Status, String),
}

type Refusal = (Status, String);

impl Ours {
    /// For a matrix: with an analysis of it from before, if one is kept.
    pub fn new(call: &Call, matrix: &Matrix) -> Result<Ours, Status> {
        let before = Key::new(call, matrix).and_then(|key| kept::take(&key));
        Ok(Ours { info: before.map_or_else(Info::new, Ok)?, analysed: None })
    }

    /// To be kept, if there is an analysis.
    pub fn retire(self) -> Option<Kept> {
        let Analysed { key, bytes, is_captured, .. } = self.analysed?;
        Some(Kept { key: key?, info: self.info, bytes, is_captured: is_captured.get() })
    }

    pub fn is_analysed(&self) -> bool {
        self.analysed.is_some()
    }

    /// # Safety
    /// The descriptors of the call are live; so below.
    pub unsafe fn buffer_size(&mut self, call: &Call, matrix: &Matrix) -> Result<usize, Why> {
        let storage = &matrix.storage;
        let pooled = Pooled::open(call.handle).map_err(|_| "libsptrsv has no handle for this GPU")?;
        storage.describe(&pooled).map_err(|_| "libsptrsv refuses the matrix")?;
        if call.family == Family::SpSM {
            let columns = matrix.columns_of_b.max(1);
            sptrsv::sptrsvSetExpectedRightHandSides(self.info.0, columns);
        }
        let mut bytes = 0;
        let status = sptrsv::sptrsvBufferSize(
            pooled.handle,
            call.op,
            storage.m,
            storage.nnz,
            pooled.descr,
            storage.data_type.number,
            ptr::null(),
            ptr::null(),
            ptr::null(),
            self.info.0,
            &mut bytes,
        );
        if status != 0 {
            return Err("libsptrsv refuses the matrix");
        }
        let leaves_nothing = call.family == Family::SpSV && pooled.executor() == Executor::Cuda;
        let bytes = if leaves_nothing { BYTES } else { bytes.max(BYTES) };
        Ok(ALIGN + storage.offsets_bytes() + bytes)
    }

    pub unsafe fn analyse(
        &mut self,
        real: &Real,
        call: &Call,
        matrix: &Matrix,
        buffer: *mut c_void,
    ) -> Result<(), Failure> {
        let storage = matrix.storage;
        let pass_on = |_| Failure::PassOn("libsptrsv has no handle for this GPU".into());
        let pooled = Pooled::open(call.handle).map_err(pass_on)?;
        storage.describe(&pooled).map_err(|status| Failure::Refused(status, message()))?;
        let offsets = (buffer as usize).next_multiple_of(ALIGN);
        let mut buffer = (offsets + storage.offsets_bytes()) as *mut c_void;
        let mut scratch = Vec::new();
        if call.family == Family::SpSV && pooled.executor() == Executor::Host {
            scratch = self.scratch(call, matrix)?;
            buffer = scratch.as_mut_ptr().cast();
        }
        let rows = match storage.is_coo {
            true => row_offsets(real, call.handle, matrix, offsets as *mut c_void)?,
            false => matrix.rows,
        };
        let timer = Timer::of_call();
        self.analyse_rows(&pooled, call.op, matrix, rows, buffer)?;
        let mut stats = sptrsv::Stats { struct_size: size_of::<sptrsv::Stats>(), ..Default::default() };
        let _ = sptrsv::sptrsvGetStats(self.info.0, &mut stats);
        self.analysed = None;
        if stats.missing_diagonal >= 0 {
            let row = stats.missing_diagonal;
            return Err(Failure::PassOn(format!(
                "row {row} has no diagonal entry, which counts as one in cuSPARSE"
            )));
        }
        let counted = storage.counted(call, stats.algorithm);
        report::analysed(&counted, &stats, timer);
        let (key, bytes) = (Key::new(call, matrix), stats.bytes_held as usize);
        self.analysed = Some(Analysed {
            storage,
            op: call.op,
            buffer,
            _scratch: scratch,
            key,
            bytes,
            is_captured: Cell::new(false),
            counted,
        });
        Ok(())
    }

    /// Room for an analysis and its solves, in our own memory.
    unsafe fn scratch(&mut self, call: &Call, matrix: &Matrix) -> Result<Vec<u128>, Failure> {
        let bytes = self.buffer_size(call, matrix).map_err(|why| Failure::PassOn(why.into()))?;
        let mut scratch = Vec::new();
        match scratch.try_reserve_exact(bytes / size_of::<u128>() + 1) {
            Ok(()) => Ok(scratch),
            Err(_) => Err(Failure::Refused(ALLOC_FAILED, "no memory".into())),
        }
    }

    /// Analyses a matrix whose rows are these, once more where memory was short and what is kept can be given up.
    unsafe fn analyse_rows(
        &mut self,
        pooled: &Pooled,
        op: c_int,
        matrix: &Matrix,
        rows: *const c_void,
        buffer: *mut c_void,
    ) -> Result<(), Failure> {
        let once = || {
            sptrsv::sptrsvAnalysis(
                pooled.handle,
                op,
                matrix.storage.m,
                matrix.storage.nnz,
                pooled.descr,
                matrix.storage.data_type.number,
                matrix.values,
                rows,
                matrix.columns,
                self.info.0,
                sptrsv::SOLVE_POLICY_USE_LEVEL,
                buffer,
            )
        };
        let mut status = once();
        if status == ALLOC_FAILED.0 && kept::clear() {
            status = once();
        }
        match status {
            0 => Ok(()),
            // Memory, size, GPU, the watchdog, no driver: what the real library may be able to do.
            2 | 4 | 10 | 11 | 103 | 104 => {
                self.analysed = None;
                Err(Failure::PassOn(message()))
            }
            _ => {
                let status = Status::from_sptrsv(status).err().unwrap_or(INTERNAL_ERROR);
                Err(Failure::Refused(status, message()))
            }
        }
    }

    pub unsafe fn solve(&self, real: &Real, call: &Call) -> Result<(), Refusal> {
        let analysed = self.analysed.as_ref().ok_or((INTERNAL_ERROR, "no analysis is kept".to_string()))?;
        let storage = &analysed.storage;
        let [b, c] = sides(real, call, storage)?;
        let pooled =
            Pooled::open(call.handle).map_err(|status| (status, "no handle for this GPU".to_string()))?;
        storage.describe(&pooled).map_err(|status| (status, message()))?;
        if pooled.is_capturing() {
            analysed.is_captured.set(true);
        }
        let timer = Timer::of_stream(&pooled);
        let status = sptrsv::sptrsvSolveDense(
            pooled.handle,
            analysed.op,
            storage.m,
            storage.nnz,
            c.columns,
            call.alpha,
            pooled.descr,
            storage.data_type.number,
            ptr::null(),
            ptr::null(),
            ptr::null(),
            self.info.0,
            b.values,
            b.ld,
            b.order,
            c.values,
            c.ld,
            c.order,
            sptrsv::SOLVE_POLICY_USE_LEVEL,
            analysed.buffer,
        );
        Status::from_sptrsv(status).map_err(|status| (status, message()))?;
        report::solved(&analysed.counted, c.columns, timer, &pooled);
        Ok(())
    }

    /// Replaces all values, or those of the diagonal.
    pub unsafe fn update(&self, handle: Handle, values: *mut c_void, diagonal: bool) -> Result<(), Refusal> {
        let analysed = self.analysed.as_ref().ok_or((INTERNAL_ERROR, "no analysis is kept".to_string()))?;
        let pooled = Pooled::open(handle).map_err(|status| (status, "no handle for this GPU".to_string()))?;
        let status = match (diagonal, analysed.storage.diag) {
            (false, _) => sptrsv::sptrsvUpdateValues(pooled.handle, self.info.0, values),
            // A diagonal of ones stays so, as in cuSPARSE 12.9; 12.6 divides by the new values.
            (true, 1) => 0,
            (true, _) => sptrsv::sptrsvUpdateDiagonal(pooled.handle, self.info.0, values),
        };
        Status::from_sptrsv(status).map_err(|status| (status, message()))
    }
}

impl Storage {
    /// What the report counts under.
    fn counted(&self, call: &Call, algorithm: c_int) -> report::Key {
        let op = ["N", "T", "H"].get(call.op as usize).unwrap_or(&"?");
        let fill = ["lower", "upper"].get(self.fill as usize).unwrap_or(&"?");
        let diag = if self.diag == 1 { " unit" } else { "" };
        let format = if self.format == 1 { " CSC" } else { "" };
        let kind = format!("{} {op} {fill}{diag}{format}", self.data_type.letter());
        // SAFETY: the library takes any number; the text is never NULL and lives as long as the library.
        let name = unsafe { CStr::from_ptr(sptrsv::sptrsvGetAlgorithmName(algorithm)) };
        report::Key::new(call.family, &kind, [self.m, self.nnz], &format!(", {}", name.to_string_lossy()))
    }

    /// Bytes of the offsets that are made from the rows of COO.
    fn offsets_bytes(&self) -> usize {
        match self.is_coo {
            true => ((self.m as usize + 1) * size_of::<c_int>()).next_multiple_of(ALIGN),
            false => 0,
        }
    }

    /// Has the pooled handle's descriptor say so.
    pub fn describe(&self, pooled: &Pooled) -> Result<(), Status> {
        // SAFETY: the descriptor lives as long as the pooled handle. The first call that fails is the last one: it leaves the message.
        unsafe {
            Status::from_sptrsv(sptrsv::sptrsvSetMatType(pooled.descr, 0))?;
            Status::from_sptrsv(sptrsv::sptrsvSetMatFillMode(pooled.descr, self.fill))?;
            Status::from_sptrsv(sptrsv::sptrsvSetMatDiagType(pooled.descr, self.diag))?;
            Status::from_sptrsv(sptrsv::sptrsvSetMatIndexBase(pooled.descr, self.base))?;
            Status::from_sptrsv(sptrsv::sptrsvSetMatFormat(pooled.descr, self.format))?;
            Status::from_sptrsv(sptrsv::sptrsvSetMatIndexTypes(pooled.descr, self.index, self.index))
        }
    }
}

/// The offsets of a matrix in COO, which the real library writes where they are to go.
unsafe fn row_offsets(
    real: &Real,
    handle: Handle,
    matrix: &Matrix,
    offsets: *mut c_void,
) -> Result<*const c_void, Failure> {
    let Storage { m, nnz, base, .. } = matrix.storage;
    match real.row_offsets(handle, matrix.rows, [nnz as c_int, m as c_int, base], offsets) {
        Ok(()) => Ok(offsets),
        Err(_) => Err(Failure::PassOn("cuSPARSE made no row offsets".into())),
    }
}

/// The sentence of this thread's last call of libsptrsv.
pub fn message() -> String {
    // SAFETY: never NULL; the text lives until the next call.
    let text = unsafe { CStr::from_ptr(sptrsv::sptrsvGetLastErrorString()) };
    text.to_string_lossy().into_owned()
}

/// op(B) and C of a solve, which must fit the matrix that was analysed.
unsafe fn sides(real: &Real, call: &Call, storage: &Storage) -> Result<[Dense; 2], Refusal> {
    let invalid = |why: &str| (INVALID_VALUE, why.to_string());
    let getters = real.getters.as_ref().ok_or_else(|| invalid("this libcusparse lacks a getter"))?;
    if [call.handle.cast_const(), call.alpha, call.a, call.b, call.c.cast_const()].iter().any(|p| p.is_null())
    {
        return Err(invalid("an argument is NULL"));
    }
    if !(0..=2).contains(&call.op) || (call.op == 2 && !storage.data_type.complex) {
        return Err(invalid("cuSPARSE refuses the operation"));
    }
    if !real.has_algorithm(call.family, call.alg) {
        return Err(invalid("this libcusparse does not know the algorithm"));
    }
    let matrix = matrix::read(real, getters, call.a).map_err(|why| {
        let status = if why == matrix::NOT_SQUARE { INVALID_VALUE } else { NOT_SUPPORTED };
        (status, format!("the matrix is not one to solve with: {why}"))
    })?;
    if storage.m == 0 && matrix.storage.m > 0 {
        return Err((NOT_INITIALIZED, "an analysis of no rows leaves nothing".to_string()));
    }
    if matrix.storage.m != storage.m {
        return Err(invalid("the matrix is of another size than the analysed one"));
    }
    if !DATA_TYPES.contains(&call.compute) {
        return Err(invalid("there is no such compute type"));
    }
    let read = |descr| {
        Dense::read(getters, call.family, descr).ok_or_else(|| invalid("a descriptor cannot be read"))
    };
    let (mut b, c) = (read(call.b)?, read(call.c)?);
    let types = [call.compute, matrix.storage.data_type.number, b.value_type, c.value_type];
    if types.iter().any(|&number| number != storage.data_type.number) {
        return Err((NOT_SUPPORTED, "matrix, vectors and compute type are of different types".to_string()));
    }
    if call.family == Family::SpSM && call.op_b != 0 {
        b = b.transposed();
    }
    if [b.rows, c.rows] != [storage.m; 2] || b.columns != c.columns {
        return Err(invalid("the sizes of the right-hand sides and solutions do not fit the matrix"));
    }
    match (call.family, call.op_b) {
        (Family::SpSM, 2) => Err((NOT_SUPPORTED, "cuSPARSE refuses the operation on B".to_string())),
        (Family::SpSM, op) if !(0..2).contains(&op) => Err(invalid("there is no such operation on B")),
        _ => Ok([b, c]),
    }
}
