//! A run over cases: progress, lines, files, and going on where the GPU is lost.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::layout::Report;
use super::outputs::Outputs;
use super::results::{MatrixResult, Results};
use crate::base::numbers::counted;
use crate::base::progress::Progress;
use crate::base::Result;
use crate::measure::relaunch;
use crate::suites::cases::Case;
use crate::system::executor::Executor;

/// A run with its files, its report and its clock.
pub struct Session<'r> {
    pub executor: &'r Executor,
    /// Measures a case.
    pub measure: &'r dyn Fn(&Case) -> Vec<MatrixResult>,
    pub report: &'r dyn Report,
    pub outputs: Outputs,
    pub budget: Duration,
    /// Whether there is a single case.
    pub only: bool,
}

impl Session<'_> {
    /// Measures the cases that are pending, prints what comes out, and writes the files; an error if anything failed.
    pub fn run(&self, pending: Vec<Case>, results: &mut Results) -> Result<()> {
        let made = self.outputs.prepare()?;
        let left_out = self.measure_all(pending, results, &made)?;
        self.finish(results, &left_out)
    }

    /// Measures the cases that are pending, and returns the names of those that the time did not suffice for.
    fn measure_all(
        &self,
        pending: Vec<Case>,
        results: &mut Results,
        made: &[PathBuf],
    ) -> Result<Vec<String>> {
        let begin = Instant::now();
        let mut progress = Progress::new(pending.iter().map(Case::weight));
        let mut heading = Some(self.report.heading());
        let mut left_out = Vec::new();
        for case in pending {
            let name = case.name();
            if begin.elapsed() > self.budget {
                left_out.push(name);
                continue;
            }
            progress.start(&name);
            let measured = (self.measure)(&case);
            // A single file that cannot be read is bad input, and nothing was measured that could be kept.
            if let (true, Some(error)) = (self.only, measured[0].error.as_ref()) {
                progress.end();
                made.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
                return Err(error.clone());
            }
            results.matrices.retain(|old| !measured.iter().any(|new| new.replaces(old)));
            for result in &measured {
                heading.take().iter().for_each(|line| progress.say(line));
                progress.say(&self.report.line(result, &measured));
            }
            results.matrices.extend(measured);
            progress.finish_case(&name, case.weight());
            self.outputs.write_results(results)?;
            let last = results.matrices.last().into_iter().flat_map(|m| &m.timings);
            if let Some(why) = relaunch::lost_gpu(self.executor, last) {
                progress.end();
                return Err(self.go_on(&why, begin));
            }
        }
        progress.end();
        heading.iter().for_each(|line| say!("{line}"));
        Ok(left_out)
    }

    /// Has a new process measure what is left, as this one has lost the GPU; returns where there is none.
    fn go_on(&self, why: &str, begin: Instant) -> String {
        let Some(path) = &self.outputs.json else { return format!("the run was ended early: {why}") };
        relaunch::resume(why, path, begin, self.budget)
    }

    /// Prints the means and writes the report.
    fn finish(&self, results: &Results, left_out: &[String]) -> Result<()> {
        say!("{}", self.report.summary(results));
        self.outputs.write_report(|| self.report.markdown(results))?;
        if !left_out.is_empty() {
            say!("not measured: {}", left_out.join(", "));
        }
        match results.matrices.iter().filter(|m| !m.is_whole()).count() {
            0 => Ok(()),
            count => {
                let all = counted(results.matrices.len(), "measurement", "measurements");
                Err(format!("{count} of {all} had failures"))
            }
        }
    }
}
