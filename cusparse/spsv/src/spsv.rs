//! The exported functions of SpSV.

use crate::args::{Call, Family};
use crate::descr;
use doors::cusparse::Handle;
use doors::status::{guard, Status};
use libc::{c_int, c_void};

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSV_createDescr(descr: *mut usize) -> Status {
    guard(|| descr::create(Family::SpSV, descr))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSV_destroyDescr(descr: usize) -> Status {
    guard(|| descr::destroy(Family::SpSV, descr))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSV_bufferSize(
    handle: Handle,
    op: c_int,
    alpha: *const c_void,
    a: *const c_void,
    x: *const c_void,
    y: *mut c_void,
    compute: c_int,
    alg: c_int,
    descr: usize,
    bytes: *mut usize,
) -> Status {
    let call = Call { family: Family::SpSV, handle, op, op_b: 0, alpha, a, b: x, c: y, compute, alg, descr };
    guard(|| call.buffer_size(bytes))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSV_analysis(
    handle: Handle,
    op: c_int,
    alpha: *const c_void,
    a: *const c_void,
    x: *const c_void,
    y: *mut c_void,
    compute: c_int,
    alg: c_int,
    descr: usize,
    buffer: *mut c_void,
) -> Status {
    let call = Call { family: Family::SpSV, handle, op, op_b: 0, alpha, a, b: x, c: y, compute, alg, descr };
    guard(|| call.analyse(buffer))
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSV_solve(
    handle: Handle,
    op: c_int,
    alpha: *const c_void,
    a: *const c_void,
    x: *const c_void,
    y: *mut c_void,
    compute: c_int,
    alg: c_int,
    descr: usize,
) -> Status {
    let call = Call { family: Family::SpSV, handle, op, op_b: 0, alpha, a, b: x, c: y, compute, alg, descr };
    guard(|| call.solve())
}

#[no_mangle]
pub unsafe extern "C" fn cusparseSpSV_updateMatrix(
    handle: Handle,
    descr: usize,
    values: *mut c_void,
    part: c_int,
) -> Status {
    guard(|| crate::call::update(Family::SpSV, handle, descr, values, part))
}
