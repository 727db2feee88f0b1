//! The part of libsptrsv's C ABI (include/sptrsv.h) that this library calls. Enums are C ints.

use libc::{c_char, c_int, c_void};

pub type Handle = *mut c_void;
pub type MatDescr = *mut c_void;
pub type Info = *mut c_void;

pub const EXECUTOR_CUDA: c_int = 0;
pub const EXECUTOR_HOST: c_int = 1;
pub const POINTER_MODE_HOST: c_int = 0;
pub const COPY_ALL: c_int = 2;
pub const ORDER_COLUMN: c_int = 1;
pub const ORDER_ROW: c_int = 2;
pub const SOLVE_POLICY_USE_LEVEL: c_int = 1;

/// Types of values, by cudaDataType's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DataType {
    pub number: c_int,
    pub bytes: usize,
    pub complex: bool,
}

impl DataType {
    /// Its place among S, D, C and Z.
    pub fn place(self) -> usize {
        usize::from(self.complex) * 2 + usize::from(self.number & 1 == 1)
    }

    /// S, D, C or Z, in lower case.
    pub fn letter(self) -> char {
        ['s', 'd', 'c', 'z'][self.place()]
    }
}

pub const R_32F: DataType = DataType { number: 0, bytes: 4, complex: false };
pub const R_64F: DataType = DataType { number: 1, bytes: 8, complex: false };
pub const C_32F: DataType = DataType { number: 4, bytes: 8, complex: true };
pub const C_64F: DataType = DataType { number: 5, bytes: 16, complex: true };

/// `sptrsvStats_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub struct_size: usize,
    pub levels: i64,
    pub widest_level: i64,
    pub rows: i64,
    pub entries_used: i64,
    pub algorithm: c_int,
    pub setup: c_int,
    pub setup_ms: f64,
    pub bytes_held: i64,
    pub predicted_ms: f64,
    pub parts_ms: [f64; 5],
    pub missing_diagonal: i64,
    pub pattern_was_known: i64,
    pub tuned_ms: f64,
}

extern "C" {
    pub fn sptrsvCreateWithExecutor(handle: *mut Handle, executor: c_int) -> c_int;
    pub fn sptrsvDestroy(handle: Handle) -> c_int;
    pub fn sptrsvGetLastErrorString() -> *const c_char;
    pub fn sptrsvSetStream(handle: Handle, stream: *mut c_void) -> c_int;
    pub fn sptrsvSetPointerMode(handle: Handle, mode: c_int) -> c_int;

    pub fn sptrsvCreateMatDescr(descr: *mut MatDescr) -> c_int;
    pub fn sptrsvDestroyMatDescr(descr: MatDescr) -> c_int;
    pub fn sptrsvSetMatType(descr: MatDescr, value: c_int) -> c_int;
    pub fn sptrsvSetMatFillMode(descr: MatDescr, value: c_int) -> c_int;
    pub fn sptrsvSetMatDiagType(descr: MatDescr, value: c_int) -> c_int;
    pub fn sptrsvSetMatIndexBase(descr: MatDescr, value: c_int) -> c_int;
    pub fn sptrsvSetMatFormat(descr: MatDescr, value: c_int) -> c_int;
    pub fn sptrsvSetMatIndexTypes(descr: MatDescr, offsets: c_int, columns: c_int) -> c_int;

    pub fn sptrsvCreateInfo(info: *mut Info) -> c_int;
    pub fn sptrsvDestroyInfo(info: Info) -> c_int;
    pub fn sptrsvGetAlgorithmName(algorithm: c_int) -> *const c_char;
    pub fn sptrsvGetStats(info: Info, stats: *mut Stats) -> c_int;
    pub fn sptrsvSetCopyValues(info: Info, copy: c_int) -> c_int;
    pub fn sptrsvSetKeepPattern(info: Info, enabled: c_int) -> c_int;
    pub fn sptrsvSetExpectedRightHandSides(info: Info, nrhs: i64) -> c_int;
    pub fn sptrsvGetExpectedRightHandSides(info: Info, nrhs: *mut i64) -> c_int;

    pub fn sptrsvBufferSize(
        handle: Handle,
        op: c_int,
        m: i64,
        nnz: i64,
        descr: MatDescr,
        value_type: c_int,
        val: *const c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        bytes: *mut usize,
    ) -> c_int;

    pub fn sptrsvAnalysis(
        handle: Handle,
        op: c_int,
        m: i64,
        nnz: i64,
        descr: MatDescr,
        value_type: c_int,
        val: *const c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        policy: c_int,
        buffer: *mut c_void,
    ) -> c_int;

    pub fn sptrsvSolve(
        handle: Handle,
        op: c_int,
        m: i64,
        nnz: i64,
        alpha: *const c_void,
        descr: MatDescr,
        value_type: c_int,
        val: *const c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        f: *const c_void,
        x: *mut c_void,
        policy: c_int,
        buffer: *mut c_void,
    ) -> c_int;

    pub fn sptrsvSolveMulti(
        handle: Handle,
        op: c_int,
        m: i64,
        nnz: i64,
        nrhs: i64,
        alpha: *const c_void,
        descr: MatDescr,
        value_type: c_int,
        val: *const c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        f: *const c_void,
        ldf: i64,
        x: *mut c_void,
        ldx: i64,
        policy: c_int,
        buffer: *mut c_void,
    ) -> c_int;

    pub fn sptrsvSolveMultiRowMajor(
        handle: Handle,
        op: c_int,
        m: i64,
        nnz: i64,
        nrhs: i64,
        alpha: *const c_void,
        descr: MatDescr,
        value_type: c_int,
        val: *const c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        f: *const c_void,
        ldf: i64,
        x: *mut c_void,
        ldx: i64,
        policy: c_int,
        buffer: *mut c_void,
    ) -> c_int;

    pub fn sptrsvSolveDense(
        handle: Handle,
        op: c_int,
        m: i64,
        nnz: i64,
        nrhs: i64,
        alpha: *const c_void,
        descr: MatDescr,
        value_type: c_int,
        val: *const c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        f: *const c_void,
        ldf: i64,
        order_f: c_int,
        x: *mut c_void,
        ldx: i64,
        order_x: c_int,
        policy: c_int,
        buffer: *mut c_void,
    ) -> c_int;

    pub fn sptrsvUpdateValues(handle: Handle, info: Info, val: *const c_void) -> c_int;
    pub fn sptrsvUpdateDiagonal(handle: Handle, info: Info, diag: *const c_void) -> c_int;
    pub fn sptrsvZeroPivot(handle: Handle, info: Info, position: *mut i64) -> c_int;

    pub fn sptrsvSetFactorization(info: Info, enabled: c_int) -> c_int;
    pub fn sptrsvSetPivotBoost(info: Info, tolerance: f64, re: f64, im: f64) -> c_int;
    pub fn sptrsvIlu0(
        handle: Handle,
        m: i64,
        nnz: i64,
        descr: MatDescr,
        value_type: c_int,
        val: *mut c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        buffer: *mut c_void,
    ) -> c_int;
    pub fn sptrsvIc0(
        handle: Handle,
        m: i64,
        nnz: i64,
        descr: MatDescr,
        value_type: c_int,
        val: *mut c_void,
        row_ptr: *const c_void,
        col_ind: *const c_void,
        info: Info,
        buffer: *mut c_void,
    ) -> c_int;
    pub fn sptrsvFactorZeroPivot(handle: Handle, info: Info, position: *mut i64) -> c_int;
}
