//! `cusparse<t>csrsm2`: op(A) op(X) = alpha op(B) for several right-hand sides, X replacing B.
//!
//! More right-hand sides than one, or two, take a larger buffer of libsptrsv. The first size that is asked for an info decides what it is
//! analysed for: so every size is enough for all that comes, in whatever order. `algo` chose between two implementations of cuSPARSE; here 0 and 1 mean the same.

use crate::csrsv2::{check_output, Matrix};
use crate::info;
use doors::cusparse;
use doors::pooled::Pooled;
use doors::sptrsv::{self, DataType};
use doors::status::{guard, Status, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED};
use libc::{c_int, c_void};

#[no_mangle]
pub unsafe extern "C" fn cusparseCreateCsrsm2Info(info: *mut sptrsv::Info) -> Status {
    guard(|| {
        info::create(info)?;
        Status::from_sptrsv(sptrsv::sptrsvSetExpectedRightHandSides(info.read(), UNDECIDED))
    })
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

/// Right-hand sides that a new info announces. Two and three are the same to libsptrsv, one takes a smaller buffer.
const UNDECIDED: i64 = 2;

/// op(B): nrhs columns, and how they are stored.
struct Dense {
    columns: usize,
    ld: usize,
    by_rows: bool,
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
        let (rows, columns, ld) = (size(m)?, size(nrhs)?, size(ldb)?);
        let shortest = if by_rows { columns } else { rows };
        if !(0..=1).contains(&algo) || ld < shortest.max(1) {
            return Err(INVALID_VALUE);
        }
        // A column whose values lie beside each other is stored either way.
        Ok(if by_rows && ld == 1 {
            Dense { columns, ld: rows, by_rows: false }
        } else {
            Dense { columns, ld, by_rows }
        })
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
    unsafe fn open(&self) -> Result<(Pooled, Dense), Status> {
        if self.handle.is_null() {
            return Err(NOT_INITIALIZED);
        }
        let m = &self.matrix;
        let dense = Dense::new(self.algo, self.trans_b, m.m, self.nrhs, self.ldb, m.data_type)?;
        Ok((Pooled::open_with(self.handle, self.descr)?, dense))
    }

    unsafe fn buffer_size(&self, bytes: *mut usize) -> Result<(), Status> {
        check_output(self.handle, bytes)?;
        let (pooled, dense) = self.open()?;
        if bytes.is_null() || !(0..=1).contains(&self.policy) {
            return Err(INVALID_VALUE);
        }
        // First the call is checked: one that is refused decides nothing, nor does one for no right-hand sides.
        self.matrix.buffer_size(&pooled, self.info)?;
        let mut announced = UNDECIDED;
        Status::from_sptrsv(sptrsv::sptrsvGetExpectedRightHandSides(self.info, &mut announced))?;
        if announced == UNDECIDED && dense.columns > 0 {
            let columns = (dense.columns as i64).max(UNDECIDED + 1);
            Status::from_sptrsv(sptrsv::sptrsvSetExpectedRightHandSides(self.info, columns))?;
        }
        bytes.write(self.matrix.buffer_size(&pooled, self.info)?);
        Ok(())
    }

    unsafe fn analyse(&self, buffer: *mut c_void) -> Result<(), Status> {
        let (pooled, _) = self.open()?;
        self.matrix.analyse(&pooled, self.info, self.policy, buffer)
    }

    unsafe fn solve(&self, alpha: *const c_void, b: *mut c_void, buffer: *mut c_void) -> Result<(), Status> {
        let (pooled, dense) = self.open()?;
        let m = &self.matrix;
        let solve = if dense.by_rows { sptrsv::sptrsvSolveMultiRowMajor } else { sptrsv::sptrsvSolveMulti };
        let ld = dense.ld as i64;
        Status::from_sptrsv(solve(
            pooled.handle,
            m.op,
            m.m.into(),
            m.nnz.into(),
            self.nrhs.into(),
            alpha,
            pooled.descr,
            m.data_type.number,
            m.val,
            m.row_ptr,
            m.col_ind,
            self.info,
            b,
            ld,
            b,
            ld,
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
