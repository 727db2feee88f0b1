//! How long the operations of a setup take. The first kernel of each leaves the time in the summary, which costs the host nothing.

use std::cell::Cell;
use std::mem::offset_of;
use std::time::Duration;

use super::args::Summary;
use super::known::SetupTimes;
use crate::address::Address;

/// What the paper tells apart.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Transposition,
    Dependencies,
    Levels,
    Other,
}

/// The stretches of a setup, as they are enqueued.
#[derive(Default)]
pub(super) struct Clock {
    stretches: Vec<Operation>,
    /// The next kernel is the first of the last one.
    is_due: Cell<bool>,
}

impl Clock {
    /// What is enqueued from here on belongs to `operation`.
    pub(super) fn begin(&mut self, operation: Operation) {
        assert!(self.stretches.len() < Summary::default().begun.len());
        self.stretches.push(operation);
        self.is_due.set(true);
    }

    /// Where in the summary the next kernel is to leave the time, or null.
    pub(super) fn stamp(&self, summary: Address) -> Address {
        match self.is_due.take() {
            true => summary.offset(offset_of!(Summary, begun) + 8 * (self.stretches.len() - 1)),
            false => Address::NULL,
        }
    }

    /// The times that a summary tells, up to the beginning of the last stretch. One without a kernel takes none.
    pub(super) fn times(&self, found: &Summary) -> SetupTimes {
        let begun: Vec<_> =
            found.begun.into_iter().zip(&self.stretches).filter(|&(stamp, _)| stamp > 0).collect();
        let mut times = SetupTimes::default();
        for pair in begun.windows(2) {
            let time = Duration::from_nanos(pair[1].0.saturating_sub(pair[0].0));
            match pair[0].1 {
                Operation::Transposition => times.trans += time,
                Operation::Dependencies => times.dep += time,
                Operation::Levels => times.lev += time,
                Operation::Other => {}
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_added_up() {
        let mut clock = Clock::default();
        let mut found = Summary::default();
        // SAFETY: nothing follows the address.
        let summary = unsafe { Address::of(std::slice::from_mut(&mut found)) };
        let begun = [(Operation::Levels, 100u64), (Operation::Other, 130), (Operation::Dependencies, 0)];
        for (k, (operation, time)) in
            begun.into_iter().chain([(Operation::Levels, 150), (Operation::Other, 1 << 33)]).enumerate()
        {
            clock.begin(operation);
            assert_eq!(clock.stamp(summary), summary.offset(offset_of!(Summary, begun) + 8 * k));
            assert_eq!(clock.stamp(summary), Address::NULL);
            found.begun[k] = time;
        }
        let times = clock.times(&found);
        assert_eq!(times.lev, Duration::from_nanos(30 + (1 << 33) - 150));
        assert_eq!(times.dep, Duration::ZERO);
    }
}
