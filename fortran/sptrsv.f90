! The Fortran binding of libsptrsv. Two layers:
!
! 1. Fortran arrays, on the host executor: sptrsv_analyse, sptrsv_solve, sptrsv_update and sptrsv_free with a
!    type(sptrsv_system), at the end of this file. Real and complex, single and double precision, default integers.
! 2. The whole C interface of include/sptrsv.h, under the same names, for GPUs and for everything else:
!
!     use, intrinsic :: iso_c_binding
!     use sptrsv
!     type(c_ptr) :: handle
!     if (sptrsvCreate(handle) /= SPTRSV_STATUS_SUCCESS) ...
!
! Handles, descriptors, infos and streams are type(c_ptr); enums are integer(c_int) with named parameters;
! sizes are integer(c_int64_t). Arrays are addresses: c_loc(a) on the host executor (a with the target attribute), a
! device address on CUDA. alpha is c_loc of a variable of the program on both, unless sptrsvSetPointerMode says DEVICE.
! What each function does, and its statuses, is in the header.
!
! Matrices counted from 1, as Fortran programs have them, need SPTRSV_INDEX_BASE_ONE and nothing else.

module sptrsv
  use, intrinsic :: iso_c_binding, only: c_int, c_int8_t, c_int32_t, c_int64_t, c_size_t, c_float, c_double, c_char, c_ptr, &
    c_funptr, c_null_ptr, c_associated, c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private :: c_int, c_int8_t, c_int32_t, c_int64_t, c_size_t, c_float, c_double, c_char, c_ptr, c_funptr, c_null_ptr, &
    c_associated, c_f_pointer, c_loc, error_unit

  ! The version of this module, and in one number: 10000 * major + 100 * minor + patch.
  integer(c_int), parameter :: SPTRSV_VERSION_MAJOR = 0
  integer(c_int), parameter :: SPTRSV_VERSION_MINOR = 2
  integer(c_int), parameter :: SPTRSV_VERSION_PATCH = 0
  integer(c_int), parameter :: SPTRSV_VERSION = &
    (((10000 * SPTRSV_VERSION_MAJOR) + (100 * SPTRSV_VERSION_MINOR)) + SPTRSV_VERSION_PATCH)

  ! sptrsvProperty_t
  integer(c_int), parameter :: SPTRSV_PROPERTY_MAJOR_VERSION = 0
  integer(c_int), parameter :: SPTRSV_PROPERTY_MINOR_VERSION = 1
  integer(c_int), parameter :: SPTRSV_PROPERTY_PATCH_LEVEL = 2

  ! sptrsvStatus_t
  integer(c_int), parameter :: SPTRSV_STATUS_SUCCESS = 0
  integer(c_int), parameter :: SPTRSV_STATUS_NOT_INITIALIZED = 1
  integer(c_int), parameter :: SPTRSV_STATUS_ALLOC_FAILED = 2
  integer(c_int), parameter :: SPTRSV_STATUS_INVALID_VALUE = 3
  integer(c_int), parameter :: SPTRSV_STATUS_ARCH_MISMATCH = 4
  integer(c_int), parameter :: SPTRSV_STATUS_MAPPING_ERROR = 5
  integer(c_int), parameter :: SPTRSV_STATUS_EXECUTION_FAILED = 6
  integer(c_int), parameter :: SPTRSV_STATUS_INTERNAL_ERROR = 7
  integer(c_int), parameter :: SPTRSV_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8
  integer(c_int), parameter :: SPTRSV_STATUS_ZERO_PIVOT = 9
  integer(c_int), parameter :: SPTRSV_STATUS_NOT_SUPPORTED = 10
  integer(c_int), parameter :: SPTRSV_STATUS_INSUFFICIENT_RESOURCES = 11
  integer(c_int), parameter :: SPTRSV_STATUS_INVALID_MATRIX = 100
  integer(c_int), parameter :: SPTRSV_STATUS_NOT_ANALYSED = 101
  integer(c_int), parameter :: SPTRSV_STATUS_PATTERN_MISMATCH = 102
  integer(c_int), parameter :: SPTRSV_STATUS_TIMED_OUT = 103
  integer(c_int), parameter :: SPTRSV_STATUS_NO_DRIVER = 104

  ! sptrsvExecutor_t
  integer(c_int), parameter :: SPTRSV_EXECUTOR_CUDA = 0
  integer(c_int), parameter :: SPTRSV_EXECUTOR_HOST = 1

  ! sptrsvPointerMode_t
  integer(c_int), parameter :: SPTRSV_POINTER_MODE_HOST = 0
  integer(c_int), parameter :: SPTRSV_POINTER_MODE_DEVICE = 1

  ! sptrsvMatrixType_t
  integer(c_int), parameter :: SPTRSV_MATRIX_TYPE_GENERAL = 0
  integer(c_int), parameter :: SPTRSV_MATRIX_TYPE_SYMMETRIC = 1
  integer(c_int), parameter :: SPTRSV_MATRIX_TYPE_HERMITIAN = 2
  integer(c_int), parameter :: SPTRSV_MATRIX_TYPE_TRIANGULAR = 3

  ! sptrsvFillMode_t
  integer(c_int), parameter :: SPTRSV_FILL_MODE_LOWER = 0
  integer(c_int), parameter :: SPTRSV_FILL_MODE_UPPER = 1

  ! sptrsvDiagType_t
  integer(c_int), parameter :: SPTRSV_DIAG_TYPE_NON_UNIT = 0
  integer(c_int), parameter :: SPTRSV_DIAG_TYPE_UNIT = 1

  ! sptrsvIndexBase_t
  integer(c_int), parameter :: SPTRSV_INDEX_BASE_ZERO = 0
  integer(c_int), parameter :: SPTRSV_INDEX_BASE_ONE = 1

  ! sptrsvFormat_t
  integer(c_int), parameter :: SPTRSV_FORMAT_CSR = 0
  integer(c_int), parameter :: SPTRSV_FORMAT_CSC = 1

  ! sptrsvIndexType_t
  integer(c_int), parameter :: SPTRSV_INDEX_32I = 0
  integer(c_int), parameter :: SPTRSV_INDEX_64I = 1

  ! sptrsvAlgorithm_t
  integer(c_int), parameter :: SPTRSV_ALG_AUTO = 0
  integer(c_int), parameter :: SPTRSV_ALG_LEVR = 1
  integer(c_int), parameter :: SPTRSV_ALG_LEVC = 2
  integer(c_int), parameter :: SPTRSV_ALG_SLFR = 3
  integer(c_int), parameter :: SPTRSV_ALG_SLFC = 4
  integer(c_int), parameter :: SPTRSV_ALG_GSF = 5
  integer(c_int), parameter :: SPTRSV_ALG_ONE_WORD = 16
  integer(c_int), parameter :: SPTRSV_ALG_TILED = 17
  integer(c_int), parameter :: SPTRSV_ALG_NODAL = 18
  integer(c_int), parameter :: SPTRSV_ALG_WIDE = 19
  integer(c_int), parameter :: SPTRSV_ALG_THIN = 20
  integer(c_int), parameter :: SPTRSV_ALG_BLOCK = 21
  integer(c_int), parameter :: SPTRSV_ALG_PANEL = 22

  ! sptrsvAnalysisMode_t
  integer(c_int), parameter :: SPTRSV_ANALYSIS_MODE_AUTO = 0
  integer(c_int), parameter :: SPTRSV_ANALYSIS_MODE_CPU = 1
  integer(c_int), parameter :: SPTRSV_ANALYSIS_MODE_GPU = 2
  integer(c_int), parameter :: SPTRSV_ANALYSIS_MODE_GPU_KAHN = 3

  ! sptrsvSweeps_t
  integer(c_int), parameter :: SPTRSV_SWEEPS_NONE = 0
  integer(c_int), parameter :: SPTRSV_SWEEPS_ANY = 1
  integer(c_int), parameter :: SPTRSV_SWEEPS_GAUSS_SEIDEL = 2

  ! sptrsvCopyValues_t
  integer(c_int), parameter :: SPTRSV_COPY_NONE = 0
  integer(c_int), parameter :: SPTRSV_COPY_WHERE_FASTER = 1
  integer(c_int), parameter :: SPTRSV_COPY_ALL = 2

  ! sptrsvOperation_t
  integer(c_int), parameter :: SPTRSV_OPERATION_NON_TRANSPOSE = 0
  integer(c_int), parameter :: SPTRSV_OPERATION_TRANSPOSE = 1
  integer(c_int), parameter :: SPTRSV_OPERATION_CONJUGATE_TRANSPOSE = 2

  ! sptrsvDataType_t
  integer(c_int), parameter :: SPTRSV_R_32F = 0
  integer(c_int), parameter :: SPTRSV_R_64F = 1
  integer(c_int), parameter :: SPTRSV_C_32F = 4
  integer(c_int), parameter :: SPTRSV_C_64F = 5

  ! sptrsvSolvePolicy_t
  integer(c_int), parameter :: SPTRSV_SOLVE_POLICY_NO_LEVEL = 0
  integer(c_int), parameter :: SPTRSV_SOLVE_POLICY_USE_LEVEL = 1

  ! sptrsvLogLevel_t
  integer(c_int), parameter :: SPTRSV_LOG_OFF = 0
  integer(c_int), parameter :: SPTRSV_LOG_ERROR = 1
  integer(c_int), parameter :: SPTRSV_LOG_INFO = 2
  integer(c_int), parameter :: SPTRSV_LOG_TRACE = 3

  ! sptrsvOrder_t
  integer(c_int), parameter :: SPTRSV_ORDER_COLUMN = 1
  integer(c_int), parameter :: SPTRSV_ORDER_ROW = 2

  ! What sptrsvGetStats reports; times in milliseconds. Set struct_size to c_sizeof(stats) before the call.
  type, bind(C) :: sptrsvStats_t
    integer(c_size_t) :: struct_size = 0
    integer(c_int64_t) :: levels = 0
    integer(c_int64_t) :: widest_level = 0
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: entries_used = 0
    integer(c_int) :: algorithm = 0
    integer(c_int) :: setup = 0
    real(c_double) :: setup_ms = 0
    integer(c_int64_t) :: bytes_held = 0
    real(c_double) :: predicted_ms = 0
    real(c_double) :: mat_d2h_ms = 0
    real(c_double) :: trans_ms = 0
    real(c_double) :: dep_ms = 0
    real(c_double) :: lev_ms = 0
    real(c_double) :: lev_h2d_ms = 0
    integer(c_int64_t) :: missing_diagonal = 0
    integer(c_int64_t) :: pattern_was_known = 0
    real(c_double) :: tuned_ms = 0
  end type sptrsvStats_t

  interface
    function sptrsvCreate(handle) &
        result(status) bind(C, name='sptrsvCreate')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function sptrsvCreate

    function sptrsvCreateWithExecutor(handle, executor) &
        result(status) bind(C, name='sptrsvCreateWithExecutor')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: handle
      integer(c_int), value :: executor
      integer(c_int) :: status
    end function sptrsvCreateWithExecutor

    function sptrsvDestroy(handle) &
        result(status) bind(C, name='sptrsvDestroy')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int) :: status
    end function sptrsvDestroy

    function sptrsvGetVersion(handle, version) &
        result(status) bind(C, name='sptrsvGetVersion')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: version
      integer(c_int) :: status
    end function sptrsvGetVersion

    function sptrsvGetExecutor(handle, executor) &
        result(status) bind(C, name='sptrsvGetExecutor')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: executor
      integer(c_int) :: status
    end function sptrsvGetExecutor

    function sptrsvSetStream(handle, stream) &
        result(status) bind(C, name='sptrsvSetStream')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, stream
      integer(c_int) :: status
    end function sptrsvSetStream

    function sptrsvGetStream(handle, stream) &
        result(status) bind(C, name='sptrsvGetStream')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      type(c_ptr), intent(out) :: stream
      integer(c_int) :: status
    end function sptrsvGetStream

    function sptrsvSetPointerMode(handle, mode) &
        result(status) bind(C, name='sptrsvSetPointerMode')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: mode
      integer(c_int) :: status
    end function sptrsvSetPointerMode

    function sptrsvGetPointerMode(handle, mode) &
        result(status) bind(C, name='sptrsvGetPointerMode')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: mode
      integer(c_int) :: status
    end function sptrsvGetPointerMode

    function sptrsvSetTimeout(handle, seconds) &
        result(status) bind(C, name='sptrsvSetTimeout')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: handle
      real(c_double), value :: seconds
      integer(c_int) :: status
    end function sptrsvSetTimeout

    function sptrsvGetTimeout(handle, seconds) &
        result(status) bind(C, name='sptrsvGetTimeout')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: handle
      real(c_double), intent(out) :: seconds
      integer(c_int) :: status
    end function sptrsvGetTimeout

    function sptrsvSetSmCountTarget(handle, smCountTarget) &
        result(status) bind(C, name='sptrsvSetSmCountTarget')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: smCountTarget
      integer(c_int) :: status
    end function sptrsvSetSmCountTarget

    function sptrsvGetSmCountTarget(handle, smCountTarget) &
        result(status) bind(C, name='sptrsvGetSmCountTarget')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: smCountTarget
      integer(c_int) :: status
    end function sptrsvGetSmCountTarget

    function sptrsvGetErrorName(status) &
        result(text) bind(C, name='sptrsvGetErrorName')
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function sptrsvGetErrorName

    function sptrsvGetErrorString(status) &
        result(text) bind(C, name='sptrsvGetErrorString')
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function sptrsvGetErrorString

    function sptrsvGetLastErrorString() &
        result(text) bind(C, name='sptrsvGetLastErrorString')
      import :: c_ptr
      type(c_ptr) :: text
    end function sptrsvGetLastErrorString

    function sptrsvGetProperty(property, value) &
        result(status) bind(C, name='sptrsvGetProperty')
      import :: c_int
      integer(c_int), value :: property
      integer(c_int), intent(out) :: value
      integer(c_int) :: status
    end function sptrsvGetProperty

    function sptrsvCreateMatDescr(descr) &
        result(status) bind(C, name='sptrsvCreateMatDescr')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: descr
      integer(c_int) :: status
    end function sptrsvCreateMatDescr

    function sptrsvDestroyMatDescr(descr) &
        result(status) bind(C, name='sptrsvDestroyMatDescr')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int) :: status
    end function sptrsvDestroyMatDescr

    function sptrsvSetMatType(descr, value) &
        result(status) bind(C, name='sptrsvSetMatType')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), value :: value
      integer(c_int) :: status
    end function sptrsvSetMatType

    function sptrsvGetMatType(descr, value) &
        result(status) bind(C, name='sptrsvGetMatType')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), intent(out) :: value
      integer(c_int) :: status
    end function sptrsvGetMatType

    function sptrsvSetMatFillMode(descr, value) &
        result(status) bind(C, name='sptrsvSetMatFillMode')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), value :: value
      integer(c_int) :: status
    end function sptrsvSetMatFillMode

    function sptrsvGetMatFillMode(descr, value) &
        result(status) bind(C, name='sptrsvGetMatFillMode')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), intent(out) :: value
      integer(c_int) :: status
    end function sptrsvGetMatFillMode

    function sptrsvSetMatDiagType(descr, value) &
        result(status) bind(C, name='sptrsvSetMatDiagType')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), value :: value
      integer(c_int) :: status
    end function sptrsvSetMatDiagType

    function sptrsvGetMatDiagType(descr, value) &
        result(status) bind(C, name='sptrsvGetMatDiagType')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), intent(out) :: value
      integer(c_int) :: status
    end function sptrsvGetMatDiagType

    function sptrsvSetMatIndexBase(descr, value) &
        result(status) bind(C, name='sptrsvSetMatIndexBase')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), value :: value
      integer(c_int) :: status
    end function sptrsvSetMatIndexBase

    function sptrsvGetMatIndexBase(descr, value) &
        result(status) bind(C, name='sptrsvGetMatIndexBase')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), intent(out) :: value
      integer(c_int) :: status
    end function sptrsvGetMatIndexBase

    function sptrsvSetMatFormat(descr, value) &
        result(status) bind(C, name='sptrsvSetMatFormat')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), value :: value
      integer(c_int) :: status
    end function sptrsvSetMatFormat

    function sptrsvGetMatFormat(descr, value) &
        result(status) bind(C, name='sptrsvGetMatFormat')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), intent(out) :: value
      integer(c_int) :: status
    end function sptrsvGetMatFormat

    function sptrsvSetMatIndexTypes(descr, offsets, columns) &
        result(status) bind(C, name='sptrsvSetMatIndexTypes')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), value :: offsets, columns
      integer(c_int) :: status
    end function sptrsvSetMatIndexTypes

    function sptrsvGetMatIndexTypes(descr, offsets, columns) &
        result(status) bind(C, name='sptrsvGetMatIndexTypes')
      import :: c_int, c_ptr
      type(c_ptr), value :: descr
      integer(c_int), intent(out) :: offsets, columns
      integer(c_int) :: status
    end function sptrsvGetMatIndexTypes

    function sptrsvCreateInfo(info) &
        result(status) bind(C, name='sptrsvCreateInfo')
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: info
      integer(c_int) :: status
    end function sptrsvCreateInfo

    function sptrsvDestroyInfo(info) &
        result(status) bind(C, name='sptrsvDestroyInfo')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int) :: status
    end function sptrsvDestroyInfo

    function sptrsvSetAlgorithm(info, algorithm) &
        result(status) bind(C, name='sptrsvSetAlgorithm')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: algorithm
      integer(c_int) :: status
    end function sptrsvSetAlgorithm

    function sptrsvGetAlgorithm(info, algorithm) &
        result(status) bind(C, name='sptrsvGetAlgorithm')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: algorithm
      integer(c_int) :: status
    end function sptrsvGetAlgorithm

    function sptrsvGetAlgorithmName(algorithm) &
        result(text) bind(C, name='sptrsvGetAlgorithmName')
      import :: c_int, c_ptr
      integer(c_int), value :: algorithm
      type(c_ptr) :: text
    end function sptrsvGetAlgorithmName

    function sptrsvSetExpectedRightHandSides(info, nrhs) &
        result(status) bind(C, name='sptrsvSetExpectedRightHandSides')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: info
      integer(c_int64_t), value :: nrhs
      integer(c_int) :: status
    end function sptrsvSetExpectedRightHandSides

    function sptrsvGetExpectedRightHandSides(info, nrhs) &
        result(status) bind(C, name='sptrsvGetExpectedRightHandSides')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: info
      integer(c_int64_t), intent(out) :: nrhs
      integer(c_int) :: status
    end function sptrsvGetExpectedRightHandSides

    function sptrsvSetAnalysisMode(info, mode) &
        result(status) bind(C, name='sptrsvSetAnalysisMode')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: mode
      integer(c_int) :: status
    end function sptrsvSetAnalysisMode

    function sptrsvGetAnalysisMode(info, mode) &
        result(status) bind(C, name='sptrsvGetAnalysisMode')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: mode
      integer(c_int) :: status
    end function sptrsvGetAnalysisMode

    function sptrsvSetAnalysisForAllOperations(info, enabled) &
        result(status) bind(C, name='sptrsvSetAnalysisForAllOperations')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: enabled
      integer(c_int) :: status
    end function sptrsvSetAnalysisForAllOperations

    function sptrsvGetAnalysisForAllOperations(info, enabled) &
        result(status) bind(C, name='sptrsvGetAnalysisForAllOperations')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: enabled
      integer(c_int) :: status
    end function sptrsvGetAnalysisForAllOperations

    function sptrsvSetKeepPattern(info, enabled) &
        result(status) bind(C, name='sptrsvSetKeepPattern')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: enabled
      integer(c_int) :: status
    end function sptrsvSetKeepPattern

    function sptrsvGetKeepPattern(info, enabled) &
        result(status) bind(C, name='sptrsvGetKeepPattern')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: enabled
      integer(c_int) :: status
    end function sptrsvGetKeepPattern

    function sptrsvSetCopyValues(info, copy) &
        result(status) bind(C, name='sptrsvSetCopyValues')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: copy
      integer(c_int) :: status
    end function sptrsvSetCopyValues

    function sptrsvGetCopyValues(info, copy) &
        result(status) bind(C, name='sptrsvGetCopyValues')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: copy
      integer(c_int) :: status
    end function sptrsvGetCopyValues

    function sptrsvSetDiagonal(info, d) &
        result(status) bind(C, name='sptrsvSetDiagonal')
      import :: c_int, c_ptr
      type(c_ptr), value :: info, d
      integer(c_int) :: status
    end function sptrsvSetDiagonal

    function sptrsvGetDiagonal(info, d) &
        result(status) bind(C, name='sptrsvGetDiagonal')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      type(c_ptr), intent(out) :: d
      integer(c_int) :: status
    end function sptrsvGetDiagonal

    function sptrsvGetStats(info, stats) &
        result(status) bind(C, name='sptrsvGetStats')
      import :: c_int, c_ptr, sptrsvStats_t
      type(c_ptr), value :: info
      type(sptrsvStats_t), intent(inout) :: stats
      integer(c_int) :: status
    end function sptrsvGetStats

    function sptrsvBufferSize(handle, op, m, nnz, descr, valueType, val, rowPtr, colInd, info, bytes) &
        result(status) bind(C, name='sptrsvBufferSize')
      import :: c_int, c_int64_t, c_size_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz
      type(c_ptr), value :: descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info
      integer(c_size_t), intent(out) :: bytes
      integer(c_int) :: status
    end function sptrsvBufferSize

    function sptrsvAnalysis(handle, op, m, nnz, descr, valueType, val, rowPtr, colInd, info, policy, &
        buffer) &
        result(status) bind(C, name='sptrsvAnalysis')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz
      type(c_ptr), value :: descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info
      integer(c_int), value :: policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvAnalysis

    function sptrsvUpdateValues(handle, info, val) &
        result(status) bind(C, name='sptrsvUpdateValues')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, info, val
      integer(c_int) :: status
    end function sptrsvUpdateValues

    function sptrsvUpdateDiagonal(handle, info, diag) &
        result(status) bind(C, name='sptrsvUpdateDiagonal')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, info, diag
      integer(c_int) :: status
    end function sptrsvUpdateDiagonal

    function sptrsvSolve(handle, op, m, nnz, alpha, descr, valueType, val, rowPtr, colInd, info, f, x, &
        policy, buffer) &
        result(status) bind(C, name='sptrsvSolve')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz
      type(c_ptr), value :: alpha, descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, f, x
      integer(c_int), value :: policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvSolve

    function sptrsvTune(handle, op, m, nnz, alpha, descr, valueType, val, rowPtr, colInd, info, f, x, &
        policy, buffer) &
        result(status) bind(C, name='sptrsvTune')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz
      type(c_ptr), value :: alpha, descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, f, x
      integer(c_int), value :: policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvTune

    function sptrsvSolveMulti(handle, op, m, nnz, nrhs, alpha, descr, valueType, val, rowPtr, colInd, &
        info, F, ldf, X, ldx, policy, buffer) &
        result(status) bind(C, name='sptrsvSolveMulti')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz, nrhs
      type(c_ptr), value :: alpha, descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, F
      integer(c_int64_t), value :: ldf
      type(c_ptr), value :: X
      integer(c_int64_t), value :: ldx
      integer(c_int), value :: policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvSolveMulti

    function sptrsvSolveMultiRowMajor(handle, op, m, nnz, nrhs, alpha, descr, valueType, val, rowPtr, colInd, &
        info, F, ldf, X, ldx, policy, buffer) &
        result(status) bind(C, name='sptrsvSolveMultiRowMajor')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz, nrhs
      type(c_ptr), value :: alpha, descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, F
      integer(c_int64_t), value :: ldf
      type(c_ptr), value :: X
      integer(c_int64_t), value :: ldx
      integer(c_int), value :: policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvSolveMultiRowMajor

    function sptrsvSolveDense(handle, op, m, nnz, nrhs, alpha, descr, valueType, val, rowPtr, colInd, &
        info, F, ldf, orderF, X, ldx, orderX, policy, buffer) &
        result(status) bind(C, name='sptrsvSolveDense')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nnz, nrhs
      type(c_ptr), value :: alpha, descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, F
      integer(c_int64_t), value :: ldf
      integer(c_int), value :: orderF
      type(c_ptr), value :: X
      integer(c_int64_t), value :: ldx
      integer(c_int), value :: orderX, policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvSolveDense

    function sptrsvSetLogCallback(level, callback, user) &
        result(status) bind(C, name='sptrsvSetLogCallback')
      import :: c_int, c_ptr, c_funptr
      integer(c_int), value :: level
      type(c_funptr), value :: callback
      type(c_ptr), value :: user
      integer(c_int) :: status
    end function sptrsvSetLogCallback

    function sptrsvZeroPivot(handle, info, position) &
        result(status) bind(C, name='sptrsvZeroPivot')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, info, position
      integer(c_int) :: status
    end function sptrsvZeroPivot

    function sptrsvSetFactorization(info, enabled) &
        result(status) bind(C, name='sptrsvSetFactorization')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: enabled
      integer(c_int) :: status
    end function sptrsvSetFactorization

    function sptrsvGetFactorization(info, enabled) &
        result(status) bind(C, name='sptrsvGetFactorization')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: enabled
      integer(c_int) :: status
    end function sptrsvGetFactorization

    function sptrsvSetPivotBoost(info, tolerance, re, im) &
        result(status) bind(C, name='sptrsvSetPivotBoost')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: info
      real(c_double), value :: tolerance, re, im
      integer(c_int) :: status
    end function sptrsvSetPivotBoost

    function sptrsvGetPivotBoost(info, tolerance, re, im) &
        result(status) bind(C, name='sptrsvGetPivotBoost')
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: info
      real(c_double), intent(out) :: tolerance, re, im
      integer(c_int) :: status
    end function sptrsvGetPivotBoost

    function sptrsvIlu0(handle, m, nnz, descr, valueType, val, rowPtr, colInd, info, buffer) &
        result(status) bind(C, name='sptrsvIlu0')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: m, nnz
      type(c_ptr), value :: descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, buffer
      integer(c_int) :: status
    end function sptrsvIlu0

    function sptrsvIc0(handle, m, nnz, descr, valueType, val, rowPtr, colInd, info, buffer) &
        result(status) bind(C, name='sptrsvIc0')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: m, nnz
      type(c_ptr), value :: descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, buffer
      integer(c_int) :: status
    end function sptrsvIc0

    function sptrsvFactorZeroPivot(handle, info, position) &
        result(status) bind(C, name='sptrsvFactorZeroPivot')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, info, position
      integer(c_int) :: status
    end function sptrsvFactorZeroPivot

    function sptrsvSetSweeps(info, sweeps) &
        result(status) bind(C, name='sptrsvSetSweeps')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), value :: sweeps
      integer(c_int) :: status
    end function sptrsvSetSweeps

    function sptrsvGetSweeps(info, sweeps) &
        result(status) bind(C, name='sptrsvGetSweeps')
      import :: c_int, c_ptr
      type(c_ptr), value :: info
      integer(c_int), intent(out) :: sweeps
      integer(c_int) :: status
    end function sptrsvGetSweeps

    function sptrsvSweep(handle, m, nnz, weight, zeroGuess, descr, valueType, val, rowPtr, colInd, info, &
        b, x, buffer) &
        result(status) bind(C, name='sptrsvSweep')
      import :: c_int, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: m, nnz
      real(c_double), value :: weight
      integer(c_int), value :: zeroGuess
      type(c_ptr), value :: descr
      integer(c_int), value :: valueType
      type(c_ptr), value :: val, rowPtr, colInd, info, b, x, buffer
      integer(c_int) :: status
    end function sptrsvSweep

    function sptrsvRelax(handle, m, nnz, sweeps, weight, zeroGuess, valueType, val, rowPtr, colInd, descr, info, &
        otherDescr, otherInfo, marker, points, b, x, buffer) &
        result(status) bind(C, name='sptrsvRelax')
      import :: c_int, c_int32_t, c_int64_t, c_double, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: m, nnz
      integer(c_int), value :: sweeps
      real(c_double), value :: weight
      integer(c_int), value :: zeroGuess, valueType
      type(c_ptr), value :: val, rowPtr, colInd, descr, info, otherDescr, otherInfo, marker
      integer(c_int32_t), value :: points
      type(c_ptr), value :: b, x, buffer
      integer(c_int) :: status
    end function sptrsvRelax

    function sptrsvSolvePair(handle, op, m, nrhs, alpha, valueType, descrL, nnzL, valL, rowPtrL, colIndL, infoL, &
        descrU, nnzU, valU, rowPtrU, colIndU, infoU, rowPermutation, columnPermutation, F, ldf, X, ldx, work, policy, &
        buffer) &
        result(status) bind(C, name='sptrsvSolvePair')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: op
      integer(c_int64_t), value :: m, nrhs
      type(c_ptr), value :: alpha
      integer(c_int), value :: valueType
      type(c_ptr), value :: descrL
      integer(c_int64_t), value :: nnzL
      type(c_ptr), value :: valL, rowPtrL, colIndL, infoL, descrU
      integer(c_int64_t), value :: nnzU
      type(c_ptr), value :: valU, rowPtrU, colIndU, infoU, rowPermutation, columnPermutation, F
      integer(c_int64_t), value :: ldf
      type(c_ptr), value :: X
      integer(c_int64_t), value :: ldx
      type(c_ptr), value :: work
      integer(c_int), value :: policy
      type(c_ptr), value :: buffer
      integer(c_int) :: status
    end function sptrsvSolvePair

  end interface

  ! A triangular system that is analysed and holds a copy of its values. Handle, descriptor and info are for the functions
  ! of the C interface; message says in one sentence what was wrong with the last call, and is empty after a success.
  type :: sptrsv_system
    type(c_ptr) :: handle = c_null_ptr, descr = c_null_ptr, info = c_null_ptr
    integer(c_int64_t) :: rows = 0, entries = 0
    integer(c_int) :: value_type = -1, op = SPTRSV_OPERATION_NON_TRANSPOSE
    integer(c_int8_t), pointer :: buffer(:) => null()
    character(:), allocatable :: message
  end type sptrsv_system

  ! call sptrsv_analyse(system, row, column, values [, lower] [, unit] [, op] [, stat])
  !
  ! Analyses a triangle of a sparse matrix in CSR, counted from 1: row(i) to row(i + 1) - 1 are the places of row i in
  ! column and values. lower = .true. (default) takes the lower triangle, .false. the upper one, and the other is ignored.
  ! unit = .true.: the diagonal is 1, whatever is stored. op: SPTRSV_OPERATION_*, default N. The arrays may be changed or
  ! freed afterwards. A system that is analysed already is analysed anew.
  !
  ! In all these calls stat gets SPTRSV_STATUS_SUCCESS or what was wrong; without stat, an error prints system%message and
  ! stops the program.
  interface sptrsv_analyse
    module procedure analyse_s, analyse_d, analyse_c, analyse_z
  end interface sptrsv_analyse

  ! call sptrsv_update(system, values [, stat]): new values in the same pattern, in the order of the analysis.
  interface sptrsv_update
    module procedure update_s, update_d, update_c, update_z
  end interface sptrsv_update

  ! call sptrsv_solve(system, f, x [, stat]): op(A) x = f, for a vector or for the columns of a matrix.
  interface sptrsv_solve
    module procedure solve_s, solve_d, solve_c, solve_z, columns_s, columns_d, columns_c, columns_z
  end interface sptrsv_solve

  private :: analyse_s, analyse_d, analyse_c, analyse_z, update_s, update_d, update_c, update_z
  private :: solve_s, solve_d, solve_c, solve_z, columns_s, columns_d, columns_c, columns_z
  private :: analyse_any, update_any, solve_any, begin, refuse, give

contains

  ! A Fortran string of what a function has returned that gives a text, such as sptrsvGetLastErrorString.
  function sptrsv_text(c_string) result(text)
    type(c_ptr), intent(in) :: c_string
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    interface
      pure function strlen(s) result(length) bind(C, name='strlen')
        import :: c_ptr, c_size_t
        type(c_ptr), value, intent(in) :: s
        integer(c_size_t) :: length
      end function strlen
    end interface
    integer :: i

    call c_f_pointer(c_string, letters, [strlen(c_string)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function sptrsv_text

  ! Frees what an analysis holds. Nothing else does: a system must not be copied.
  subroutine sptrsv_free(system)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int) :: ignored

    if (c_associated(system%info)) ignored = sptrsvDestroyInfo(system%info)
    if (c_associated(system%descr)) ignored = sptrsvDestroyMatDescr(system%descr)
    if (c_associated(system%handle)) ignored = sptrsvDestroy(system%handle)
    if (associated(system%buffer)) deallocate (system%buffer)
    system%handle = c_null_ptr
    system%descr = c_null_ptr
    system%info = c_null_ptr
    system%value_type = -1
  end subroutine sptrsv_free

  ! The row, counted from 1, of the first zero on the diagonal that the last solve met; 0 where there was none.
  function sptrsv_zero_pivot(system) result(row)
    type(sptrsv_system), intent(in) :: system
    integer(c_int64_t) :: row
    integer(c_int64_t), target :: found

    row = 0
    if (sptrsvZeroPivot(system%handle, system%info, c_loc(found)) == SPTRSV_STATUS_ZERO_PIVOT) row = found
  end function sptrsv_zero_pivot

  ! Ends a call: its status to the caller, or an error to the user.
  subroutine give(system, status, stat)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat

    if (present(stat)) stat = status
    if (present(stat) .or. status == SPTRSV_STATUS_SUCCESS) return
    write (error_unit, '(3a)') sptrsv_text(sptrsvGetErrorName(status)), ': ', system%message
    error stop 1
  end subroutine give

  subroutine refuse(system, message, stat)
    type(sptrsv_system), intent(inout) :: system
    character(*), intent(in) :: message
    integer, intent(out), optional :: stat

    system%message = message
    call give(system, SPTRSV_STATUS_INVALID_VALUE, stat)
  end subroutine refuse

  ! Handle, descriptor and info of a new system; the status of the first call that fails.
  function begin(system, lower, unit) result(status)
    type(sptrsv_system), intent(inout) :: system
    logical, intent(in) :: lower, unit
    integer(c_int) :: status

    call sptrsv_free(system)
    status = sptrsvCreateWithExecutor(system%handle, SPTRSV_EXECUTOR_HOST)
    if (status == SPTRSV_STATUS_SUCCESS) status = sptrsvCreateMatDescr(system%descr)
    if (status == SPTRSV_STATUS_SUCCESS) status = sptrsvSetMatIndexBase(system%descr, SPTRSV_INDEX_BASE_ONE)
    if (status == SPTRSV_STATUS_SUCCESS .and. .not. lower) &
      status = sptrsvSetMatFillMode(system%descr, SPTRSV_FILL_MODE_UPPER)
    if (status == SPTRSV_STATUS_SUCCESS .and. unit) status = sptrsvSetMatDiagType(system%descr, SPTRSV_DIAG_TYPE_UNIT)
    if (status == SPTRSV_STATUS_SUCCESS) status = sptrsvCreateInfo(system%info)
    if (status == SPTRSV_STATUS_SUCCESS) status = sptrsvSetCopyValues(system%info, SPTRSV_COPY_ALL)
  end function begin

  subroutine analyse_any(system, row, column, values, value_count, value_type, lower, unit, op, stat)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int), intent(in), target, contiguous :: row(:), column(:)
    type(c_ptr), intent(in) :: values
    integer, intent(in) :: value_count
    integer(c_int), intent(in) :: value_type
    logical, intent(in), optional :: lower, unit
    integer(c_int), intent(in), optional :: op
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    integer(c_size_t) :: bytes
    logical :: is_lower, is_unit

    if (size(row) < 1) then
      call refuse(system, 'row is empty: it must have one element more than the matrix has rows', stat)
      return
    else if (value_count /= size(column)) then
      call refuse(system, 'column and values differ in size', stat)
      return
    end if
    is_lower = .true.
    is_unit = .false.
    if (present(lower)) is_lower = lower
    if (present(unit)) is_unit = unit
    status = begin(system, is_lower, is_unit)
    system%op = SPTRSV_OPERATION_NON_TRANSPOSE
    if (present(op)) system%op = op
    system%rows = size(row) - 1
    system%entries = size(column)
    if (status == SPTRSV_STATUS_SUCCESS) status = sptrsvBufferSize(system%handle, system%op, system%rows, system%entries, &
      system%descr, value_type, values, c_loc(row), c_loc(column), system%info, bytes)
    if (status == SPTRSV_STATUS_SUCCESS) then
      allocate (system%buffer(max(bytes, 1_c_size_t)))
      status = sptrsvAnalysis(system%handle, system%op, system%rows, system%entries, system%descr, value_type, values, &
        c_loc(row), c_loc(column), system%info, SPTRSV_SOLVE_POLICY_USE_LEVEL, c_loc(system%buffer))
    end if
    system%message = sptrsv_text(sptrsvGetLastErrorString())
    if (status == SPTRSV_STATUS_SUCCESS) then
      system%value_type = value_type
    else
      call sptrsv_free(system)
    end if
    call give(system, status, stat)
  end subroutine analyse_any

  subroutine update_any(system, values, value_count, value_type, stat)
    type(sptrsv_system), intent(inout) :: system
    type(c_ptr), intent(in) :: values
    integer, intent(in) :: value_count
    integer(c_int), intent(in) :: value_type
    integer, intent(out), optional :: stat
    integer(c_int) :: status

    if (system%value_type /= value_type) then
      call refuse(system, 'the system was not analysed with values of this type', stat)
    else if (value_count /= system%entries) then
      call refuse(system, 'values has another size than in the analysis', stat)
    else
      status = sptrsvUpdateValues(system%handle, system%info, values)
      system%message = sptrsv_text(sptrsvGetLastErrorString())
      call give(system, status, stat)
    end if
  end subroutine update_any

  subroutine solve_any(system, f, f_shape, x, x_shape, value_type, stat)
    type(sptrsv_system), intent(inout) :: system
    type(c_ptr), intent(in) :: f, x
    integer, intent(in) :: f_shape(2), x_shape(2)
    integer(c_int), intent(in) :: value_type
    integer, intent(out), optional :: stat
    complex(c_float), target :: single = 1
    complex(c_double), target :: double = 1
    type(c_ptr) :: one
    integer(c_int) :: status

    if (system%value_type /= value_type) then
      call refuse(system, 'the system was not analysed with values of this type', stat)
    else if (f_shape(1) /= system%rows .or. any(x_shape /= f_shape)) then
      call refuse(system, 'f and x must have as many rows as the matrix, and the same number of columns', stat)
    else
      one = c_loc(double) ! the real part stands first: it serves both
      if (value_type == SPTRSV_R_32F .or. value_type == SPTRSV_C_32F) one = c_loc(single)
      status = sptrsvSolveMulti(system%handle, system%op, system%rows, system%entries, int(f_shape(2), c_int64_t), one, &
        system%descr, value_type, c_null_ptr, c_null_ptr, c_null_ptr, system%info, f, max(system%rows, 1_c_int64_t), x, &
        max(system%rows, 1_c_int64_t), SPTRSV_SOLVE_POLICY_USE_LEVEL, c_loc(system%buffer))
      system%message = sptrsv_text(sptrsvGetLastErrorString())
      call give(system, status, stat)
    end if
  end subroutine solve_any

  subroutine analyse_s(system, row, column, values, lower, unit, op, stat)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int), intent(in), contiguous :: row(:), column(:)
    real(c_float), intent(in), target, contiguous :: values(:)
    logical, intent(in), optional :: lower, unit
    integer(c_int), intent(in), optional :: op
    integer, intent(out), optional :: stat

    call analyse_any(system, row, column, c_loc(values), size(values), SPTRSV_R_32F, lower, unit, op, stat)
  end subroutine analyse_s

  subroutine update_s(system, values, stat)
    type(sptrsv_system), intent(inout) :: system
    real(c_float), intent(in), target, contiguous :: values(:)
    integer, intent(out), optional :: stat

    call update_any(system, c_loc(values), size(values), SPTRSV_R_32F, stat)
  end subroutine update_s

  subroutine solve_s(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    real(c_float), intent(in), target, contiguous :: f(:)
    real(c_float), intent(inout), target, contiguous :: x(:)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), [size(f), 1], c_loc(x), [size(x), 1], SPTRSV_R_32F, stat)
  end subroutine solve_s

  subroutine columns_s(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    real(c_float), intent(in), target, contiguous :: f(:, :)
    real(c_float), intent(inout), target, contiguous :: x(:, :)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), shape(f), c_loc(x), shape(x), SPTRSV_R_32F, stat)
  end subroutine columns_s

  subroutine analyse_d(system, row, column, values, lower, unit, op, stat)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int), intent(in), contiguous :: row(:), column(:)
    real(c_double), intent(in), target, contiguous :: values(:)
    logical, intent(in), optional :: lower, unit
    integer(c_int), intent(in), optional :: op
    integer, intent(out), optional :: stat

    call analyse_any(system, row, column, c_loc(values), size(values), SPTRSV_R_64F, lower, unit, op, stat)
  end subroutine analyse_d

  subroutine update_d(system, values, stat)
    type(sptrsv_system), intent(inout) :: system
    real(c_double), intent(in), target, contiguous :: values(:)
    integer, intent(out), optional :: stat

    call update_any(system, c_loc(values), size(values), SPTRSV_R_64F, stat)
  end subroutine update_d

  subroutine solve_d(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    real(c_double), intent(in), target, contiguous :: f(:)
    real(c_double), intent(inout), target, contiguous :: x(:)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), [size(f), 1], c_loc(x), [size(x), 1], SPTRSV_R_64F, stat)
  end subroutine solve_d

  subroutine columns_d(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    real(c_double), intent(in), target, contiguous :: f(:, :)
    real(c_double), intent(inout), target, contiguous :: x(:, :)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), shape(f), c_loc(x), shape(x), SPTRSV_R_64F, stat)
  end subroutine columns_d

  subroutine analyse_c(system, row, column, values, lower, unit, op, stat)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int), intent(in), contiguous :: row(:), column(:)
    complex(c_float), intent(in), target, contiguous :: values(:)
    logical, intent(in), optional :: lower, unit
    integer(c_int), intent(in), optional :: op
    integer, intent(out), optional :: stat

    call analyse_any(system, row, column, c_loc(values), size(values), SPTRSV_C_32F, lower, unit, op, stat)
  end subroutine analyse_c

  subroutine update_c(system, values, stat)
    type(sptrsv_system), intent(inout) :: system
    complex(c_float), intent(in), target, contiguous :: values(:)
    integer, intent(out), optional :: stat

    call update_any(system, c_loc(values), size(values), SPTRSV_C_32F, stat)
  end subroutine update_c

  subroutine solve_c(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    complex(c_float), intent(in), target, contiguous :: f(:)
    complex(c_float), intent(inout), target, contiguous :: x(:)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), [size(f), 1], c_loc(x), [size(x), 1], SPTRSV_C_32F, stat)
  end subroutine solve_c

  subroutine columns_c(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    complex(c_float), intent(in), target, contiguous :: f(:, :)
    complex(c_float), intent(inout), target, contiguous :: x(:, :)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), shape(f), c_loc(x), shape(x), SPTRSV_C_32F, stat)
  end subroutine columns_c

  subroutine analyse_z(system, row, column, values, lower, unit, op, stat)
    type(sptrsv_system), intent(inout) :: system
    integer(c_int), intent(in), contiguous :: row(:), column(:)
    complex(c_double), intent(in), target, contiguous :: values(:)
    logical, intent(in), optional :: lower, unit
    integer(c_int), intent(in), optional :: op
    integer, intent(out), optional :: stat

    call analyse_any(system, row, column, c_loc(values), size(values), SPTRSV_C_64F, lower, unit, op, stat)
  end subroutine analyse_z

  subroutine update_z(system, values, stat)
    type(sptrsv_system), intent(inout) :: system
    complex(c_double), intent(in), target, contiguous :: values(:)
    integer, intent(out), optional :: stat

    call update_any(system, c_loc(values), size(values), SPTRSV_C_64F, stat)
  end subroutine update_z

  subroutine solve_z(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    complex(c_double), intent(in), target, contiguous :: f(:)
    complex(c_double), intent(inout), target, contiguous :: x(:)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), [size(f), 1], c_loc(x), [size(x), 1], SPTRSV_C_64F, stat)
  end subroutine solve_z

  subroutine columns_z(system, f, x, stat)
    type(sptrsv_system), intent(inout) :: system
    complex(c_double), intent(in), target, contiguous :: f(:, :)
    complex(c_double), intent(inout), target, contiguous :: x(:, :)
    integer, intent(out), optional :: stat

    call solve_any(system, c_loc(f), shape(f), c_loc(x), shape(x), SPTRSV_C_64F, stat)
  end subroutine columns_z

end module sptrsv
