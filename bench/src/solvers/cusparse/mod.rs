//! The solvers to compare with: cuSPARSE's SpSV, for several right-hand sides SpSM, and csrsv2 of a CUDA 11 library. The two
//! generations of cuSPARSE differ in their tables of functions and in what they keep for one system; the rest they share.
//! [`factors`], [`product`] and [`algebra`] are what cuSPARSE has around a solve.

pub mod algebra;
pub mod factors;
pub mod product;

use std::ffi::c_void;
use std::path::Path;
use std::ptr::null_mut;

use crate::base::dynamic;
use crate::base::dynamic::{functions, Table};
use crate::base::Result;
use crate::solvers::contender::Contender;
use crate::solvers::library::Alpha;
use crate::system::executor::{Buffer, Executor};
use crate::system::System;

type Handle = *mut c_void;
type Const = *const c_void;

functions! {
    /// What every cuSPARSE has.
    CommonApi {
        create: "cusparseCreate" (*mut Handle);
        destroy: "cusparseDestroy" (Handle);
        version: "cusparseGetVersion" (Handle, *mut i32);
        set_stream: "cusparseSetStream" (Handle, Handle);
    }
}

functions! {
    /// cuSPARSE 12 and later: generic interface.
    GenericApi {
        create_csr: "cusparseCreateCsr" (*mut Handle, i64, i64, i64, Handle, Handle, Handle, i32, i32, i32, i32);
        set_attribute: "cusparseSpMatSetAttribute" (Handle, i32, Const, usize);
        destroy_matrix: "cusparseDestroySpMat" (Handle);
        create_vector: "cusparseCreateDnVec" (*mut Handle, i64, Handle, i32);
        destroy_vector: "cusparseDestroyDnVec" (Handle);
        create_block: "cusparseCreateDnMat" (*mut Handle, i64, i64, i64, Handle, i32, i32);
        destroy_block: "cusparseDestroyDnMat" (Handle);
        create_spsv: "cusparseSpSV_createDescr" (*mut Handle);
        destroy_spsv: "cusparseSpSV_destroyDescr" (Handle);
        spsv_buffer_size: "cusparseSpSV_bufferSize" (Handle, i32, Const, Handle, Handle, Handle, i32, i32, Handle, *mut usize);
        spsv_analysis: "cusparseSpSV_analysis" (Handle, i32, Const, Handle, Handle, Handle, i32, i32, Handle, Handle);
        spsv_solve: "cusparseSpSV_solve" (Handle, i32, Const, Handle, Handle, Handle, i32, i32, Handle);
        create_spsm: "cusparseSpSM_createDescr" (*mut Handle);
        destroy_spsm: "cusparseSpSM_destroyDescr" (Handle);
        spsm_buffer_size: "cusparseSpSM_bufferSize" (Handle, i32, i32, Const, Handle, Handle, Handle, i32, i32, Handle, *mut usize);
        spsm_analysis: "cusparseSpSM_analysis" (Handle, i32, i32, Const, Handle, Handle, Handle, i32, i32, Handle, Handle);
        spsm_solve: "cusparseSpSM_solve" (Handle, i32, i32, Const, Handle, Handle, Handle, i32, i32, Handle);
    }
}

functions! {
    /// cuSPARSE 11: the functions that CUDA 12 removed.
    Csrsv2Api {
        create_descr: "cusparseCreateMatDescr" (*mut Handle);
        destroy_descr: "cusparseDestroyMatDescr" (Handle);
        set_fill: "cusparseSetMatFillMode" (Handle, i32);
        set_diagonal: "cusparseSetMatDiagType" (Handle, i32);
        create_info: "cusparseCreateCsrsv2Info" (*mut Handle);
        destroy_info: "cusparseDestroyCsrsv2Info" (Handle);
        buffer_size: "cusparse?csrsv2_bufferSize" (Handle, i32, i32, i32, Handle, Handle, Handle, Handle, Handle, *mut i32);
        analysis: "cusparse?csrsv2_analysis" (Handle, i32, i32, i32, Handle, Handle, Handle, Handle, Handle, i32, Handle);
        solve: "cusparse?csrsv2_solve" (Handle, i32, i32, i32, Const, Handle, Handle, Handle, Handle, Handle, Handle, Handle, i32, Handle);
    }
}

const INDEX_32I: i32 = 2;
const ATTRIBUTE_FILL_MODE: i32 = 0;
const ATTRIBUTE_DIAG_TYPE: i32 = 1;
const USE_LEVEL: i32 = 1;
const ORDER_COLUMN: i32 = 1;

/// Calls a function of a table; a status other than 0 becomes a message.
macro_rules! call {
    ($api:expr, $function:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: the tables declare every function as cusparse.h does. Objects are live, pointers lead to live
        // variables or to arrays of the sizes that are passed along, which outlive the objects made of them.
        match unsafe { ($api.$function)($($arg),*) } {
            0 => Ok(()),
            code => Err(format!("cuSPARSE's {} failed with status {code}", stringify!($function))),
        }
    }};
}
use call;

/// A cuSPARSE with the functions of one generation (for one value type, where their names depend on it), and a
/// handle on the executor's stream.
pub struct Cusparse<Api> {
    common: CommonApi,
    api: Api,
    handle: Handle,
    pub version: String,
}

impl<Api: Table> Cusparse<Api> {
    pub fn load(executor: &Executor, file: &Path, letter: &str) -> Result<Self> {
        let (library, _) = dynamic::open(&[file.to_path_buf()])?;
        let at_path = |e: String| format!("{}: {e}", file.display());
        let common = CommonApi::load(&library, letter).map_err(at_path)?;
        let api = Api::load(&library, letter).map_err(at_path)?;
        let mut peer = Cusparse { common, api, handle: null_mut(), version: String::new() };
        let mut version = 0;
        call!(peer.common, create(&mut peer.handle))?;
        call!(peer.common, version(peer.handle, &mut version))?;
        call!(peer.common, set_stream(peer.handle, executor.stream()))?;
        peer.version = format!("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
        Ok(peer)
    }
}

impl<Api> Drop for Cusparse<Api> {
    fn drop(&mut self) {
        // SAFETY: the handle is live or was never made, and is not used again.
        unsafe {
            if !self.handle.is_null() {
                (self.common.destroy)(self.handle);
            }
        }
    }
}

/// Destroys an object once, if there is one.
fn destroy(object: &mut Handle, function: unsafe extern "C" fn(Handle) -> i32) {
    let object = std::mem::replace(object, null_mut());
    if !object.is_null() {
        // SAFETY: the object is live, of the kind that the function destroys, and not used again.
        unsafe { function(object) };
    }
}

fn address(buffer: &Option<Buffer>) -> Handle {
    buffer.as_ref().map_or(null_mut(), Buffer::ptr)
}

/// One system under SpSV, or SpSM where it has several right-hand sides.
pub struct Generic<'s, 'e> {
    peer: &'s Cusparse<GenericApi>,
    system: System<'s, 'e>,
    /// A number of cusparseSpSVAlg_t, for one right-hand side.
    algorithm: i32,
    matrix: Handle,
    f: Handle,
    x: Handle,
    descr: Handle,
    buffer: Option<Buffer<'e>>,
}

/// Calls the function of SpSV or that of SpSM with the arguments that all of these have, then others.
macro_rules! generic {
    ($s:ident, $spsv:ident, $spsm:ident($($more:expr),*)) => {{
        let (peer, op, ty) = ($s.peer, $s.system.op.number(), $s.system.matrix.ty);
        let one = Alpha::one(ty.is_double());
        match $s.system.rhs {
            1 => call!(peer.api, $spsv(
                peer.handle, op, one.ptr(), $s.matrix, $s.f, $s.x, ty.number(), $s.algorithm, $s.descr $(, $more)*
            )),
            _ => call!(peer.api, $spsm(
                peer.handle, op, 0, one.ptr(), $s.matrix, $s.f, $s.x, ty.number(), 0, $s.descr $(, $more)*
            )),
        }
    }};
}

impl<'s, 'e> Generic<'s, 'e> {
    pub fn new(peer: &'s Cusparse<GenericApi>, system: System<'s, 'e>, algorithm: i32) -> Result<Self> {
        let nothing = null_mut();
        let (matrix, f, x, descr) = (nothing, nothing, nothing, nothing);
        let mut s = Generic { peer, system, algorithm, matrix, f, x, descr, buffer: None };
        let (a, api, ty) = (system.matrix, &peer.api, system.matrix.ty.number());
        let (n, nnz) = (a.n as i64, a.nnz as i64);
        let (ptr, col, val) = (a.ptr.ptr(), a.col.ptr(), a.val.ptr());
        call!(api, create_csr(&mut s.matrix, n, n, nnz, ptr, col, val, INDEX_32I, INDEX_32I, 0, ty))?;
        let attributes =
            [(ATTRIBUTE_FILL_MODE, system.fill_number()), (ATTRIBUTE_DIAG_TYPE, system.diagonal_number())];
        for (attribute, value) in attributes {
            call!(api, set_attribute(s.matrix, attribute, (&value as *const i32).cast(), 4))?;
        }
        for (object, values) in [(&mut s.f, system.f.ptr()), (&mut s.x, system.x.ptr())] {
            match system.rhs {
                1 => call!(api, create_vector(object, n, values, ty))?,
                rhs => call!(api, create_block(object, n, rhs as i64, n, values, ty, ORDER_COLUMN))?,
            }
        }
        Ok(s)
    }

    /// What destroys a descriptor, and a vector or a block of them.
    fn destructors(&self) -> [unsafe extern "C" fn(Handle) -> i32; 2] {
        let api = &self.peer.api;
        match self.system.rhs {
            1 => [api.destroy_spsv, api.destroy_vector],
            _ => [api.destroy_spsm, api.destroy_block],
        }
    }
}

impl Contender for Generic<'_, '_> {
    /// A new descriptor, as analysis copies the values into it, and the buffer that it needs.
    fn prepare(&mut self) -> Result<()> {
        let mut bytes = 0usize;
        let [destroy_descr, _] = self.destructors();
        destroy(&mut self.descr, destroy_descr);
        match self.system.rhs {
            1 => call!(self.peer.api, create_spsv(&mut self.descr))?,
            _ => call!(self.peer.api, create_spsm(&mut self.descr))?,
        }
        generic!(self, spsv_buffer_size, spsm_buffer_size(&mut bytes))?;
        self.buffer = None;
        self.buffer = Some(self.system.matrix.executor.alloc(bytes)?);
        Ok(())
    }
    fn analyse(&mut self) -> Result<()> {
        generic!(self, spsv_analysis, spsm_analysis(address(&self.buffer)))
    }
    fn solve(&mut self) -> Result<()> {
        generic!(self, spsv_solve, spsm_solve())
    }
}

impl Drop for Generic<'_, '_> {
    fn drop(&mut self) {
        let [destroy_descr, destroy_vectors] = self.destructors();
        destroy(&mut self.descr, destroy_descr);
        destroy(&mut self.x, destroy_vectors);
        destroy(&mut self.f, destroy_vectors);
        destroy(&mut self.matrix, self.peer.api.destroy_matrix);
    }
}

/// One system under csrsv2, with level information.
pub struct Csrsv2<'s, 'e> {
    peer: &'s Cusparse<Csrsv2Api>,
    system: System<'s, 'e>,
    descr: Handle,
    info: Handle,
    buffer: Option<Buffer<'e>>,
}

/// Calls a function of csrsv2 with the arguments that all three have, alpha among them for a solve.
macro_rules! csrsv2 {
    ($s:ident, $function:ident($($alpha:expr)?; $($more:expr),*)) => {
        call!($s.peer.api, $function(
            $s.peer.handle,
            $s.system.op.number(),
            $s.system.matrix.n as i32,
            $s.system.matrix.nnz as i32,
            $($alpha,)?
            $s.descr,
            $s.system.matrix.val.ptr(),
            $s.system.matrix.ptr.ptr(),
            $s.system.matrix.col.ptr(),
            $s.info
            $(, $more)*
        ))
    };
}

impl<'s, 'e> Csrsv2<'s, 'e> {
    pub fn new(peer: &'s Cusparse<Csrsv2Api>, system: System<'s, 'e>) -> Result<Self> {
        let mut s = Csrsv2 { peer, system, descr: null_mut(), info: null_mut(), buffer: None };
        call!(peer.api, create_descr(&mut s.descr))?;
        call!(peer.api, set_fill(s.descr, system.fill_number()))?;
        call!(peer.api, set_diagonal(s.descr, system.diagonal_number()))?;
        Ok(s)
    }
}

impl Contender for Csrsv2<'_, '_> {
    /// A new info, and the buffer that it needs.
    fn prepare(&mut self) -> Result<()> {
        let mut bytes = 0i32;
        destroy(&mut self.info, self.peer.api.destroy_info);
        call!(self.peer.api, create_info(&mut self.info))?;
        csrsv2!(self, buffer_size(; &mut bytes))?;
        self.buffer = None;
        self.buffer = Some(self.system.matrix.executor.alloc(bytes as usize)?);
        Ok(())
    }
    fn analyse(&mut self) -> Result<()> {
        csrsv2!(self, analysis(; USE_LEVEL, address(&self.buffer)))
    }
    fn solve(&mut self) -> Result<()> {
        let one = Alpha::one(self.system.matrix.ty.is_double());
        let (f, x) = (self.system.f.ptr(), self.system.x.ptr());
        csrsv2!(self, solve(one.ptr(); f, x, USE_LEVEL, address(&self.buffer)))
    }
}

impl Drop for Csrsv2<'_, '_> {
    fn drop(&mut self) {
        destroy(&mut self.info, self.peer.api.destroy_info);
        destroy(&mut self.descr, self.peer.api.destroy_descr);
    }
}
