! The Fortran binding at work: triangular systems counted from 1 are set up, analysed, solved and checked. On the
! GPU where there is one, else on the host executor; the first line says which. The last line is
! "test_sptrsv: N passed, N failed, N skipped", and the program stops with 1 when a check failed.

! Memory of whichever executor is used, from c_tests/cusparse/memory.c.
module executor_memory
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    function memory_open() result(on_gpu) bind(C, name='memory_open')
      import :: c_int
      integer(c_int) :: on_gpu
    end function memory_open

    function memory_device_name() result(name) bind(C, name='memory_device_name')
      import :: c_ptr
      type(c_ptr) :: name
    end function memory_device_name

    function memory_alloc(bytes) result(p) bind(C, name='memory_alloc')
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
      type(c_ptr) :: p
    end function memory_alloc

    subroutine memory_free(p) bind(C, name='memory_free')
      import :: c_ptr
      type(c_ptr), value :: p
    end subroutine memory_free

    subroutine memory_put(to, from, bytes) bind(C, name='memory_put')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine memory_put

    subroutine memory_get(to, from, bytes) bind(C, name='memory_get')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine memory_get
  end interface

contains

  ! A copy of host memory on the executor.
  function copied(from, bytes) result(p)
    type(c_ptr), intent(in) :: from
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr) :: p

    p = memory_alloc(bytes)
    call memory_put(p, from, bytes)
  end function copied
end module executor_memory

module checks
  use, intrinsic :: iso_c_binding, only: c_int
  use sptrsv
  implicit none
  integer :: passed = 0, failed = 0

contains

  subroutine check(what, ok)
    character(*), intent(in) :: what
    logical, intent(in) :: ok

    if (ok) then
      passed = passed + 1
      print '(2a)', 'ok      ', what
    else
      failed = failed + 1
      print '(2a)', 'FAILED  ', what
    end if
  end subroutine check

  ! A call must have returned this status.
  subroutine expect(what, status, expected)
    character(*), intent(in) :: what
    integer(c_int), intent(in) :: status, expected

    if (status == expected) then
      passed = passed + 1
      return
    end if
    failed = failed + 1
    print '(5a)', 'FAILED  ', what, ': ', sptrsv_text(sptrsvGetErrorName(status)), &
      ', not '//sptrsv_text(sptrsvGetErrorName(expected))
  end subroutine expect
end module checks

program test_sptrsv
  use, intrinsic :: iso_c_binding
  use sptrsv
  use executor_memory
  use checks
  implicit none

  integer, parameter :: n = 1000
  type(c_ptr) :: handle, descr
  integer(c_int) :: executor, found, version
  character(8) :: required

  executor = SPTRSV_EXECUTOR_HOST
  if (memory_open() == 1) executor = SPTRSV_EXECUTOR_CUDA
  print '(4a)', 'test_sptrsv: executor ', merge('CUDA', 'host', executor == SPTRSV_EXECUTOR_CUDA), ' on ', &
    sptrsv_text(memory_device_name())
  call get_environment_variable('SPTRSV_REQUIRE_GPU', required)
  if (required == '1') call check('a GPU is required', executor == SPTRSV_EXECUTOR_CUDA)

  if (executor == SPTRSV_EXECUTOR_CUDA) then
    call expect('sptrsvCreate', sptrsvCreate(handle), SPTRSV_STATUS_SUCCESS)
  else
    call expect('sptrsvCreateWithExecutor', sptrsvCreateWithExecutor(handle, executor), SPTRSV_STATUS_SUCCESS)
  end if
  call expect('sptrsvGetProperty', sptrsvGetProperty(SPTRSV_PROPERTY_MINOR_VERSION, version), SPTRSV_STATUS_SUCCESS)
  call check('the minor version is that of the module', version == SPTRSV_VERSION_MINOR)
  call expect('sptrsvGetExecutor', sptrsvGetExecutor(handle, found), SPTRSV_STATUS_SUCCESS)
  call check('the executor is the one that was asked for', found == executor)
  call expect('sptrsvGetVersion', sptrsvGetVersion(handle, version), SPTRSV_STATUS_SUCCESS)
  call check('the version is that of the module', version == SPTRSV_VERSION)
  call expect('sptrsvCreateMatDescr', sptrsvCreateMatDescr(descr), SPTRSV_STATUS_SUCCESS)
  call expect('sptrsvSetMatIndexBase', sptrsvSetMatIndexBase(descr, SPTRSV_INDEX_BASE_ONE), SPTRSV_STATUS_SUCCESS)

  call solves_a_bidiagonal_system()
  call solves_several_complex_systems()
  call one_info_solves_both_ways()
  call an_info_solves_with_values_handed_over()
  call an_info_keeps_all_values()
  call reports_a_zero_pivot_in_fortrans_counting()
  call factorises_and_sweeps()
  call settings_are_read_back()
  call says_what_was_wrong()
  call arrays_need_no_addresses()
  call arrays_of_wrong_shapes_are_refused()

  call expect('sptrsvDestroyMatDescr', sptrsvDestroyMatDescr(descr), SPTRSV_STATUS_SUCCESS)
  call expect('sptrsvDestroy', sptrsvDestroy(handle), SPTRSV_STATUS_SUCCESS)
  print '(3(a,i0),a)', 'test_sptrsv: ', passed, ' passed, ', failed, ' failed, ', 0, ' skipped'
  if (failed > 0) stop 1

contains

  ! 2 on the diagonal and -1 below it, in 32-bit CSR counted from 1: row i holds entries 2i-2 (but the first) and
  ! 2i-1. Its solution is known.
  subroutine solves_a_bidiagonal_system()
    integer(c_int), target :: row(n + 1), col(2 * n - 1)
    real(c_double), target :: val(2 * n - 1), x(n), f(n), alpha
    type(c_ptr) :: d_row, d_col, d_val, d_f, d_x, info, buffer
    type(sptrsvStats_t) :: stats
    integer(c_size_t) :: bytes
    integer(c_int) :: algorithm
    integer :: i, op

    row(1) = 1
    row(2:) = [(2 * i, i = 1, n)]
    col(1::2) = [(i, i = 1, n)]
    col(2::2) = [(i, i = 1, n - 1)]
    val(1::2) = 2
    val(2::2) = -1
    d_row = copied(c_loc(row), 4_c_size_t * (n + 1))
    d_col = copied(c_loc(col), 4_c_size_t * (2 * n - 1))
    d_val = copied(c_loc(val), 8_c_size_t * (2 * n - 1))
    d_x = memory_alloc(8_c_size_t * n)

    do op = SPTRSV_OPERATION_NON_TRANSPOSE, SPTRSV_OPERATION_TRANSPOSE
      ! alpha f = op(A) (1, 2, ..., n)
      do i = 1, n
        f(i) = 2 * i
        if (op == SPTRSV_OPERATION_NON_TRANSPOSE .and. i > 1) f(i) = f(i) - (i - 1)
        if (op == SPTRSV_OPERATION_TRANSPOSE .and. i < n) f(i) = f(i) - (i + 1)
      end do
      f = 4 * f
      alpha = 0.25_c_double
      d_f = copied(c_loc(f), 8_c_size_t * n)

      call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSetAlgorithm', sptrsvSetAlgorithm(info, SPTRSV_ALG_SLFR), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvBufferSize', sptrsvBufferSize(handle, op, int(n, c_int64_t), 2_c_int64_t * n - 1, descr, &
        SPTRSV_R_64F, d_val, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
      buffer = memory_alloc(bytes)
      call expect('sptrsvAnalysis', sptrsvAnalysis(handle, op, int(n, c_int64_t), 2_c_int64_t * n - 1, descr, &
        SPTRSV_R_64F, c_null_ptr, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSolve', sptrsvSolve(handle, op, int(n, c_int64_t), 2_c_int64_t * n - 1, c_loc(alpha), descr, &
        SPTRSV_R_64F, d_val, d_row, d_col, info, d_f, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
        SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 8_c_size_t * n)
      call check('a bidiagonal system is solved', all(abs(x - [(i, i = 1, n)]) <= 1e-12_c_double * n))

      stats%struct_size = c_sizeof(stats)
      call expect('sptrsvGetStats', sptrsvGetStats(info, stats), SPTRSV_STATUS_SUCCESS)
      call check('the stats have its rows and entries', stats%rows == n .and. stats%entries_used == 2 * n - 1)
      call expect('sptrsvGetAlgorithm', sptrsvGetAlgorithm(info, algorithm), SPTRSV_STATUS_SUCCESS)
      call check('the algorithm is the one asked for', algorithm == SPTRSV_ALG_SLFR .and. &
        stats%algorithm == SPTRSV_ALG_SLFR)

      call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
      call memory_free(buffer)
      call memory_free(d_f)
    end do
    call memory_free(d_row)
    call memory_free(d_col)
    call memory_free(d_val)
    call memory_free(d_x)
  end subroutine solves_a_bidiagonal_system

  ! [2i  .] of which the conjugate transpose [-2i  1] is solved for two right-hand sides at once, in place.
  ! [ 1  4]                                  [  .  4]
  subroutine solves_several_complex_systems()
    integer(c_int), target :: row(3) = [1, 2, 4], col(3) = [1, 1, 2]
    complex(c_double_complex), target :: val(3), x(2, 2), f(2, 2), b(2, 2), alpha
    type(c_ptr) :: d_row, d_col, d_val, d_f, d_x, info, buffer
    integer(c_size_t) :: bytes
    integer(c_int64_t) :: nrhs

    val = [(0, 2), (1, 0), (4, 0)]
    x = reshape([(1, 1), (2, 0), (0, -3), (1, 2)], [2, 2])
    b(1, :) = (0, -2) * x(1, :) + x(2, :)
    b(2, :) = 4 * x(2, :)
    f = b
    alpha = 1
    d_row = copied(c_loc(row), 12_c_size_t)
    d_col = copied(c_loc(col), 12_c_size_t)
    d_val = copied(c_loc(val), 48_c_size_t)
    d_x = copied(c_loc(b), 64_c_size_t)

    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetExpectedRightHandSides', sptrsvSetExpectedRightHandSides(info, 0_c_int64_t), SPTRSV_STATUS_INVALID_VALUE)
    call expect('sptrsvGetExpectedRightHandSides', sptrsvGetExpectedRightHandSides(info, nrhs), SPTRSV_STATUS_SUCCESS)
    call check('one right-hand side is expected', nrhs == 1)
    call expect('sptrsvSetExpectedRightHandSides', sptrsvSetExpectedRightHandSides(info, 16_c_int64_t), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetExpectedRightHandSides', sptrsvGetExpectedRightHandSides(info, nrhs), SPTRSV_STATUS_SUCCESS)
    call check('sixteen right-hand sides are expected', nrhs == 16)
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_CONJUGATE_TRANSPOSE, 2_c_int64_t, &
      3_c_int64_t, descr, SPTRSV_C_64F, d_val, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(bytes)
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_CONJUGATE_TRANSPOSE, 2_c_int64_t, &
      3_c_int64_t, descr, SPTRSV_C_64F, d_val, d_row, d_col, info, SPTRSV_SOLVE_POLICY_NO_LEVEL, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSolveMulti', sptrsvSolveMulti(handle, SPTRSV_OPERATION_CONJUGATE_TRANSPOSE, 2_c_int64_t, &
      3_c_int64_t, 2_c_int64_t, c_loc(alpha), descr, SPTRSV_C_64F, d_val, d_row, d_col, info, d_x, 2_c_int64_t, d_x, &
      2_c_int64_t, SPTRSV_SOLVE_POLICY_NO_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(b), d_x, 64_c_size_t)
    call check('two complex systems are solved in place', all(abs(b - x) <= 1e-14_c_double))

    b = transpose(f)
    call memory_put(d_x, c_loc(b), 64_c_size_t)
    call expect('sptrsvSolveMultiRowMajor', sptrsvSolveMultiRowMajor(handle, SPTRSV_OPERATION_CONJUGATE_TRANSPOSE, &
      2_c_int64_t, 3_c_int64_t, 2_c_int64_t, c_loc(alpha), descr, SPTRSV_C_64F, d_val, d_row, d_col, info, d_x, 2_c_int64_t, &
      d_x, 2_c_int64_t, SPTRSV_SOLVE_POLICY_NO_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(b), d_x, 64_c_size_t)
    call check('and by rows', all(abs(b - transpose(x)) <= 1e-14_c_double))

    ! F by columns, X by rows; not in place.
    d_f = copied(c_loc(f), 64_c_size_t)
    call expect('sptrsvSolveDense', sptrsvSolveDense(handle, SPTRSV_OPERATION_CONJUGATE_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      2_c_int64_t, c_loc(alpha), descr, SPTRSV_C_64F, d_val, d_row, d_col, info, d_f, 2_c_int64_t, SPTRSV_ORDER_COLUMN, d_x, &
      2_c_int64_t, SPTRSV_ORDER_ROW, SPTRSV_SOLVE_POLICY_NO_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(b), d_x, 64_c_size_t)
    call check('and from columns into rows', all(abs(b - transpose(x)) <= 1e-14_c_double))
    call expect('columns and rows in one place', sptrsvSolveDense(handle, SPTRSV_OPERATION_CONJUGATE_TRANSPOSE, 2_c_int64_t, &
      3_c_int64_t, 2_c_int64_t, c_loc(alpha), descr, SPTRSV_C_64F, d_val, d_row, d_col, info, d_x, 2_c_int64_t, &
      SPTRSV_ORDER_COLUMN, d_x, 2_c_int64_t, SPTRSV_ORDER_ROW, SPTRSV_SOLVE_POLICY_NO_LEVEL, buffer), &
      SPTRSV_STATUS_INVALID_VALUE)

    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
    call memory_free(d_row)
    call memory_free(d_col)
    call memory_free(d_val)
    call memory_free(d_f)
    call memory_free(d_x)
  end subroutine solves_several_complex_systems

  ! [2  .] x = [2]  and its transpose, by one analysis.
  ! [1  4]     [9]
  subroutine one_info_solves_both_ways()
    integer(c_int), target :: row(3) = [1, 2, 4], col(3) = [1, 1, 2]
    real(c_double), target :: val(3) = [2, 1, 4], f(2, 0:1) = reshape([2, 9, 4, 8], [2, 2]), x(2), alpha = 1
    type(c_ptr) :: d_row, d_col, d_val, d_x, info, buffer
    integer(c_size_t) :: bytes
    integer(c_int) :: op, enabled

    d_row = copied(c_loc(row), 12_c_size_t)
    d_col = copied(c_loc(col), 12_c_size_t)
    d_val = copied(c_loc(val), 24_c_size_t)
    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetAnalysisForAllOperations', sptrsvSetAnalysisForAllOperations(info, 2_c_int), SPTRSV_STATUS_INVALID_VALUE)
    call expect('sptrsvSetAnalysisForAllOperations', sptrsvSetAnalysisForAllOperations(info, 1_c_int), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetAnalysisForAllOperations', sptrsvGetAnalysisForAllOperations(info, enabled), SPTRSV_STATUS_SUCCESS)
    call check('any operation is wanted', enabled == 1)
    call expect('sptrsvSetKeepPattern', sptrsvSetKeepPattern(info, 1_c_int), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetKeepPattern', sptrsvGetKeepPattern(info, enabled), SPTRSV_STATUS_SUCCESS)
    call check('the pattern is to be kept', enabled == 1)
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, &
      3_c_int64_t, descr, SPTRSV_R_64F, d_val, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(bytes)
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      descr, SPTRSV_R_64F, d_val, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
    do op = SPTRSV_OPERATION_NON_TRANSPOSE, SPTRSV_OPERATION_TRANSPOSE
      d_x = copied(c_loc(f(1, op)), 16_c_size_t)
      call expect('sptrsvSolve', sptrsvSolve(handle, op, 2_c_int64_t, 3_c_int64_t, c_loc(alpha), descr, SPTRSV_R_64F, &
        d_val, d_row, d_col, info, d_x, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 16_c_size_t)
      call check('one info solves both ways', all(abs(x - [1, 2]) <= 1e-14_c_double))
      call memory_put(d_x, c_loc(f(1, op)), 16_c_size_t)
      call expect('sptrsvTune', sptrsvTune(handle, op, 2_c_int64_t, 3_c_int64_t, c_loc(alpha), descr, SPTRSV_R_64F, &
        d_val, d_row, d_col, info, d_x, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 16_c_size_t)
      call check('a tuning solves too', all(abs(x - [1, 2]) <= 1e-14_c_double))
      call memory_free(d_x)
    end do
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
    call memory_free(d_row)
    call memory_free(d_col)
    call memory_free(d_val)
  end subroutine one_info_solves_both_ways

  ! The transpose of [2  .] by values that are handed over, and by others in the same array.
  !                  [1  4]
  subroutine an_info_solves_with_values_handed_over()
    integer(c_int), target :: row(3) = [1, 2, 4], col(3) = [1, 1, 2]
    real(c_double), target :: val(3, 2) = reshape([2, 1, 4, 4, 2, 1], [3, 2]), f(2, 2) = reshape([4, 8, 8, 2], [2, 2])
    real(c_double), target :: x(2), alpha = 1
    type(c_ptr) :: d_row, d_col, d_val, d_x, info, buffer
    integer(c_size_t) :: bytes
    integer(c_int) :: copy
    integer :: i

    d_row = copied(c_loc(row), 12_c_size_t)
    d_col = copied(c_loc(col), 12_c_size_t)
    d_val = memory_alloc(24_c_size_t)
    d_x = memory_alloc(16_c_size_t)
    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetCopyValues', sptrsvSetCopyValues(info, 3_c_int), SPTRSV_STATUS_INVALID_VALUE)
    call expect('sptrsvGetCopyValues', sptrsvGetCopyValues(info, copy), SPTRSV_STATUS_SUCCESS)
    call check('no copy is wanted', copy == SPTRSV_COPY_NONE)
    call expect('sptrsvSetCopyValues', sptrsvSetCopyValues(info, SPTRSV_COPY_WHERE_FASTER), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetCopyValues', sptrsvGetCopyValues(info, copy), SPTRSV_STATUS_SUCCESS)
    call check('a copy is wanted', copy == SPTRSV_COPY_WHERE_FASTER)
    call expect('sptrsvUpdateValues', sptrsvUpdateValues(handle, info, d_val), SPTRSV_STATUS_NOT_ANALYSED)
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      descr, SPTRSV_R_64F, d_val, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(bytes)
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      descr, SPTRSV_R_64F, d_val, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
    call expect('a solve without values', sptrsvSolve(handle, SPTRSV_OPERATION_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      c_loc(alpha), descr, SPTRSV_R_64F, d_val, d_row, d_col, info, d_x, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
      SPTRSV_STATUS_INVALID_VALUE)
    call check('the message says so', index(sptrsv_text(sptrsvGetLastErrorString()), 'sptrsvUpdateValues') > 0)
    do i = 1, 2
      call memory_put(d_val, c_loc(val(1, i)), 24_c_size_t)
      call memory_put(d_x, c_loc(f(1, i)), 16_c_size_t)
      call expect('sptrsvUpdateValues', sptrsvUpdateValues(handle, info, d_val), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSolve', sptrsvSolve(handle, SPTRSV_OPERATION_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
        c_loc(alpha), descr, SPTRSV_R_64F, d_val, d_row, d_col, info, d_x, d_x, SPTRSV_SOLVE_POLICY_USE_LEVEL, &
        buffer), SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 16_c_size_t)
      call check('values handed over solve a system', all(abs(x - [1, 2]) <= 1e-14_c_double))
    end do
    call expect('a diagonal without a copy of all values', sptrsvUpdateDiagonal(handle, info, d_x), &
      SPTRSV_STATUS_INVALID_VALUE)
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
    call memory_free(d_row)
    call memory_free(d_col)
    call memory_free(d_val)
    call memory_free(d_x)
  end subroutine an_info_solves_with_values_handed_over

  ! [2  .] x = [2], of which the analysis copies the values, and the same with other values and another diagonal. The arrays are
  ! [1  4]     [9]    freed before the solves.
  subroutine an_info_keeps_all_values()
    integer(c_int), target :: row(3) = [1, 2, 4], col(3) = [1, 1, 2]
    real(c_double), target :: val(3, 2) = reshape([2, 1, 4, 4, 2, 1], [3, 2]), diag(2) = [-1, 8]
    real(c_double), target :: f(2, 3) = reshape([2, 9, 4, 4, -1, 18], [2, 3]), x(2), alpha = 1
    type(c_ptr) :: d_row, d_col, d_val, d_diag, d_x, info, buffer
    type(sptrsvStats_t) :: stats
    integer(c_size_t) :: bytes
    integer :: i

    d_row = copied(c_loc(row), 12_c_size_t)
    d_col = copied(c_loc(col), 12_c_size_t)
    d_val = copied(c_loc(val), 24_c_size_t)
    d_x = memory_alloc(16_c_size_t)
    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetCopyValues', sptrsvSetCopyValues(info, SPTRSV_COPY_ALL), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      descr, SPTRSV_R_64F, d_val, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(bytes)
    call expect('an analysis without values', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, &
      3_c_int64_t, descr, SPTRSV_R_64F, c_null_ptr, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
      SPTRSV_STATUS_INVALID_VALUE)
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
      descr, SPTRSV_R_64F, d_val, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
    stats%struct_size = c_sizeof(stats)
    call expect('sptrsvGetStats', sptrsvGetStats(info, stats), SPTRSV_STATUS_SUCCESS)
    call check('no diagonal entry is missing', stats%missing_diagonal == -1)
    call check('nothing was tuned', stats%tuned_ms <= 0)
    call memory_free(d_row)
    call memory_free(d_col)
    call memory_free(d_val)
    do i = 1, 3
      if (i == 2) then
        d_val = copied(c_loc(val(1, 2)), 24_c_size_t)
        call expect('sptrsvUpdateValues', sptrsvUpdateValues(handle, info, d_val), SPTRSV_STATUS_SUCCESS)
        call memory_free(d_val)
      else if (i == 3) then
        d_diag = copied(c_loc(diag), 16_c_size_t)
        call expect('sptrsvUpdateDiagonal', sptrsvUpdateDiagonal(handle, info, d_diag), SPTRSV_STATUS_SUCCESS)
        call memory_free(d_diag)
      end if
      call memory_put(d_x, c_loc(f(1, i)), 16_c_size_t)
      call expect('sptrsvSolve', sptrsvSolve(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 3_c_int64_t, &
        c_loc(alpha), descr, SPTRSV_R_64F, c_null_ptr, c_null_ptr, c_null_ptr, info, d_x, d_x, &
        SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 16_c_size_t)
      call check('a copy of all values solves a system', all(abs(x - [1, 2]) <= 1e-14_c_double))
    end do
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
    call memory_free(d_x)
  end subroutine an_info_keeps_all_values

  ! Row 2 of 3 has no diagonal entry.
  subroutine reports_a_zero_pivot_in_fortrans_counting()
    integer(c_int), target :: row(4) = [1, 2, 3, 4], col(3) = [1, 1, 3]
    integer(c_int64_t), target :: position
    type(c_ptr) :: d_row, d_col, info, buffer
    type(sptrsvStats_t) :: stats
    integer(c_size_t) :: bytes

    d_row = copied(c_loc(row), 16_c_size_t)
    d_col = copied(c_loc(col), 12_c_size_t)
    position = -77
    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvZeroPivot', sptrsvZeroPivot(handle, info, c_loc(position)), SPTRSV_STATUS_NOT_ANALYSED)
    call check('no analysis, no position', position == -77)
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 3_c_int64_t, &
      3_c_int64_t, descr, SPTRSV_R_32F, c_null_ptr, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(bytes)
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 3_c_int64_t, 3_c_int64_t, &
      descr, SPTRSV_R_32F, c_null_ptr, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvZeroPivot', sptrsvZeroPivot(handle, info, c_loc(position)), SPTRSV_STATUS_ZERO_PIVOT)
    call check('the zero pivot is row 2', position == 2)
    call check('the message names it', index(sptrsv_text(sptrsvGetLastErrorString()), 'row 2') > 0)
    stats%struct_size = c_sizeof(stats)
    call expect('sptrsvGetStats', sptrsvGetStats(info, stats), SPTRSV_STATUS_SUCCESS)
    call check('the stats name it too', stats%missing_diagonal == 2)
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
    call memory_free(d_row)
    call memory_free(d_col)
  end subroutine reports_a_zero_pivot_in_fortrans_counting

  ! A = (4 1; 2 3) is L U with l_21 = 1/2 and u_22 = 5/2; a sweep from zero for b = (4, 7) gives x = (1, 5/3).
  subroutine factorises_and_sweeps()
    integer(c_int), target :: row(3) = [1, 3, 5], col(4) = [1, 2, 1, 2]
    real(c_double), target :: val(4) = [4, 1, 2, 3], b(2) = [4, 7], factor(4), x(2)
    integer(c_int64_t), target :: position
    type(c_ptr) :: d_row, d_col, d_val, d_b, d_x, info, buffer
    integer(c_size_t) :: bytes
    integer(c_int) :: enabled
    real(c_double) :: boost(3)

    d_row = copied(c_loc(row), 12_c_size_t)
    d_col = copied(c_loc(col), 16_c_size_t)
    d_val = copied(c_loc(val), 32_c_size_t)
    d_b = copied(c_loc(b), 16_c_size_t)
    d_x = memory_alloc(16_c_size_t)
    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetFactorization', sptrsvSetFactorization(info, 1_c_int), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetSweeps', sptrsvSetSweeps(info, SPTRSV_SWEEPS_ANY), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetSweeps', sptrsvGetSweeps(info, enabled), SPTRSV_STATUS_SUCCESS)
    call check('sweeps are wanted', enabled == SPTRSV_SWEEPS_ANY)
    call expect('sptrsvSetPivotBoost', sptrsvSetPivotBoost(info, 0.0_c_double, 2.0_c_double, 3.0_c_double), &
      SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetPivotBoost', sptrsvGetPivotBoost(info, boost(1), boost(2), boost(3)), SPTRSV_STATUS_SUCCESS)
    call check('pivots of zero are replaced', all(abs(boost - [0.0_c_double, 2.0_c_double, 3.0_c_double]) &
      < 1e-12_c_double))
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, &
      4_c_int64_t, descr, SPTRSV_R_64F, c_null_ptr, d_row, d_col, info, bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(bytes)
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 4_c_int64_t, &
      descr, SPTRSV_R_64F, c_null_ptr, d_row, d_col, info, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSweep', sptrsvSweep(handle, 2_c_int64_t, 4_c_int64_t, 1.0_c_double, 1_c_int, descr, &
      SPTRSV_R_64F, d_val, d_row, d_col, info, d_b, d_x, buffer), SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(x), d_x, 16_c_size_t)
    call check('a sweep from zero', all(abs(x - [1.0_c_double, 5.0_c_double / 3]) < 1e-12_c_double))
    call relaxes(info, d_val, d_row, d_col, d_b, d_x, buffer)
    call relaxes_both_ways(info, d_val, d_row, d_col, d_b, d_x, bytes)
    call expect('sptrsvIlu0', sptrsvIlu0(handle, 2_c_int64_t, 4_c_int64_t, descr, SPTRSV_R_64F, d_val, d_row, d_col, &
      info, buffer), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvFactorZeroPivot', sptrsvFactorZeroPivot(handle, info, c_loc(position)), SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(factor), d_val, 32_c_size_t)
    call check('the factors', all(abs(factor - [4.0_c_double, 1.0_c_double, 0.5_c_double, 2.5_c_double]) < 1e-12_c_double))
    call solves_by_both_factors(d_val, d_row, d_col, d_x)
    call factorises_by_cholesky(info, d_row, d_col, buffer)
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
    call memory_free(d_row)
    call memory_free(d_col)
    call memory_free(d_val)
    call memory_free(d_b)
    call memory_free(d_x)
  end subroutine factorises_and_sweeps

  ! (4 2; 2 5) is L L^T with L = (2 0; 1 2). What stands above the diagonal is neither read nor changed.
  subroutine factorises_by_cholesky(info, d_row, d_col, buffer)
    type(c_ptr), intent(in) :: info, d_row, d_col, buffer
    real(c_double), target :: val(4) = [4, 77, 2, 5], factor(4)
    integer(c_int64_t), target :: position
    type(c_ptr) :: d_val

    d_val = copied(c_loc(val), 32_c_size_t)
    call expect('sptrsvIc0', sptrsvIc0(handle, 2_c_int64_t, 4_c_int64_t, descr, SPTRSV_R_64F, d_val, d_row, d_col, info, &
      buffer), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvFactorZeroPivot', sptrsvFactorZeroPivot(handle, info, c_loc(position)), SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(factor), d_val, 32_c_size_t)
    call check('the factor of IC(0)', all(abs(factor - [2.0_c_double, 77.0_c_double, 1.0_c_double, 2.0_c_double]) &
      < 1e-12_c_double))
    call memory_free(d_val)
  end subroutine factorises_by_cholesky

  ! On row 2 alone from (1, 5/3) nothing changes; on row 1 x is then (7/12, 5/3).
  subroutine relaxes(info, d_val, d_row, d_col, d_b, d_x, buffer)
    type(c_ptr), intent(in) :: info, d_val, d_row, d_col, d_b, d_x, buffer
    integer(c_int32_t), target :: marker(2) = [1, -1]
    real(c_double), target :: x(2)
    type(c_ptr) :: d_marker

    d_marker = copied(c_loc(marker), 8_c_size_t)
    call expect('sptrsvRelax', sptrsvRelax(handle, 2_c_int64_t, 4_c_int64_t, 3_c_int, 1.0_c_double, 0_c_int, SPTRSV_R_64F, &
      d_val, d_row, d_col, descr, info, c_null_ptr, c_null_ptr, d_marker, -1_c_int32_t, d_b, d_x, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(x), d_x, 16_c_size_t)
    call check('sweeps on row 2', all(abs(x - [1.0_c_double, 5.0_c_double / 3]) < 1e-12_c_double))
    call expect('sptrsvRelax', sptrsvRelax(handle, 2_c_int64_t, 4_c_int64_t, 1_c_int, 1.0_c_double, 0_c_int, SPTRSV_R_64F, &
      d_val, d_row, d_col, descr, info, c_null_ptr, c_null_ptr, d_marker, 1_c_int32_t, d_b, d_x, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(x), d_x, 16_c_size_t)
    call check('a sweep on row 1', all(abs(x - [7.0_c_double / 12, 5.0_c_double / 3]) < 1e-12_c_double))
    call memory_free(d_marker)
  end subroutine relaxes

  ! Forward from zero x is (1, 5/3), and backward from there (7/12, 5/3).
  subroutine relaxes_both_ways(info, d_val, d_row, d_col, d_b, d_x, bytes)
    type(c_ptr), intent(in) :: info, d_val, d_row, d_col, d_b, d_x
    integer(c_size_t), intent(in) :: bytes
    real(c_double), target :: x(2)
    type(c_ptr) :: upper, backward, buffer
    integer(c_size_t) :: other_bytes

    call expect('sptrsvCreateMatDescr', sptrsvCreateMatDescr(upper), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetMatIndexBase', sptrsvSetMatIndexBase(upper, SPTRSV_INDEX_BASE_ONE), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetMatFillMode', sptrsvSetMatFillMode(upper, SPTRSV_FILL_MODE_UPPER), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvCreateInfo', sptrsvCreateInfo(backward), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetSweeps', sptrsvSetSweeps(backward, SPTRSV_SWEEPS_GAUSS_SEIDEL), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, &
      4_c_int64_t, upper, SPTRSV_R_64F, c_null_ptr, d_row, d_col, backward, other_bytes), SPTRSV_STATUS_SUCCESS)
    buffer = memory_alloc(max(bytes, other_bytes))
    call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 4_c_int64_t, &
      upper, SPTRSV_R_64F, c_null_ptr, d_row, d_col, backward, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvRelax', sptrsvRelax(handle, 2_c_int64_t, 4_c_int64_t, 1_c_int, 1.0_c_double, 1_c_int, SPTRSV_R_64F, &
      d_val, d_row, d_col, descr, info, upper, backward, c_null_ptr, 0_c_int32_t, d_b, d_x, buffer), &
      SPTRSV_STATUS_SUCCESS)
    call memory_get(c_loc(x), d_x, 16_c_size_t)
    call check('a symmetric sweep', all(abs(x - [7.0_c_double / 12, 5.0_c_double / 3]) < 1e-12_c_double))
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(backward), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvDestroyMatDescr', sptrsvDestroyMatDescr(upper), SPTRSV_STATUS_SUCCESS)
    call memory_free(buffer)
  end subroutine relaxes_both_ways

  ! By both factors A x = (4, 7) has the solution (1/2, 2), and A^T x = (4, 7) the solution (-1/5, 12/5). Then L U is A with its rows
  ! exchanged: right-hand sides are, or for the transpose solutions.
  subroutine solves_by_both_factors(d_val, d_row, d_col, d_x)
    type(c_ptr), intent(in) :: d_val, d_row, d_col, d_x
    integer(c_int), target :: exchanged(2) = [2, 1]
    real(c_double), target :: one = 1, x(2), f(2) = [4, 7], f_exchanged(2) = [7, 4]
    real(c_double) :: expected(2, 0:1) = reshape([0.5_c_double, 2.0_c_double, -0.2_c_double, 2.4_c_double], [2, 2])
    type(c_ptr) :: both(2), info(2), buffer, d_exchanged, d_work
    integer(c_size_t) :: bytes(2)
    integer(c_int) :: op
    integer :: k

    do k = 1, 2
      call expect('sptrsvCreateMatDescr', sptrsvCreateMatDescr(both(k)), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSetMatIndexBase', sptrsvSetMatIndexBase(both(k), SPTRSV_INDEX_BASE_ONE), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSetMatFillMode', sptrsvSetMatFillMode(both(k), merge(SPTRSV_FILL_MODE_LOWER, &
        SPTRSV_FILL_MODE_UPPER, k == 1)), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSetMatDiagType', sptrsvSetMatDiagType(both(k), merge(SPTRSV_DIAG_TYPE_UNIT, &
        SPTRSV_DIAG_TYPE_NON_UNIT, k == 1)), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvCreateInfo', sptrsvCreateInfo(info(k)), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvSetAnalysisForAllOperations', sptrsvSetAnalysisForAllOperations(info(k), 1_c_int), &
        SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvBufferSize', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, &
        4_c_int64_t, both(k), SPTRSV_R_64F, c_null_ptr, d_row, d_col, info(k), bytes(k)), SPTRSV_STATUS_SUCCESS)
    end do
    buffer = memory_alloc(maxval(bytes))
    d_exchanged = copied(c_loc(exchanged), 8_c_size_t)
    d_work = memory_alloc(16_c_size_t)
    do k = 1, 2
      call expect('sptrsvAnalysis', sptrsvAnalysis(handle, SPTRSV_OPERATION_NON_TRANSPOSE, 2_c_int64_t, 4_c_int64_t, &
        both(k), SPTRSV_R_64F, c_null_ptr, d_row, d_col, info(k), SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
        SPTRSV_STATUS_SUCCESS)
    end do
    do op = SPTRSV_OPERATION_NON_TRANSPOSE, SPTRSV_OPERATION_TRANSPOSE
      call memory_put(d_x, c_loc(f), 16_c_size_t)
      call expect('sptrsvSolvePair', sptrsvSolvePair(handle, op, 2_c_int64_t, 1_c_int64_t, c_loc(one), SPTRSV_R_64F, &
        both(1), 4_c_int64_t, d_val, d_row, d_col, info(1), both(2), 4_c_int64_t, d_val, d_row, d_col, info(2), &
        c_null_ptr, c_null_ptr, d_x, 2_c_int64_t, d_x, 2_c_int64_t, c_null_ptr, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
        SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 16_c_size_t)
      call check('a solve by both factors', all(abs(x - expected(:, op)) < 1e-12_c_double))
      if (op == SPTRSV_OPERATION_NON_TRANSPOSE) then
        call memory_put(d_x, c_loc(f_exchanged), 16_c_size_t)
      else
        call memory_put(d_x, c_loc(f), 16_c_size_t)
        expected(:, op) = expected(2:1:-1, op)
      end if
      call expect('sptrsvSolvePair', sptrsvSolvePair(handle, op, 2_c_int64_t, 1_c_int64_t, c_loc(one), SPTRSV_R_64F, &
        both(1), 4_c_int64_t, d_val, d_row, d_col, info(1), both(2), 4_c_int64_t, d_val, d_row, d_col, info(2), &
        d_exchanged, c_null_ptr, d_x, 2_c_int64_t, d_x, 2_c_int64_t, d_work, SPTRSV_SOLVE_POLICY_USE_LEVEL, buffer), &
        SPTRSV_STATUS_SUCCESS)
      call memory_get(c_loc(x), d_x, 16_c_size_t)
      call check('a solve by both factors of exchanged rows', all(abs(x - expected(:, op)) < 1e-12_c_double))
    end do
    do k = 1, 2
      call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info(k)), SPTRSV_STATUS_SUCCESS)
      call expect('sptrsvDestroyMatDescr', sptrsvDestroyMatDescr(both(k)), SPTRSV_STATUS_SUCCESS)
    end do
    call memory_free(buffer)
    call memory_free(d_exchanged)
    call memory_free(d_work)
  end subroutine solves_by_both_factors

  ! What a descriptor, an info or a handle was told is read back.
  subroutine settings_are_read_back()
    type(c_ptr) :: d, info, stream, given
    integer(c_int) :: value, other
    real(c_double), target :: diagonal(2) = 1

    call expect('sptrsvCreateMatDescr', sptrsvCreateMatDescr(d), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetMatType', sptrsvSetMatType(d, SPTRSV_MATRIX_TYPE_HERMITIAN), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetMatType', sptrsvGetMatType(d, value), SPTRSV_STATUS_SUCCESS)
    call check('the matrix type is read back', value == SPTRSV_MATRIX_TYPE_HERMITIAN)
    call expect('sptrsvSetMatFillMode', sptrsvSetMatFillMode(d, SPTRSV_FILL_MODE_UPPER), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetMatFillMode', sptrsvGetMatFillMode(d, value), SPTRSV_STATUS_SUCCESS)
    call check('the fill mode is read back', value == SPTRSV_FILL_MODE_UPPER)
    call expect('sptrsvSetMatDiagType', sptrsvSetMatDiagType(d, SPTRSV_DIAG_TYPE_UNIT), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetMatDiagType', sptrsvGetMatDiagType(d, value), SPTRSV_STATUS_SUCCESS)
    call check('the diagonal type is read back', value == SPTRSV_DIAG_TYPE_UNIT)
    call expect('sptrsvSetMatIndexBase', sptrsvSetMatIndexBase(d, SPTRSV_INDEX_BASE_ONE), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetMatIndexBase', sptrsvGetMatIndexBase(d, value), SPTRSV_STATUS_SUCCESS)
    call check('the index base is read back', value == SPTRSV_INDEX_BASE_ONE)
    call expect('sptrsvSetMatFormat', sptrsvSetMatFormat(d, SPTRSV_FORMAT_CSC), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetMatFormat', sptrsvGetMatFormat(d, value), SPTRSV_STATUS_SUCCESS)
    call check('the format is read back', value == SPTRSV_FORMAT_CSC)
    call expect('sptrsvSetMatIndexTypes', sptrsvSetMatIndexTypes(d, SPTRSV_INDEX_64I, SPTRSV_INDEX_32I), &
      SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetMatIndexTypes', sptrsvGetMatIndexTypes(d, value, other), SPTRSV_STATUS_SUCCESS)
    call check('the index types are read back', value == SPTRSV_INDEX_64I .and. other == SPTRSV_INDEX_32I)
    call expect('sptrsvDestroyMatDescr', sptrsvDestroyMatDescr(d), SPTRSV_STATUS_SUCCESS)

    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetFactorization', sptrsvSetFactorization(info, 1_c_int), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetFactorization', sptrsvGetFactorization(info, value), SPTRSV_STATUS_SUCCESS)
    call check('factorisations are wanted', value == 1)
    call expect('sptrsvSetDiagonal', sptrsvSetDiagonal(info, c_loc(diagonal)), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetDiagonal', sptrsvGetDiagonal(info, given), SPTRSV_STATUS_SUCCESS)
    call check('the diagonal is read back', c_associated(given, c_loc(diagonal)))
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)

    call expect('sptrsvSetStream', sptrsvSetStream(handle, c_null_ptr), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetStream', sptrsvGetStream(handle, stream), SPTRSV_STATUS_SUCCESS)
    call check('the stream is read back', .not. c_associated(stream))
    call expect('sptrsvSetLogCallback', sptrsvSetLogCallback(0_c_int, c_null_funptr, c_null_ptr), SPTRSV_STATUS_SUCCESS)
    call check('a status has a text', len(sptrsv_text(sptrsvGetErrorString(SPTRSV_STATUS_ZERO_PIVOT))) > 0)
  end subroutine settings_are_read_back

  subroutine says_what_was_wrong()
    type(c_ptr) :: info
    integer(c_size_t) :: bytes
    integer(c_int) :: mode
    real(c_double) :: seconds
    type(c_ptr) :: d

    call expect('sptrsvCreateInfo', sptrsvCreateInfo(info), SPTRSV_STATUS_SUCCESS)
    call expect('a negative m', sptrsvBufferSize(handle, SPTRSV_OPERATION_NON_TRANSPOSE, -1_c_int64_t, &
      0_c_int64_t, descr, SPTRSV_R_64F, c_null_ptr, c_null_ptr, c_null_ptr, info, bytes), SPTRSV_STATUS_INVALID_VALUE)
    call check('the message says so', len(sptrsv_text(sptrsvGetLastErrorString())) > 0)
    call expect('a handle that is NULL', sptrsvSetTimeout(c_null_ptr, 1.0_c_double), SPTRSV_STATUS_NOT_INITIALIZED)
    call expect('sptrsvSetPointerMode', sptrsvSetPointerMode(handle, SPTRSV_POINTER_MODE_HOST), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetPointerMode', sptrsvGetPointerMode(handle, mode), SPTRSV_STATUS_SUCCESS)
    call check('the pointer mode is read back', mode == SPTRSV_POINTER_MODE_HOST)
    call expect('sptrsvSetTimeout', sptrsvSetTimeout(handle, 2.5_c_double), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetTimeout', sptrsvGetTimeout(handle, seconds), SPTRSV_STATUS_SUCCESS)
    call check('the timeout is read back', abs(seconds - 2.5_c_double) < 1e-9_c_double)
    call expect('sptrsvSetSmCountTarget', sptrsvSetSmCountTarget(handle, 1_c_int), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetSmCountTarget', sptrsvGetSmCountTarget(handle, mode), SPTRSV_STATUS_SUCCESS)
    call check('the target is read back', mode == 1)
    call expect('a negative target', sptrsvSetSmCountTarget(handle, -1_c_int), SPTRSV_STATUS_INVALID_VALUE)
    call expect('sptrsvSetSmCountTarget', sptrsvSetSmCountTarget(handle, 0_c_int), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvSetAnalysisMode', sptrsvSetAnalysisMode(info, SPTRSV_ANALYSIS_MODE_CPU), SPTRSV_STATUS_SUCCESS)
    call expect('sptrsvGetAnalysisMode', sptrsvGetAnalysisMode(info, mode), SPTRSV_STATUS_SUCCESS)
    call check('the analysis mode is read back', mode == SPTRSV_ANALYSIS_MODE_CPU)
    call expect('sptrsvGetDiagonal', sptrsvGetDiagonal(info, d), SPTRSV_STATUS_SUCCESS)
    call check('there is no separate diagonal', .not. c_associated(d))
    call check('an algorithm has a name', sptrsv_text(sptrsvGetAlgorithmName(SPTRSV_ALG_TILED)) == 'TILED')
    call check('a status has a name', sptrsv_text(sptrsvGetErrorName(SPTRSV_STATUS_ZERO_PIVOT)) == &
      'SPTRSV_STATUS_ZERO_PIVOT')
    call expect('sptrsvDestroyInfo', sptrsvDestroyInfo(info), SPTRSV_STATUS_SUCCESS)
  end subroutine says_what_was_wrong
  ! The layer over Fortran arrays, which works on the host executor: [2 0 0; 1 2 0; 0 1 3] in every type.
  subroutine arrays_need_no_addresses()
    type(sptrsv_system) :: system
    integer :: row(4) = [1, 2, 4, 6], column(5) = [1, 1, 2, 2, 3]
    real(c_float) :: s(3)
    real(c_double) :: val(5) = [2, 1, 2, 1, 3], f(3) = [2, 5, 11], x(3), spread(6), many(3, 2)
    complex(c_float) :: c(3)
    complex(c_double) :: z(3, 2)

    call sptrsv_analyse(system, row, column, val)
    call sptrsv_solve(system, f, x)
    call check('arrays: a vector', all(abs(x - [1, 2, 3]) < 1e-6))
    spread = 0
    spread(2::2) = f
    call sptrsv_solve(system, spread(2::2), spread(1::2))
    call check('arrays: every other element of one array', all(abs(spread(1::2) - [1, 2, 3]) < 1e-6) .and. &
      all(abs(spread(2::2) - f) < 1e-6))
    call sptrsv_solve(system, reshape([f, 2 * f], [3, 2]), many)
    call check('arrays: columns', all(abs(many(:, 1) - [1, 2, 3]) < 1e-6) .and. all(abs(many(:, 2) - [2, 4, 6]) < 1e-6))
    call sptrsv_update(system, 2 * val)
    call sptrsv_solve(system, f, x)
    call check('arrays: new values', all(abs(x - [0.5, 1.0, 1.5]) < 1e-6))
    call check('arrays: no zero pivot', sptrsv_zero_pivot(system) == 0)
    call sptrsv_update(system, [val(1:2), 0.0_c_double, val(4:5)])
    call sptrsv_solve(system, f, x)
    call check('arrays: a zero pivot', sptrsv_zero_pivot(system) == 2)

    call sptrsv_analyse(system, row, column, real(val, c_float), op=SPTRSV_OPERATION_TRANSPOSE)
    call sptrsv_solve(system, [4.0, 7.0, 9.0], s)
    call check('arrays: the transpose in single precision', all(abs(s - [1, 2, 3]) < 1e-6))
    call sptrsv_analyse(system, row, column, cmplx(val, kind=c_float), unit=.true.)
    call sptrsv_solve(system, [(0.0, 1.0), (0.0, 3.0), (0.0, 5.0)], c)
    call check('arrays: a unit diagonal, complex', all(abs(c - [(0, 1), (0, 2), (0, 3)]) < 1e-6))
    call sptrsv_analyse(system, row, column, cmplx(val, kind=c_double), lower=.false.)
    call sptrsv_solve(system, reshape(cmplx([2, 4, 9, 4, 8, 18], kind=c_double), [3, 2]), z)
    call check('arrays: the upper triangle, complex', all(abs(z(:, 1) - [1, 2, 3]) < 1e-6) .and. &
      all(abs(z(:, 2) - [2, 4, 6]) < 1e-6))
    call sptrsv_free(system)
    call sptrsv_free(system)
  end subroutine arrays_need_no_addresses

  subroutine arrays_of_wrong_shapes_are_refused()
    type(sptrsv_system) :: system
    integer :: row(4) = [1, 2, 4, 6], column(5) = [1, 1, 2, 2, 3], stat
    real(c_double) :: val(5) = [2, 1, 2, 1, 3], x(3)
    real(c_float) :: single(3) = 1

    x = 1
    call sptrsv_solve(system, x, x, stat)
    call expect('no analysis', stat, SPTRSV_STATUS_INVALID_VALUE)
    call sptrsv_analyse(system, row, column, val(1:4), stat=stat)
    call check('values too short', stat == SPTRSV_STATUS_INVALID_VALUE .and. index(system%message, 'differ in size') > 0)
    call sptrsv_analyse(system, row, [1, 1, 2, 2, 4], val, stat=stat)
    call check('a column too far', stat == SPTRSV_STATUS_INVALID_MATRIX .and. index(system%message, 'row 3') > 0)
    call sptrsv_analyse(system, row(1:0), column, val, stat=stat)
    call expect('no offsets', stat, SPTRSV_STATUS_INVALID_VALUE)
    call sptrsv_analyse(system, row, column, val, stat=stat)
    call check('a message ends with a success', stat == SPTRSV_STATUS_SUCCESS .and. system%message == '')
    call sptrsv_solve(system, val, x, stat)
    call check('f too long', stat == SPTRSV_STATUS_INVALID_VALUE .and. index(system%message, 'as many rows') > 0)
    call sptrsv_solve(system, single, single, stat)
    call expect('another type', stat, SPTRSV_STATUS_INVALID_VALUE)
    call sptrsv_update(system, val(1:3), stat)
    call expect('too few new values', stat, SPTRSV_STATUS_INVALID_VALUE)
    call sptrsv_free(system)
  end subroutine arrays_of_wrong_shapes_are_refused
end program test_sptrsv
