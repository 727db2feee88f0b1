//! How far a long run has come: a bar with an estimate of the time left, or a line a case where nobody watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Progress over cases of known weight (about how long they take, in any unit).
pub struct Progress {
    bar: ProgressBar,
    begin: Instant,
    cases: usize,
    done: usize,
    weight_done: f64,
    weight: f64,
}

impl Progress {
    pub fn new(weights: impl Iterator<Item = f64>) -> Progress {
        let weights: Vec<f64> = weights.collect();
        let bar = ProgressBar::new(weights.len() as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        let weight = weights.iter().sum();
        Progress { bar, begin: Instant::now(), cases: weights.len(), done: 0, weight_done: 0.0, weight }
    }

    pub fn start(&self, name: &str) {
        self.bar.set_message(format!("{}: {name}", self.left()));
        self.bar.tick();
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| say!("{line}"));
    }

    pub fn finish_case(&mut self, name: &str, weight: f64) {
        self.done += 1;
        self.weight_done += weight;
        self.bar.inc(1);
        if self.bar.is_hidden() {
            eprintln!("sptrsv: {} of {}, {}: {name} is done", self.done, self.cases, self.left());
        }
    }

    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn left(&self) -> String {
        match estimate(self.begin.elapsed(), self.weight_done, self.weight) {
            None => "time left unknown".into(),
            Some(left) if left.as_secs() < 100 => format!("{} s left", left.as_secs()),
            Some(left) => format!("{} min left", left.as_secs().div_ceil(60)),
        }
    }
}

/// The time left when work goes on as it did.
fn estimate(elapsed: Duration, done: f64, all: f64) -> Option<Duration> {
    (done > 0.0).then(|| elapsed.mul_f64(((all - done) / done).max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_goes_by_weight() {
        assert_eq!(estimate(Duration::from_secs(10), 0.0, 5.0), None);
        assert_eq!(estimate(Duration::from_secs(10), 1.0, 5.0), Some(Duration::from_secs(40)));
        assert_eq!(estimate(Duration::from_secs(10), 5.0, 5.0), Some(Duration::ZERO));
    }
}
