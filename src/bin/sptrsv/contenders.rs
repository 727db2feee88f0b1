//! Everything that can be measured, behind one trait: our algorithms and the peers.

use serde::{Deserialize, Serialize};

use crate::bench::Args;
use crate::gpu::Executor;
use crate::library::{algorithm_name, Library, Solver};
use crate::peers::{Csrsv2, Csrsv2Solver, Spsv, SpsvSolver};
use crate::system::System;
use crate::Result;

/// What can be measured: our algorithms and the peers.
pub trait Contender {
    /// What must be done before an analysis but is not part of it.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }
    fn analyse(&mut self) -> Result<()>;
    fn solve(&mut self) -> Result<()>;
    /// What the solver says of itself after analysis.
    fn facts(&self) -> Result<Facts> {
        Ok(Facts::default())
    }
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The algorithm in use.
    pub algorithm: Option<String>,
    pub predicted_ms: Option<f64>,
    pub bytes_held: Option<i64>,
    pub levels: Option<i64>,
    /// The parts of the analysis, in milliseconds: MAT_D2H, TRANS, DEP, LEV, LEV_H2D.
    pub parts_ms: Option<[f64; 5]>,
}

impl Contender for Solver<'_, '_> {
    fn analyse(&mut self) -> Result<()> {
        Solver::analyse(self)
    }
    fn solve(&mut self) -> Result<()> {
        Solver::solve(self)
    }
    fn facts(&self) -> Result<Facts> {
        let s = self.stats()?;
        Ok(Facts {
            algorithm: Some(algorithm_name(s.algorithm)),
            predicted_ms: Some(s.predicted_ms).filter(|&p| p > 0.0),
            bytes_held: Some(s.bytes_held),
            levels: Some(s.levels).filter(|&l| l > 0),
            parts_ms: Some([s.mat_d2h_ms, s.trans_ms, s.dep_ms, s.lev_ms, s.lev_h2d_ms]),
        })
    }
}

impl Contender for SpsvSolver<'_, '_> {
    fn prepare(&mut self) -> Result<()> {
        SpsvSolver::prepare(self)
    }
    fn analyse(&mut self) -> Result<()> {
        SpsvSolver::analyse(self)
    }
    fn solve(&mut self) -> Result<()> {
        SpsvSolver::solve(self)
    }
}

impl Contender for Csrsv2Solver<'_, '_> {
    fn prepare(&mut self) -> Result<()> {
        Csrsv2Solver::prepare(self)
    }
    fn analyse(&mut self) -> Result<()> {
        Csrsv2Solver::analyse(self)
    }
    fn solve(&mut self) -> Result<()> {
        Csrsv2Solver::solve(self)
    }
}

/// The peers that could be loaded.
pub struct Peers {
    pub spsv: Option<Spsv>,
    pub csrsv2: Option<Csrsv2>,
}

impl Peers {
    /// A peer that was asked for by path must load; SpSV is otherwise left out with a word about why.
    pub fn load(executor: &Executor, args: &Args, letter: &str) -> Result<Peers> {
        let mut peers = Peers { spsv: None, csrsv2: None };
        if args.no_peers || executor.is_host() {
            return Ok(peers);
        }
        match Spsv::load(executor, args.cusparse.as_deref()) {
            Ok(spsv) => peers.spsv = Some(spsv),
            Err(e) if args.cusparse.is_some() => return Err(e),
            Err(e) => eprintln!("sptrsv: SpSV is left out: {e}"),
        }
        if let Some(path) = &args.csrsv2 {
            peers.csrsv2 = Some(Csrsv2::load(executor, path, letter)?);
        }
        Ok(peers)
    }

    pub fn present(&self) -> Vec<Who> {
        let spsv = self.spsv.as_ref().map(|_| Who::Spsv);
        spsv.into_iter().chain(self.csrsv2.as_ref().map(|_| Who::Csrsv2)).collect()
    }
}

/// One that can be entered.
#[derive(Clone, Copy)]
pub enum Who {
    Spsv,
    Csrsv2,
    /// An algorithm of the library, and where its analysis is done, by their numbers.
    Ours(i32, i32),
}

impl Who {
    pub fn name(self) -> String {
        match self {
            Who::Spsv => "SpSV".into(),
            Who::Csrsv2 => "csrsv2".into(),
            Who::Ours(algorithm, _) => algorithm_name(algorithm),
        }
    }

    pub fn enter<'s>(
        self,
        library: &'s Library<'s>,
        peers: &'s Peers,
        system: System<'s, 's>,
    ) -> Result<Box<dyn Contender + 's>> {
        let absent = || format!("{} is not loaded", self.name());
        Ok(match self {
            Who::Spsv => Box::new(SpsvSolver::new(peers.spsv.as_ref().ok_or_else(absent)?, system)?),
            Who::Csrsv2 => Box::new(Csrsv2Solver::new(peers.csrsv2.as_ref().ok_or_else(absent)?, system)?),
            Who::Ours(algorithm, setup) => Box::new(Solver::new(library, system, algorithm, setup)?),
        })
    }
}
