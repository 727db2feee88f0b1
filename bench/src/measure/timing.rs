//! Measures one solver: analysis, correctness, then the time of a solve.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::statistics::median;
use crate::base::Result;
use crate::solvers::contender::{Contender, Facts};
use crate::solvers::peers::is_generic;
use crate::system::check;
use crate::system::executor::{Buffer, Executor, BATCH};

/// How much to measure.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Solves to time, at most.
    pub solves: usize,
    /// Solves to time, at least.
    pub least_solves: usize,
    /// Of these, so many are timed together, one right behind the other.
    pub in_a_row: usize,
    /// Whether the solution of every solve is compared with the first one's, to the bit, or only that of one more at the end.
    pub compares_each: bool,
    /// Analyses to time, the first one included.
    pub analyses: usize,
    /// Milliseconds to spend on the solves and again on the analyses, once the least is done.
    pub budget_ms: f64,
}

/// The times of one solver on one system; `error` says why there are none.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Timing {
    pub solver: String,
    pub facts: Facts,
    pub analysis_first_ms: f64,
    /// Median of the analyses after the first (of the first, where there is only one).
    pub analysis_ms: f64,
    /// Of handing the values over, where that is done.
    #[serde(default)]
    pub update_ms: Option<f64>,
    pub solve_median_ms: f64,
    pub solve_mean_ms: f64,
    pub solve_least_ms: f64,
    pub solves: usize,
    /// In units of (entries in the row) x epsilon.
    pub backward_error: f64,
    /// Whether all solutions that were compared were the same to the bit.
    pub same_bits: bool,
    pub error: Option<String>,
    /// Of a program of several phases, whose times together are the time of a solve.
    #[serde(default)]
    pub phases: Option<Phases>,
}

/// Conjugate gradients with a factorisation: the analysis is told by `Timing`.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Phases {
    pub factorisation_ms: f64,
    pub iterations: usize,
    pub iterations_ms: f64,
    /// Of the solution, relative to the right-hand side.
    pub residual: f64,
}

impl Timing {
    pub fn failed(solver: &str, error: String) -> Timing {
        Timing { solver: solver.into(), error: Some(error), ..Timing::default() }
    }
    pub fn is_good(&self) -> bool {
        self.error.is_none()
    }
}

/// The peer: the fastest of cuSPARSE's SpSV algorithms, or SpSM.
pub fn peer(timings: &[Timing]) -> Option<&Timing> {
    let peers = timings.iter().filter(|t| is_generic(&t.solver) && t.is_good());
    peers.min_by(|a, b| a.solve_median_ms.total_cmp(&b.solve_median_ms))
}

/// One solve of a sequence and where its solution goes.
pub struct Step<'s> {
    pub contender: Box<dyn Contender + 's>,
    pub x: &'s Buffer<'s>,
    /// The backward error of what is in x.
    pub check: Box<dyn Fn() -> Result<f64> + 's>,
}

/// Measures a sequence of solves as one (a single solve, or a lower one and then an upper one). The facts
/// are the first one's except the parts of the analysis; times are sums, the backward error is the largest.
pub fn measure(executor: &Executor, solver: &str, steps: Vec<Step>, effort: Effort) -> Timing {
    measure_in_turns(executor, vec![(solver.into(), Ok(steps))], effort).remove(0)
}

/// The same of several solvers, whose solves take turns: what slows the machine down for a while slows all of them down.
pub fn measure_in_turns(
    executor: &Executor,
    solvers: Vec<(String, Result<Vec<Step>>)>,
    effort: Effort,
) -> Vec<Timing> {
    let turns = if solvers.len() > 1 { TURNS } else { 1 };
    let begin = |steps| Measurement::begin(executor, steps, effort);
    let mut all: Vec<_> =
        solvers.into_iter().map(|(solver, steps)| (solver, steps.and_then(begin))).collect();
    for _ in 0..turns {
        for (_, one) in &mut all {
            let failed = one.as_mut().ok().and_then(|one| one.take_turn(executor, turns).err());
            if let Some(e) = failed {
                *one = Err(e);
            }
        }
    }
    let end = |(solver, one): (String, Result<Measurement>)| {
        let timing = one.and_then(|one| one.end(executor, &solver));
        timing.unwrap_or_else(|e| Timing::failed(&solver, e))
    };
    all.into_iter().map(end).collect()
}

/// In how many turns the solves of several solvers are done.
const TURNS: usize = 8;

/// One solver between its first solve and its last one.
struct Measurement<'s> {
    steps: Vec<Step<'s>>,
    effort: Effort,
    facts: Facts,
    analyses: Vec<f64>,
    update_ms: Option<f64>,
    backward_error: f64,
    /// Of the first solution, and whether all that were compared had it.
    fingerprint: u64,
    same_bits: bool,
    /// How many times there are to be, and those that there are.
    count: usize,
    times: Vec<f64>,
}

impl<'s> Measurement<'s> {
    /// Analyses, checks the first solution, and finds out how many solves can be afforded.
    fn begin(executor: &Executor, mut steps: Vec<Step<'s>>, effort: Effort) -> Result<Self> {
        let analyses = time_analyses(executor, &mut steps, effort)?;
        let facts = Facts { parts_ms: analysis_parts(&steps)?, ..steps[0].contender.facts()? };

        let update_ms = time_updates(executor, &mut steps)?;
        solve_into_fresh(executor, &mut steps)?;
        let backward_error = largest_error(&steps)?;
        if backward_error > check::TOLERANCE {
            return Err(format!(
                "the solution is wrong: its backward error is {backward_error:.3e} row x eps"
            ));
        }
        let fingerprint = bits(&steps)?;

        // Two to warm up; the second one's time says how many can be afforded.
        let one = time_solves(executor, &mut steps, 2, 1)?[1].max(1e-3);
        let solves =
            ((effort.budget_ms / one) as usize).max(effort.least_solves).clamp(1, effort.solves.max(1));
        let count = solves.div_ceil(effort.in_a_row);
        let times = Vec::with_capacity(count);
        rest(&steps);
        Ok(Measurement {
            steps,
            effort,
            facts,
            analyses,
            update_ms,
            backward_error,
            fingerprint,
            same_bits: true,
            count,
            times,
        })
    }

    /// Solves for one of so many turns.
    fn take_turn(&mut self, executor: &Executor, turns: usize) -> Result<()> {
        let in_a_row = self.effort.in_a_row;
        let stop = self.count.min(self.times.len() + self.count.div_ceil(turns));
        while self.times.len() < stop {
            if self.effort.compares_each {
                make_fresh(&mut self.steps)?;
                self.times.extend(time_solves(executor, &mut self.steps, 1, in_a_row)?);
                self.same_bits &= has_bits(&self.steps, self.fingerprint)?;
            } else {
                let left = stop - self.times.len();
                self.times.extend(time_solves(executor, &mut self.steps, left.min(BATCH), in_a_row)?);
            }
        }
        rest(&self.steps);
        Ok(())
    }

    /// Compares a solution at the end with the first one.
    fn end(mut self, executor: &Executor, solver: &str) -> Result<Timing> {
        // So that what is looked at is of a solve at the end, and of none before.
        solve_into_fresh(executor, &mut self.steps)?;
        self.same_bits &= has_bits(&self.steps, self.fingerprint)?;
        rest(&self.steps);
        let times = self.times;
        Ok(Timing {
            solver: solver.into(),
            facts: self.facts,
            analysis_first_ms: self.analyses[0],
            analysis_ms: median(later(&self.analyses)),
            update_ms: self.update_ms,
            solve_median_ms: median(&times),
            solve_mean_ms: times.iter().sum::<f64>() / times.len() as f64,
            solve_least_ms: times.iter().copied().fold(f64::INFINITY, f64::min),
            solves: times.len() * self.effort.in_a_row,
            backward_error: self.backward_error,
            same_bits: self.same_bits,
            error: None,
            phases: None,
        })
    }
}

/// Waits until the threads of a solver sleep, before another one is measured.
fn rest(steps: &[Step]) {
    std::thread::sleep(steps.iter().map(|step| step.contender.rest()).max().unwrap_or_default());
}

/// Hands values over to who wants them; the median of some times that this took, in milliseconds.
fn time_updates(executor: &Executor, steps: &mut [Step]) -> Result<Option<f64>> {
    const UPDATES: usize = 5;
    if !steps.iter().any(|step| step.contender.wants_values()) {
        return Ok(None);
    }
    let times = executor.time(UPDATES, || steps.iter_mut().try_for_each(|step| step.contender.update()))?;
    Ok(Some(median(later(&times))))
}

/// Solves once, where nothing was solved for before.
fn solve_into_fresh(executor: &Executor, steps: &mut [Step]) -> Result<()> {
    make_fresh(steps)?;
    time_solves(executor, steps, 1, 1).map(drop)
}

/// Leaves no solution where one is to be, but what is worked on in place.
fn make_fresh(steps: &mut [Step]) -> Result<()> {
    steps.iter().try_for_each(|step| step.x.poison())?;
    restore(steps)
}

fn restore(steps: &mut [Step]) -> Result<()> {
    steps.iter_mut().try_for_each(|step| step.contender.restore())
}

/// Times of a solve of the sequence, in milliseconds, each from so many in a row.
fn time_solves(executor: &Executor, steps: &mut [Step], count: usize, in_a_row: usize) -> Result<Vec<f64>> {
    let solve = |steps: &mut [Step]| steps.iter_mut().try_for_each(|step| step.contender.solve());
    if steps.iter().any(|step| step.contender.restores_each()) {
        return executor.time_prepared(count, steps, restore, solve);
    }
    let times = executor.time(count, || (0..in_a_row).try_for_each(|_| solve(steps)))?;
    Ok(times.into_iter().map(|ms| ms / in_a_row as f64).collect())
}

/// Times of the analyses of a sequence, in milliseconds, the first one first.
pub fn time_analyses(executor: &Executor, steps: &mut [Step], effort: Effort) -> Result<Vec<f64>> {
    let mut times: Vec<f64> = Vec::new();
    // The first pays for what happens once, so it does not use the budget up.
    let spent = |times: &[f64]| times.iter().skip(1).sum::<f64>();
    while times.is_empty() || (times.len() < effort.analyses && spent(&times) < effort.budget_ms) {
        let mut total = 0.0;
        for step in steps.iter_mut() {
            step.contender.prepare()?;
            executor.synchronize()?;
            let begin = Instant::now();
            step.contender.analyse()?;
            executor.synchronize()?;
            total += begin.elapsed().as_secs_f64() * 1e3;
        }
        times.push(total);
    }
    Ok(times)
}

/// The parts of the last analyses, summed over a sequence.
pub fn analysis_parts(steps: &[Step]) -> Result<Option<[f64; 5]>> {
    let add = |sum: [f64; 5], parts: [f64; 5]| std::array::from_fn(|k| sum[k] + parts[k]);
    steps.iter().try_fold(Some([0.0; 5]), |sum, step| {
        let parts = step.contender.facts()?.parts_ms;
        Ok(sum.zip(parts).map(|(sum, parts)| add(sum, parts)))
    })
}

/// The analyses after the first, which pays for what happens once; the first where it is the only one.
pub fn later(times: &[f64]) -> &[f64] {
    if times.len() > 1 {
        &times[1..]
    } else {
        times
    }
}

fn largest_error(steps: &[Step]) -> Result<f64> {
    steps.iter().try_fold(0.0, |worst: f64, step| Ok(worst.max((step.check)()?)))
}

/// Whether the solutions have that fingerprint. An error where they are not even right.
fn has_bits(steps: &[Step], fingerprint: u64) -> Result<bool> {
    let is_same = bits(steps)? == fingerprint;
    if !is_same && largest_error(steps)? > check::TOLERANCE {
        return Err("a solution went wrong after many solves".into());
    }
    Ok(is_same)
}

/// A fingerprint of the solutions.
fn bits(steps: &[Step]) -> Result<u64> {
    steps.iter().try_fold(0, |sum: u64, step| {
        let mut bytes = vec![0u8; step.x.bytes()];
        step.x.read(&mut bytes)?;
        let word = |b: &[u8]| b.iter().fold(0, |word, &b| word << 8 | u64::from(b));
        let mix = |s: u64, w: u64| (s.rotate_left(5) ^ w).wrapping_mul(0x2545_f491_4f6c_dd1d);
        Ok(bytes.chunks(8).map(word).fold(sum, mix))
    })
}

/// How many solves each solver's times are of, as a sentence.
pub fn repetitions<'t>(timings: impl Iterator<Item = &'t Timing>) -> String {
    let mut counts: Vec<(&str, usize, usize)> = Vec::new();
    for t in timings.filter(|t| t.is_good()) {
        match counts.iter_mut().find(|c| c.0 == t.solver) {
            Some(c) => (c.1, c.2) = (c.1.min(t.solves), c.2.max(t.solves)),
            None => counts.push((&t.solver, t.solves, t.solves)),
        }
    }
    let words = counts.iter().map(|&(solver, least, most)| match least == most {
        true => format!("{solver} {most}"),
        false => format!("{solver} {least} to {most}"),
    });
    format!("Solves timed for each number: {}.", words.collect::<Vec<_>>().join(", "))
}
