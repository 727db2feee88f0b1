//! What can go wrong: one variant per cause, its status code, and its words.
//!
//! This is the only room that decides what a user reads.
#![forbid(unsafe_code)]

use std::fmt;

/// Status of a call. Numbers up to 11 are cuSPARSE's own; those of this library start at 100.
#[allow(non_camel_case_types, clippy::upper_case_acronyms)]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum sptrsvStatus_t {
    /// The call succeeded.
    SPTRSV_STATUS_SUCCESS = 0,
    /// The handle is NULL.
    SPTRSV_STATUS_NOT_INITIALIZED = 1,
    /// Host or device memory could not be allocated.
    SPTRSV_STATUS_ALLOC_FAILED = 2,
    /// An argument is NULL, out of range, or not allowed in this state.
    SPTRSV_STATUS_INVALID_VALUE = 3,
    /// The library holds no code for this GPU.
    SPTRSV_STATUS_ARCH_MISMATCH = 4,
    /// Reserved: cuSPARSE's number.
    SPTRSV_STATUS_MAPPING_ERROR = 5,
    /// The CUDA driver reported an error, possibly of earlier asynchronous work.
    SPTRSV_STATUS_EXECUTION_FAILED = 6,
    /// A defect of this library; any function may return it.
    SPTRSV_STATUS_INTERNAL_ERROR = 7,
    /// The descriptor's matrix type is not GENERAL.
    SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    /// The matrix has a structural or numerical zero on its diagonal.
    SPTRSV_STATUS_ZERO_PIVOT = 9,
    /// The operation is not supported for these arguments.
    SPTRSV_STATUS_NOT_SUPPORTED = 10,
    /// More rows or entries than this library handles (2^32 - 4097).
    SPTRSV_STATUS_INSUFFICIENT_RESOURCES = 11,
    /// The sparsity pattern is malformed; found at analysis, which leaves the info as it was.
    SPTRSV_STATUS_INVALID_MATRIX = 100,
    /// The info holds no analysis.
    SPTRSV_STATUS_NOT_ANALYSED = 101,
    /// The arguments do not describe the matrix that was analysed.
    SPTRSV_STATUS_PATTERN_MISMATCH = 102,
    /// The watchdog ended an earlier solve on this info, whose result is invalid, or this analysis.
    SPTRSV_STATUS_TIMED_OUT = 103,
    /// No usable NVIDIA driver or GPU was found; the host executor works all the same.
    SPTRSV_STATUS_NO_DRIVER = 104,
}

pub use sptrsvStatus_t as Status;

/// Result of everything below the C interface.
pub type Result<T> = std::result::Result<T, Error>;

/// One variant per cause.
#[derive(Debug, Clone)]
pub enum Error {
    NullHandle,
    Null(&'static str),
    /// A handle or an info that another thread was using when this process was forked.
    InUseAtFork(&'static str),
    BadEnum {
        what: &'static str,
        value: i32,
    },
    Negative {
        what: &'static str,
        value: i64,
    },
    /// An array does not begin at a multiple of the size of its elements.
    Misaligned {
        what: &'static str,
        element: usize,
    },
    /// An argument that is well-formed but not allowed; the text says which and why.
    Invalid(String),
    MatrixType {
        found: &'static str,
    },
    Unsupported(String),
    /// `row` is in the caller's index base.
    Malformed {
        major: &'static str,
        row: i64,
        why: String,
    },
    NotAnalysed,
    /// The algorithm wants more of the buffer than the size that was asked for.
    SmallBuffer,
    /// Values are handed over that the analysis was not asked to prepare for.
    NotCopying,
    /// A diagonal is to be replaced, but not all values are copied.
    NotCopyingAll,
    /// Values that were to be handed over were not, or others were.
    NoValues,
    OtherValues,
    Mismatch {
        what: &'static str,
        analysed: String,
        given: String,
    },
    PolicyMismatch,
    Capturing,
    TimedOut,
    SetupTimedOut,
    ZeroPivot {
        row: i64,
        structural: bool,
    },
    NoDriver(String),
    OutOfMemory {
        place: &'static str,
        bytes: u64,
    },
    TooLarge {
        what: &'static str,
        value: i64,
        limit: i64,
    },
    /// The library was built for the host executor alone.
    NoKernels {
        gpu: String,
    },
    /// No code for the GPU, neither machine code nor PTX that the driver can compile; compute capabilities times ten.
    NoKernelImage {
        gpu: String,
        capability: u32,
        compiled: &'static str,
    },
    /// The driver is for an earlier CUDA than the compiler of the kernels; versions as the driver numbers them.
    DriverTooOld {
        driver: u32,
        compiler: u32,
    },
    /// The context that a handle was created in has been destroyed.
    ContextGone,
    Driver {
        call: &'static str,
        error: String,
    },
    Panic(String),
}

impl Error {
    /// The status code that the C caller gets.
    pub fn status(&self) -> Status {
        use sptrsvStatus_t::*;
        match self {
            Error::NullHandle => SPTRSV_STATUS_NOT_INITIALIZED,
            Error::Null(_)
            | Error::Misaligned { .. }
            | Error::InUseAtFork(_)
            | Error::BadEnum { .. }
            | Error::Negative { .. }
            | Error::Invalid(_)
            | Error::SmallBuffer
            | Error::NotCopying
            | Error::NotCopyingAll
            | Error::NoValues
            | Error::OtherValues
            | Error::PolicyMismatch
            | Error::Capturing => SPTRSV_STATUS_INVALID_VALUE,
            Error::MatrixType { .. } => SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
            Error::Unsupported(_) => SPTRSV_STATUS_NOT_SUPPORTED,
            Error::Malformed { .. } => SPTRSV_STATUS_INVALID_MATRIX,
            Error::NotAnalysed => SPTRSV_STATUS_NOT_ANALYSED,
            Error::Mismatch { .. } => SPTRSV_STATUS_PATTERN_MISMATCH,
            Error::TimedOut | Error::SetupTimedOut => SPTRSV_STATUS_TIMED_OUT,
            Error::ZeroPivot { .. } => SPTRSV_STATUS_ZERO_PIVOT,
            Error::NoDriver(_) => SPTRSV_STATUS_NO_DRIVER,
            Error::OutOfMemory { .. } => SPTRSV_STATUS_ALLOC_FAILED,
            Error::TooLarge { .. } => SPTRSV_STATUS_INSUFFICIENT_RESOURCES,
            Error::NoKernels { .. } | Error::NoKernelImage { .. } | Error::DriverTooOld { .. } => {
                SPTRSV_STATUS_ARCH_MISMATCH
            }
            Error::ContextGone | Error::Driver { .. } => SPTRSV_STATUS_EXECUTION_FAILED,
            Error::Panic(_) => SPTRSV_STATUS_INTERNAL_ERROR,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NullHandle => write!(f, "the handle is NULL"),
            Error::Null(what) => write!(f, "{what} is NULL"),
            Error::InUseAtFork(what) => {
                write!(f, "another thread was using the {what} when this process was forked; create another one")
            }
            Error::BadEnum { what, value } => write!(f, "{value} is not a value of {what}"),
            Error::Negative { what, value } => write!(f, "{what} is negative ({value})"),
            Error::Misaligned { what, element } => {
                write!(f, "{what} is not aligned: its address is not a multiple of {element}, the bytes of one element")
            }
            Error::Invalid(text) => f.write_str(text),
            Error::MatrixType { found } => {
                write!(f, "the matrix type is {found}; a triangular solve takes GENERAL")
            }
            Error::Unsupported(text) => write!(f, "not supported: {text}"),
            Error::Malformed { major, row, why } => write!(f, "{major} {row} of the matrix: {why}"),
            Error::NotAnalysed => write!(f, "the info holds no analysis: call sptrsvAnalysis first"),
            Error::SmallBuffer => write!(
                f,
                "a larger buffer is wanted: make the settings of the info before sptrsvBufferSize"
            ),
            Error::NotCopying => {
                write!(f, "the analysis was not asked by sptrsvSetCopyValues to prepare for a copy of values")
            }
            Error::NotCopyingAll => {
                write!(f, "the analysis was not asked by sptrsvSetCopyValues(info, SPTRSV_COPY_ALL) to copy all values")
            }
            Error::NoValues => write!(f, "the info has no values yet: call sptrsvUpdateValues first"),
            Error::OtherValues => write!(f, "val is not the array that sptrsvUpdateValues was given last"),
            Error::Mismatch { what, analysed, given } => {
                write!(f, "{what} is {given}, but the info was analysed with {analysed}")
            }
            Error::PolicyMismatch => {
                write!(f, "the policy is USE_LEVEL, but the info was analysed with NO_LEVEL")
            }
            Error::Capturing => {
                write!(f, "a stream is capturing: neither an analysis nor a wait for solves can be captured into a graph")
            }
            Error::TimedOut => write!(
                f,
                "the previous solve on this info was ended by the watchdog and its result is invalid; \
                 the info can be used again"
            ),
            Error::SetupTimedOut => write!(
                f,
                "the analysis was ended by the watchdog: a kernel waited without seeing any progress"
            ),
            Error::ZeroPivot { row, structural: true } => {
                write!(f, "row {row} has no entry on its diagonal (structural zero)")
            }
            Error::ZeroPivot { row, structural: false } => write!(f, "the diagonal entry of row {row} is zero"),
            Error::NoDriver(why) => write!(f, "no usable NVIDIA GPU: {why}; the host executor works without one"),
            Error::OutOfMemory { place, bytes: 0 } => write!(f, "{place} memory could not be allocated"),
            Error::OutOfMemory { place, bytes } => write!(f, "{bytes} bytes of {place} memory could not be allocated"),
            Error::TooLarge { what, value, limit } => {
                write!(f, "{what} is {value}; this library handles at most {limit}")
            }
            Error::NoKernels { gpu } => write!(
                f,
                "the library was built without kernels (SPTRSV_CUDA_ARCHS=none), and cannot use {gpu}; install a build with kernels"
            ),
            Error::NoKernelImage { gpu, capability, compiled } => write!(
                f,
                "the library has no code that the driver can load for {gpu}, of compute capability {}.{}: it was built with \
                 SPTRSV_CUDA_ARCHS={compiled}; build it with SPTRSV_CUDA_ARCHS={capability}, or update the driver",
                capability / 10,
                capability % 10
            ),
            Error::DriverTooOld { driver, compiler } => write!(
                f,
                "the NVIDIA driver is for CUDA {}.{}, and the library's kernels were compiled by CUDA {}.{}: update the driver, \
                 or build the library with a CUDA toolkit that is not newer than the driver",
                driver / 1000,
                driver % 1000 / 10,
                compiler / 1000,
                compiler % 1000 / 10
            ),
            Error::ContextGone => write!(
                f,
                "the CUDA context in which the handle was created has been destroyed; destroy the handle, and create another"
            ),
            Error::Driver { call, error } => {
                write!(f, "{call} failed with {error}; it may stem from earlier asynchronous work")
            }
            Error::Panic(text) => write!(f, "internal error: {text}"),
        }
    }
}

impl std::error::Error for Error {}

/// The symbolic name of a status, NUL-terminated.
pub fn name(status: i32) -> &'static str {
    TABLE.iter().find(|(s, ..)| *s as i32 == status).map_or("SPTRSV_STATUS_UNKNOWN\0", |(_, n, _)| n)
}

/// One sentence about a status, NUL-terminated.
pub fn description(status: i32) -> &'static str {
    TABLE.iter().find(|(s, ..)| *s as i32 == status).map_or("unknown status\0", |(.., d)| d)
}

macro_rules! table {
    ($($s:ident : $d:literal),* $(,)?) => {
        [$((sptrsvStatus_t::$s, concat!(stringify!($s), "\0"), concat!($d, "\0"))),*]
    };
}

const TABLE: [(Status, &str, &str); 17] = table! {
    SPTRSV_STATUS_SUCCESS: "success",
    SPTRSV_STATUS_NOT_INITIALIZED: "the handle is NULL",
    SPTRSV_STATUS_ALLOC_FAILED: "memory could not be allocated",
    SPTRSV_STATUS_INVALID_VALUE: "an argument is invalid",
    SPTRSV_STATUS_ARCH_MISMATCH: "no code for this GPU in the library",
    SPTRSV_STATUS_MAPPING_ERROR: "mapping error",
    SPTRSV_STATUS_EXECUTION_FAILED: "the CUDA driver reported an error",
    SPTRSV_STATUS_INTERNAL_ERROR: "internal error of the library",
    SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED: "the matrix type is not supported",
    SPTRSV_STATUS_ZERO_PIVOT: "zero on the diagonal",
    SPTRSV_STATUS_NOT_SUPPORTED: "not supported",
    SPTRSV_STATUS_INSUFFICIENT_RESOURCES: "insufficient resources",
    SPTRSV_STATUS_INVALID_MATRIX: "the sparsity pattern is malformed",
    SPTRSV_STATUS_NOT_ANALYSED: "the info holds no analysis",
    SPTRSV_STATUS_PATTERN_MISMATCH: "the matrix is not the one that was analysed",
    SPTRSV_STATUS_TIMED_OUT: "an earlier solve, or this analysis, was ended by the watchdog",
    SPTRSV_STATUS_NO_DRIVER: "no NVIDIA driver or GPU",
};
