//! Everything that can be measured, behind one trait: our algorithms and the peers.

use serde::{Deserialize, Serialize};

use crate::bench::Args;
use crate::dynamic::cusparse_candidates;
use crate::gpu::Executor;
use crate::library::{algorithm_name, Library, Solver};
use crate::peers::{Csrsv2, Csrsv2Api, Cusparse, Generic, GenericApi};
use crate::system::System;
use crate::Result;

/// What can be measured: our algorithms and the peers.
pub trait Contender {
    /// What must be done before an analysis but is not part of it.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }
    fn analyse(&mut self) -> Result<()>;
    /// Whether values are handed over to it, by `update`, between an analysis and the first solve.
    fn wants_values(&self) -> bool {
        false
    }
    fn update(&mut self) -> Result<()> {
        Ok(())
    }
    fn solve(&mut self) -> Result<()>;
    /// What the solver says of itself after analysis.
    fn facts(&self) -> Result<Facts> {
        Ok(Facts::default())
    }
}

/// What the paper calls the parts of an analysis.
pub const PARTS: [&str; 5] = ["MAT_D2H", "TRANS", "DEP", "LEV", "LEV_H2D"];

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The algorithm in use.
    pub algorithm: Option<String>,
    pub predicted_ms: Option<f64>,
    pub bytes_held: Option<i64>,
    pub levels: Option<i64>,
    /// The parts of the analysis, in milliseconds, as `PARTS` names them.
    pub parts_ms: Option<[f64; 5]>,
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

pub const SPSV: &str = "SpSV";
pub const SPSM: &str = "SpSM";

/// The peers that could be loaded.
pub struct Peers {
    /// SpSV, and SpSM.
    pub spsv: Option<Cusparse<GenericApi>>,
    pub csrsv2: Option<Cusparse<Csrsv2Api>>,
}

impl Peers {
    /// A peer that was asked for by path must load; SpSV is otherwise left out with a word about why.
    pub fn load(executor: &Executor, args: &Args, letter: &str) -> Result<Peers> {
        let mut peers = Peers { spsv: None, csrsv2: None };
        if args.no_peers || executor.is_host() {
            return Ok(peers);
        }
        let candidates = args.cusparse.clone().map_or_else(cusparse_candidates, |path| vec![path]);
        match Cusparse::load(executor, &candidates, letter) {
            Ok(spsv) => peers.spsv = Some(spsv),
            Err(e) if args.cusparse.is_some() => return Err(e),
            Err(e) => eprintln!("sptrsv: SpSV is left out: {e}"),
        }
        if let Some(path) = &args.csrsv2 {
            peers.csrsv2 = Some(Cusparse::load(executor, std::slice::from_ref(path), letter)?);
        }
        Ok(peers)
    }

    /// Those that solve for so many right-hand sides.
    pub fn present(&self, rhs: usize) -> Vec<Who> {
        let generic = self.spsv.as_ref().map(|_| if rhs > 1 { Who::Spsm } else { Who::Spsv });
        let csrsv2 = self.csrsv2.as_ref().filter(|_| rhs == 1).map(|_| Who::Csrsv2);
        generic.into_iter().chain(csrsv2).collect()
    }
}

/// One that can be entered.
#[derive(Clone, Copy)]
pub enum Who {
    Spsv,
    Spsm,
    Csrsv2,
    /// An algorithm of the library and where its analysis is done, by their numbers, and whether its solves may read a copy of
    /// the values.
    Ours {
        algorithm: i32,
        setup: i32,
        copies: bool,
    },
}

impl Who {
    /// An algorithm of the library that reads values where they are.
    pub fn ours(algorithm: i32, setup: i32) -> Who {
        Who::Ours { algorithm, setup, copies: false }
    }

    pub fn name(self) -> String {
        match self {
            Who::Spsv => SPSV.into(),
            Who::Spsm => SPSM.into(),
            Who::Csrsv2 => "csrsv2".into(),
            Who::Ours { algorithm, .. } => algorithm_name(algorithm),
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
            Who::Spsv | Who::Spsm => Box::new(Generic::new(peers.spsv.as_ref().ok_or_else(absent)?, system)?),
            Who::Csrsv2 => Box::new(Csrsv2::new(peers.csrsv2.as_ref().ok_or_else(absent)?, system)?),
            Who::Ours { algorithm, setup, copies } => {
                let mut solver = Solver::new(library, system, algorithm, setup)?;
                if copies {
                    solver.copy_values()?;
                }
                Box::new(solver)
            }
        })
    }
}
