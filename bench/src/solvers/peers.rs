//! Everything that can be measured, by name: our algorithms and the peers.

use std::path::PathBuf;

use super::contender::Contender;
use super::cusparse::{Csrsv2, Csrsv2Api, Cusparse, Generic, GenericApi};
use super::find::cusparse_candidates;
use super::library::{algorithm_name, Library, Solver};
use crate::base::Result;
use crate::system::executor::Executor;
use crate::system::System;

// A doc comment would become the help of the command.
#[derive(clap::Args)]
pub struct Wanted {
    /// Path of a libcusparse with SpSV and SpSM (default: the one of the CUDA toolkit or of a Python package)
    #[arg(long)]
    pub cusparse: Option<PathBuf>,
    /// Path of a libcusparse.so.11, to measure csrsv2 too
    #[arg(long)]
    pub csrsv2: Option<PathBuf>,
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
    pub fn load(executor: &Executor, wanted: &Wanted, letter: &str) -> Result<Peers> {
        let mut peers = Peers { spsv: None, csrsv2: None };
        if wanted.no_peers || executor.is_host() {
            return Ok(peers);
        }
        let candidates = wanted.cusparse.clone().map_or_else(cusparse_candidates, |path| vec![path]);
        match Cusparse::load(executor, &candidates, letter) {
            Ok(spsv) => peers.spsv = Some(spsv),
            Err(e) if wanted.cusparse.is_some() => return Err(e),
            Err(e) => eprintln!("sptrsv: SpSV is left out: {e}"),
        }
        if let Some(path) = &wanted.csrsv2 {
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
