//! The solvers to compare with: cuSPARSE's SpSV, and csrsv2 of a CUDA 11 library.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use crate::dynamic::{self, functions};
use crate::gpu::{Buffer, Executor};
use crate::library::Alpha;
use crate::system::System;
use crate::Result;

type Handle = *mut c_void;
type Const = *const c_void;

fn check(code: i32, doing: &str) -> Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(format!("{doing} failed with cuSPARSE status {code}")),
    }
}

functions! {
    /// cuSPARSE 12 and later: generic interface.
    SpsvApi {
        create: "cusparseCreate" (*mut Handle);
        destroy: "cusparseDestroy" (Handle);
        version: "cusparseGetVersion" (Handle, *mut i32);
        set_stream: "cusparseSetStream" (Handle, Handle);
        create_csr: "cusparseCreateCsr" (*mut Handle, i64, i64, i64, Handle, Handle, Handle, i32, i32, i32, i32);
        set_attribute: "cusparseSpMatSetAttribute" (Handle, i32, Const, usize);
        destroy_matrix: "cusparseDestroySpMat" (Handle);
        create_vector: "cusparseCreateDnVec" (*mut Handle, i64, Handle, i32);
        destroy_vector: "cusparseDestroyDnVec" (Handle);
        create_descr: "cusparseSpSV_createDescr" (*mut Handle);
        destroy_descr: "cusparseSpSV_destroyDescr" (Handle);
        buffer_size: "cusparseSpSV_bufferSize" (Handle, i32, Const, Handle, Handle, Handle, i32, i32, Handle, *mut usize);
        analysis: "cusparseSpSV_analysis" (Handle, i32, Const, Handle, Handle, Handle, i32, i32, Handle, Handle);
        solve: "cusparseSpSV_solve" (Handle, i32, Const, Handle, Handle, Handle, i32, i32, Handle);
    }
}

const INDEX_32I: i32 = 2;
const ATTRIBUTE_FILL_MODE: i32 = 0;
const ATTRIBUTE_DIAG_TYPE: i32 = 1;

/// cuSPARSE with SpSV, loaded, with a handle.
pub struct Spsv {
    api: SpsvApi,
    handle: Handle,
    pub version: String,
}

impl Spsv {
    pub fn load(executor: &Executor, path: Option<&Path>) -> Result<Self> {
        let candidates = path.map_or_else(dynamic::cusparse_candidates, |p| vec![p.to_path_buf()]);
        let (library, found) = dynamic::open(&candidates)?;
        let api = SpsvApi::load(library, "").map_err(|e| format!("{}: {e}", found.display()))?;
        let (mut handle, mut version) = (null_mut(), 0);
        // SAFETY: the functions are declared as in cusparse.h, the pointers lead to live variables.
        unsafe {
            check((api.create)(&mut handle), "cusparseCreate")?;
            check((api.version)(handle, &mut version), "cusparseGetVersion")?;
            check((api.set_stream)(handle, executor.stream()), "cusparseSetStream")?;
        }
        let version = format!("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
        Ok(Spsv { api, handle, version })
    }
}

impl Drop for Spsv {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { (self.api.destroy)(self.handle) };
    }
}

/// One system under SpSV. Analysis starts from a new descriptor each time, as it copies the values.
pub struct SpsvSolver<'s, 'e> {
    peer: &'s Spsv,
    system: System<'s, 'e>,
    matrix: Handle,
    f: Handle,
    x: Handle,
    descr: Handle,
    buffer: Option<Buffer<'e>>,
}

impl<'s, 'e> SpsvSolver<'s, 'e> {
    pub fn new(peer: &'s Spsv, system: System<'s, 'e>) -> Result<Self> {
        let mut solver = SpsvSolver {
            peer,
            system,
            matrix: null_mut(),
            f: null_mut(),
            x: null_mut(),
            descr: null_mut(),
            buffer: None,
        };
        let (a, api) = (system.matrix, &peer.api);
        let (n, ty, fill, diag) = (a.n as i64, a.ty.number(), system.fill_number(), 0i32);
        // SAFETY: as in Spsv::load; the arrays have the sizes passed along and outlive the solver.
        unsafe {
            check(
                (api.create_csr)(
                    &mut solver.matrix,
                    n,
                    n,
                    a.nnz as i64,
                    a.ptr.ptr(),
                    a.col.ptr(),
                    a.val.ptr(),
                    INDEX_32I,
                    INDEX_32I,
                    0,
                    ty,
                ),
                "cusparseCreateCsr",
            )?;
            for (attribute, value) in [(ATTRIBUTE_FILL_MODE, &fill), (ATTRIBUTE_DIAG_TYPE, &diag)] {
                let value = (value as *const i32).cast();
                check((api.set_attribute)(solver.matrix, attribute, value, 4), "cusparseSpMatSetAttribute")?;
            }
            check((api.create_vector)(&mut solver.f, n, system.f.ptr(), ty), "cusparseCreateDnVec")?;
            check((api.create_vector)(&mut solver.x, n, system.x.ptr(), ty), "cusparseCreateDnVec")?;
        }
        Ok(solver)
    }

    /// Makes a new descriptor and the buffer that it needs, both outside the time of the analysis.
    pub fn prepare(&mut self) -> Result<()> {
        let (a, api, s) = (self.system.matrix, &self.peer.api, &self.system);
        let one = Alpha::one(a.ty.is_double());
        let mut bytes = 0;
        // SAFETY: as in new.
        unsafe {
            if !self.descr.is_null() {
                (api.destroy_descr)(self.descr);
                self.descr = null_mut();
            }
            check((api.create_descr)(&mut self.descr), "cusparseSpSV_createDescr")?;
            check(
                (api.buffer_size)(
                    self.peer.handle,
                    s.operation_number(),
                    one.ptr(),
                    self.matrix,
                    self.f,
                    self.x,
                    a.ty.number(),
                    0,
                    self.descr,
                    &mut bytes,
                ),
                "cusparseSpSV_bufferSize",
            )?;
        }
        self.buffer = None;
        self.buffer = Some(a.executor.alloc(bytes)?);
        Ok(())
    }

    pub fn analyse(&self) -> Result<()> {
        let (a, s) = (self.system.matrix, &self.system);
        let one = Alpha::one(a.ty.is_double());
        let buffer = self.buffer.as_ref().map_or(null_mut(), Buffer::ptr);
        // SAFETY: as in new; prepare has made descriptor and buffer.
        let code = unsafe {
            (self.peer.api.analysis)(
                self.peer.handle,
                s.operation_number(),
                one.ptr(),
                self.matrix,
                self.f,
                self.x,
                a.ty.number(),
                0,
                self.descr,
                buffer,
            )
        };
        check(code, "cusparseSpSV_analysis")
    }

    pub fn solve(&self) -> Result<()> {
        let (a, s) = (self.system.matrix, &self.system);
        let one = Alpha::one(a.ty.is_double());
        // SAFETY: as in analyse.
        let code = unsafe {
            (self.peer.api.solve)(
                self.peer.handle,
                s.operation_number(),
                one.ptr(),
                self.matrix,
                self.f,
                self.x,
                a.ty.number(),
                0,
                self.descr,
            )
        };
        check(code, "cusparseSpSV_solve")
    }
}

impl Drop for SpsvSolver<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: each is live or was never made; none is used again.
        unsafe {
            let api = &self.peer.api;
            for (object, destroy) in [
                (self.descr, api.destroy_descr),
                (self.x, api.destroy_vector),
                (self.f, api.destroy_vector),
                (self.matrix, api.destroy_matrix),
            ] {
                if !object.is_null() {
                    destroy(object);
                }
            }
        }
    }
}

functions! {
    /// cuSPARSE 11: the functions that CUDA 12 removed.
    Csrsv2Api {
        create: "cusparseCreate" (*mut Handle);
        destroy: "cusparseDestroy" (Handle);
        version: "cusparseGetVersion" (Handle, *mut i32);
        set_stream: "cusparseSetStream" (Handle, Handle);
        create_descr: "cusparseCreateMatDescr" (*mut Handle);
        destroy_descr: "cusparseDestroyMatDescr" (Handle);
        set_fill: "cusparseSetMatFillMode" (Handle, i32);
        create_info: "cusparseCreateCsrsv2Info" (*mut Handle);
        destroy_info: "cusparseDestroyCsrsv2Info" (Handle);
        buffer_size: "cusparse?csrsv2_bufferSize" (Handle, i32, i32, i32, Handle, Handle, Handle, Handle, Handle, *mut i32);
        analysis: "cusparse?csrsv2_analysis" (Handle, i32, i32, i32, Handle, Handle, Handle, Handle, Handle, i32, Handle);
        solve: "cusparse?csrsv2_solve" (Handle, i32, i32, i32, Const, Handle, Handle, Handle, Handle, Handle, Handle, Handle, i32, Handle);
    }
}

const USE_LEVEL: i32 = 1;

/// A CUDA 11 cuSPARSE, loaded for one value type, with a handle.
pub struct Csrsv2 {
    api: Csrsv2Api,
    handle: Handle,
    pub version: String,
}

impl Csrsv2 {
    pub fn load(executor: &Executor, path: &Path, letter: &str) -> Result<Self> {
        let (library, found) = dynamic::open(&[PathBuf::from(path)])?;
        let api = Csrsv2Api::load(library, letter).map_err(|e| format!("{}: {e}", found.display()))?;
        let (mut handle, mut version) = (null_mut(), 0);
        // SAFETY: as in Spsv::load.
        unsafe {
            check((api.create)(&mut handle), "cusparseCreate")?;
            check((api.version)(handle, &mut version), "cusparseGetVersion")?;
            check((api.set_stream)(handle, executor.stream()), "cusparseSetStream")?;
        }
        let version = format!("{}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
        Ok(Csrsv2 { api, handle, version })
    }
}

impl Drop for Csrsv2 {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { (self.api.destroy)(self.handle) };
    }
}

/// One system under csrsv2, with level information.
pub struct Csrsv2Solver<'s, 'e> {
    peer: &'s Csrsv2,
    system: System<'s, 'e>,
    descr: Handle,
    info: Handle,
    buffer: Option<Buffer<'e>>,
}

impl<'s, 'e> Csrsv2Solver<'s, 'e> {
    pub fn new(peer: &'s Csrsv2, system: System<'s, 'e>) -> Result<Self> {
        let mut solver = Csrsv2Solver { peer, system, descr: null_mut(), info: null_mut(), buffer: None };
        // SAFETY: as in Spsv::load.
        unsafe {
            check((peer.api.create_descr)(&mut solver.descr), "cusparseCreateMatDescr")?;
            check((peer.api.set_fill)(solver.descr, system.fill_number()), "cusparseSetMatFillMode")?;
        }
        Ok(solver)
    }

    /// Makes a new info and the buffer that it needs, both outside the time of the analysis.
    pub fn prepare(&mut self) -> Result<()> {
        let (a, api, s) = (self.system.matrix, &self.peer.api, &self.system);
        let mut bytes = 0;
        // SAFETY: as in new; the arrays have the sizes passed along.
        unsafe {
            if !self.info.is_null() {
                (api.destroy_info)(self.info);
                self.info = null_mut();
            }
            check((api.create_info)(&mut self.info), "cusparseCreateCsrsv2Info")?;
            check(
                (api.buffer_size)(
                    self.peer.handle,
                    s.operation_number(),
                    a.n as i32,
                    a.nnz as i32,
                    self.descr,
                    a.val.ptr(),
                    a.ptr.ptr(),
                    a.col.ptr(),
                    self.info,
                    &mut bytes,
                ),
                "csrsv2_bufferSize",
            )?;
        }
        self.buffer = Some(a.executor.alloc(bytes as usize)?);
        Ok(())
    }

    pub fn analyse(&self) -> Result<()> {
        let (a, s) = (self.system.matrix, &self.system);
        // SAFETY: as in prepare.
        let code = unsafe {
            (self.peer.api.analysis)(
                self.peer.handle,
                s.operation_number(),
                a.n as i32,
                a.nnz as i32,
                self.descr,
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                USE_LEVEL,
                self.buffer.as_ref().map_or(null_mut(), Buffer::ptr),
            )
        };
        check(code, "csrsv2_analysis")
    }

    pub fn solve(&self) -> Result<()> {
        let (a, s) = (self.system.matrix, &self.system);
        let one = Alpha::one(a.ty.is_double());
        // SAFETY: as in prepare.
        let code = unsafe {
            (self.peer.api.solve)(
                self.peer.handle,
                s.operation_number(),
                a.n as i32,
                a.nnz as i32,
                one.ptr(),
                self.descr,
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                s.f.ptr(),
                s.x.ptr(),
                USE_LEVEL,
                self.buffer.as_ref().map_or(null_mut(), Buffer::ptr),
            )
        };
        check(code, "csrsv2_solve")
    }
}

impl Drop for Csrsv2Solver<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: each is live or was never made; none is used again.
        unsafe {
            if !self.info.is_null() {
                (self.peer.api.destroy_info)(self.info);
            }
            if !self.descr.is_null() {
                (self.peer.api.destroy_descr)(self.descr);
            }
        }
    }
}
