! Solves [2 0 0; 1 2 0; 0 1 3] x = [2; 5; 11] on the host executor.
program consumer
  use, intrinsic :: iso_c_binding
  use sptrsv
  implicit none
  integer(c_int), target :: ptr(4) = [0, 1, 3, 5], ind(5) = [0, 0, 1, 1, 2]
  real(c_double), target :: val(5) = [2, 1, 2, 1, 3], f(3) = [2, 5, 11], x(3) = 0, one = 1
  integer(c_int), parameter :: op = SPTRSV_OPERATION_NON_TRANSPOSE, policy = SPTRSV_SOLVE_POLICY_USE_LEVEL
  integer(c_int64_t), parameter :: n = 3, nnz = 5
  type(c_ptr) :: handle, descr, info
  integer(c_size_t) :: bytes
  character(c_char), allocatable, target :: buffer(:)

  call check(sptrsvCreateWithExecutor(handle, SPTRSV_EXECUTOR_HOST))
  call check(sptrsvCreateMatDescr(descr))
  call check(sptrsvCreateInfo(info))
  call check(sptrsvBufferSize(handle, op, n, nnz, descr, SPTRSV_R_64F, c_loc(val), c_loc(ptr), c_loc(ind), info, bytes))
  allocate(buffer(max(bytes, 1_c_size_t)))
  call check(sptrsvAnalysis(handle, op, n, nnz, descr, SPTRSV_R_64F, c_loc(val), c_loc(ptr), c_loc(ind), info, policy, &
    c_loc(buffer)))
  call check(sptrsvSolve(handle, op, n, nnz, c_loc(one), descr, SPTRSV_R_64F, c_loc(val), c_loc(ptr), c_loc(ind), info, &
    c_loc(f), c_loc(x), policy, c_loc(buffer)))
  call check(sptrsvDestroyInfo(info))
  call check(sptrsvDestroyMatDescr(descr))
  call check(sptrsvDestroy(handle))
  if (any(x /= [1, 2, 3])) error stop 'wrong'
  print '(a)', 'solved'

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= SPTRSV_STATUS_SUCCESS) error stop 'a call failed'
  end subroutine
end program
