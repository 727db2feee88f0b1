//! `cusparse<t>csrilu02` and `cusparse<t>csric02`, the factorisations without fill-in that cuSPARSE has deprecated. They are served
//! where SPTRSV_SPSV_FACTORISATIONS is "on". Else an info is made by the real library, and all calls with it go there at once.
//!
//! The way of a call is that of SpSV: [`call`] finds the info in [`info`], and [`ours`] or [`real`] does the work.

mod args;
mod call;
mod info;
mod ours;
mod real;

use args::{Boost, Call, Factorise, Kind};
use doors::cusparse::{Handle, MatDescr};
use doors::sptrsv::{self, DataType};
use doors::status::{guard, Status};
use libc::{c_int, c_void};

/// The functions of a kind that know no type.
macro_rules! of_any_type {
    ($kind:expr, $create:ident, $destroy:ident, $zero_pivot:ident) => {
        #[no_mangle]
        pub unsafe extern "C" fn $create(info: *mut usize) -> Status {
            guard(|| info::create($kind, info))
        }

        #[no_mangle]
        pub unsafe extern "C" fn $destroy(info: usize) -> Status {
            guard(|| info::destroy($kind, info))
        }

        #[no_mangle]
        pub unsafe extern "C" fn $zero_pivot(handle: Handle, info: usize, position: *mut c_int) -> Status {
            guard(|| call::zero_pivot($kind, handle, info, position))
        }
    };
}

/// The analysis or the factorisation of a kind for one type.
macro_rules! step {
    ($kind:expr, $data_type:expr, $function:ident, $does:ident) => {
        #[no_mangle]
        pub unsafe extern "C" fn $function(
            handle: Handle,
            m: c_int,
            nnz: c_int,
            descr: MatDescr,
            val: *mut c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            info: usize,
            policy: c_int,
            buffer: *mut c_void,
        ) -> Status {
            let (kind, data_type) = ($kind, $data_type);
            let call = Call { kind, data_type, handle, m, nnz, descr, val, row_ptr, col_ind, info };
            guard(|| Factorise { call, policy, buffer }.$does())
        }
    };
}

/// The functions of a kind for one type.
macro_rules! of_type {
    ($kind:expr, $data_type:expr, $buffer_size:ident, $analysis:ident, $factorise:ident) => {
        #[no_mangle]
        pub unsafe extern "C" fn $buffer_size(
            handle: Handle,
            m: c_int,
            nnz: c_int,
            descr: MatDescr,
            val: *mut c_void,
            row_ptr: *const c_void,
            col_ind: *const c_void,
            info: usize,
            bytes: *mut c_int,
        ) -> Status {
            let (kind, data_type) = ($kind, $data_type);
            let call = Call { kind, data_type, handle, m, nnz, descr, val, row_ptr, col_ind, info };
            guard(|| call.buffer_size(bytes))
        }

        step!($kind, $data_type, $analysis, analyse);
        step!($kind, $data_type, $factorise, factorise);
    };
}

/// The boost of one type.
macro_rules! boost {
    ($data_type:expr, $boost:ident) => {
        #[no_mangle]
        pub unsafe extern "C" fn $boost(
            handle: Handle,
            info: usize,
            enable: c_int,
            tolerance: *mut f64,
            value: *mut c_void,
        ) -> Status {
            guard(|| Boost { data_type: $data_type, handle, enable, tolerance, value }.set(info))
        }
    };
}

of_any_type!(Kind::Ilu, cusparseCreateCsrilu02Info, cusparseDestroyCsrilu02Info, cusparseXcsrilu02_zeroPivot);
of_any_type!(Kind::Ic, cusparseCreateCsric02Info, cusparseDestroyCsric02Info, cusparseXcsric02_zeroPivot);

const S: DataType = sptrsv::R_32F;
const D: DataType = sptrsv::R_64F;
const C: DataType = sptrsv::C_32F;
const Z: DataType = sptrsv::C_64F;

of_type!(Kind::Ilu, S, cusparseScsrilu02_bufferSize, cusparseScsrilu02_analysis, cusparseScsrilu02);
of_type!(Kind::Ilu, D, cusparseDcsrilu02_bufferSize, cusparseDcsrilu02_analysis, cusparseDcsrilu02);
of_type!(Kind::Ilu, C, cusparseCcsrilu02_bufferSize, cusparseCcsrilu02_analysis, cusparseCcsrilu02);
of_type!(Kind::Ilu, Z, cusparseZcsrilu02_bufferSize, cusparseZcsrilu02_analysis, cusparseZcsrilu02);
of_type!(Kind::Ic, S, cusparseScsric02_bufferSize, cusparseScsric02_analysis, cusparseScsric02);
of_type!(Kind::Ic, D, cusparseDcsric02_bufferSize, cusparseDcsric02_analysis, cusparseDcsric02);
of_type!(Kind::Ic, C, cusparseCcsric02_bufferSize, cusparseCcsric02_analysis, cusparseCcsric02);
of_type!(Kind::Ic, Z, cusparseZcsric02_bufferSize, cusparseZcsric02_analysis, cusparseZcsric02);

boost!(S, cusparseScsrilu02_numericBoost);
boost!(D, cusparseDcsrilu02_numericBoost);
boost!(C, cusparseCcsrilu02_numericBoost);
boost!(Z, cusparseZcsrilu02_numericBoost);
