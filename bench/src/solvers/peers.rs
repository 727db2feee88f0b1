//! Everything that can be measured, by name: our algorithms and the peers.

use std::path::{Path, PathBuf};

use super::contender::Contender;
use super::cusparse::{Csrsv2, Csrsv2Api, Cusparse, Generic, GenericApi};
use super::find::newest_cusparse;
use super::host_peers::{Loop, Mkl, MklSolver, LOOP, MKL, ONE_THREAD};
use super::library::{algorithm_name, algorithm_number, Library, Solver};
use crate::base::dynamic::Table;
use crate::base::output::note;
use crate::base::Result;
use crate::matrix::{Csr, Fill};
use crate::system::executor::{host_threads, Executor};
use crate::system::{DeviceMatrix, Op, System, Type};

/// SpSV with its default algorithm, and the beginning of the names of the others.
pub const SPSV: &str = "SpSV";
pub const SPSM: &str = "SpSM";
/// AUTO after a tuning.
pub const TUNED: &str = "AUTO tuned";

/// By the numbers of cusparseSpSVAlg_t. ALG1 and ALG2 exist from cuSPARSE 12.9 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Algorithm {
    Default,
    Alg1,
    Alg2,
}

impl Algorithm {
    fn name(self) -> &'static str {
        ["DEFAULT", "ALG1", "ALG2"][self as usize]
    }
}

/// Whether a solver is SpSV, with whatever algorithm, or SpSM.
pub fn is_generic(solver: &str) -> bool {
    solver == SPSM || solver.starts_with(SPSV)
}

/// The algorithm of such a solver.
pub fn algorithm_of(solver: &str) -> &str {
    match solver.strip_prefix(SPSV) {
        None => solver,
        Some("") => Algorithm::Default.name(),
        Some(name) => name.trim_start(),
    }
}

// A doc comment would become the help of the command.
#[derive(clap::Args)]
pub struct Wanted {
    /// Path of a libcusparse with SpSV and SpSM (default: the newest of the CUDA toolkit, LD_LIBRARY_PATH and Python's packages)
    #[arg(long)]
    pub cusparse: Option<PathBuf>,
    /// SpSV's algorithms to measure; the peer is the fastest of them on each system
    #[arg(long, value_name = "ALGORITHMS", value_enum, value_delimiter = ',', default_values = ["default", "alg1", "alg2"])]
    pub spsv: Vec<Algorithm>,
    /// Path of a libcusparse.so.11, to measure csrsv2 too
    #[arg(long)]
    pub csrsv2: Option<PathBuf>,
    /// Path of a libmkl_rt, to compare the host executor with (default: one of LD_LIBRARY_PATH, or of a Python's packages)
    #[arg(long)]
    pub mkl: Option<PathBuf>,
    /// Leave the peers out
    #[arg(long)]
    pub no_peers: bool,
}

impl Wanted {
    /// Whether a peer is asked for by its path.
    pub fn are_named(&self) -> bool {
        self.cusparse.is_some() || self.csrsv2.is_some()
    }
}

/// The peers that could be loaded.
pub struct Peers {
    /// Where SpSV is from.
    pub file: Option<PathBuf>,
    /// SpSV, and SpSM.
    pub spsv: Option<Cusparse<GenericApi>>,
    /// SpSV's algorithms that are there.
    algorithms: Vec<Algorithm>,
    pub csrsv2: Option<Cusparse<Csrsv2Api>>,
    /// On the host: the loop, AUTO on one thread where it has several otherwise, and MKL.
    has_loop: bool,
    has_one_thread: bool,
    pub mkl: Option<Mkl>,
}

impl Peers {
    /// A peer that was asked for by path must load; SpSV is otherwise left out with a word about why.
    pub fn load(executor: &Executor, wanted: &Wanted, ty: Type) -> Result<Peers> {
        let mut peers = Peers::none();
        if wanted.no_peers {
            return Ok(peers);
        }
        if executor.is_host() {
            return Peers::of_host(wanted, ty);
        }
        let found = wanted.cusparse.clone().map_or_else(newest_cusparse, Ok);
        match found.and_then(|file| peers.load_spsv(executor, &file, &wanted.spsv, ty)) {
            Err(e) if wanted.cusparse.is_some() => return Err(e),
            Err(e) => note(&format!("SpSV is left out: {e}")),
            Ok(()) => {}
        }
        if let Some(path) = &wanted.csrsv2 {
            peers.csrsv2 = Some(Cusparse::load(executor, path, ty.letter())?);
        }
        Ok(peers)
    }

    pub fn none() -> Peers {
        Peers {
            file: None,
            spsv: None,
            algorithms: Vec::new(),
            csrsv2: None,
            has_loop: false,
            has_one_thread: false,
            mkl: None,
        }
    }

    /// SpSV of a stand-in, for the host executor.
    #[cfg(test)]
    pub fn of_stand_in(file: &Path) -> Peers {
        let mut peers = Peers::none();
        peers.load_spsv(&Executor::Host, file, &[Algorithm::Default], Type::D).unwrap();
        peers
    }

    /// What there is for double precision. An MKL that was asked for by path must load.
    fn of_host(wanted: &Wanted, ty: Type) -> Result<Peers> {
        if ty != Type::D {
            return Ok(Peers::none());
        }
        let threads = host_threads();
        let found = wanted.mkl.clone().or_else(Mkl::find);
        let mkl = match found.map(|file| Mkl::load(&file, threads)).transpose() {
            Err(e) if wanted.mkl.is_some() => return Err(e),
            Err(e) => {
                note(&format!("MKL is left out: {e}"));
                None
            }
            Ok(mkl) => mkl,
        };
        Ok(Peers { has_loop: true, has_one_thread: threads > 1, mkl, ..Peers::none() })
    }

    /// The names of those that the host executor is compared with.
    pub fn host_names(&self) -> Vec<String> {
        self.present_on_host(1).map(Who::name).collect()
    }

    /// Those that solve with a triangle alone, on the host, for so many right-hand sides.
    pub fn present_on_host(&self, rhs: usize) -> impl Iterator<Item = Who> {
        let all = [
            self.has_loop.then_some(Who::Loop),
            self.has_one_thread.then_some(Who::OneThread),
            self.mkl.as_ref().map(|_| Who::Mkl),
        ];
        all.into_iter().flatten().filter(move |_| rhs == 1)
    }

    /// SpSV with those of its algorithms that the library has.
    fn load_spsv(&mut self, executor: &Executor, file: &Path, wanted: &[Algorithm], ty: Type) -> Result<()> {
        let spsv = Cusparse::load(executor, file, ty.letter())?;
        note(&format!("SpSV is that of cuSPARSE {}, {}", spsv.version, file.display()));
        for &algorithm in wanted {
            match knows(executor, &spsv, algorithm, ty) {
                Ok(()) => self.algorithms.push(algorithm),
                Err(e) => note(&format!("{} of SpSV is left out: {e}", algorithm.name())),
            }
        }
        self.spsv = Some(spsv);
        self.file = Some(file.into());
        Ok(())
    }

    /// Other functions of the cuSPARSE that SpSV is from; left out with a word about why where it does not have them.
    pub fn others<Api: Table>(&self, executor: &Executor, what: &str, ty: Type) -> Option<Cusparse<Api>> {
        let loaded = Cusparse::load(executor, self.file.as_deref()?, ty.letter());
        loaded.map_err(|e| note(&format!("{what} is left out: {e}"))).ok()
    }

    /// Those on the GPU that solve for so many right-hand sides.
    pub fn present(&self, rhs: usize) -> Vec<Who> {
        let mut present = Vec::new();
        if self.spsv.is_some() {
            match rhs {
                1 => present.extend(self.algorithms.iter().map(|&algorithm| Who::Spsv(algorithm))),
                _ => present.push(Who::Spsm),
            }
        }
        present.extend(self.csrsv2.as_ref().filter(|_| rhs == 1).map(|_| Who::Csrsv2));
        present
    }
}

/// Whether SpSV takes an algorithm, by its answer for a system of one row.
fn knows(executor: &Executor, spsv: &Cusparse<GenericApi>, algorithm: Algorithm, ty: Type) -> Result<()> {
    let one = Csr { n: 1, ptr: vec![0, 1], col: vec![0], val: vec![1.0], im: Vec::new() };
    let matrix = DeviceMatrix::upload(executor, &one, ty)?;
    let (f, x) = (executor.alloc(ty.bytes())?, executor.alloc(ty.bytes())?);
    let system = System { matrix: &matrix, fill: Fill::Lower, unit: false, op: Op::N, rhs: 1, f: &f, x: &x };
    let mut spsv = Generic::new(spsv, system, algorithm as i32)?;
    spsv.prepare()
}

/// One that can be entered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Who {
    Spsv(Algorithm),
    Spsm,
    Csrsv2,
    Loop,
    /// AUTO on one thread.
    OneThread,
    Mkl,
    /// An algorithm of the library and where its analysis is done, by their numbers, whether its solves may read a copy of
    /// the values, and whether its analysis ends with a tuning.
    Ours {
        algorithm: i32,
        setup: i32,
        copies: bool,
        tunes: bool,
    },
}

impl Who {
    /// An algorithm of the library that reads values where they are.
    pub fn ours(algorithm: i32, setup: i32) -> Who {
        Who::Ours { algorithm, setup, copies: false, tunes: false }
    }

    pub fn name(self) -> String {
        match self {
            Who::Spsv(Algorithm::Default) => SPSV.into(),
            Who::Spsv(algorithm) => format!("{SPSV} {}", algorithm.name()),
            Who::Spsm => SPSM.into(),
            Who::Csrsv2 => "csrsv2".into(),
            Who::Loop => LOOP.into(),
            Who::OneThread => ONE_THREAD.into(),
            Who::Mkl => MKL.into(),
            Who::Ours { tunes: true, .. } => TUNED.into(),
            Who::Ours { algorithm, .. } => algorithm_name(algorithm),
        }
    }

    /// `library` is on one thread where that is measured.
    pub fn enter<'s>(
        self,
        library: &'s Library<'s>,
        peers: &'s Peers,
        system: System<'s, 's>,
    ) -> Result<Box<dyn Contender + 's>> {
        let absent = || format!("{} is not loaded", self.name());
        Ok(match self {
            Who::Spsv(algorithm) => {
                Box::new(Generic::new(peers.spsv.as_ref().ok_or_else(absent)?, system, algorithm as i32)?)
            }
            Who::Spsm => Box::new(Generic::new(peers.spsv.as_ref().ok_or_else(absent)?, system, 0)?),
            Who::Csrsv2 => Box::new(Csrsv2::new(peers.csrsv2.as_ref().ok_or_else(absent)?, system)?),
            Who::Loop => Box::new(Loop::new(system)?),
            Who::OneThread => Box::new(Solver::new(library, system, algorithm_number("AUTO")?, 0)?),
            Who::Mkl => Box::new(MklSolver::new(peers.mkl.as_ref().ok_or_else(absent)?, system)?),
            Who::Ours { algorithm, setup, copies, tunes } => {
                let mut solver = Solver::new(library, system, algorithm, setup)?;
                solver.tunes = tunes;
                if copies {
                    solver.copy_values()?;
                }
                Box::new(solver)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::dynamic;
    use crate::matrix::right_hand_side;
    use crate::solvers::standin::StandIn;
    use crate::system::check::{backward_error, Question, TOLERANCE};
    use crate::system::{download, upload};

    fn load(file: &Path) -> Peers {
        let mut peers = Peers::none();
        let all = [Algorithm::Default, Algorithm::Alg1, Algorithm::Alg2];
        peers.load_spsv(&Executor::Host, file, &all, Type::D).unwrap();
        peers
    }

    fn names(peers: &Peers, rhs: usize) -> Vec<String> {
        peers.present(rhs).into_iter().map(Who::name).collect()
    }

    #[test]
    fn algorithms_that_a_cusparse_has_are_found_and_solve() {
        let stand_in = StandIn::new("peers");
        let file = stand_in.file.clone();
        let (library, _) = dynamic::open(std::slice::from_ref(&file)).unwrap();
        let set_version: unsafe extern "C" fn(i32) =
            dynamic::symbol(&library, "cusparse_standin_set_version").unwrap();

        // SAFETY: the function stores a number.
        unsafe { set_version(12603) };
        let peers = load(&file);
        assert_eq!(names(&peers, 1), ["SpSV"]);
        assert_eq!(peers.spsv.as_ref().unwrap().version, "12.6.3");

        // SAFETY: as above.
        unsafe { set_version(12904) };
        let peers = load(&file);
        assert_eq!(names(&peers, 1), ["SpSV", "SpSV ALG1", "SpSV ALG2"]);
        assert_eq!(names(&peers, 4), ["SpSM"]);
        for &algorithm in &peers.algorithms {
            solve_a_chain(peers.spsv.as_ref().unwrap(), algorithm);
        }
    }

    fn solve_a_chain(spsv: &Cusparse<GenericApi>, algorithm: Algorithm) {
        let mut a =
            Csr::from_rows(50, |row, out| out.extend(row.saturating_sub(1) as i32..=row as i32)).unwrap();
        a.assign_values();
        let matrix = DeviceMatrix::upload(&Executor::Host, &a, Type::D).unwrap();
        let rhs = right_hand_side(a.n);
        let f = upload(&Executor::Host, Type::D, &rhs, &[]).unwrap();
        let x = Executor::Host.alloc(8 * a.n).unwrap();
        let system =
            System { matrix: &matrix, fill: Fill::Lower, unit: false, op: Op::N, rhs: 1, f: &f, x: &x };
        let mut solver = Generic::new(spsv, system, algorithm as i32).unwrap();
        solver.prepare().and_then(|()| solver.analyse()).and_then(|()| solver.solve()).unwrap();
        let (solution, _) = download(&x, Type::D, a.n).unwrap();
        let question = Question { matrix: &a, fill: Fill::Lower, op: Op::N, ty: Type::D };
        assert!(backward_error(&question, (&rhs, &[]), (&solution, &[])) <= TOLERANCE);
    }

    #[test]
    fn algorithms_are_known_by_the_names_of_solvers() {
        for (solver, algorithm) in [("SpSV", "DEFAULT"), ("SpSV ALG2", "ALG2"), ("SpSM", "SpSM")] {
            assert!(is_generic(solver));
            assert_eq!(algorithm_of(solver), algorithm);
        }
        assert!(!is_generic("csrsv2") && !is_generic("AUTO"));
    }
}
