! The Fortran binding of libsptrsv: the whole C interface of include/sptrsv.h, under the same names.
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
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_double, c_char, c_ptr, c_f_pointer
  implicit none
  private :: c_int, c_int64_t, c_size_t, c_double, c_char, c_ptr, c_f_pointer

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

    function sptrsvZeroPivot(handle, info, position) &
        result(status) bind(C, name='sptrsvZeroPivot')
      import :: c_int, c_ptr
      type(c_ptr), value :: handle, info, position
      integer(c_int) :: status
    end function sptrsvZeroPivot

  end interface

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

end module sptrsv
