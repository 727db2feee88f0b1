//! Solves through libsptrsv's own C functions.

use std::ffi::c_void;
use std::ptr::null;

use super::contender::{Contender, Facts};
use crate::base::{memory, Result};
use crate::solvers::abi;
use crate::solvers::abi::{Abi, Stats};
use crate::system::executor::{Buffer, Executor, THREADS};
use crate::system::System;

/// AUTO and every algorithm of the library, by the names of this program.
pub fn algorithms() -> impl Iterator<Item = (String, i32)> {
    abi::ALGORITHMS.iter().map(|&(name, number)| (name.to_string(), number))
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

/// Calls a function of the library; a status other than SUCCESS becomes a message.
macro_rules! call {
    ($abi:expr, $function:ident($($arg:expr),* $(,)?)) => {{
        // SAFETY: handles and descriptors are live, arrays have the sizes that are passed along.
        match unsafe { ($abi.functions.$function)($($arg),*) } {
            0 => Ok(()),
            status => Err(format!("{}: {}", stringify!($function), $abi.words(status))),
        }
    }};
}

pub(super) use call;

/// A handle on one executor.
pub struct Library<'e> {
    pub executor: &'e Executor,
    pub(super) abi: &'static Abi,
    pub(super) handle: abi::Handle,
}

impl<'e> Library<'e> {
    pub fn open(executor: &'e Executor) -> Result<Self> {
        let abi = abi::get()?;
        let mut handle = std::ptr::null_mut();
        let kind = if executor.is_host() { abi::EXECUTOR_HOST } else { abi::EXECUTOR_CUDA };
        call!(abi, sptrsvCreateWithExecutor(&mut handle, kind))?;
        let library = Library { executor, abi, handle };
        call!(abi, sptrsvSetStream(handle, executor.stream()))?;
        Ok(library)
    }

    /// The same with one thread of the host executor. To be called while the program has one thread itself.
    pub fn open_on_one_thread(executor: &'e Executor) -> Result<Self> {
        let threads = std::env::var_os(THREADS);
        std::env::set_var(THREADS, "1");
        let library = Library::open(executor);
        match threads {
            Some(threads) => std::env::set_var(THREADS, threads),
            None => std::env::remove_var(THREADS),
        }
        library
    }

    /// How long a solve waits without progress.
    pub fn set_timeout(&self, seconds: f64) -> Result<()> {
        call!(self.abi, sptrsvSetTimeout(self.handle, seconds))
    }

    pub fn version(&self) -> Result<String> {
        let mut version = 0;
        call!(self.abi, sptrsvGetVersion(self.handle, &mut version))?;
        Ok(format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100))
    }
}

impl Drop for Library<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is live and not used again.
        unsafe { (self.abi.functions.sptrsvDestroy)(self.handle) };
    }
}

/// Bytes per row and per entry that an analysis on the host executor takes at most.
const ANALYSIS_ROW: u64 = 80;
const ANALYSIS_ENTRY: u64 = 20;

/// What an analysis prepares beside solves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Solves,
    /// sptrsvIlu0 and sptrsvIc0.
    Factorisations,
    /// sptrsvSweep with weight 1.
    Sweeps,
}

/// One system, to be analysed and solved with one algorithm.
pub struct Solver<'s, 'e> {
    pub(super) library: &'s Library<'e>,
    pub system: System<'s, 'e>,
    pub(super) descr: abi::Descr,
    pub(super) info: abi::Info,
    buffer: Option<Buffer<'e>>,
    /// Whether solves may read a copy of the values.
    pub copies: bool,
    /// Whether an analysis ends with a tuning.
    pub tunes: bool,
}

impl<'s, 'e> Solver<'s, 'e> {
    /// `setup` is a number of sptrsvAnalysisMode_t.
    pub fn new(library: &'s Library<'e>, system: System<'s, 'e>, algorithm: i32, setup: i32) -> Result<Self> {
        Solver::with_purpose(library, system, algorithm, setup, Purpose::Solves)
    }

    pub fn with_purpose(
        library: &'s Library<'e>,
        system: System<'s, 'e>,
        algorithm: i32,
        setup: i32,
        purpose: Purpose,
    ) -> Result<Self> {
        let (descr, info) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut solver = Solver { library, system, descr, info, buffer: None, copies: false, tunes: false };
        let abi = library.abi;
        call!(abi, sptrsvCreateMatDescr(&mut solver.descr))?;
        call!(abi, sptrsvSetMatFillMode(solver.descr, system.fill_number()))?;
        call!(abi, sptrsvSetMatDiagType(solver.descr, system.diagonal_number()))?;
        call!(abi, sptrsvCreateInfo(&mut solver.info))?;
        call!(abi, sptrsvSetAlgorithm(solver.info, algorithm))
            .map_err(|_| format!("the library has no algorithm {}", algorithm_name(algorithm)))?;
        call!(abi, sptrsvSetAnalysisMode(solver.info, setup))?;
        call!(abi, sptrsvSetExpectedRightHandSides(solver.info, system.rhs.max(1) as i64))?;
        match purpose {
            Purpose::Solves => {}
            Purpose::Factorisations => call!(abi, sptrsvSetFactorization(solver.info, 1))?,
            Purpose::Sweeps => call!(abi, sptrsvSetSweeps(solver.info, abi::SWEEPS_GAUSS_SEIDEL))?,
        }
        solver.allocate()?;
        Ok(solver)
    }

    /// Takes scratch of the size that the library asks for.
    fn allocate(&mut self) -> Result<()> {
        let (library, system) = (self.library, &self.system);
        let mut bytes = 0;
        let a = system.matrix;
        if library.executor.is_host() {
            let needed = ANALYSIS_ROW * a.n as u64 + ANALYSIS_ENTRY * a.nnz as u64;
            memory::must_have(needed, "the analysis")?;
        }
        call!(
            library.abi,
            sptrsvBufferSize(
                library.handle,
                system.operation_number(),
                a.n as i64,
                a.nnz as i64,
                self.descr,
                a.ty.number(),
                null(),
                null(),
                null(),
                self.info,
                &mut bytes,
            )
        )?;
        self.buffer = Some(library.executor.alloc(bytes)?);
        Ok(())
    }

    /// Has later analyses prepare for a copy of the values, which `update` makes.
    pub fn copy_values(&mut self) -> Result<()> {
        call!(self.library.abi, sptrsvSetCopyValues(self.info, abi::COPY_WHERE_FASTER))?;
        self.copies = true;
        Ok(())
    }

    pub fn update(&self) -> Result<()> {
        let (abi, h) = (self.library.abi, self.library.handle);
        call!(abi, sptrsvUpdateValues(h, self.info, self.system.matrix.val.ptr()))
    }

    /// The bytes of the scratch, so that two solvers can share the larger one.
    pub(super) fn scratch_bytes(&self) -> usize {
        self.buffer.as_ref().map_or(0, Buffer::bytes)
    }

    pub(super) fn scratch(&self) -> *mut c_void {
        self.buffer.as_ref().map_or(std::ptr::null_mut(), Buffer::ptr)
    }

    pub fn analyse(&self) -> Result<()> {
        let (abi, h, a) = (self.library.abi, self.library.handle, self.system.matrix);
        call!(
            abi,
            sptrsvAnalysis(
                h,
                self.system.operation_number(),
                a.n as i64,
                a.nnz as i64,
                self.descr,
                a.ty.number(),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                abi::USE_LEVEL,
                self.scratch(),
            )
        )?;
        if !self.tunes {
            return Ok(());
        }
        if self.copies {
            self.update()?;
        }
        self.tune()
    }

    /// Solves for the first right-hand side by the fastest of the algorithms that AUTO may choose.
    fn tune(&self) -> Result<()> {
        let (abi, h, a) = (self.library.abi, self.library.handle, self.system.matrix);
        let alpha = Alpha::one(a.ty.is_double());
        call!(
            abi,
            sptrsvTune(
                h,
                self.system.operation_number(),
                a.n as i64,
                a.nnz as i64,
                alpha.ptr(),
                self.descr,
                a.ty.number(),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                self.system.f.ptr(),
                self.system.x.ptr(),
                abi::USE_LEVEL,
                self.scratch(),
            )
        )
    }

    /// Solves for all right-hand sides of the system.
    pub fn solve(&self) -> Result<()> {
        if self.system.rhs > 1 {
            return self.solve_multi();
        }
        let (abi, h, a) = (self.library.abi, self.library.handle, self.system.matrix);
        let alpha = Alpha::one(a.ty.is_double());
        call!(
            abi,
            sptrsvSolve(
                h,
                self.system.operation_number(),
                a.n as i64,
                a.nnz as i64,
                alpha.ptr(),
                self.descr,
                a.ty.number(),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                self.system.f.ptr(),
                self.system.x.ptr(),
                abi::USE_LEVEL,
                self.scratch(),
            )
        )
    }

    fn solve_multi(&self) -> Result<()> {
        let (abi, h, a) = (self.library.abi, self.library.handle, self.system.matrix);
        let alpha = Alpha::one(a.ty.is_double());
        call!(
            abi,
            sptrsvSolveMulti(
                h,
                self.system.operation_number(),
                a.n as i64,
                a.nnz as i64,
                self.system.rhs as i64,
                alpha.ptr(),
                self.descr,
                a.ty.number(),
                a.val.ptr(),
                a.ptr.ptr(),
                a.col.ptr(),
                self.info,
                self.system.f.ptr(),
                a.n as i64,
                self.system.x.ptr(),
                a.n as i64,
                abi::USE_LEVEL,
                self.scratch(),
            )
        )
    }

    /// The first row with a zero on its diagonal, if there is one. Waits for the last solve.
    pub fn zero_pivot(&self) -> Result<Option<i64>> {
        let mut position = -1;
        let (abi, h) = (self.library.abi, self.library.handle);
        let asked = call!(abi, sptrsvZeroPivot(h, self.info, &mut position));
        match position {
            -1 => asked.map(|()| None),
            row => Ok(Some(row)),
        }
    }

    pub fn stats(&self) -> Result<Stats> {
        let mut stats = Stats { struct_size: size_of::<Stats>(), ..Stats::default() };
        call!(self.library.abi, sptrsvGetStats(self.info, &mut stats))?;
        Ok(stats)
    }
}

impl Contender for Solver<'_, '_> {
    fn analyse(&mut self) -> Result<()> {
        Solver::analyse(self)
    }
    fn wants_values(&self) -> bool {
        self.copies
    }
    fn update(&mut self) -> Result<()> {
        Solver::update(self)
    }
    fn solve(&mut self) -> Result<()> {
        Solver::solve(self)
    }
    fn facts(&self) -> Result<Facts> {
        let s = self.stats()?;
        Ok(Facts {
            algorithm: Some(algorithm_name(s.algorithm)),
            // The library predicts single solves.
            predicted_ms: Some(s.predicted_ms).filter(|&p| p > 0.0 && self.system.rhs == 1),
            bytes_held: Some(s.bytes_held),
            levels: Some(s.levels).filter(|&l| l > 0),
            parts_ms: Some([s.mat_d2h_ms, s.trans_ms, s.dep_ms, s.lev_ms, s.lev_h2d_ms]),
        })
    }
}

impl Drop for Solver<'_, '_> {
    fn drop(&mut self) {
        let functions = &self.library.abi.functions;
        // SAFETY: both are live or NULL, and not used again.
        unsafe {
            (functions.sptrsvDestroyInfo)(self.info);
            (functions.sptrsvDestroyMatDescr)(self.descr);
        }
    }
}

/// A real number in either precision, of a real or a complex type.
pub struct Alpha {
    double: [f64; 2],
    single: [f32; 2],
    is_double: bool,
}

impl Alpha {
    pub fn one(is_double: bool) -> Self {
        Alpha::of(1.0, is_double)
    }
    pub fn of(value: f64, is_double: bool) -> Self {
        Alpha { double: [value, 0.0], single: [value as f32, 0.0], is_double }
    }
    pub fn ptr(&self) -> *const c_void {
        if self.is_double {
            self.double.as_ptr().cast()
        } else {
            self.single.as_ptr().cast()
        }
    }
}
