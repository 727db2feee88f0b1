//! What to compare the host executor with: a serial loop over the rows, and Intel's MKL. Both are for double precision
//! and one right-hand side.

use std::ffi::{c_char, c_void, CStr, OsStr};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::time::Duration;

use super::contender::Contender;
use crate::base::dynamic::{self, functions, Table};
use crate::base::Result;
use crate::matrix::Fill;
use crate::system::{Op, System, Type};

/// What results call them.
pub const LOOP: &str = "loop";
pub const MKL: &str = "MKL";
pub const ONE_THREAD: &str = "AUTO, 1 thread";

type Handle = *mut c_void;

extern "C" {
    fn sptrsv_loop(
        n: i32,
        upper: i32,
        transposed: i32,
        ptr: *const c_void,
        col: *const c_void,
        val: *const c_void,
        f: *const c_void,
        x: *mut c_void,
    );
}

/// The loop of `loop.c`: one thread, no analysis.
pub struct Loop<'s, 'e>(System<'s, 'e>);

impl<'s, 'e> Loop<'s, 'e> {
    pub fn new(system: System<'s, 'e>) -> Result<Self> {
        must_be_for_host_peers(&system)?;
        Ok(Loop(system))
    }
}

impl Contender for Loop<'_, '_> {
    fn analyse(&mut self) -> Result<()> {
        Ok(())
    }
    fn solve(&mut self) -> Result<()> {
        let (s, a) = (&self.0, self.0.matrix);
        let (upper, transposed) = (s.fill_number(), (s.op != Op::N).into());
        // SAFETY: the arrays are a triangle with sorted rows and a diagonal, in host memory; f and x have n values.
        unsafe {
            sptrsv_loop(
                a.n as i32,
                upper,
                transposed,
                a.ptr.ptr(),
                a.col.ptr(),
                a.val.ptr(),
                s.f.ptr(),
                s.x.ptr(),
            );
        }
        Ok(())
    }
}

/// The triangle alone, in rows that are sorted, with its diagonal.
fn must_be_for_host_peers(system: &System) -> Result<()> {
    let a = system.matrix;
    if a.ty != Type::D || system.rhs != 1 || system.unit {
        return Err(
            "it is compared in double precision, with one right-hand side and a stored diagonal".into()
        );
    }
    let words = |buffer: &crate::system::executor::Buffer, count: usize| {
        let mut words = vec![0i32; count];
        buffer.read(&mut words).map(|()| words)
    };
    let (ptr, col) = (words(&a.ptr, a.n + 1)?, words(&a.col, a.nnz)?);
    let is_triangle = (0..a.n).all(|i| {
        let row = &col[ptr[i] as usize..ptr[i + 1] as usize];
        let diagonal = if system.fill == Fill::Lower { row.last() } else { row.first() };
        diagonal == Some(&(i as i32)) && row.windows(2).all(|pair| pair[0] < pair[1])
    });
    match is_triangle {
        true => Ok(()),
        false => Err("it is compared on triangles with sorted rows and a whole diagonal".into()),
    }
}

/// `struct matrix_descr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descr {
    kind: i32,
    fill: i32,
    diag: i32,
}

const TRIANGULAR: i32 = 23;
const FILL_LOWER: i32 = 40;
const DIAG_NON_UNIT: i32 = 50;
const OPERATION_NON_TRANSPOSE: i32 = 10;
/// More solves than anybody would do in vain: what MKL is told to expect.
const EXPECTED_SOLVES: i32 = 1000;

/// OpenMP's threads spin for 0.2 s where nothing else is asked for, in case that there is work again.
const BUSY: Duration = Duration::from_millis(220);

functions! {
    /// MKL's inspector-executor interface, with 32-bit integers.
    MklApi {
        create: "mkl_sparse_d_create_csr" (*mut Handle, i32, i32, i32, Handle, Handle, Handle, Handle);
        hint: "mkl_sparse_set_sv_hint" (Handle, i32, Descr, i32);
        optimize: "mkl_sparse_optimize" (Handle);
        trsv: "mkl_sparse_d_trsv" (i32, f64, Handle, Descr, Handle, Handle);
        destroy: "mkl_sparse_destroy" (Handle);
    }
}

/// A libmkl_rt.
pub struct Mkl {
    api: MklApi,
    pub version: String,
}

impl Mkl {
    /// The library, for so many threads.
    pub fn load(file: &Path, threads: usize) -> Result<Mkl> {
        let at_path = |e: String| format!("{}: {e}", file.display());
        let (library, _) = dynamic::open(&[file.to_path_buf()]).map_err(at_path)?;
        let api = MklApi::load(&library, "").map_err(at_path)?;
        let version: unsafe extern "C" fn(*mut c_char, i32) =
            dynamic::symbol(&library, "MKL_Get_Version_String").map_err(at_path)?;
        let set_threads: unsafe extern "C" fn(i32) =
            dynamic::symbol(&library, "MKL_Set_Num_Threads").map_err(at_path)?;
        // SAFETY: plain call.
        unsafe { set_threads(threads as i32) };
        let mut text = [0 as c_char; 200];
        // SAFETY: MKL writes a string of at most so many bytes; the last one stays 0.
        let version = unsafe {
            version(text.as_mut_ptr(), text.len() as i32 - 1);
            CStr::from_ptr(text.as_ptr()).to_string_lossy().trim().to_string()
        };
        Ok(Mkl { api, version })
    }

    /// The first that LD_LIBRARY_PATH has, or a Python of PATH, whose packages bring libraries beside its own.
    pub fn find() -> Option<PathBuf> {
        let split = |name: &str| {
            let value = std::env::var_os(name).unwrap_or_default();
            std::env::split_paths(&value).collect::<Vec<_>>()
        };
        let of_python = |bin: PathBuf| bin.join("python3").is_file().then(|| bin.join("../lib"));
        let folders =
            split("LD_LIBRARY_PATH").into_iter().chain(split("PATH").into_iter().filter_map(of_python));
        folders.filter(|folder| folder.is_absolute()).find_map(|folder| in_folder(&folder))
    }
}

fn in_folder(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let is_mkl = |name: &OsStr| name.to_string_lossy().starts_with("libmkl_rt.so");
    entries.filter(|entry| is_mkl(&entry.file_name())).map(|entry| entry.path()).min()
}

/// One system under MKL, optimised for many solves.
pub struct MklSolver<'s, 'e> {
    mkl: &'s Mkl,
    system: System<'s, 'e>,
    matrix: Handle,
}

impl<'s, 'e> MklSolver<'s, 'e> {
    pub fn new(mkl: &'s Mkl, system: System<'s, 'e>) -> Result<Self> {
        must_be_for_host_peers(&system)?;
        Ok(MklSolver { mkl, system, matrix: null_mut() })
    }

    fn descr(&self) -> Descr {
        Descr { kind: TRIANGULAR, fill: FILL_LOWER + self.system.fill_number(), diag: DIAG_NON_UNIT }
    }

    fn operation(&self) -> i32 {
        OPERATION_NON_TRANSPOSE + self.system.op.number()
    }

    fn forget(&mut self) {
        let matrix = std::mem::replace(&mut self.matrix, null_mut());
        if !matrix.is_null() {
            // SAFETY: the matrix is live, and not used again.
            unsafe { (self.mkl.api.destroy)(matrix) };
        }
    }
}

/// A status of MKL's other than 0 becomes a message.
fn check(status: i32, function: &str) -> Result<()> {
    match status {
        0 => Ok(()),
        status => Err(format!("MKL's {function} failed with status {status}")),
    }
}

impl Contender for MklSolver<'_, '_> {
    /// The matrix of an analysis before is destroyed, and its optimisation with it.
    fn prepare(&mut self) -> Result<()> {
        self.forget();
        Ok(())
    }
    fn analyse(&mut self) -> Result<()> {
        let (api, a, n) = (&self.mkl.api, self.system.matrix, self.system.matrix.n as i32);
        let ptr = a.ptr.ptr();
        // SAFETY: the arrays are a matrix in CSR in host memory, which outlives MKL's; ends of rows are the offsets after the
        // first.
        unsafe {
            let ends = ptr.cast::<i32>().add(1).cast();
            check(
                (api.create)(&mut self.matrix, 0, n, n, ptr, ends, a.col.ptr(), a.val.ptr()),
                "create_csr",
            )?;
            check((api.hint)(self.matrix, self.operation(), self.descr(), EXPECTED_SOLVES), "set_sv_hint")?;
            check((api.optimize)(self.matrix), "optimize")
        }
    }
    fn solve(&mut self) -> Result<()> {
        let (f, x) = (self.system.f.ptr(), self.system.x.ptr());
        // With several threads and unknowns solved from the last to the first, MKL 2026.2 passes on a NaN that it finds in x.
        // SAFETY: x has n values in host memory.
        unsafe {
            if self.system.matrix.n > 0 && x.cast::<f64>().read().is_nan() {
                std::ptr::write_bytes(x.cast::<f64>(), 0, self.system.matrix.n);
            }
        }
        // SAFETY: the matrix is live; f and x have n values in host memory.
        let status = unsafe { (self.mkl.api.trsv)(self.operation(), 1.0, self.matrix, self.descr(), f, x) };
        check(status, "d_trsv")
    }
    fn rest(&self) -> Duration {
        BUSY
    }
}

impl Drop for MklSolver<'_, '_> {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{right_hand_side, Csr};
    use crate::system::check::{backward_error, Question, TOLERANCE};
    use crate::system::executor::Executor;
    use crate::system::{download, upload, DeviceMatrix};

    /// Both triangles of a band, one after the other.
    fn triangle(fill: Fill) -> Csr {
        let n = 60;
        let mut a = Csr::from_rows(n, |row, out| {
            let (first, last) = match fill {
                Fill::Lower => (row.saturating_sub(3), row),
                Fill::Upper => (row, (row + 3).min(n - 1)),
            };
            out.extend(first as i32..=last as i32)
        })
        .unwrap();
        a.assign_values();
        a
    }

    #[test]
    fn the_loop_solves_every_system() {
        for (fill, op) in
            [Fill::Lower, Fill::Upper].into_iter().flat_map(|fill| [(fill, Op::N), (fill, Op::T)])
        {
            let a = triangle(fill);
            let matrix = DeviceMatrix::upload(&Executor::Host, &a, Type::D).unwrap();
            let rhs = right_hand_side(a.n);
            let f = upload(&Executor::Host, Type::D, &rhs, &[]).unwrap();
            let x = Executor::Host.alloc(8 * a.n).unwrap();
            let system = System { matrix: &matrix, fill, unit: false, op, rhs: 1, f: &f, x: &x };
            let mut solver = Loop::new(system).unwrap();
            solver.analyse().and_then(|()| solver.solve()).unwrap();
            let (solution, _) = download(&x, Type::D, a.n).unwrap();
            let question = Question { matrix: &a, fill, op, ty: Type::D };
            assert!(backward_error(&question, (&rhs, &[]), (&solution, &[])) <= TOLERANCE);
            // The other triangle is not what is stored.
            let other = if fill == Fill::Lower { Fill::Upper } else { Fill::Lower };
            assert!(Loop::new(System { fill: other, ..system }).is_err());
            assert!(Loop::new(System { rhs: 2, ..system }).is_err());
        }
    }

    #[test]
    fn what_is_no_mkl_is_refused() {
        let file = std::env::current_exe().unwrap();
        assert!(Mkl::load(&file, 1).is_err());
        assert!(in_folder(file.parent().unwrap()).is_none());
    }
}
