//! What every run begins with: cases, files, the library and its peers, and what an earlier run has measured.

use super::args::Args;
use super::outputs::Outputs;
use super::results::{earlier, Results};
use crate::base::date::today;
use crate::base::Result;
use crate::solvers::library::Library;
use crate::solvers::peers::Peers;
use crate::suites::cases::{cases, Case};
use crate::system::executor::Executor;
use crate::system::Type;

/// A run that has measured nothing yet.
pub struct Start<'e> {
    pub cases: Vec<Case>,
    pub outputs: Outputs,
    pub library: Library<'e>,
    /// The host executor on one thread, where it has peers.
    pub one_thread: Option<Library<'e>>,
    /// For each value type.
    pub peers: Vec<Peers>,
}

impl<'e> Start<'e> {
    /// `beside_host`: whether the host executor has peers too.
    pub fn new(args: &Args, executor: &'e Executor, types: &[Type], beside_host: bool) -> Result<Start<'e>> {
        let cases = cases(&args.selection, types, executor.is_host())?;
        let outputs = Outputs::of(args);
        outputs.must_not_be(cases.iter().filter_map(Case::file))?;
        let library = Library::open(executor)?;
        if let Some(seconds) = args.timeout {
            library.set_timeout(seconds)?;
        }
        let is_beside = beside_host && executor.is_host();
        // Before MKL has threads.
        let one_thread = is_beside.then(|| Library::open_on_one_thread(executor)).transpose()?;
        let load = |ty: &Type| match executor.is_host() && !is_beside {
            true => Ok(Peers::none()),
            false => Peers::load(executor, &args.peers, *ty),
        };
        let peers = types.iter().map(load).collect::<Result<Vec<_>>>()?;
        Ok(Start { cases, outputs, library, one_thread, peers })
    }

    /// The head of the results, where `system` says what is measured; with --resume what an earlier run has measured.
    pub fn results(&self, args: &Args, system: String) -> Result<Results> {
        let mut results = Results {
            machine: self.library.executor.description(),
            library: self.library.version()?,
            spsv: self.peers[0].spsv.as_ref().map(|p| p.version.clone()),
            csrsv2: self.peers[0].csrsv2.as_ref().map(|p| p.version.clone()),
            host_peers: Vec::new(),
            mkl: None,
            date: today(),
            system,
            matrices: Vec::new(),
        };
        // Not for every value type.
        if let Some(peers) = self.peers.iter().find(|peers| !peers.host_names().is_empty()) {
            results.host_peers = peers.host_names();
            results.mkl = peers.mkl.as_ref().map(|mkl| mkl.version.clone());
        }
        if args.resume {
            results.matrices = earlier(self.outputs.json.as_deref(), &results, args.keep_failures)?;
        }
        Ok(results)
    }

    /// The cases without results of all solvers on all of their systems, and without one that there was nothing to be had of them.
    pub fn pending(
        &mut self,
        results: &Results,
        systems: &[(Type, &str, usize)],
        solvers: &[String],
    ) -> Vec<Case> {
        let has = |case: &Case, (ty, op, rhs): (Type, &str, usize)| {
            results.matrices.iter().any(|m| {
                let of_all = || solvers.iter().all(|s| m.timings.iter().any(|t| t.solver == *s));
                let is_same = || m.value_type == ty.letter() && m.op == op && m.rhs == rhs && of_all();
                m.name == case.name() && (m.error.is_some() || is_same())
            })
        };
        let is_done = |case: &Case| systems.iter().all(|&system| has(case, system));
        std::mem::take(&mut self.cases).into_iter().filter(|case| !is_done(case)).collect()
    }
}
