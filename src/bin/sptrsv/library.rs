//! Solves through libsptrsv's own C functions.

use std::ffi::{c_void, CStr};
use std::mem::MaybeUninit;
use std::ptr::null;

use sptrsv::ffi;

use crate::gpu::{Buffer, Executor};
use crate::system::System;
use crate::{memory, Result};

/// AUTO and every algorithm of the library, by the names of this program.
pub fn algorithms() -> impl Iterator<Item = (String, i32)> {
    let others = sptrsv::algorithms::ALL.iter().map(|a| (a.name().to_uppercase(), a.id()));
    std::iter::once(("AUTO".to_string(), sptrsv::algorithms::AUTO)).chain(others)
}

/// Their names as they are typed, for a help.
pub fn algorithm_list() -> String {
    algorithms().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>().join(", ")
}

/// The number of an algorithm given by name.
pub fn algorithm_number(name: &str) -> Result<i32> {
    let wanted = name.trim().to_uppercase().replace('-', "_");
    algorithms().find(|(known, _)| *known == wanted).map(|(_, number)| number).ok_or_else(|| {
        let names: Vec<String> = algorithms().map(|(known, _)| known).collect();
        format!("there is no algorithm '{name}'; known are {}", names.join(", "))
    })
}

pub fn algorithm_name(number: i32) -> String {
    algorithms().find(|&(_, known)| known == number).map_or_else(|| number.to_string(), |(name, _)| name)
}

/// A number as the C enum that a function takes.
fn c<T>(number: i32) -> MaybeUninit<T> {
    assert_eq!(std::mem::size_of::<T>(), std::mem::size_of::<i32>());
    // SAFETY: a C enum is an int, and the library takes any number here.
    unsafe { std::mem::transmute_copy(&number) }
}

/// Calls a function of the library; a status other than SUCCESS becomes a message.
macro_rules! call {
    ($handle:expr, $function:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: handles and descriptors are live, arrays have the sizes that are passed along.
        let status = unsafe { ffi::$function($($arg),*) };
        match status as i32 {
            0 => Ok(()),
            // SAFETY: both strings are never NULL and outlive this use.
            _ => unsafe {
                let name = CStr::from_ptr(ffi::sptrsvGetErrorName(MaybeUninit::new(status))).to_string_lossy();
                let words = CStr::from_ptr(ffi::sptrsvGetLastErrorString()).to_string_lossy();
                Err(format!("{}: {name}: {words}", stringify!($function)))
            },
        }
    }};
}

/// A handle on one executor.
pub struct Library<'e> {
    pub executor: &'e Executor,
    handle: ffi::sptrsvHandle_t,
}

impl<'e> Library<'e> {
    pub fn open(executor: &'e Executor) -> Result<Self> {
        let mut handle = std::ptr::null_mut();
        call!(handle, sptrsvCreateWithExecutor(&mut handle, c(i32::from(executor.is_host()))))?;
        let library = Library { executor, handle };
        call!(handle, sptrsvSetStream(handle, executor.stream().cast()))?;
        Ok(library)
    }

    /// How long a solve waits without progress.
    pub fn set_timeout(&self, seconds: f64) -> Result<()> {
        call!(self.handle, sptrsvSetTimeout(self.handle, seconds))
    }

    pub fn version(&self) -> Result<String> {
        let mut version = 0;
        call!(self.handle, sptrsvGetVersion(self.handle, &mut version))?;
        Ok(format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100))
    }
}

impl Drop for Library<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { ffi::sptrsvDestroy(self.handle) };
    }
}

/// Bytes per row and per entry that an analysis on the host executor takes at most.
const ANALYSIS_ROW: u64 = 80;
const ANALYSIS_ENTRY: u64 = 20;

/// One system, to be analysed and solved with one algorithm.
pub struct Solver<'s, 'e> {
    library: &'s Library<'e>,
    pub system: System<'s, 'e>,
    descr: ffi::sptrsvMatDescr_t,
    info: ffi::sptrsvInfo_t,
    buffer: Option<Buffer<'e>>,
    /// Whether solves may read a copy of the values.
    pub copies: bool,
}

impl<'s, 'e> Solver<'s, 'e> {
    /// `setup` is a number of sptrsvAnalysisMode_t.
    pub fn new(library: &'s Library<'e>, system: System<'s, 'e>, algorithm: i32, setup: i32) -> Result<Self> {
        let (descr, info) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut solver = Solver { library, system, descr, info, buffer: None, copies: false };
        let h = library.handle;
        call!(h, sptrsvCreateMatDescr(&mut solver.descr))?;
        call!(h, sptrsvSetMatFillMode(solver.descr, c(system.fill_number())))?;
        call!(h, sptrsvSetMatDiagType(solver.descr, c(i32::from(system.matrix.unit))))?;
        call!(h, sptrsvCreateInfo(&mut solver.info))?;
        call!(h, sptrsvSetAlgorithm(solver.info, c(algorithm)))
            .map_err(|_| format!("the library has no algorithm {}", algorithm_name(algorithm)))?;
        call!(h, sptrsvSetAnalysisMode(solver.info, c(setup)))?;
        call!(h, sptrsvSetExpectedRightHandSides(solver.info, system.rhs.max(1) as i64))?;
        let mut bytes = 0;
        let a = system.matrix;
        if library.executor.is_host() {
            let needed = ANALYSIS_ROW * a.n as u64 + ANALYSIS_ENTRY * a.nnz as u64;
            memory::must_have(needed, "the analysis")?;
        }
        call!(
            h,
            sptrsvBufferSize(
                h,
                c(system.operation_number()),
                a.n as i64,
                a.nnz as i64,
                solver.descr,
                c(a.ty.number()),
                null(),
                null(),
                null(),
                solver.info,
                &mut bytes,
            )
        )?;
        solver.buffer = Some(library.executor.alloc(bytes)?);
        Ok(solver)
    }

    /// Has later analyses prepare for a copy of the values, which `update` makes.
    pub fn copy_values(&mut self) -> Result<()> {
        call!(self.library.handle, sptrsvSetCopyValues(self.info, c(1)))?;
        self.copies = true;
        Ok(())
    }

    pub fn update(&self) -> Result<()> {
        let h = self.library.handle;
        call!(h, sptrsvUpdateValues(h, self.info, self.system.matrix.val.ptr()))
    }

    fn scratch(&self) -> *mut c_void {
        self.buffer.as_ref().map_or(std::ptr::null_mut(), Buffer::ptr)
    }

    pub fn analyse(&self) -> Result<()> {
        let (h, a) = (self.library.handle, self.system.matrix);
        call!(
            h,
            sptrsvAnalysis(
                h,
                c(self.system.operation_number()),
                a.n as i64,
                a.nnz as i64,
                self.descr,
                c(a.ty.number()),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                c(1),
                self.scratch(),
            )
        )
    }

    /// Solves for all right-hand sides of the system.
    pub fn solve(&self) -> Result<()> {
        if self.system.rhs > 1 {
            return self.solve_multi();
        }
        let (h, a) = (self.library.handle, self.system.matrix);
        let alpha = Alpha::one(a.ty.is_double());
        call!(
            h,
            sptrsvSolve(
                h,
                c(self.system.operation_number()),
                a.n as i64,
                a.nnz as i64,
                alpha.ptr(),
                self.descr,
                c(a.ty.number()),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                self.system.f.ptr(),
                self.system.x.ptr(),
                c(1),
                self.scratch(),
            )
        )
    }

    fn solve_multi(&self) -> Result<()> {
        let (h, a) = (self.library.handle, self.system.matrix);
        let alpha = Alpha::one(a.ty.is_double());
        call!(
            h,
            sptrsvSolveMulti(
                h,
                c(self.system.operation_number()),
                a.n as i64,
                a.nnz as i64,
                self.system.rhs as i64,
                alpha.ptr(),
                self.descr,
                c(a.ty.number()),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                self.system.f.ptr(),
                a.n as i64,
                self.system.x.ptr(),
                a.n as i64,
                c(1),
                self.scratch(),
            )
        )
    }

    /// The first row with a zero on its diagonal, if there is one. Waits for the last solve.
    pub fn zero_pivot(&self) -> Result<Option<i64>> {
        let mut position = -1;
        let asked =
            call!(self.library.handle, sptrsvZeroPivot(self.library.handle, self.info, &mut position));
        match position {
            -1 => asked.map(|()| None),
            row => Ok(Some(row)),
        }
    }

    pub fn stats(&self) -> Result<ffi::sptrsvStats_t> {
        let mut stats = ffi::sptrsvStats_t {
            struct_size: std::mem::size_of::<ffi::sptrsvStats_t>(),
            ..ffi::sptrsvStats_t::default()
        };
        call!(self.library.handle, sptrsvGetStats(self.info, &mut stats))?;
        Ok(stats)
    }
}

impl Drop for Solver<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: both are live or NULL, and not used again.
        unsafe {
            ffi::sptrsvDestroyInfo(self.info);
            ffi::sptrsvDestroyMatDescr(self.descr);
        }
    }
}

/// The number one in either precision, real or complex.
pub struct Alpha {
    double: [f64; 2],
    single: [f32; 2],
    is_double: bool,
}

impl Alpha {
    pub fn one(is_double: bool) -> Self {
        Alpha { double: [1.0, 0.0], single: [1.0, 0.0], is_double }
    }
    pub fn ptr(&self) -> *const c_void {
        if self.is_double {
            self.double.as_ptr().cast()
        } else {
            self.single.as_ptr().cast()
        }
    }
}
