//! The exported functions of SpSM.

use crate::args::{Call, Family};
use crate::descr;
use doors::cusparse::Handle;
use doors::status::{guard, Status};
use libc::{c_int, c_void};

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSM_createDescr(descr: *mut usize) -> Status {
    guard(|| descr::create(Family::SpSM, descr))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSM_destroyDescr(descr: usize) -> Status {
    guard(|| descr::destroy(Family::SpSM, descr))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSM_bufferSize(
    handle: Handle,
    op: c_int,
    op_b: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    c: *mut c_void,
    compute: c_int,
    alg: c_int,
    descr: usize,
    bytes: *mut usize,
) -> Status {
    let call = Call { family: Family::SpSM, handle, op, op_b, alpha, a, b, c, compute, alg, descr };
    guard(|| call.buffer_size(bytes))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSM_analysis(
    handle: Handle,
    op: c_int,
    op_b: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    c: *mut c_void,
    compute: c_int,
    alg: c_int,
    descr: usize,
    buffer: *mut c_void,
) -> Status {
    let call = Call { family: Family::SpSM, handle, op, op_b, alpha, a, b, c, compute, alg, descr };
    guard(|| call.analyse(buffer))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSM_solve(
    handle: Handle,
    op: c_int,
    op_b: c_int,
    alpha: *const c_void,
    a: *const c_void,
    b: *const c_void,
    c: *mut c_void,
    compute: c_int,
    alg: c_int,
    descr: usize,
) -> Status {
    let call = Call { family: Family::SpSM, handle, op, op_b, alpha, a, b, c, compute, alg, descr };
    guard(|| call.solve())
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSM_updateMatrix(
    handle: Handle,
    descr: usize,
    values: *mut c_void,
    part: c_int,
) -> Status {
    guard(|| crate::call::update(Family::SpSM, handle, descr, values, part))
}
