//! `cusparse<t>csrsm2`: op(A) op(X) = alpha op(B) for several right-hand sides, X replacing B.
//!
//! libsptrsv takes right-hand sides by columns, so a B stored by rows (transB = T) is brought into the buffer
//! column by column, solved there and brought back. `algo` chose between two implementations of cuSPARSE;
//! here 0 and 1 mean the same.
//!
//! Of the sizes asked for an info, the first for many right-hand sides decides that it is analysed for many from then on: the buffer
//! is larger then, and none that was asked for later is too small.

use crate::csrsv2::Matrix;
use crate::cusparse;
use crate::driver::{self, Strided};
use crate::info;
use crate::lease::{Executor, Lease};
use crate::sptrsv::{self, DataType};
use crate::status::{guard, Status, INSUFFICIENT_RESOURCES, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED};
use libc::{c_int, c_void};

/// Right-hand sides from which on they are many: then libsptrsv's engine for them is faster on most matrices.
const MANY: usize = 16;

/// Columns brought into the buffer begin at a multiple of this address, whatever the buffer's own.
const ALIGNMENT: usize = 256;

#[no_mangle]
pub unsafe extern "C" fn cusparseCreateCsrsm2Info(info: *mut sptrsv::Info) -> Status {
    guard(|| info::create(info))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseDestroyCsrsm2Info(info: sptrsv::Info) -> Status {
    guard(|| info::destroy(info))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseXcsrsm2_zeroPivot(
    handle: cusparse::Handle,
    info: sptrsv::Info,
    position: *mut c_int,
) -> Status {
    guard(|| info::zero_pivot(handle, info, position))
}

/// op(B): m rows, nrhs columns.
struct Dense {
    rows: usize,
    columns: usize,
    ld: usize,
    by_rows: bool,
    bytes: usize,
}

impl Dense {
    fn new(
        algo: c_int,
        trans: c_int,
        m: c_int,
        nrhs: c_int,
        ldb: c_int,
        data_type: DataType,
    ) -> Result<Dense, Status> {
        let by_rows = match trans {
            0 => false,
            1 => true,
            // A conjugate of B is a transpose for real types; for complex ones cuSPARSE has none.
            2 if !data_type.complex => true,
            2 => return Err(NOT_SUPPORTED),
            _ => return Err(INVALID_VALUE),
        };
        let size = |n: c_int| usize::try_from(n).map_err(|_| INVALID_VALUE);
        let dense =
            Dense { rows: size(m)?, columns: size(nrhs)?, ld: size(ldb)?, by_rows, bytes: data_type.bytes };
        let shortest = if by_rows { dense.columns } else { dense.rows };
        if !(0..=1).contains(&algo) || dense.ld < shortest.max(1) {
            return Err(INVALID_VALUE);
        }
        Ok(dense)
    }

    fn is_empty(&self) -> bool {
        self.rows == 0 || self.columns == 0
    }

    /// Bytes in front of libsptrsv's own part of the buffer; enough for a buffer of any alignment.
    fn bytes_in_buffer(&self) -> Result<usize, Status> {
        if !self.by_rows {
            return Ok(0);
        }
        let matrix = self.rows.checked_mul(self.columns).and_then(|n| n.checked_mul(self.bytes));
        matrix.and_then(|n| n.checked_add(2 * ALIGNMENT)).ok_or(INSUFFICIENT_RESOURCES)
    }

    /// Where the columns lie in the buffer, and where libsptrsv's own part begins.
    fn layout(&self, buffer: usize) -> (usize, usize) {
        let columns = buffer.next_multiple_of(ALIGNMENT);
        let end = columns + self.rows * self.columns * self.bytes;
        (columns, end.next_multiple_of(ALIGNMENT))
    }

    /// Copies between B stored by rows and the columns in the buffer.
    ///
    /// # Safety
    /// `b` and `columns` have the sizes of this description, in the executor's memory.
    unsafe fn transpose(&self, lease: &Lease, b: usize, columns: usize, into_b: bool) -> Result<(), Status> {
        for j in 0..self.columns {
            let row_wise = Strided { address: b + j * self.bytes, stride: self.ld * self.bytes };
            let column = Strided { address: columns + j * self.rows * self.bytes, stride: self.bytes };
            let (dst, src) = if into_b { (row_wise, column) } else { (column, row_wise) };
            match lease.executor() {
                Executor::Cuda => driver::copy(dst, src, self.rows, self.bytes, lease.stream)?,
                Executor::Host => {
                    for i in 0..self.rows {
                        let from = (src.address + i * src.stride) as *const u8;
                        let to = (dst.address + i * dst.stride) as *mut u8;
                        from.copy_to_nonoverlapping(to, self.bytes);
                    }
                }
            }
        }
        Ok(())
    }
}

/// All that bufferSize, analysis and solve are told.
struct Call {
    handle: cusparse::Handle,
    descr: cusparse::MatDescr,
    matrix: Matrix,
    algo: c_int,
    trans_b: c_int,
    nrhs: c_int,
    ldb: c_int,
    info: sptrsv::Info,
    policy: c_int,
}

impl Call {
    unsafe fn open(&self) -> Result<(Lease, Dense), Status> {
        if self.handle.is_null() {
            return Err(NOT_INITIALIZED);
        }
        let m = &self.matrix;
        let dense = Dense::new(self.algo, self.trans_b, m.m, self.nrhs, self.ldb, m.data_type)?;
        Ok((Lease::open_with(self.handle, self.descr)?, dense))
    }

    unsafe fn buffer_size(&self, bytes: *mut usize) -> Result<(), Status> {
        let (lease, dense) = self.open()?;
        if bytes.is_null() || !(0..=1).contains(&self.policy) {
            return Err(INVALID_VALUE);
        }
        let mut own = self.matrix.buffer_size(&lease, self.info)?;
        if dense.columns >= MANY && lease.executor() == Executor::Cuda {
            Status::from_sptrsv(sptrsv::sptrsvSetAlgorithm(self.info, sptrsv::ALG_BLOCK))?;
            own = self.matrix.buffer_size(&lease, self.info)?;
        }
        bytes.write(own.checked_add(dense.bytes_in_buffer()?).ok_or(INSUFFICIENT_RESOURCES)?);
        Ok(())
    }

    unsafe fn analyse(&self, buffer: *mut c_void) -> Result<(), Status> {
        let (lease, _) = self.open()?;
        self.matrix.analyse(&lease, self.info, self.policy, buffer)
    }

    unsafe fn solve(&self, alpha: *const c_void, b: *mut c_void, buffer: *mut c_void) -> Result<(), Status> {
        let (lease, dense) = self.open()?;
        if !dense.by_rows {
            return self.solve_columns(&lease, alpha, b, dense.ld, buffer);
        }
        if dense.is_empty() || b.is_null() || buffer.is_null() {
            // Nothing to bring over: libsptrsv does nothing, or says what is wrong.
            return self.solve_columns(&lease, alpha, b, dense.rows.max(1), buffer);
        }
        let (columns, own) = dense.layout(buffer as usize);
        dense.transpose(&lease, b as usize, columns, false)?;
        self.solve_columns(&lease, alpha, columns as *mut c_void, dense.rows, own as *mut c_void)?;
        dense.transpose(&lease, b as usize, columns, true)
    }

    unsafe fn solve_columns(
        &self,
        lease: &Lease,
        alpha: *const c_void,
        b: *mut c_void,
        ld: usize,
        buffer: *mut c_void,
    ) -> Result<(), Status> {
        let m = &self.matrix;
        Status::from_sptrsv(sptrsv::sptrsvSolveMulti(
            lease.handle,
            m.op,
            m.m.into(),
            m.nnz.into(),
            self.nrhs.into(),
            alpha,
            lease.descr,
            m.data_type.number,
            m.val,
            m.row_ptr,
            m.col_ind,
            self.info,
            b,
            ld as i64,
            b,
            ld as i64,
            self.policy,
            buffer,
        ))
    }
}

/// The three functions of one value type.
macro_rules! csrsm2 {
    ($data_type:expr, $buffer_size_ext:ident, $analysis:ident, $solve:ident) => {
        #[no_mangle]
        pub unsafe extern "C" fn $buffer_size_ext(
            handle: cusparse::Handle,
            algo: c_int,
            op: c_int,
            trans_b: c_int,
            m: c_int,
            nrhs: c_int,
            nnz: c_int,
            _alpha: *const c_void,
            descr: cusparse::MatDescr,
            val: *const c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            _b: *const c_void,
            ldb: c_int,
            info: sptrsv::Info,
            policy: c_int,
            bytes: *mut usize,
        ) -> Status {
            guard(|| {
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                let call = Call { handle, descr, matrix, algo, trans_b, nrhs, ldb, info, policy };
                call.buffer_size(bytes)
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $analysis(
            handle: cusparse::Handle,
            algo: c_int,
            op: c_int,
            trans_b: c_int,
            m: c_int,
            nrhs: c_int,
            nnz: c_int,
            _alpha: *const c_void,
            descr: cusparse::MatDescr,
            val: *const c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            _b: *const c_void,
            ldb: c_int,
            info: sptrsv::Info,
            policy: c_int,
            buffer: *mut c_void,
        ) -> Status {
            guard(|| {
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                let call = Call { handle, descr, matrix, algo, trans_b, nrhs, ldb, info, policy };
                call.analyse(buffer)
            })
        }

        #[no_mangle]
        pub unsafe extern "C" fn $solve(
            handle: cusparse::Handle,
            algo: c_int,
            op: c_int,
            trans_b: c_int,
            m: c_int,
            nrhs: c_int,
            nnz: c_int,
            alpha: *const c_void,
            descr: cusparse::MatDescr,
            val: *const c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            b: *mut c_void,
            ldb: c_int,
            info: sptrsv::Info,
            policy: c_int,
            buffer: *mut c_void,
        ) -> Status {
            guard(|| {
                let matrix = Matrix { op, m, nnz, data_type: $data_type, val, row_ptr, col_ind };
                let call = Call { handle, descr, matrix, algo, trans_b, nrhs, ldb, info, policy };
                call.solve(alpha, b, buffer)
            })
        }
    };
}

csrsm2!(sptrsv::R_32F, cusparseScsrsm2_bufferSizeExt, cusparseScsrsm2_analysis, cusparseScsrsm2_solve);
csrsm2!(sptrsv::R_64F, cusparseDcsrsm2_bufferSizeExt, cusparseDcsrsm2_analysis, cusparseDcsrsm2_solve);
csrsm2!(sptrsv::C_32F, cusparseCcsrsm2_bufferSizeExt, cusparseCcsrsm2_analysis, cusparseCcsrsm2_solve);
csrsm2!(sptrsv::C_64F, cusparseZcsrsm2_bufferSizeExt, cusparseZcsrsm2_analysis, cusparseZcsrsm2_solve);
