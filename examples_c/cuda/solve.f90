! A complete program on a GPU in Fortran, with device arrays of its own: L x = f for the lower triangle of the five-point
! stencil on a grid of 300 x 300 points. The few functions of the CUDA runtime that it needs are declared here; with
! nvfortran, arrays with the device attribute and c_devloc do the same.
!
!     gfortran /opt/sptrsv/share/sptrsv/sptrsv.f90 solve.f90 -L/opt/sptrsv/lib -lsptrsv \
!        -L/usr/local/cuda/lib64 -lcudart -Wl,-rpath,/opt/sptrsv/lib:/usr/local/cuda/lib64
module cuda_runtime
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2

  interface
    function cudaMalloc(address, bytes) result(error) bind(C, name='cudaMalloc')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function cudaMalloc

    function cudaFree(address) result(error) bind(C, name='cudaFree')
      import :: c_int, c_ptr
      type(c_ptr), value :: address
      integer(c_int) :: error
    end function cudaFree

    function cudaMemcpy(to, from, bytes, direction) result(error) bind(C, name='cudaMemcpy')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
      integer(c_int), value :: direction
      integer(c_int) :: error
    end function cudaMemcpy
  end interface

contains

  subroutine check_cuda(error)
    integer(c_int), intent(in) :: error

    if (error == 0) return
    print '(a,i0)', 'error of the CUDA runtime: ', error
    error stop 1
  end subroutine check_cuda

  function upload(from, bytes) result(to)
    type(c_ptr), intent(in) :: from
    integer(c_size_t), intent(in) :: bytes
    type(c_ptr) :: to

    call check_cuda(cudaMalloc(to, bytes))
    call check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice))
  end function upload
end module cuda_runtime

program solve
  use, intrinsic :: iso_c_binding
  use sptrsv
  use cuda_runtime
  implicit none
  integer, parameter :: n = 300, rows = n * n
  integer(c_int), parameter :: op = SPTRSV_OPERATION_NON_TRANSPOSE, policy = SPTRSV_SOLVE_POLICY_USE_LEVEL
  integer(c_int), target :: row(rows + 1), column(3 * rows)
  real(c_double), target :: values(3 * rows), f(rows), x(rows), one = 1
  type(c_ptr) :: handle, descr, info, buffer, d_row, d_column, d_values, d_f, d_x
  integer(c_int64_t) :: m, nnz
  integer(c_size_t) :: bytes

  call make_system()
  m = rows
  nnz = row(rows + 1) - 1
  d_row = upload(c_loc(row), 4_c_size_t * size(row))
  d_column = upload(c_loc(column), 4_c_size_t * size(column))
  d_values = upload(c_loc(values), 8_c_size_t * size(values))
  d_f = upload(c_loc(f), 8_c_size_t * rows)
  call check_cuda(cudaMalloc(d_x, 8_c_size_t * rows))

  call check(sptrsvCreate(handle))
  call check(sptrsvCreateMatDescr(descr))
  call check(sptrsvSetMatIndexBase(descr, SPTRSV_INDEX_BASE_ONE))
  call check(sptrsvCreateInfo(info))
  call check(sptrsvBufferSize(handle, op, m, nnz, descr, SPTRSV_R_64F, d_values, d_row, d_column, info, bytes))
  call check_cuda(cudaMalloc(buffer, bytes))
  call check(sptrsvAnalysis(handle, op, m, nnz, descr, SPTRSV_R_64F, d_values, d_row, d_column, info, policy, buffer))
  call check(sptrsvSolve(handle, op, m, nnz, c_loc(one), descr, SPTRSV_R_64F, d_values, d_row, d_column, info, d_f, d_x, &
                         policy, buffer))
  ! The copy waits for the solve: both are on the default stream.
  call check_cuda(cudaMemcpy(c_loc(x), d_x, 8_c_size_t * rows, cudaMemcpyDeviceToHost))
  print '(a,es8.1)', 'largest error ', maxval(abs(x - 1))

  call check(sptrsvDestroyInfo(info))
  call check(sptrsvDestroyMatDescr(descr))
  call check(sptrsvDestroy(handle))
  call check_cuda(cudaFree(d_row))
  call check_cuda(cudaFree(d_column))
  call check_cuda(cudaFree(d_values))
  call check_cuda(cudaFree(d_f))
  call check_cuda(cudaFree(d_x))
  call check_cuda(cudaFree(buffer))
  if (.not. maxval(abs(x - 1)) < 1e-12_c_double) error stop 1

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status

    if (status == SPTRSV_STATUS_SUCCESS) return
    print '(3a)', sptrsv_text(sptrsvGetErrorName(status)), ': ', sptrsv_text(sptrsvGetLastErrorString())
    error stop 1
  end subroutine check

  ! Row by row, counted from 1; f is that of x = 1.
  subroutine make_system()
    integer :: i, k

    k = 0
    row(1) = 1
    column = 1
    values = 0
    do i = 1, rows
      f(i) = 4
      if (i > n) then
        k = k + 1
        column(k) = i - n
        values(k) = -1
        f(i) = f(i) - 1
      end if
      if (mod(i - 1, n) > 0) then
        k = k + 1
        column(k) = i - 1
        values(k) = -1
        f(i) = f(i) - 1
      end if
      k = k + 1
      column(k) = i
      values(k) = 4
      row(i + 1) = k + 1
    end do
  end subroutine make_system
end program solve
