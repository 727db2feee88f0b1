//! One experiment: all solvers on one matrix.

use super::results::{Experiment, GpuSetup, PAPER_SOLVERS};
use super::tasks::Task;
use crate::base::Result;
use crate::bench::args::Args;
use crate::matrix::{right_hand_side, Csr, Fill};
use crate::measure::limit::{limit, Size};
use crate::measure::statistics::median;
use crate::measure::timing::{analysis_parts, later, measure, time_analyses, Effort, Step, Timing};
use crate::mtx;
use crate::solvers::library::{algorithm_number, Library};
use crate::solvers::peers::{Peers, Who};
use crate::suites::values::{self, Origin};
use crate::system::check::{backward_error, Question};
use crate::system::{self, DeviceMatrix, Op, System, Type};

/// Numbers of sptrsvAnalysisMode_t.
const SETUP_CPU: i32 = 1;
const SETUP_GPU: i32 = 2;
const SETUP_GPU_KAHN: i32 = 3;

/// What all experiments of one value type have in common.
pub struct Run<'r> {
    pub args: &'r Args,
    pub library: &'r Library<'r>,
    pub peers: &'r Peers,
    pub ours: &'r [i32],
}

impl Run<'_> {
    pub fn experiment(&self, task: &Task) -> Experiment {
        let file = match task.group {
            "general" => self.args.selection.file_of(&task.entry.name),
            _ => None,
        };
        let head = Experiment {
            name: task.entry.name.clone(),
            group: task.group.into(),
            ratio: task.ratio,
            value_type: task.ty.letter().into(),
            stand_in: task.group == "general" && file.is_none(),
            ..Experiment::default()
        };
        let matrix = match &file {
            Some(path) if !self.args.selection.generated_values => {
                let both: &[(Fill, Op)] = &[(Fill::Lower, Op::N), (Fill::Upper, Op::N)];
                let across: &[(Fill, Op)] = &[(Fill::Lower, Op::T)];
                mtx::read_matrix(path).map(|m| values::of_file(m, false, &[task.ty], &[both, across]))
            }
            other => {
                let pattern = match other {
                    Some(path) => mtx::read_matrix(path).map(|m| m.matrix.with_whole_diagonal()),
                    None => task.entry.whole(),
                };
                pattern.map(|mut a| {
                    values::generate(&mut a, false);
                    (a, Origin::Generated)
                })
            }
        };
        matrix
            .and_then(|(a, values)| self.measure(task, Experiment { values, ..head.clone() }, a))
            .unwrap_or_else(|error| Experiment { error: Some(error), ..head })
    }

    fn measure(&self, task: &Task, mut e: Experiment, mut a: Csr) -> Result<Experiment> {
        let (ty, executor) = (task.ty, self.library.executor);
        ty.round(&mut a.val);
        let mut rhs = right_hand_side(a.n);
        ty.round(&mut rhs);
        e.n = a.n;
        e.nnz = a.nnz();
        e.levels_lower = a.levels(Fill::Lower).count();
        e.levels_upper = a.levels(Fill::Upper).count();
        let lower = Size { n: e.n, nnz: a.count(Fill::Lower), levels: e.levels_lower };
        e.limit_ms = limit(executor, lower, ty, 1, None).map(|limit| limit.ms);

        let matrix = DeviceMatrix::upload(executor, &a, ty)?;
        let f = system::upload(executor, ty, &rhs, &[])?;
        let middle = executor.alloc(a.n * ty.bytes())?;
        let x = executor.alloc(a.n * ty.bytes())?;
        let lower =
            System { matrix: &matrix, fill: Fill::Lower, unit: false, op: Op::N, rhs: 1, f: &f, x: &middle };
        let upper =
            System { matrix: &matrix, fill: Fill::Upper, unit: false, op: Op::N, rhs: 1, f: &middle, x: &x };
        let one = OneMatrix { run: self, a: &a, ty };
        let both = [lower, upper];

        let ours = self.ours.iter().map(|&number| {
            let by_paper = PAPER_SOLVERS.contains(&Who::ours(number, 0).name().as_str());
            Who::ours(number, if by_paper { SETUP_CPU } else { 0 })
        });
        for who in self.peers.present(1).into_iter().chain(ours) {
            e.timings.push(one.time(who, &both, self.effort()));
        }
        // Of setups, transposed solves and so on, the report is in double precision.
        if ty != Type::D {
            return Ok(e);
        }
        if !executor.is_host() {
            self.set_up_on_gpu(&one, &both, &mut e)?;
        }
        let auto = Who::ours(0, 0);
        e.plain = Some(one.time(auto, &[lower], self.effort()));
        e.transposed = Some(one.time(auto, &[System { op: Op::T, ..lower }], self.effort()));
        if matches!(task.entry.name.as_str(), "5pt-1024x1024" | "27pt-128x128x128" | "af_shell8") {
            e.multi.extend([1, 2, 4, 8, 16, 32, 64].map(|rhs| (rhs, one.several(lower, rhs))));
        }
        Ok(e)
    }

    /// Times the analyses of the paper's solvers on the GPU.
    fn set_up_on_gpu(&self, one: &OneMatrix, both: &[System; 2], e: &mut Experiment) -> Result<()> {
        for name in PAPER_SOLVERS {
            let number = algorithm_number(name)?;
            if self.ours.contains(&number) {
                e.gpu_setups.push((name.into(), one.set_up(Who::ours(number, SETUP_GPU), both)));
                if name == "LEVR" {
                    e.kahn_setup = Some(one.set_up(Who::ours(number, SETUP_GPU_KAHN), both));
                }
            }
        }
        Ok(())
    }

    fn effort(&self) -> Effort {
        Effort {
            solves: self.args.reps,
            least_solves: 3,
            in_a_row: 1,
            compares_each: false,
            analyses: 6,
            budget_ms: self.args.effort * 1e3,
        }
    }
}

/// One matrix in one type.
struct OneMatrix<'m> {
    run: &'m Run<'m>,
    a: &'m Csr,
    ty: Type,
}

impl OneMatrix<'_> {
    /// A solver, entered for each of the systems.
    fn steps<'s>(&'s self, who: Who, systems: &[System<'s, 's>]) -> Result<Vec<Step<'s>>> {
        let step = |&system: &System<'s, 's>| {
            let contender = who.enter(self.run.library, self.run.peers, system)?;
            Ok(Step { contender, x: system.x, check: Box::new(move || self.error_of(system)) })
        };
        systems.iter().map(step).collect()
    }

    /// The backward error of a solve, from what its vectors hold on the device.
    fn error_of(&self, s: System) -> Result<f64> {
        let (f, _) = system::download(s.f, self.ty, self.a.n * s.rhs)?;
        let (x, _) = system::download(s.x, self.ty, self.a.n * s.rhs)?;
        let question = Question { matrix: self.a, fill: s.fill, op: s.op, ty: self.ty };
        Ok(backward_error(&question, (&f, &[]), (&x, &[])))
    }

    /// The times of the systems, solved one after the other.
    fn time<'s>(&'s self, who: Who, systems: &[System<'s, 's>], effort: Effort) -> Timing {
        match self.steps(who, systems) {
            Ok(steps) => measure(self.run.library.executor, &who.name(), steps, effort),
            Err(error) => Timing::failed(&who.name(), error),
        }
    }

    /// The times of the analyses alone.
    fn set_up<'s>(&'s self, who: Who, systems: &[System<'s, 's>]) -> Result<GpuSetup> {
        let mut steps = self.steps(who, systems)?;
        let times = time_analyses(self.run.library.executor, &mut steps, self.run.effort())?;
        let parts = analysis_parts(&steps)?.ok_or("the library does not say what its analysis spent")?;
        Ok(GpuSetup { total: median(later(&times)), parts })
    }

    /// Milliseconds for so many right-hand sides together, by AUTO.
    fn several(&self, one: System, rhs: usize) -> Result<f64> {
        let executor = self.run.library.executor;
        let f = system::upload(executor, self.ty, &right_hand_side(self.a.n * rhs), &[])?;
        let x = executor.alloc(self.a.n * rhs * self.ty.bytes())?;
        let effort = Effort { solves: 20, analyses: 1, ..self.run.effort() };
        let timing = self.time(Who::ours(0, 0), &[System { rhs, f: &f, x: &x, ..one }], effort);
        timing.error.map_or(Ok(timing.solve_median_ms), Err)
    }
}
