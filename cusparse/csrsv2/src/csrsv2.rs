//! `cusparse<t>csrsv2`: op(A) x = alpha f, with the names, the arguments and the statuses of CUDA 11.

use crate::info;
use doors::cusparse;
use doors::pooled::{Executor, Pooled};
use doors::sptrsv::{self, DataType};
use doors::status::{guard, Status, INSUFFICIENT_RESOURCES, INVALID_VALUE};
use libc::{c_int, c_void};

/// What every function of the family is told about the matrix.
pub struct Matrix {
    pub op: c_int,
    pub m: c_int,
    pub nnz: c_int,
    pub data_type: DataType,
    pub val: *const c_void,
    pub row_ptr: *const c_void,
    pub col_ind: *const c_void,
}

impl Matrix {
    /// # Safety
    /// `info` is NULL or live.
    pub unsafe fn buffer_size(&self, pooled: &Pooled, info: sptrsv::Info) -> Result<usize, Status> {
        let mut bytes = 0;
        Status::from_sptrsv(sptrsv::sptrsvBufferSize(
            pooled.handle,
            self.op,
            self.m.into(),
            self.nnz.into(),
            pooled.descr,
            self.data_type.number,
            self.val,
            self.row_ptr,
            self.col_ind,
            info,
            &mut bytes,
        ))?;
        Ok(bytes)
    }

    /// # Safety
    /// `info` is NULL or live; the arrays and the buffer are NULL or as large as they must be.
    pub unsafe fn analyse(
        &self,
        pooled: &Pooled,
        info: sptrsv::Info,
        policy: c_int,
        buffer: *mut c_void,
    ) -> Result<(), Status> {
        Status::from_sptrsv(sptrsv::sptrsvAnalysis(
            pooled.handle,
            self.op,
            self.m.into(),
            self.nnz.into(),
            pooled.descr,
            self.data_type.number,
            self.val,
            self.row_ptr,
            self.col_ind,
            info,
            policy,
            buffer,
        ))
    }
}

#[no_mangle]
pub unsafe extern "C" fn cusparseCreateCsrsv2Info(info: *mut sptrsv::Info) -> Status {
    guard(|| info::create(info))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseDestroyCsrsv2Info(info: sptrsv::Info) -> Status {
    guard(|| info::destroy(info))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseXcsrsv2_zeroPivot(
    handle: cusparse::Handle,
    info: sptrsv::Info,
    position: *mut c_int,
) -> Status {
    guard(|| info::zero_pivot(handle, info, position))
}

/// AUTO leaves nothing in the buffer with one right-hand side on a GPU, where an analysis has its own work vectors: so an `int` can
/// say its size whatever the matrix. On the host it has a value for each row there, from an address that is aligned.
const BYTES: usize = 64;

unsafe fn buffer_size(
    handle: cusparse::Handle,
    descr: cusparse::MatDescr,
    matrix: Matrix,
    info: sptrsv::Info,
) -> Result<usize, Status> {
    let pooled = Pooled::open_with(handle, descr)?;
    // Only for what it refuses.
    matrix.buffer_size(&pooled, info)?;
    Ok(match pooled.executor() {
        Executor::Cuda => BYTES,
        Executor::Host => BYTES + matrix.m as usize * matrix.data_type.bytes,
    })
}

unsafe fn solve(
    handle: cusparse::Handle,
    descr: cusparse::MatDescr,
    matrix: Matrix,
    alpha: *const c_void,
    info: sptrsv::Info,
    [f, x]: [*mut c_void; 2],
    policy: c_int,
    buffer: *mut c_void,
) -> Result<(), Status> {
    let pooled = Pooled::open_with(handle, descr)?;
    Status::from_sptrsv(sptrsv::sptrsvSolve(
        pooled.handle,
        matrix.op,
        matrix.m.into(),
        matrix.nnz.into(),
        alpha,
        pooled.descr,
        matrix.data_type.number,
        matrix.val,
        matrix.row_ptr,
        matrix.col_ind,
        info,
        f,
        x,
        policy,
        buffer,
    ))
}

/// Refuses an output pointer that is NULL, after the handle has been checked as cuSPARSE does. Elsewhere writes a zero first, as some
/// programs allocate what they find after a failure.
pub unsafe fn check_output<T: Default>(handle: cusparse::Handle, output: *mut T) -> Result<(), Status> {
    if !output.is_null() {
        output.write(T::default());
    } else if !handle.is_null() {
        return Err(INVALID_VALUE);
    }
    Ok(())
}

/// The four functions of one value type.
macro_rules! csrsv2 {
    ($data_type:expr, $buffer_size:ident, $buffer_size_ext:ident, $analysis:ident, $solve:ident) => {
        #[no_mangle]
        pub unsafe extern "C" fn $buffer_size(
            handle: cusparse::Handle,
            op: c_int,
            m: c_int,
            nnz: c_int,
            descr: cusparse::MatDescr,
            val: *mut c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            info: sptrsv::Info,
            bytes: *mut c_int,
        ) -> Status {
            guard(|| {
                check_output(handle, bytes)?;
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                let needed = buffer_size(handle, descr, matrix, info)?;
                let fits = c_int::try_from(needed);
                bytes.write(fits.unwrap_or(c_int::MAX));
                fits.map(drop).map_err(|_| INSUFFICIENT_RESOURCES)
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $buffer_size_ext(
            handle: cusparse::Handle,
            op: c_int,
            m: c_int,
            nnz: c_int,
            descr: cusparse::MatDescr,
            val: *mut c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            info: sptrsv::Info,
            bytes: *mut usize,
        ) -> Status {
            guard(|| {
                check_output(handle, bytes)?;
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                bytes.write(buffer_size(handle, descr, matrix, info)?);
                Ok(())
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $analysis(
            handle: cusparse::Handle,
            op: c_int,
            m: c_int,
            nnz: c_int,
            descr: cusparse::MatDescr,
            val: *const c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            info: sptrsv::Info,
            policy: c_int,
            buffer: *mut c_void,
        ) -> Status {
            guard(|| {
                let pooled = Pooled::open_with(handle, descr)?;
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                matrix.analyse(&pooled, info, policy, buffer)
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $solve(
            handle: cusparse::Handle,
            op: c_int,
            m: c_int,
            nnz: c_int,
            alpha: *const c_void,
            descr: cusparse::MatDescr,
            val: *const c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            info: sptrsv::Info,
            f: *const c_void,
            x: *mut c_void,
            policy: c_int,
            buffer: *mut c_void,
        ) -> Status {
            guard(|| {
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                solve(handle, descr, matrix, alpha, info, [f.cast_mut(), x], policy, buffer)
            })
        }
    };
}

csrsv2!(
    sptrsv::R_32F,
    cusparseScsrsv2_bufferSize,
    cusparseScsrsv2_bufferSizeExt,
    cusparseScsrsv2_analysis,
    cusparseScsrsv2_solve
);
csrsv2!(
    sptrsv::R_64F,
    cusparseDcsrsv2_bufferSize,
    cusparseDcsrsv2_bufferSizeExt,
    cusparseDcsrsv2_analysis,
    cusparseDcsrsv2_solve
);
csrsv2!(
    sptrsv::C_32F,
    cusparseCcsrsv2_bufferSize,
    cusparseCcsrsv2_bufferSizeExt,
    cusparseCcsrsv2_analysis,
    cusparseCcsrsv2_solve
);
csrsv2!(
    sptrsv::C_64F,
    cusparseZcsrsv2_bufferSize,
    cusparseZcsrsv2_bufferSizeExt,
    cusparseZcsrsv2_analysis,
    cusparseZcsrsv2_solve
);
