/*
 * libsptrsv: sparse triangular solves op(A) x = alpha f on NVIDIA GPUs.
 *
 * Generated from src/ffi/ by build.rs and cbindgen; edit the files there, not this one.
 * The header stands alone: it needs no CUDA header, and compiles as C, as C++ and under nvcc.
 *
 * A solve takes these calls:
 *
 *     sptrsvCreate(&handle);                     once
 *     sptrsvCreateMatDescr(&descr);              CSR, base 0, lower triangle, stored diagonal
 *     sptrsvCreateInfo(&info);                   one for each matrix
 *     sptrsvBufferSize(..., info, &bytes);       then allocate the buffer
 *     sptrsvAnalysis(..., info, ..., buffer);    once for each sparsity pattern
 *     sptrsvSolve(..., info, f, x, ..., buffer); as often as you like, also with new values
 *
 * Arrays: they lie in the memory of the executor, device memory or host memory. An array must be aligned to the size of its
 * elements, where a complex number is one element of 8 or 16 bytes; an array that is not gives INVALID_VALUE. Only the buffer and,
 * in pointer mode HOST, alpha may lie at any address.
 *
 * Documentation of a function: "Blocking" says whether the call waits for the GPU. "Graph capture" says whether the call is allowed
 * while a stream is captured into a CUDA graph. "Preconditions" are the caller's to keep; the library cannot check them.
 *
 * More is in docs/: c-interface.md about algorithms, streams and right-hand sides, analysis.md about what an analysis keeps.
 */

#ifndef SPTRSV_H
#define SPTRSV_H

#include <stddef.h>
#include <stdint.h>

/* What cudaStream_t and CUstream point to. */
struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * \defgroup sptrsv_errors Errors
 *
 * Every function that can fail returns a status. A call that fails also leaves a sentence for the calling thread, which says what
 * was wrong: sptrsvGetLastErrorString.
 *
 * \{
 */

/** Status of a call. Numbers up to 11 are cuSPARSE's own; those of this library start at 100. */
typedef enum {
  /** The call succeeded. */
  SPTRSV_STATUS_SUCCESS = 0,
  /** The handle is NULL. */
  SPTRSV_STATUS_NOT_INITIALIZED = 1,
  /** Host or device memory could not be allocated. */
  SPTRSV_STATUS_ALLOC_FAILED = 2,
  /** An argument is NULL, out of range, or not allowed in this state. */
  SPTRSV_STATUS_INVALID_VALUE = 3,
  /** The library holds no code for this GPU. */
  SPTRSV_STATUS_ARCH_MISMATCH = 4,
  /** Reserved: cuSPARSE's number. */
  SPTRSV_STATUS_MAPPING_ERROR = 5,
  /** The CUDA driver reported an error, possibly of earlier asynchronous work. */
  SPTRSV_STATUS_EXECUTION_FAILED = 6,
  /** A defect of this library; any function may return it. */
  SPTRSV_STATUS_INTERNAL_ERROR = 7,
  /** The descriptor's matrix type is not GENERAL. */
  SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  /** The matrix has a structural or numerical zero on its diagonal. */
  SPTRSV_STATUS_ZERO_PIVOT = 9,
  /** The operation is not supported for these arguments. */
  SPTRSV_STATUS_NOT_SUPPORTED = 10,
  /** More rows or entries than this library handles (2^32 - 4097). */
  SPTRSV_STATUS_INSUFFICIENT_RESOURCES = 11,
  /** The sparsity pattern is malformed; found at analysis, which leaves the info as it was. */
  SPTRSV_STATUS_INVALID_MATRIX = 100,
  /** The info holds no analysis. */
  SPTRSV_STATUS_NOT_ANALYSED = 101,
  /** The arguments do not describe the matrix that was analysed. */
  SPTRSV_STATUS_PATTERN_MISMATCH = 102,
  /** The watchdog ended an earlier solve on this info, whose result is invalid, or this analysis. */
  SPTRSV_STATUS_TIMED_OUT = 103,
  /** No usable NVIDIA driver or GPU was found; the host executor works all the same. */
  SPTRSV_STATUS_NO_DRIVER = 104
} sptrsvStatus_t;

/**
 * The symbolic name of a status, for example "SPTRSV_STATUS_SUCCESS". Never NULL.
 *
 * \param status  a status
 * \return a string that lives as long as the library; "SPTRSV_STATUS_UNKNOWN" where there is no such status
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 */
const char *sptrsvGetErrorName(sptrsvStatus_t status);

/**
 * A few words about a status, for example "an argument is invalid". Never NULL.
 *
 * \param status  a status
 * \return a string that lives as long as the library
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 */
const char *sptrsvGetErrorString(sptrsvStatus_t status);

/**
 * What exactly was wrong with the calling thread's last call of a function of this library that returns a status: which
 * argument, which row. Empty after a success. Never NULL.
 *
 * \return a string that lives until this thread's next call of a function that returns a status
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 */
const char *sptrsvGetLastErrorString(void);

/** \} */

/**
 * \defgroup sptrsv_version Version
 *
 * The macros are the version of this header. sptrsvGetProperty, and sptrsvGetVersion for a handle, tell the version of the library
 * that is loaded.
 *
 * \{
 */

/** The major version of this header. */
#define SPTRSV_VERSION_MAJOR 0

/** The minor version of this header, less than 100. */
#define SPTRSV_VERSION_MINOR 2

/** The patch level of this header, less than 100. */
#define SPTRSV_VERSION_PATCH 0

/** The version of this header in one number: 10000 * major + 100 * minor + patch. */
#define SPTRSV_VERSION (((10000 * SPTRSV_VERSION_MAJOR) + (100 * SPTRSV_VERSION_MINOR)) + SPTRSV_VERSION_PATCH)

/** A part of the version; libraryPropertyType's numbers. */
typedef enum {
  SPTRSV_PROPERTY_MAJOR_VERSION = 0,
  SPTRSV_PROPERTY_MINOR_VERSION = 1,
  SPTRSV_PROPERTY_PATCH_LEVEL = 2
} sptrsvProperty_t;

/**
 * Reads a part of the version of the library that is loaded. It needs no handle.
 *
 * \param property  the part
 * \param value     receives the number
 * \return SUCCESS; INVALID_VALUE when `value` is NULL or `property` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `value` is NULL or writable.
 */
sptrsvStatus_t sptrsvGetProperty(sptrsvProperty_t property, int *value);

/** \} */

/**
 * \defgroup sptrsv_objects Objects
 *
 * A program creates three kinds of objects and destroys each of them. A handle says where and how work is done. A matrix
 * descriptor says how the arrays of a matrix are to be read. An info holds the analysis of one matrix; it may outlive the handle.
 *
 * Threads: objects are independent of one another. One object is used by one thread at a time; a descriptor that nobody changes
 * may be read by several.
 *
 * \{
 */

/** What a handle points to. */
typedef struct sptrsvContext sptrsvContext;

/** What an info points to. */
typedef struct sptrsvInfo sptrsvInfo;

/** What a matrix descriptor points to. */
typedef struct sptrsvMatDescr sptrsvMatDescr;

/**
 * A handle: executor, stream, pointer mode and watchdog.
 *
 * In a child of fork, handles and infos of the host executor can be used, on the calling thread alone; what another thread was using
 * at the fork gives INVALID_VALUE. Those of a GPU give EXECUTION_FAILED, as CUDA does not serve such a child. All can be destroyed.
 */
typedef sptrsvContext *sptrsvHandle_t;

/** A matrix descriptor: how the arrays of a matrix are to be read. */
typedef sptrsvMatDescr *sptrsvMatDescr_t;

/** A matrix descriptor that is only read. A sptrsvMatDescr_t can be passed for it. */
typedef const sptrsvMatDescr *sptrsvConstMatDescr_t;

/**
 * An info: what the analysis of one triangular matrix found. It also holds the work space of its solves, so solves and updates
 * with one info must not run at the same time (on two streams, or in a graph and on a stream): their results would be undefined.
 * Order them by events, or use one info for each.
 */
typedef sptrsvInfo *sptrsvInfo_t;

/** An info that is only read. A sptrsvInfo_t can be passed for it. */
typedef const sptrsvInfo *sptrsvConstInfo_t;

/** A CUDA stream: the same type as cudaStream_t and CUstream. NULL is the default stream. */
typedef struct CUstream_st *sptrsvStream_t;

/** \} */

/**
 * \defgroup sptrsv_handles Handles
 *
 * A handle belongs to one executor: an NVIDIA GPU or the CPU threads of the host. On a GPU it belongs to one CUDA context, and
 * work goes to the stream that was set last.
 *
 * \{
 */

/** Where the work is done. */
typedef enum {
  /** An NVIDIA GPU. All arrays are in device memory. */
  SPTRSV_EXECUTOR_CUDA = 0,
  /**
   * CPU threads. All arrays are in host memory. There are as many threads as this process may use processors, or as the
   * environment variable SPTRSV_NUM_THREADS (1 to 1024) says.
   */
  SPTRSV_EXECUTOR_HOST = 1
} sptrsvExecutor_t;

/** Whether alpha and the zero-pivot position are in host or device memory. */
typedef enum {
  SPTRSV_POINTER_MODE_HOST = 0,
  SPTRSV_POINTER_MODE_DEVICE = 1
} sptrsvPointerMode_t;

/**
 * Creates a handle on the CUDA executor. It belongs to the calling thread's current CUDA context; where there is none, to the
 * primary context of device 0.
 *
 * Handles and infos of one context share the kernels and a pool of memory, which keeps up to 1/32 of the device's memory for
 * further analyses. Both are given back with the last of them. After cudaDeviceReset or cuCtxDestroy, calls give EXECUTION_FAILED
 * and touch nothing, and handles and infos can only be destroyed. With a driver older than CUDA 12, destroy them before the
 * context.
 *
 * \param handle  receives the handle
 * \return SUCCESS; INVALID_VALUE when `handle` is NULL; NO_DRIVER where there is no NVIDIA driver or
 *         GPU; ARCH_MISMATCH when the library holds no code for the GPU; ALLOC_FAILED; EXECUTION_FAILED
 *
 * Blocking: yes. The first call of a context loads the kernels and prepares memory for analyses; the first call of a process may
 * initialise the driver. Graph capture: not allowed.
 *
 * Preconditions:
 * `handle` is NULL or writable.
 */
sptrsvStatus_t sptrsvCreate(sptrsvHandle_t *handle);

/**
 * Creates a handle on the given executor.
 *
 * \param handle    receives the handle
 * \param executor  where the work is to be done
 * \return as sptrsvCreate; INVALID_VALUE also when `executor` is out of range
 *
 * Blocking: as sptrsvCreate. Graph capture: not allowed.
 *
 * Preconditions:
 * `handle` is NULL or writable.
 */
sptrsvStatus_t sptrsvCreateWithExecutor(sptrsvHandle_t *handle, sptrsvExecutor_t executor);

/**
 * Destroys a handle. Infos analysed with it stay valid, and work in flight goes on.
 *
 * \param handle  the handle
 * \return SUCCESS; NOT_INITIALIZED when `handle` is NULL
 *
 * Blocking: no; but the last handle or info of a context unloads the kernels and frees the pool of memory, for which the driver
 * may wait for the GPU. Graph capture: not allowed.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, which is not used afterwards.
 */
sptrsvStatus_t sptrsvDestroy(sptrsvHandle_t handle);

/**
 * Reads the version of the library that is loaded, in one number as SPTRSV_VERSION.
 *
 * \param handle   the handle
 * \param version  receives the version
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `version` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, `version` NULL or writable.
 */
sptrsvStatus_t sptrsvGetVersion(sptrsvHandle_t handle, int *version);

/**
 * Reads the executor of a handle.
 *
 * \param handle    the handle
 * \param executor  receives the executor
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `executor` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, `executor` NULL or writable.
 */
sptrsvStatus_t sptrsvGetExecutor(sptrsvHandle_t handle, sptrsvExecutor_t *executor);

/**
 * Sets the stream on which later calls work. NULL, the default stream, is the default. The stream may be one of a green context.
 *
 * \param handle  the handle
 * \param stream  a stream of the handle's context
 * \return SUCCESS; NOT_INITIALIZED
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle; `stream` is live for as long as calls use it.
 */
sptrsvStatus_t sptrsvSetStream(sptrsvHandle_t handle, sptrsvStream_t stream);

/**
 * Reads the stream of the handle.
 *
 * \param handle  the handle
 * \param stream  receives the stream
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `stream` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, `stream` NULL or writable.
 */
sptrsvStatus_t sptrsvGetStream(sptrsvHandle_t handle, sptrsvStream_t *stream);

/**
 * Sets whether alpha and the zero-pivot position are host (the default) or device pointers. The host executor takes host pointers
 * in either mode.
 *
 * \param handle  the handle
 * \param mode    the pointer mode
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `mode` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle.
 */
sptrsvStatus_t sptrsvSetPointerMode(sptrsvHandle_t handle, sptrsvPointerMode_t mode);

/**
 * Reads the pointer mode.
 *
 * \param handle  the handle
 * \param mode    receives the mode
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `mode` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, `mode` NULL or writable.
 */
sptrsvStatus_t sptrsvGetPointerMode(sptrsvHandle_t handle, sptrsvPointerMode_t *mode);

/**
 * Sets the watchdog of later calls. It ends a wait inside a solve or an analysis that sees no progress for this long. The default
 * is 10 seconds.
 *
 * An analysis that was ended returns TIMED_OUT. A solve that was ended leaves an invalid x: NaN where it waited, and in all
 * unknowns that depend on those. A factorisation that was ended leaves invalid factors. The next call with that info that solves,
 * factorises or reports a zero pivot then returns TIMED_OUT once, unless the info is analysed anew before.
 *
 * A captured solve keeps the time that was set when it was captured. Not every step counts as progress: with a large matrix, a
 * time far below one second may end a solve or an analysis that works as it should.
 *
 * \param handle   the handle
 * \param seconds  the time in seconds, at least a nanosecond; 0 turns the watchdog off, INFINITY is the longest time there is
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `seconds` is negative or not a number
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle.
 */
sptrsvStatus_t sptrsvSetTimeout(sptrsvHandle_t handle, double seconds);

/**
 * Reads the time of the watchdog.
 *
 * \param handle   the handle
 * \param seconds  receives the time in seconds; 0 where the watchdog is off, INFINITY where the time is the longest there is
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `seconds` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, `seconds` NULL or writable.
 */
sptrsvStatus_t sptrsvGetTimeout(sptrsvHandle_t handle, double *seconds);

/**
 * Sets how many multiprocessors later solves, factorisations and sweeps size their launches for, so that some are left to kernels
 * of other streams. Results keep the bits that they have without it, where the algorithm is deterministic.
 *
 * The number of blocks of a launch is what the setting bounds: the GPU decides where they run. It does not bound
 * - analyses, and copies of values and of right-hand sides;
 * - the product with the rest of the matrix at the beginning of a sweep, and the copy of some unknowns at its end;
 * - LEVR, LEVC, SLFR, SLFC and GSF;
 * - eight blocks, which some algorithms launch at least: see docs/c-interface.md.
 *
 * The host executor keeps the number, which has no effect there.
 *
 * \param handle         the handle
 * \param smCountTarget  how many multiprocessors, at most those of the GPU; 0 (the default) stands for all
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `smCountTarget` is negative or more than the GPU has
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work. A captured solve keeps the number that was set when it was
 * captured.
 *
 * Preconditions:
 * `handle` is NULL or a live handle.
 */
sptrsvStatus_t sptrsvSetSmCountTarget(sptrsvHandle_t handle, int smCountTarget);

/**
 * Reads how many multiprocessors launches are sized for.
 *
 * \param handle         the handle
 * \param smCountTarget  receives the number that was set; 0 stands for all
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `smCountTarget` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `handle` is NULL or a live handle, `smCountTarget` NULL or writable.
 */
sptrsvStatus_t sptrsvGetSmCountTarget(sptrsvHandle_t handle, int *smCountTarget);

/** \} */

/**
 * \defgroup sptrsv_matrix_descriptors Matrix descriptors
 *
 * A descriptor says which triangle of the matrix is meant and how the arrays are stored. It holds no pointer and no size. A
 * setter that is refused changes nothing.
 *
 * \{
 */

/** Type of the matrix. Triangular solves take GENERAL only. */
typedef enum {
  SPTRSV_MATRIX_TYPE_GENERAL = 0,
  SPTRSV_MATRIX_TYPE_SYMMETRIC = 1,
  SPTRSV_MATRIX_TYPE_HERMITIAN = 2,
  SPTRSV_MATRIX_TYPE_TRIANGULAR = 3
} sptrsvMatrixType_t;

/** Which triangle of A is the matrix. The other triangle is ignored, also where it holds NaN. */
typedef enum {
  SPTRSV_FILL_MODE_LOWER = 0,
  SPTRSV_FILL_MODE_UPPER = 1
} sptrsvFillMode_t;

/** Whether all diagonal entries are one. Stored diagonal entries of a UNIT matrix are ignored and may be missing. */
typedef enum {
  SPTRSV_DIAG_TYPE_NON_UNIT = 0,
  SPTRSV_DIAG_TYPE_UNIT = 1
} sptrsvDiagType_t;

/** The number of the first row and column, and the value of the first offset. */
typedef enum {
  SPTRSV_INDEX_BASE_ZERO = 0,
  SPTRSV_INDEX_BASE_ONE = 1
} sptrsvIndexBase_t;

/**
 * Storage format: compressed by rows (rowPtr, colInd) or by columns (then rowPtr holds the column
 * pointers and colInd the row indices).
 */
typedef enum {
  SPTRSV_FORMAT_CSR = 0,
  SPTRSV_FORMAT_CSC = 1
} sptrsvFormat_t;

/** Integer type of offsets or of column indices. */
typedef enum {
  SPTRSV_INDEX_32I = 0,
  SPTRSV_INDEX_64I = 1
} sptrsvIndexType_t;

/**
 * Creates a descriptor with cuSPARSE's defaults: GENERAL, LOWER, NON_UNIT, base ZERO; CSR, 32-bit.
 *
 * \param descr  receives the descriptor
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or writable.
 */
sptrsvStatus_t sptrsvCreateMatDescr(sptrsvMatDescr_t *descr);

/**
 * Destroys a descriptor. NULL is allowed.
 *
 * \param descr  the descriptor
 * \return SUCCESS
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor, which is not used afterwards.
 */
sptrsvStatus_t sptrsvDestroyMatDescr(sptrsvMatDescr_t descr);

/**
 * Sets the matrix type. Triangular solves take GENERAL only, which is the default.
 *
 * \param descr  the descriptor
 * \param value  the new value
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor.
 */
sptrsvStatus_t sptrsvSetMatType(sptrsvMatDescr_t descr, sptrsvMatrixType_t value);

/**
 * Reads the matrix type.
 *
 * \param descr  the descriptor
 * \param value  receives the value
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor, `value` NULL or writable.
 */
sptrsvStatus_t sptrsvGetMatType(sptrsvConstMatDescr_t descr, sptrsvMatrixType_t *value);

/**
 * Sets the fill mode: which triangle of A is the matrix. LOWER is the default.
 *
 * \param descr  the descriptor
 * \param value  the new value
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor.
 */
sptrsvStatus_t sptrsvSetMatFillMode(sptrsvMatDescr_t descr, sptrsvFillMode_t value);

/**
 * Reads the fill mode.
 *
 * \param descr  the descriptor
 * \param value  receives the value
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor, `value` NULL or writable.
 */
sptrsvStatus_t sptrsvGetMatFillMode(sptrsvConstMatDescr_t descr, sptrsvFillMode_t *value);

/**
 * Sets the diagonal type. NON_UNIT is the default.
 *
 * \param descr  the descriptor
 * \param value  the new value
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor.
 */
sptrsvStatus_t sptrsvSetMatDiagType(sptrsvMatDescr_t descr, sptrsvDiagType_t value);

/**
 * Reads the diagonal type.
 *
 * \param descr  the descriptor
 * \param value  receives the value
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor, `value` NULL or writable.
 */
sptrsvStatus_t sptrsvGetMatDiagType(sptrsvConstMatDescr_t descr, sptrsvDiagType_t *value);

/**
 * Sets the index base. ZERO is the default.
 *
 * \param descr  the descriptor
 * \param value  the new value
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor.
 */
sptrsvStatus_t sptrsvSetMatIndexBase(sptrsvMatDescr_t descr, sptrsvIndexBase_t value);

/**
 * Reads the index base.
 *
 * \param descr  the descriptor
 * \param value  receives the value
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor, `value` NULL or writable.
 */
sptrsvStatus_t sptrsvGetMatIndexBase(sptrsvConstMatDescr_t descr, sptrsvIndexBase_t *value);

/**
 * Sets the storage format. CSR is the default.
 *
 * \param descr  the descriptor
 * \param value  the new value
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL or `value` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor.
 */
sptrsvStatus_t sptrsvSetMatFormat(sptrsvMatDescr_t descr, sptrsvFormat_t value);

/**
 * Reads the storage format.
 *
 * \param descr  the descriptor
 * \param value  receives the value
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor, `value` NULL or writable.
 */
sptrsvStatus_t sptrsvGetMatFormat(sptrsvConstMatDescr_t descr, sptrsvFormat_t *value);

/**
 * Sets the integer types of the offsets (rowPtr) and of the column indices (colInd). 32 bits are the default for both. 64-bit
 * offsets may stand with 32-bit columns; solves do not support 32-bit offsets with 64-bit columns.
 *
 * \param descr    the descriptor
 * \param offsets  type of the offsets
 * \param columns  type of the column indices
 * \return SUCCESS; INVALID_VALUE when `descr` is NULL or a type is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor.
 */
sptrsvStatus_t sptrsvSetMatIndexTypes(sptrsvMatDescr_t descr, sptrsvIndexType_t offsets, sptrsvIndexType_t columns);

/**
 * Reads the integer types of the offsets and of the column indices.
 *
 * \param descr    the descriptor
 * \param offsets  receives the type of the offsets
 * \param columns  receives the type of the column indices
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `descr` is NULL or a live descriptor; the others are NULL or writable.
 */
sptrsvStatus_t sptrsvGetMatIndexTypes(sptrsvConstMatDescr_t descr, sptrsvIndexType_t *offsets, sptrsvIndexType_t *columns);

/** \} */

/**
 * \defgroup sptrsv_infos Infos
 *
 * An info is set up (optional), analysed, and then solved with. It belongs to no handle. The settings are those of later analyses:
 * an analysis that is there already stays as it is, except that sptrsvSetDiagonal holds for later solves too. A setter that is
 * refused changes nothing.
 *
 * \{
 */

/** How a system is solved. docs/c-interface.md says more about each algorithm. Deterministic ones give the same bits in every run. */
typedef enum {
  /** The library chooses, among the deterministic ones. */
  SPTRSV_ALG_AUTO = 0,
  /** Row-wise, level-scheduled (R. Li, algorithm 1). Deterministic. */
  SPTRSV_ALG_LEVR = 1,
  /** Column-wise, level-scheduled (R. Li, algorithm 2). Atomic additions: not deterministic. */
  SPTRSV_ALG_LEVC = 2,
  /** Row-wise, self-scheduled (R. Li, algorithm 3). Deterministic. */
  SPTRSV_ALG_SLFR = 3,
  /** Column-wise, self-scheduled (R. Li, algorithm 4). Atomic additions: not deterministic. */
  SPTRSV_ALG_SLFC = 4,
  /** Column-wise in natural order, synchronization-free (W. Liu et al., 2016): the baseline. Atomic additions: not deterministic. */
  SPTRSV_ALG_GSF = 5,
  /** Row-wise in level order: for irregular patterns. Deterministic. */
  SPTRSV_ALG_ONE_WORD = 16,
  /** Row-wise in tiles of consecutive rows: for grids, and wherever rows depend on near ones. Deterministic. */
  SPTRSV_ALG_TILED = 17,
  /**
   * Row-wise by nodes: 2 to 6 consecutive rows with the same dependencies, as finite elements have them. Rows must be sorted. A
   * matrix without nodes is solved by ONE_WORD. Deterministic.
   */
  SPTRSV_ALG_NODAL = 18,
  /**
   * Row-wise, level by level: for a few wide levels, as orders by colours have them. A matrix of more than 1000 levels is solved by
   * ONE_WORD. Deterministic.
   */
  SPTRSV_ALG_WIDE = 19,
  /**
   * Row-wise, 32 rows at a time: for narrow levels, as chains, bands and chains of dense blocks have them. A GPU without clusters of
   * blocks takes ONE_WORD. Deterministic.
   */
  SPTRSV_ALG_THIN = 20,
  /** Row-wise for many right-hand sides. The buffer is larger, so set this algorithm before sptrsvBufferSize. Deterministic. */
  SPTRSV_ALG_BLOCK = 21,
  /** Row-wise, in runs of consecutive rows: for complete factors. Needs compute capability 8.0. Deterministic. */
  SPTRSV_ALG_PANEL = 22
} sptrsvAlgorithm_t;

/** Where and how an analysis is done. The host executor takes the CPU in any case. */
typedef enum {
  /** The library chooses: small systems on the CPU, others on the GPU. */
  SPTRSV_ANALYSIS_MODE_AUTO = 0,
  /** On the CPU: the pattern is copied to the host, and the schedule back. */
  SPTRSV_ANALYSIS_MODE_CPU = 1,
  /** On the GPU, without a launch for each level. */
  SPTRSV_ANALYSIS_MODE_GPU = 2,
  /** On the GPU, levels by Kahn's algorithm with a launch and a wait for each level (LEV_GPU of R. Li's paper). For comparison. */
  SPTRSV_ANALYSIS_MODE_GPU_KAHN = 3
} sptrsvAnalysisMode_t;

/** Which values solves read. */
typedef enum {
  /** The array that each solve is given, as it is at that time. */
  SPTRSV_COPY_NONE = 0,
  /** A copy in the order in which solves read the values, where that is faster; else the array. */
  SPTRSV_COPY_WHERE_FASTER = 1,
  /** A copy of all values, which the analysis makes. */
  SPTRSV_COPY_ALL = 2
} sptrsvCopyValues_t;

/**
 * What an analysis found and what it cost. Set `struct_size` to `sizeof(sptrsvStats_t)` before the call: only that many bytes are
 * written, so that the structure can grow.
 */
typedef struct {
  /** Bytes of this structure as the caller knows it. */
  size_t struct_size;
  /** Number of levels of the dependency graph; 0 where the algorithm needs none and none were computed. */
  int64_t levels;
  /** Rows in the widest level. */
  int64_t widest_level;
  /** Rows of the matrix. */
  int64_t rows;
  /** Entries of the triangle without its diagonal, plus one for each row. */
  int64_t entries_used;
  /** The algorithm in use (a value of sptrsvAlgorithm_t). */
  int algorithm;
  /** Where the analysis was done (a value of sptrsvAnalysisMode_t, never AUTO). */
  int setup;
  /** Wall-clock time of the whole analysis in milliseconds; of all operations, if it was for all. */
  double setup_ms;
  /** Bytes that the info holds in the executor's memory; of all operations, if it was analysed for all. */
  int64_t bytes_held;
  /** Predicted time of one solve in milliseconds, by the model that chose the algorithm; 0 where no model did. */
  double predicted_ms;
  /** Copying the pattern to the host (MAT_D2H of R. Li's paper), in milliseconds. */
  double mat_d2h_ms;
  /** Validating and transposing the pattern (TRANS), in milliseconds. */
  double trans_ms;
  /** Counting dependencies (DEP), in milliseconds. */
  double dep_ms;
  /** Computing levels (LEV), in milliseconds. */
  double lev_ms;
  /** Copying the schedule to the device (LEV_H2D), in milliseconds. */
  double lev_h2d_ms;
  /**
   * The smallest row without an entry on its diagonal, in the matrix's own index base; -1 where there is none, and where the
   * diagonal is UNIT or separate.
   */
  int64_t missing_diagonal;
  /**
   * 1 where the analysis has found the pattern that the info held already (sptrsvSetKeepPattern), else 0. The times of its parts
   * are then those of the analysis before it.
   */
  int64_t pattern_was_known;
  /** Time of one solve in milliseconds as sptrsvTune has measured it for the algorithm in use; 0 where it has not. */
  double tuned_ms;
} sptrsvStats_t;

/**
 * Creates an empty info.
 *
 * \param info  receives the info
 * \return SUCCESS; INVALID_VALUE when `info` is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or writable.
 */
sptrsvStatus_t sptrsvCreateInfo(sptrsvInfo_t *info);

/**
 * Destroys an info. NULL is allowed, and so is an info that was never analysed, whose handle or stream is gone, or whose solves
 * are still running.
 *
 * \param info  the info
 * \return SUCCESS
 *
 * Blocking: waits for work in flight with the info. Graph capture: not allowed; graphs that captured a solve or an update with
 * this info must not be launched afterwards.
 *
 * Preconditions:
 * `info` is NULL or a live info, which is not used afterwards.
 */
sptrsvStatus_t sptrsvDestroyInfo(sptrsvInfo_t info);

/**
 * Chooses the algorithm. AUTO is the default.
 *
 * \param info       the info
 * \param algorithm  the algorithm
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or there is no such algorithm
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetAlgorithm(sptrsvInfo_t info, sptrsvAlgorithm_t algorithm);

/**
 * Reads the algorithm in use after an analysis; before it, the algorithm that was set. The host executor has the first four
 * algorithms and GSF. It uses SLFR for those from ONE_WORD on. For AUTO it says LEVR, which has the same bits.
 *
 * \param info       the info
 * \param algorithm  receives the algorithm
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `algorithm` NULL or writable.
 */
sptrsvStatus_t sptrsvGetAlgorithm(sptrsvConstInfo_t info, sptrsvAlgorithm_t *algorithm);

/**
 * The name of an algorithm as it stands behind SPTRSV_ALG_, for example "TILED". Never NULL.
 *
 * \param algorithm  a number
 * \return a string that lives as long as the library; "UNKNOWN" where there is no such algorithm
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 */
const char *sptrsvGetAlgorithmName(sptrsvAlgorithm_t algorithm);

/**
 * Says how many right-hand sides the solves are expected to have, which AUTO goes by. The buffer may be larger for more of them: call
 * this before sptrsvBufferSize, else the analysis may give INVALID_VALUE. Solves may have any other number of right-hand sides too,
 * but may take longer than after an analysis for that number.
 *
 * \param info  the info
 * \param nrhs  the number of right-hand sides, at least 1, which is the default
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `nrhs` less than 1
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetExpectedRightHandSides(sptrsvInfo_t info,
                                               int64_t nrhs);

/**
 * Reads how many right-hand sides the solves are expected to have.
 *
 * \param info  the info
 * \param nrhs  receives the number
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `nrhs` NULL or writable.
 */
sptrsvStatus_t sptrsvGetExpectedRightHandSides(sptrsvConstInfo_t info, int64_t *nrhs);

/**
 * Chooses where and how an analysis is done. AUTO is the default.
 *
 * \param info  the info
 * \param mode  the mode
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `mode` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetAnalysisMode(sptrsvInfo_t info, sptrsvAnalysisMode_t mode);

/**
 * Reads where and how later analyses are done. sptrsvGetStats says where the last one was done.
 *
 * \param info  the info
 * \param mode  receives the mode
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `mode` NULL or writable.
 */
sptrsvStatus_t sptrsvGetAnalysisMode(sptrsvConstInfo_t info, sptrsvAnalysisMode_t *mode);

/**
 * Chooses whether one analysis serves all operations. By default an info is analysed for one operation, and a solve with another
 * one is refused. Enabled, an analysis with any operation prepares the transposed one too: NON_TRANSPOSE, TRANSPOSE and
 * CONJUGATE_TRANSPOSE can then be solved in any order, so that one factor serves both of its solves.
 *
 * It takes less time than two analyses, and as much memory as two. sptrsvGetStats counts time and bytes of both; all else there, and
 * sptrsvGetAlgorithm, is about the operation of the analysis. sptrsvZeroPivot reports on the solve that was called last.
 *
 * \param info     the info
 * \param enabled  1 for all operations, 0 (the default) for the operation of the analysis
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetAnalysisForAllOperations(sptrsvInfo_t info,
                                                 int enabled);

/**
 * Reads whether one analysis serves all operations.
 *
 * \param info     the info
 * \param enabled  receives 1 or 0
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `enabled` NULL or writable.
 */
sptrsvStatus_t sptrsvGetAnalysisForAllOperations(sptrsvConstInfo_t info, int *enabled);

/**
 * Chooses which values solves read: the caller's array (NONE, the default), a copy where that is faster (WHERE_FASTER), or a copy
 * of all values (ALL). docs/analysis.md says where a copy is faster and what it costs.
 *
 * WHERE_FASTER: call sptrsvUpdateValues after the analysis, and again whenever the values have changed.
 *
 * ALL: the analysis copies the values, and the caller's array may be changed or freed afterwards. sptrsvUpdateValues and
 * sptrsvUpdateDiagonal replace values in the copy.
 *
 * A copy of values in another order is NOT_SUPPORTED by the analysis of a matrix of 2^31 - 1 rows or entries and more.
 *
 * \param info  the info
 * \param copy  which values to copy
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `copy` is out of range
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetCopyValues(sptrsvInfo_t info, sptrsvCopyValues_t copy);

/**
 * Reads which values solves after later analyses read.
 *
 * \param info  the info
 * \param copy  receives the choice
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `copy` NULL or writable.
 */
sptrsvStatus_t sptrsvGetCopyValues(sptrsvConstInfo_t info, sptrsvCopyValues_t *copy);

/**
 * Gives the diagonal separately. The matrix is then L + D or U + D with D = diag(d), and diagonal entries stored in the matrix are
 * ignored.
 *
 * Set a vector before the analysis. Solves read it, so another vector of the same length may be set between solves; to go back to
 * the matrix's own diagonal takes another analysis. Calls with a descriptor that says UNIT give INVALID_VALUE.
 *
 * \param info  the info
 * \param d     m values of the type of the matrix, in the executor's memory; NULL (the default) for the matrix's own diagonal
 * \return SUCCESS; INVALID_VALUE when `info` is NULL
 *
 * Blocking: no. Graph capture: allowed; a captured solve keeps the pointer that was set when it was captured.
 *
 * Preconditions:
 * `info` is NULL or a live info; `d` stays readable until the solves that use it are done.
 */
sptrsvStatus_t sptrsvSetDiagonal(sptrsvInfo_t info, const void *d);

/**
 * Reads the separate diagonal.
 *
 * \param info  the info
 * \param d     receives the pointer that was set last, or NULL
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `d` NULL or writable.
 */
sptrsvStatus_t sptrsvGetDiagonal(sptrsvConstInfo_t info, const void **d);

/**
 * Reads what the last analysis with this info found and cost.
 *
 * \param info   the info
 * \param stats  receives the figures; its `struct_size` is set by the caller
 * \return SUCCESS; INVALID_VALUE when an argument is NULL or `struct_size` is too small to hold itself;
 *         NOT_ANALYSED
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info; `stats` is NULL or writable for `stats->struct_size` bytes.
 */
sptrsvStatus_t sptrsvGetStats(sptrsvConstInfo_t info, sptrsvStats_t *stats);

/** \} */

/**
 * \defgroup sptrsv_analysis Analysis
 *
 * sptrsvBufferSize says how large a scratch buffer an analysis and its solves need. sptrsvAnalysis reads the sparsity pattern
 * once; values may change between solves without another analysis. sptrsvUpdateValues and sptrsvUpdateDiagonal serve infos that
 * hold a copy of the values.
 *
 * \{
 */

/** op(A) in op(A) x = alpha f. */
typedef enum {
  SPTRSV_OPERATION_NON_TRANSPOSE = 0,
  SPTRSV_OPERATION_TRANSPOSE = 1,
  /** The same as TRANSPOSE for real types. */
  SPTRSV_OPERATION_CONJUGATE_TRANSPOSE = 2
} sptrsvOperation_t;

/** Type of matrix values, right-hand sides, solutions and alpha; cudaDataType's numbers. */
typedef enum {
  SPTRSV_R_32F = 0,
  SPTRSV_R_64F = 1,
  SPTRSV_C_32F = 4,
  SPTRSV_C_64F = 5
} sptrsvDataType_t;

/**
 * Whether solves may use level information; kept for programs that were written for csrsv2. An info that was analysed with
 * USE_LEVEL solves with both policies.
 */
typedef enum {
  SPTRSV_SOLVE_POLICY_NO_LEVEL = 0,
  SPTRSV_SOLVE_POLICY_USE_LEVEL = 1
} sptrsvSolvePolicy_t;

/**
 * Computes the size of the scratch buffer that an analysis and its solves need: at least 8 bytes for m >= 1. It goes by m, nnz, the
 * type and what the info is set for, as docs/c-interface.md says. So set the algorithm, the expected right-hand sides,
 * sptrsvSetFactorization and sptrsvSetSweeps before.
 *
 * The call writes into the info what the size is for, and an analysis that needs a larger buffer gives INVALID_VALUE. For an info
 * that is analysed already, the size also suffices for what that analysis is for.
 *
 * \param handle  the handle
 * \param op  op(A)
 * \param m  rows and columns of A; where it is 0, arrays and buffer may be NULL
 * \param nnz  entries of A, both triangles counted
 * \param descr  how the arrays are to be read
 * \param valueType  type of the values
 * \param val, rowPtr, colInd  not read, and may be NULL
 * \param info  the info that the analysis will use
 * \param bytes  receives the size
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE (a NULL, a negative size, an enum out of range, UNIT with a separate diagonal);
 *         MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES (2^32 - 4096 rows or entries and more)
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * Handle, descriptor and info are NULL or live; `bytes` is NULL or writable.
 */
sptrsvStatus_t sptrsvBufferSize(sptrsvHandle_t handle,
                                sptrsvOperation_t op,
                                int64_t m,
                                int64_t nnz,
                                sptrsvConstMatDescr_t descr,
                                sptrsvDataType_t valueType,
                                const void *val,
                                const void *rowPtr,
                                const void *colInd,
                                sptrsvInfo_t info,
                                size_t *bytes);

/**
 * Chooses whether an analysis keeps a copy of the pattern, by which the next one knows it again. An analysis of an equal pattern, with
 * the same settings and on the same device, then keeps the schedule: it compares the two patterns, and copies the values where all
 * are copied. That is for programs that analyse the same pattern again and again, as bindings without a place for an info do.
 *
 * The copy takes as much memory as rowPtr and colInd. Where there is not enough, none is kept.
 *
 * \param info     the info
 * \param enabled  1 to keep a copy, 0 (the default) to keep none
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetKeepPattern(sptrsvInfo_t info,
                                    int enabled);

/**
 * Reads whether an analysis keeps a copy of the pattern.
 *
 * \param info     the info
 * \param enabled  receives 1 or 0
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `enabled` NULL or writable.
 */
sptrsvStatus_t sptrsvGetKeepPattern(sptrsvConstInfo_t info, int *enabled);

/**
 * Analyses the sparsity pattern: levels, dependencies, and the schedule that solves follow. Values are not read, but copied after
 * sptrsvSetCopyValues(info, SPTRSV_COPY_ALL). The pattern may be changed or freed afterwards.
 *
 * An info can be analysed again, for the same or another matrix. The new analysis takes over its memory, so CUDA graphs that
 * captured a solve or an update with this info must not be launched any more. A call that is refused leaves the info as it was. A
 * call that fails later may leave it not analysed: ALLOC_FAILED, TIMED_OUT, EXECUTION_FAILED, NOT_SUPPORTED, or
 * INSUFFICIENT_RESOURCES for a schedule of too many pieces.
 *
 * \param handle  the handle
 * \param op  op(A)
 * \param m  rows and columns of A; where it is 0, arrays and buffer may be NULL
 * \param nnz  entries of A, both triangles counted
 * \param descr  how the arrays are to be read
 * \param valueType  type of the values
 * \param val  nnz values if all are to be copied; else not read, and may be NULL
 * \param rowPtr  m + 1 offsets (of columns, for CSC)
 * \param colInd  nnz indices (of rows, for CSC); they need not be sorted, and duplicates add up
 * \param info  receives the analysis
 * \param policy  kept with the info: see sptrsvSolvePolicy_t
 * \param buffer  scratch of sptrsvBufferSize's size, at any address; nothing survives in it
 * \return SUCCESS (also where a diagonal entry is missing: see sptrsvZeroPivot); NOT_INITIALIZED;
 *         INVALID_VALUE (as sptrsvBufferSize; an array that is NULL or not aligned; a stream that is capturing);
 *         MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED (also where the algorithm or analysis mode does not fit the
 *         GPU or the size); INSUFFICIENT_RESOURCES; INVALID_MATRIX (offsets that fall or do not end at nnz, an
 *         index out of range); ALLOC_FAILED; TIMED_OUT; EXECUTION_FAILED
 *
 * Blocking: waits for the handle's stream; where the info was used on another stream, on the per-thread stream or in a capture,
 * for all work of the CUDA context. Graph capture: not allowed; other streams may be capturing meanwhile.
 *
 * Preconditions:
 * Handle, descriptor and info are NULL or live; the arrays have the sizes given, in the executor's memory.
 */
sptrsvStatus_t sptrsvAnalysis(sptrsvHandle_t handle,
                              sptrsvOperation_t op,
                              int64_t m,
                              int64_t nnz,
                              sptrsvConstMatDescr_t descr,
                              sptrsvDataType_t valueType,
                              const void *val,
                              const void *rowPtr,
                              const void *colInd,
                              sptrsvInfo_t info,
                              sptrsvSolvePolicy_t policy,
                              void *buffer);

/**
 * Copies matrix values into an info that was analysed after sptrsvSetCopyValues.
 *
 * WHERE_FASTER: call it after the analysis and after each change of the values. Solves before that read the old values where they
 * are copied, and the new values where they are not. The array stays the caller's and must stay readable: each solve is given the
 * same pointer, and refuses another one.
 *
 * ALL: call it to replace the values. The array may be changed or freed when the copy is done.
 *
 * \param handle  the handle
 * \param info    an info analysed after sptrsvSetCopyValues
 * \param val     nnz values of the type that was analysed, as at sptrsvSolve; may be NULL if there are none
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `info` or `val` is NULL, `val` is not aligned, or the analysis was not asked
 *         to prepare for a copy; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device). After any of these,
 *         solves read what they read before. EXECUTION_FAILED: the copy may hold a part of the new values
 *
 * Blocking: no. The copy is enqueued on the handle's stream, and solves on other streams must wait for it. Graph capture: allowed.
 * The graph then copies what the array holds at each launch. A captured update counts as made: before the first launch, solves
 * outside of the graph read what the copy held before, which is undefined after an analysis.
 *
 * Preconditions:
 * Handle and info are NULL or live; `val` is NULL or nnz values in the executor's memory.
 */
sptrsvStatus_t sptrsvUpdateValues(sptrsvHandle_t handle, sptrsvInfo_t info, const void *val);

/**
 * Replaces the diagonal in the copy of all values (sptrsvSetCopyValues, ALL). Rows without a diagonal entry in the matrix get none.
 *
 * \param handle  the handle
 * \param info    an info analysed after sptrsvSetCopyValues(info, SPTRSV_COPY_ALL)
 * \param diag    m values of the type that was analysed; may be NULL if there are none. It may be changed or freed when the copy
 *                is done
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE when `info` or `diag` is NULL, `diag` is not aligned, the analysis was not asked
 *         to copy all values, or the diagonal is UNIT or separate; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another
 *         device); NOT_SUPPORTED where a row has two diagonal entries. After any of these, solves read what they read before.
 *         EXECUTION_FAILED: the copy may hold a part of the new diagonal
 *
 * Blocking: no. The copy is enqueued on the handle's stream, and solves on other streams must wait for it. Graph capture: allowed.
 * The graph then copies what the array holds at each launch.
 *
 * Preconditions:
 * Handle and info are NULL or live; `diag` is NULL or m values in the executor's memory.
 */
sptrsvStatus_t sptrsvUpdateDiagonal(sptrsvHandle_t handle, sptrsvInfo_t info, const void *diag);

/** \} */

/**
 * \defgroup sptrsv_solve Solve
 *
 * Solves are given the same matrix as the analysis; another one is refused. On the CUDA executor they are asynchronous, allocate
 * nothing, and can be captured into a CUDA graph. docs/c-interface.md says how they order with other work on the stream, and what
 * several right-hand sides cost.
 *
 * \{
 */

/** How a dense matrix is stored; cusparseOrder_t's numbers. */
typedef enum {
  /** Column by column (column-major). */
  SPTRSV_ORDER_COLUMN = 1,
  /** Row by row (row-major). */
  SPTRSV_ORDER_ROW = 2
} sptrsvOrder_t;

/**
 * Solves op(A) x = alpha f for one right-hand side, with the values that the arrays hold now (after
 * sptrsvSetCopyValues: that they held at the last sptrsvUpdateValues).
 *
 * \param handle  the handle
 * \param op, m, nnz, descr, valueType  as at analysis; any op after sptrsvSetAnalysisForAllOperations
 * \param alpha  one value of valueType. Pointer mode HOST: read before the call returns, and fixed in a captured graph. DEVICE:
 *        read when the solve runs, and at each launch of a graph. The host executor takes a host pointer in either mode
 * \param val  nnz values; after sptrsvSetCopyValues(info, SPTRSV_COPY_WHERE_FASTER) the array that was last given to
 *        sptrsvUpdateValues; not read, and may be NULL, where all values are copied
 * \param rowPtr, colInd  not read, but not NULL (colInd may be where nnz is 0), unless all values are copied
 * \param info  an analysed info
 * \param f  m values
 * \param x  receives m values; may be f itself
 * \param policy  NO_LEVEL, or USE_LEVEL if analysed with it
 * \param buffer  scratch of sptrsvBufferSize's size, at any address; nothing survives in it, and nothing else may use it until the
 *        solve is done
 * \return SUCCESS (also where a pivot is zero: x then holds Inf or NaN from there on, see sptrsvZeroPivot); NOT_INITIALIZED;
 *         INVALID_VALUE (an array that is NULL or not aligned, USE_LEVEL after an analysis with NO_LEVEL, values that
 *         sptrsvUpdateValues was to be given); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES; NOT_ANALYSED;
 *         PATTERN_MISMATCH (another matrix or device than was analysed); TIMED_OUT (of an earlier solve or factorisation; nothing is
 *         done); EXECUTION_FAILED. On any error but the last x is untouched
 *
 * Results of different algorithms agree within rounding. Near the ends of a type's range one algorithm may overflow where another
 * does not. On a GPU the atomic additions of LEVC, SLFC and GSF take subnormal numbers of single precision for zero; all other
 * algorithms compute with them.
 *
 * Blocking: asynchronous on the CUDA executor, without host synchronisation or allocation; the host executor returns when x is
 * there. Two exceptions: drivers for CUDA 12.2 and 12.3 load a kernel at its first use, and the first call after a solve that the
 * watchdog ended, or that the driver refused half way, waits for work in flight with the info. Graph capture: allowed, except for
 * that first call, which gives INVALID_VALUE.
 *
 * Preconditions:
 * Handle, descriptor and info are NULL or live; the arrays have the sizes given, in the executor's memory; val, f, x, the buffer, an
 * alpha on the device and the diagonal of sptrsvSetDiagonal stay until the solve is done.
 */
sptrsvStatus_t sptrsvSolve(sptrsvHandle_t handle,
                           sptrsvOperation_t op,
                           int64_t m,
                           int64_t nnz,
                           const void *alpha,
                           sptrsvConstMatDescr_t descr,
                           sptrsvDataType_t valueType,
                           const void *val,
                           const void *rowPtr,
                           const void *colInd,
                           sptrsvInfo_t info,
                           const void *f,
                           void *x,
                           sptrsvSolvePolicy_t policy,
                           void *buffer);

/**
 * Solves op(A) X = alpha F for nrhs right-hand sides, stored by columns: column j of F begins at F + j * ldf. Where the algorithm
 * is deterministic, every column has the bits of a single solve. For 16 and more, call sptrsvSetExpectedRightHandSides before the
 * analysis.
 *
 * \param handle  the handle
 * \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
 * \param nrhs  number of right-hand sides, 0 or more
 * \param alpha  one value, in host or device memory by the pointer mode
 * \param F  right-hand sides
 * \param ldf  values from one column of F to the next, at least m
 * \param X  receives the solutions; may be F itself if ldx equals ldf
 * \param ldx  values from one column of X to the next, at least m
 * \return as sptrsvSolve; INVALID_VALUE also when a leading dimension is too small, or so large that F or X would not fit into
 *         the address space
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
 *
 * Preconditions:
 * As sptrsvSolve.
 */
sptrsvStatus_t sptrsvSolveMulti(sptrsvHandle_t handle,
                                sptrsvOperation_t op,
                                int64_t m,
                                int64_t nnz,
                                int64_t nrhs,
                                const void *alpha,
                                sptrsvConstMatDescr_t descr,
                                sptrsvDataType_t valueType,
                                const void *val,
                                const void *rowPtr,
                                const void *colInd,
                                sptrsvInfo_t info,
                                const void *F,
                                int64_t ldf,
                                void *X,
                                int64_t ldx,
                                sptrsvSolvePolicy_t policy,
                                void *buffer);

/**
 * Solves op(A) X = alpha F for nrhs right-hand sides, stored by rows: row i of F begins at F + i * ldf. The results have the bits
 * of sptrsvSolveMulti.
 *
 * \param handle  the handle
 * \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
 * \param nrhs  number of right-hand sides, 0 or more
 * \param alpha  one value, in host or device memory by the pointer mode
 * \param F  right-hand sides
 * \param ldf  values from one row of F to the next, at least nrhs
 * \param X  receives the solutions; may be F itself if ldx equals ldf
 * \param ldx  values from one row of X to the next, at least nrhs
 * \return as sptrsvSolveMulti
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
 *
 * Preconditions:
 * As sptrsvSolve.
 */
sptrsvStatus_t sptrsvSolveMultiRowMajor(sptrsvHandle_t handle,
                                        sptrsvOperation_t op,
                                        int64_t m,
                                        int64_t nnz,
                                        int64_t nrhs,
                                        const void *alpha,
                                        sptrsvConstMatDescr_t descr,
                                        sptrsvDataType_t valueType,
                                        const void *val,
                                        const void *rowPtr,
                                        const void *colInd,
                                        sptrsvInfo_t info,
                                        const void *F,
                                        int64_t ldf,
                                        void *X,
                                        int64_t ldx,
                                        sptrsvSolvePolicy_t policy,
                                        void *buffer);

/**
 * Solves op(A) X = alpha F for dense matrices F and X of nrhs columns, each stored by columns or by rows. Where both are stored
 * in the same way, this is sptrsvSolveMulti or sptrsvSolveMultiRowMajor; else F is copied first.
 *
 * \param handle  the handle
 * \param op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, buffer  as in sptrsvSolve
 * \param nrhs  number of right-hand sides, 0 or more
 * \param alpha  one value, in host or device memory by the pointer mode
 * \param F  right-hand sides
 * \param ldf  values from one column of F to the next (at least m), or from one row to the next (at least nrhs)
 * \param orderF  how F is stored
 * \param X  receives the solutions; may be F itself if both are stored in the same way, else they must not overlap
 * \param ldx  the same as ldf for X
 * \param orderX  how X is stored
 * \return as sptrsvSolveMulti; INVALID_VALUE also when X is F but stored in another way
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
 *
 * Preconditions:
 * As sptrsvSolve.
 */
sptrsvStatus_t sptrsvSolveDense(sptrsvHandle_t handle,
                                sptrsvOperation_t op,
                                int64_t m,
                                int64_t nnz,
                                int64_t nrhs,
                                const void *alpha,
                                sptrsvConstMatDescr_t descr,
                                sptrsvDataType_t valueType,
                                const void *val,
                                const void *rowPtr,
                                const void *colInd,
                                sptrsvInfo_t info,
                                const void *F,
                                int64_t ldf,
                                sptrsvOrder_t orderF,
                                void *X,
                                int64_t ldx,
                                sptrsvOrder_t orderX,
                                sptrsvSolvePolicy_t policy,
                                void *buffer);

/**
 * Waits for the last solve with this info and reports the first row with a zero on its diagonal.
 *
 * After an analysis it reports a structural zero (no entry on the diagonal); after a solve, structural
 * and numerical zeros of that solve. The next solve starts afresh. A unit diagonal has no zeros.
 *
 * \param handle    the handle
 * \param info      an analysed info
 * \param position  receives the smallest such row in the matrix's own index base, or -1; a host or
 *                  device pointer by the pointer mode, on the host executor always a host pointer
 * \return SUCCESS and -1; ZERO_PIVOT and the row; NOT_INITIALIZED; INVALID_VALUE when `info` is NULL, or
 *         `position` is NULL or not aligned; NOT_ANALYSED; PATTERN_MISMATCH (the info was analysed on another device);
 *         TIMED_OUT; EXECUTION_FAILED. On any other status than SUCCESS and ZERO_PIVOT the position is untouched
 *
 * Blocking: waits for the handle's stream; where another stream, a captured graph or the per-thread stream has solved with
 * this info, for all work of the CUDA context. Graph capture: not allowed; INVALID_VALUE while the handle's stream is capturing.
 * Another stream's capture may be lost where all work of the context is waited for, as CUDA forbids that.
 *
 * Preconditions:
 * Handle and info are NULL or live; `position` is NULL or writable.
 */
sptrsvStatus_t sptrsvZeroPivot(sptrsvHandle_t handle, sptrsvInfo_t info, int64_t *position);

/** \} */

/**
 * \defgroup sptrsv_tuning Tuning
 *
 * AUTO chooses an algorithm by a model of the GPU. It makes no solve for that. sptrsvTune measures instead: it is for matrices that are
 * solved with many times, and for GPUs that the model does not know well.
 *
 * \{
 */

/**
 * Times solves by the algorithm that AUTO has chosen and by up to two others, keeps the fastest in the info, and solves by it.
 *
 * The others are deterministic algorithms that AUTO may choose, those with the least predicted time. Each is analysed first. Solves are
 * timed on the handle's stream, for one right-hand side, into memory of the library's own. AUTO's choice stays unless another algorithm
 * is faster. An algorithm is left out if there is no memory for its analysis.
 *
 * Solves with the info give the same bits every time, as before. Which algorithm is the fastest may differ from run to run, and then the
 * last bits differ too. A program that wants the same bits in every run reads the algorithm once by sptrsvGetAlgorithm, and asks for
 * it by sptrsvSetAlgorithm in place of a tuning.
 *
 * The call is a solve that waits if there is nothing to choose: an algorithm was asked for, or on a GPU 16 and more right-hand sides
 * are expected. An info for all operations is tuned for the operation that is given, and by another call for another one. After
 * sptrsvSetCopyValues(info, SPTRSV_COPY_ALL) the values are copied anew, as by sptrsvUpdateValues. An analysis that knows the pattern
 * again (sptrsvSetKeepPattern) keeps what a tuning has kept; any other analysis leaves the choice to AUTO.
 *
 * During the call there are two analyses, the one held and the one on trial, and m values more. If another algorithm is kept, its
 * analysis takes the place of the one before. CUDA graphs that captured a solve or an update with this info must not be launched then.
 *
 * \param handle  the handle
 * \param op, m, nnz, descr, valueType  as at analysis; any op after sptrsvSetAnalysisForAllOperations
 * \param alpha  one value of valueType, as in sptrsvSolve
 * \param val  nnz values, as in sptrsvSolve; needed also where all values are copied
 * \param rowPtr, colInd  the pattern that was analysed
 * \param info  an analysed info
 * \param f  m values
 * \param x  receives the solution, m values; may be f itself
 * \param policy  as in sptrsvSolve
 * \param buffer  scratch, as in sptrsvSolve
 * \return SUCCESS; NOT_INITIALIZED; INVALID_VALUE (as sptrsvSolve; an array of the pattern that is NULL or not aligned; a stream that
 *         is capturing); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED; INSUFFICIENT_RESOURCES; NOT_ANALYSED; PATTERN_MISMATCH; ALLOC_FAILED
 *         (no memory for m values); TIMED_OUT; EXECUTION_FAILED. On any error but the last two x is untouched
 *
 * Blocking: waits for the handle's stream, and may wait for all work of the CUDA context. Graph capture: not allowed; INVALID_VALUE
 * while the handle's stream is capturing. Other streams may be capturing meanwhile.
 *
 * Preconditions:
 * As sptrsvSolve. The pattern is that of the analysis.
 */
sptrsvStatus_t sptrsvTune(sptrsvHandle_t handle,
                          sptrsvOperation_t op,
                          int64_t m,
                          int64_t nnz,
                          const void *alpha,
                          sptrsvConstMatDescr_t descr,
                          sptrsvDataType_t valueType,
                          const void *val,
                          const void *rowPtr,
                          const void *colInd,
                          sptrsvInfo_t info,
                          const void *f,
                          void *x,
                          sptrsvSolvePolicy_t policy,
                          void *buffer);

/** \} */

/**
 * \defgroup sptrsv_pairs Pairs
 *
 * A preconditioner by an incomplete factorisation A = L U applies both factors, one behind the other. One call does it, and
 * takes care of the order in which they come. Rows and columns may have been permuted before the factorisation: then right-hand
 * sides and solutions stay in the order of A.
 *
 * \{
 */

/**
 * Solves op(L U) X = alpha F by both factors: by L and then by U, or for TRANSPOSE and CONJUGATE_TRANSPOSE by op(U) and then by
 * op(L). For a matrix P A Q = L U whose rows and columns were permuted before the factorisation, as hypre and PETSc do it, it
 * solves op(A) X = alpha F: `rowPermutation[i]` is the row of A that is row i of L U, and `columnPermutation[j]` the column of A
 * that is its column j. The results have the bits of two calls of sptrsvSolveMulti, and zero pivots are reported for each info.
 *
 * \param handle  the handle
 * \param op  as at both analyses
 * \param m  rows of both factors
 * \param nrhs  number of right-hand sides, 0 or more
 * \param alpha  one value, in host or device memory by the pointer mode
 * \param valueType  as at both analyses
 * \param descrL, nnzL, valL, rowPtrL, colIndL, infoL  the factor L, as in sptrsvSolve. One array may hold both factors: the
 *        descriptors then say which triangle and which diagonal is meant
 * \param descrU, nnzU, valU, rowPtrU, colIndU, infoU  the factor U; its info is another one
 * \param rowPermutation, columnPermutation  m indices each, of the type of the columns in descrL and in its index base, or NULL for
 *        the order that the factors have
 * \param F  right-hand sides, by columns
 * \param ldf  values from one column of F to the next, at least m
 * \param X  receives the solutions; may be F itself if ldx equals ldf
 * \param ldx  values from one column of X to the next, at least m
 * \param work  m * nrhs values, which overlap neither F nor X; not used, and may be NULL, where both permutations are NULL
 * \param policy  as in sptrsvSolve
 * \param buffer  scratch of the larger one of both infos' sizes by sptrsvBufferSize
 * \return as sptrsvSolveMulti; INVALID_VALUE also when both infos are the same
 *
 * The call enqueues two solves, which take as long as in two calls of sptrsvSolveMulti. The caller needs no vector between them, as
 * X or `work` holds it, and no kernels that permute. Permuted right-hand sides and solutions are copied once more. An index that is
 * none gives NaN in F, and nothing in X.
 *
 * A row without an entry on its diagonal is not refused where the diagonal is NON_UNIT: X has Inf or NaN in this row of the factor
 * and in those that depend on it, and sptrsvZeroPivot reports the row for the factor's info.
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
 *
 * Preconditions:
 * As sptrsvSolve, for both factors; the permutations, in the executor's memory, stay until the solve is done.
 */
sptrsvStatus_t sptrsvSolvePair(sptrsvHandle_t handle,
                               sptrsvOperation_t op,
                               int64_t m,
                               int64_t nrhs,
                               const void *alpha,
                               sptrsvDataType_t valueType,
                               sptrsvConstMatDescr_t descrL,
                               int64_t nnzL,
                               const void *valL,
                               const void *rowPtrL,
                               const void *colIndL,
                               sptrsvInfo_t infoL,
                               sptrsvConstMatDescr_t descrU,
                               int64_t nnzU,
                               const void *valU,
                               const void *rowPtrU,
                               const void *colIndU,
                               sptrsvInfo_t infoU,
                               const void *rowPermutation,
                               const void *columnPermutation,
                               const void *F,
                               int64_t ldf,
                               void *X,
                               int64_t ldx,
                               void *work,
                               sptrsvSolvePolicy_t policy,
                               void *buffer);

/** \} */

/**
 * \defgroup sptrsv_factorisation Factorisation
 *
 * Incomplete factorisations without fill-in, in place in the caller's values, by the info that solves with the factor afterwards.
 * sptrsvSetFactorization before the analysis of the lower triangle has it prepare them; then sptrsvIlu0 or sptrsvIc0 factorises as
 * often as the values change.
 *
 * \{
 */

/**
 * Chooses whether later analyses with this info prepare sptrsvIlu0 and sptrsvIc0. Such an analysis takes the lower triangle of a
 * matrix in CSR, with the operation NON_TRANSPOSE. Every row must have its columns in ascending order, each once, and an entry on
 * its diagonal; else the analysis gives INVALID_MATRIX. Call it before sptrsvBufferSize.
 *
 * \param info     the info
 * \param enabled  1 to prepare factorisations, 0 (the default) for solves alone
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `enabled` is neither 0 nor 1
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetFactorization(sptrsvInfo_t info, int enabled);

/**
 * Reads whether later analyses prepare factorisations.
 *
 * \param info     the info
 * \param enabled  receives 1 or 0
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `enabled` NULL or writable.
 */
sptrsvStatus_t sptrsvGetFactorization(sptrsvConstInfo_t info, int *enabled);

/**
 * Has later calls of sptrsvIlu0 replace pivots whose absolute value is at most `tolerance` by re + i im. csrilu02 of cuSPARSE
 * replaces those that are less than its tolerance. sptrsvIc0 replaces none.
 *
 * \param info       the info
 * \param tolerance  0 or more; negative (the default) to replace none
 * \param re, im     what takes their place: any numbers, also NaN, as csrilu02 takes them; im is not used for real types
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `tolerance` is NaN
 *
 * Blocking: no. Graph capture: allowed; a captured factorisation keeps what was set when it was captured.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetPivotBoost(sptrsvInfo_t info, double tolerance, double re, double im);

/**
 * Reads by what later calls of sptrsvIlu0 replace small pivots.
 *
 * \param info       the info
 * \param tolerance  receives the tolerance; -1 where no pivots are replaced, and then `re` and `im` receive 0
 * \param re, im     receive what takes the place of small pivots
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info; `tolerance`, `re` and `im` are NULL or writable.
 */
sptrsvStatus_t sptrsvGetPivotBoost(sptrsvConstInfo_t info, double *tolerance, double *re, double *im);

/**
 * Factorises A = L U without fill-in (ILU(0)), in place: afterwards `val` holds L below the diagonal, without its unit diagonal, and
 * U on and above it. For k < i with an entry (i, k), rows ascending: a_ik is divided by u_kk, and a_ik u_kj is subtracted from each
 * a_ij with j > k that has an entry. Rows are factorised in parallel, in the order of the levels of L; the sums of an entry are made
 * in the same order in every run, so results are the same to the bit. Where all updates go to the diagonal, as on 5-point and 7-point
 * grids, an info whose algorithm is TILED factorises by a solve: there a boost, or a tuning that keeps another algorithm, changes the
 * last bits, and in single precision a diagonal entry that is 1e38 times as small as another entry of its row counts as zero. Solves
 * with the info read the factors in `val`. After sptrsvSetCopyValues they may read a copy of earlier values, until
 * sptrsvUpdateValues.
 *
 * \param handle  the handle
 * \param m, nnz, descr, valueType, rowPtr, colInd  as at the analysis of the lower triangle
 * \param val  nnz values: those of A before, those of the factors after
 * \param info  an info that was analysed after sptrsvSetFactorization(info, 1)
 * \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it meanwhile
 * \return SUCCESS (also where a pivot is zero: see sptrsvFactorZeroPivot); NOT_INITIALIZED; INVALID_VALUE (an array that is NULL or
 *         not aligned); MATRIX_TYPE_NOT_SUPPORTED; NOT_SUPPORTED (the info was not prepared for factorisations); NOT_ANALYSED;
 *         PATTERN_MISMATCH; TIMED_OUT (of an earlier factorisation or solve; nothing is done); EXECUTION_FAILED
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
 *
 * Preconditions:
 * As sptrsvSolve. The pattern is that of the analysis.
 */
sptrsvStatus_t sptrsvIlu0(sptrsvHandle_t handle,
                          int64_t m,
                          int64_t nnz,
                          sptrsvConstMatDescr_t descr,
                          sptrsvDataType_t valueType,
                          void *val,
                          const void *rowPtr,
                          const void *colInd,
                          sptrsvInfo_t info,
                          void *buffer);

/**
 * Factorises A = L L^H without fill-in (IC(0)), in place in the lower triangle: afterwards `val` holds L on and below the diagonal.
 * Values above it are neither read nor changed, and need not be stored. A pivot that is zero or negative counts as a zero one; its
 * root is zero or NaN. Solves read the factor as after sptrsvIlu0.
 *
 * \param handle  the handle
 * \param m, nnz, descr, valueType, rowPtr, colInd  as at the analysis of the lower triangle
 * \param val  nnz values: those of A before, those of L after
 * \param info  an info that was analysed after sptrsvSetFactorization(info, 1)
 * \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it meanwhile
 * \return as sptrsvIlu0
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve.
 *
 * Preconditions:
 * As sptrsvIlu0.
 */
sptrsvStatus_t sptrsvIc0(sptrsvHandle_t handle,
                         int64_t m,
                         int64_t nnz,
                         sptrsvConstMatDescr_t descr,
                         sptrsvDataType_t valueType,
                         void *val,
                         const void *rowPtr,
                         const void *colInd,
                         sptrsvInfo_t info,
                         void *buffer);

/**
 * Waits for the last factorisation with this info and reports the first row whose pivot is zero.
 *
 * \param handle    the handle
 * \param info      an info with which sptrsvIlu0 or sptrsvIc0 was called
 * \param position  receives the smallest such row in the matrix's own index base, or -1; a host or device pointer by the pointer
 *                  mode, on the host executor always a host pointer
 * \return SUCCESS and -1; ZERO_PIVOT and the row; NOT_INITIALIZED; INVALID_VALUE when `info` is NULL, or `position` is NULL or not
 *         aligned; NOT_ANALYSED; NOT_SUPPORTED (the info was not prepared for factorisations); PATTERN_MISMATCH; TIMED_OUT;
 *         EXECUTION_FAILED
 *
 * Blocking: as sptrsvZeroPivot. Graph capture: not allowed.
 *
 * Preconditions:
 * As sptrsvZeroPivot.
 */
sptrsvStatus_t sptrsvFactorZeroPivot(sptrsvHandle_t handle, sptrsvInfo_t info, int64_t *position);

/** \} */

/**
 * \defgroup sptrsv_sweeps Sweeps
 *
 * Gauss-Seidel and SOR sweeps on a square matrix A, as smoothers of algebraic multigrid apply them: with L the triangle of the
 * analysis without its diagonal (the lower one for a forward sweep, the upper one for a backward sweep), D the diagonal and w the
 * weight, x becomes x + (D / w + L)^-1 (b - A x). Every unknown is updated with the new values of those before it, as the loop over
 * the rows would do it. A symmetric sweep is a forward and a backward one, by two infos. One call makes one sweep, or several.
 *
 * \{
 */

/** The sweeps that an info is for. */
typedef enum {
  /** None: it is for solves. */
  SPTRSV_SWEEPS_NONE = 0,
  /** With any weight, by the matrix's diagonal or that of sptrsvSetDiagonal. */
  SPTRSV_SWEEPS_ANY = 1,
  /** With weight 1 and by the matrix's own diagonal. They are faster, and solves with the info need no other diagonal either. */
  SPTRSV_SWEEPS_GAUSS_SEIDEL = 2
} sptrsvSweeps_t;

/**
 * Chooses which sweeps later analyses with this info are for. The matrix is then whole, in CSR, and the operation NON_TRANSPOSE.
 * After ANY solves with the info need a diagonal of sptrsvSetDiagonal, as hybrid smoothers set the l1 diagonal. Call it before
 * sptrsvBufferSize.
 *
 * A row without an entry on its diagonal is taken as one with a zero there. Sweeps divide by it and return SUCCESS, unless
 * sptrsvSetDiagonal has set another diagonal: x has Inf or NaN in this row and in those that depend on it, and sptrsvZeroPivot
 * reports the row after the sweep. For GAUSS_SEIDEL sptrsvZeroPivot and sptrsvGetStats report it after the analysis already.
 *
 * \param info    the info
 * \param sweeps  NONE (the default), ANY, or GAUSS_SEIDEL
 * \return SUCCESS; INVALID_VALUE when `info` is NULL or `sweeps` is none of these
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info.
 */
sptrsvStatus_t sptrsvSetSweeps(sptrsvInfo_t info, sptrsvSweeps_t sweeps);

/**
 * Reads which sweeps later analyses are for.
 *
 * \param info    the info
 * \param sweeps  receives NONE, ANY, or GAUSS_SEIDEL
 * \return SUCCESS; INVALID_VALUE when an argument is NULL
 *
 * Blocking: no. Graph capture: allowed; the call does no GPU work.
 *
 * Preconditions:
 * `info` is NULL or a live info, `sweeps` NULL or writable.
 */
sptrsvStatus_t sptrsvGetSweeps(sptrsvConstInfo_t info, sptrsvSweeps_t *sweeps);

/**
 * Makes one sweep, in place on x: a solve with the triangle of the analysis, after a product with the rest of A. On a GPU A is
 * read once, if the columns of each row ascend and each row has an entry on its diagonal. Otherwise, and on the host executor, the
 * product reads the entries of the triangle too. With a separate diagonal d, x_i becomes x_i + w (b - A x)_i / d_i with the new
 * values of the unknowns before it.
 *
 * A may be the square part of rows of a larger matrix, as a process of an MPI program owns them. Then subtract from b, before the
 * sweep, the product of the other columns with their unknowns.
 *
 * A row without an entry on its diagonal is not refused. Unless sptrsvSetDiagonal has set another diagonal, x has Inf or NaN in this
 * row, and sptrsvZeroPivot reports it; see sptrsvSetSweeps.
 *
 * \param handle  the handle
 * \param m, nnz, descr, valueType, rowPtr, colInd  as at the analysis
 * \param weight  w of SOR; 1 is Gauss-Seidel. Methods converge for weights between 0 and 2; others but 0 and NaN are taken too
 * \param zeroGuess  1 if x counts as zero and is not read, else 0: the sweep is then a solve
 * \param val  nnz values; after sptrsvSetCopyValues(info, SPTRSV_COPY_ALL) the solve takes those of the triangle from the copy
 * \param info  an info that was analysed for sweeps, see sptrsvSetSweeps
 * \param b  m values
 * \param x  m values, which are replaced; not b
 * \param buffer  scratch of sptrsvBufferSize's size; nothing survives in it, and nothing else may use it meanwhile
 * \return as sptrsvSolve; NOT_SUPPORTED also where the info was not analysed for sweeps; INVALID_VALUE also when x is b, and where
 *         the weight is not 1 after GAUSS_SEIDEL
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve; the weight is fixed in a captured graph.
 *
 * Preconditions:
 * As sptrsvSolve. The pattern is that of the analysis.
 */
sptrsvStatus_t sptrsvSweep(sptrsvHandle_t handle,
                           int64_t m,
                           int64_t nnz,
                           double weight,
                           int zeroGuess,
                           sptrsvConstMatDescr_t descr,
                           sptrsvDataType_t valueType,
                           const void *val,
                           const void *rowPtr,
                           const void *colInd,
                           sptrsvInfo_t info,
                           const void *b,
                           void *x,
                           void *buffer);

/**
 * Makes several sweeps in one call, in place on x, on all rows or on some. With a second info each sweep is symmetric: one by
 * `info`, and one by `otherInfo` for the other triangle. Where all rows are relaxed, the results have the bits of calls of
 * sptrsvSweep, one for each sweep and info.
 *
 * A marker says which rows are relaxed, as AMG relaxes coarse and then fine points. The other rows keep their values in x to the
 * bit, and relaxed rows use these values. The result is that of the serial loop over the relaxed rows, with one exception: a NaN, an
 * infinity or an overflow may reach later rows through a row that is not relaxed. With a marker each sweep reads the entries of the
 * triangle twice, and copies the unknowns once more.
 *
 * \param handle  the handle
 * \param m, nnz  as at the analysis
 * \param sweeps  number of sweeps, 0 or more
 * \param weight  as in sptrsvSweep
 * \param zeroGuess  1 if x counts as zero before the first sweep, else 0. With 1, x is not read. Rows that are not relaxed become zero;
 *        without any sweep all rows do
 * \param valueType, val, rowPtr, colInd  as in sptrsvSweep
 * \param descr, info  as in sptrsvSweep
 * \param otherDescr, otherInfo  the same for the other triangle of the same arrays, in any order; or NULL for sweeps in one direction
 * \param marker  m numbers, in the executor's memory, which are read when the sweeps run, and at each launch of a graph; or NULL for
 *        all rows. The infos must have been analysed for SPTRSV_SWEEPS_ANY
 * \param points  the number that the marker has for rows that are relaxed
 * \param b  m values
 * \param x  m values, which are replaced; not b
 * \param buffer  scratch of the larger one of both infos' sizes by sptrsvBufferSize
 * \return as sptrsvSweep; NOT_SUPPORTED also for a marker after GAUSS_SEIDEL; INVALID_VALUE also when `sweeps` is negative, when x is
 *         b, when both infos are the same or are for the same triangle, or when both descriptors differ in the index base or types
 *
 * sptrsvZeroPivot reports for each info the last one of its sweeps. A row that is not relaxed has no zero pivot. A row without an
 * entry on its diagonal is not refused, as in sptrsvSweep.
 *
 * Blocking: as sptrsvSolve. Graph capture: as sptrsvSolve; numbers of sweeps and weights are fixed in a captured graph.
 *
 * Preconditions:
 * As sptrsvSweep, for both infos; the marker, in the executor's memory, stays until the sweeps are done.
 */
sptrsvStatus_t sptrsvRelax(sptrsvHandle_t handle,
                           int64_t m,
                           int64_t nnz,
                           int sweeps,
                           double weight,
                           int zeroGuess,
                           sptrsvDataType_t valueType,
                           const void *val,
                           const void *rowPtr,
                           const void *colInd,
                           sptrsvConstMatDescr_t descr,
                           sptrsvInfo_t info,
                           sptrsvConstMatDescr_t otherDescr,
                           sptrsvInfo_t otherInfo,
                           const int32_t *marker,
                           int32_t points,
                           const void *b,
                           void *x,
                           void *buffer);

/** \} */

/**
 * \defgroup sptrsv_logging Logging
 *
 * The environment variable SPTRSV_LOG asks for lines about the library's work: `error` for calls that fail, `info` for analyses and
 * tunings too, `trace` for solves too, `off` (the default) for none. They go to standard error, or are appended to the file that
 * SPTRSV_LOG_FILE names. A program can have them instead. Where no lines are wanted, a call reads one variable more.
 *
 * A profiler that takes NVTX ranges, as Nsight Systems does, has a range of its own for each analysis, tuning, solve, factorisation
 * and sweep, in the domain `sptrsv`.
 *
 * \{
 */

/** Which lines are wanted: each level includes those before it. */
typedef enum {
  SPTRSV_LOG_OFF = 0,
  /** Calls that return an error. */
  SPTRSV_LOG_ERROR = 1,
  /** Analyses: rows, entries, levels, algorithm, predicted time of a solve, memory. Tunings: what each algorithm took. */
  SPTRSV_LOG_INFO = 2,
  /** Solves. */
  SPTRSV_LOG_TRACE = 3
} sptrsvLogLevel_t;

/**
 * Receives a line, without a newline at its end: the line's level, its text, which lives as long as the call, and the pointer given
 * to sptrsvSetLogCallback.
 */
typedef void (*sptrsvLogCallback_t)(sptrsvLogLevel_t level, const char *line, void *user);

/**
 * Has lines given to the program, in place of what SPTRSV_LOG says. This holds for the whole process. No call reads the setting back,
 * as a callback and its pointer are of use to nobody but the part of the program that has set them.
 *
 * \param level     which lines
 * \param callback  receives each line on the thread whose call it is about; it must not call functions of this library. NULL: what
 *        SPTRSV_LOG says is in force again, and level is not looked at
 * \param user      is given to the callback
 * \return SUCCESS; INVALID_VALUE when the level is out of range
 *
 * Blocking: no. Another thread may still be inside of the callback before when this returns. Graph capture: allowed; the call does
 * no GPU work.
 *
 * Preconditions:
 * `callback` is NULL, or may be called from any thread with `user` until another is set and no call of this library is under way.
 */
sptrsvStatus_t sptrsvSetLogCallback(sptrsvLogLevel_t level,
                                    sptrsvLogCallback_t callback,
                                    void *user);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/*
 * Names of earlier versions, until version 1.0.
 */
#define sptrsvSetup_t sptrsvAnalysisMode_t
#define SPTRSV_SETUP_AUTO SPTRSV_ANALYSIS_MODE_AUTO
#define SPTRSV_SETUP_CPU SPTRSV_ANALYSIS_MODE_CPU
#define SPTRSV_SETUP_GPU SPTRSV_ANALYSIS_MODE_GPU
#define SPTRSV_SETUP_GPU_KAHN SPTRSV_ANALYSIS_MODE_GPU_KAHN
#define sptrsvSetSetup sptrsvSetAnalysisMode
#define sptrsvSetAnyOperation sptrsvSetAnalysisForAllOperations
#define sptrsvGetAnyOperation sptrsvGetAnalysisForAllOperations
#define sptrsvSetRightHandSides sptrsvSetExpectedRightHandSides
#define sptrsvGetRightHandSides sptrsvGetExpectedRightHandSides
#define sptrsvGetLastErrorMessage(handle) ((void)(handle), sptrsvGetLastErrorString())

#endif /* SPTRSV_H */
