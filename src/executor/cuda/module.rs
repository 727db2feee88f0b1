//! Modules: the kernels of one fatbin, in a context.

use std::ffi::{c_char, c_uint, CStr};
use std::ptr::null_mut;

use cust::sys;

use super::errors::check;
use crate::error::Result;

extern "C" {
    // Later than cust's bindings: drivers have them from CUDA 12.4 on.
    fn cuModuleGetFunctionCount(count: *mut c_uint, module: sys::CUmodule) -> sys::CUresult;
    fn cuModuleEnumerateFunctions(
        functions: *mut sys::CUfunction,
        count: c_uint,
        module: sys::CUmodule,
    ) -> sys::CUresult;
    fn cuFuncGetName(name: *mut *const c_char, function: sys::CUfunction) -> sys::CUresult;
    fn cuFuncLoad(function: sys::CUfunction) -> sys::CUresult;
}

/// Unloaded when dropped, with its context current.
pub struct Module(sys::CUmodule);

impl Module {
    /// Loads a fatbin; none where the driver can load nothing of it for the GPU.
    pub fn load(image: &[u8]) -> Result<Option<Module>> {
        use sys::cudaError_enum::*;
        let (mut module, none) = (null_mut(), null_mut());
        // SAFETY: the image is a whole fatbin, and there are no options.
        match unsafe { sys::cuModuleLoadDataEx(&mut module, image.as_ptr().cast(), 0, none, none.cast()) } {
            // It has no machine code for the GPU, and the driver cannot or may not make any from the PTX. Old drivers take what
            // they do not know for no image at all.
            CUDA_ERROR_NO_BINARY_FOR_GPU
            | CUDA_ERROR_INVALID_IMAGE
            | CUDA_ERROR_INVALID_SOURCE
            | CUDA_ERROR_INVALID_PTX
            | CUDA_ERROR_JIT_COMPILER_NOT_FOUND
            | CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            | CUDA_ERROR_JIT_COMPILATION_DISABLED => Ok(None),
            result => check(result, "cuModuleLoadDataEx").map(|()| Some(Module(module))),
        }
    }

    /// Its kernels with their names, all of them loaded. By itself a driver loads a kernel when it is first asked for, which
    /// takes memory on the GPU: no solve may do that. Empty where the driver cannot tell.
    pub fn kernels(&self) -> Result<Vec<(String, sys::CUfunction)>> {
        let mut count = 0;
        // SAFETY: writes one number.
        match unsafe { cuModuleGetFunctionCount(&mut count, self.0) } {
            sys::cudaError_enum::CUDA_ERROR_NOT_FOUND => return Ok(Vec::new()),
            result => check(result, "cuModuleGetFunctionCount")?,
        }
        let mut functions = vec![null_mut(); count as usize];
        // SAFETY: writes as many handles as there is room for.
        let result = unsafe { cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, self.0) };
        check(result, "cuModuleEnumerateFunctions")?;
        let kernel = |function| {
            // SAFETY: a kernel of this module.
            check(unsafe { cuFuncLoad(function) }, "cuFuncLoad")?;
            let mut name = std::ptr::null();
            // SAFETY: writes one pointer, to a text that lives as long as the module.
            check(unsafe { cuFuncGetName(&mut name, function) }, "cuFuncGetName")?;
            // SAFETY: the driver's text has an end.
            Ok((unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(), function))
        };
        functions.into_iter().map(kernel).collect()
    }

    /// The kernel of that name, if it is one of these.
    pub fn kernel(&self, name: &CStr) -> Result<Option<sys::CUfunction>> {
        let mut function = null_mut();
        // SAFETY: writes one handle; the name has an end.
        match unsafe { sys::cuModuleGetFunction(&mut function, self.0, name.as_ptr()) } {
            sys::cudaError_enum::CUDA_ERROR_NOT_FOUND => Ok(None),
            result => check(result, "cuModuleGetFunction").map(|()| Some(function)),
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: dropped once.
        unsafe { sys::cuModuleUnload(self.0) };
    }
}
