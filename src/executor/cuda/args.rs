//! What a solve's kernel gets, by value, and the state of an info.
#![forbid(unsafe_code)]

use super::shared::solve::{Queue, PIVOT_BIT};

pub use super::shared::solve::{LevelArgs, MultiArgs, SolveArgs, State};

impl State {
    /// Work items that queues can hand out: the tickets beyond the last work item are fewer than the rest.
    pub const MOST_PIECES: u32 = PIVOT_BIT - (1 << 20);

    /// That of an info that has not solved, which reports this pivot. So does `setup_reset` in kernels/analysis/.
    pub fn new(pivot: u32) -> State {
        State {
            pivot: [u32::MAX, pivot],
            ticket: 0,
            failed: 0,
            progress: 0,
            queue: std::array::from_fn(|q| Queue { next: q as u32 }),
        }
    }

    /// The pivot of the last solve: the one that is not the next one's.
    pub fn last_pivot(&self) -> u32 {
        self.pivot[(self.queue[0].next & PIVOT_BIT == 0) as usize]
    }
}

impl MultiArgs {
    /// Those of a solve for one right-hand side.
    pub fn one_column(solve: &SolveArgs) -> MultiArgs {
        MultiArgs { solve: *solve, columns: 1, ..Default::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pivot_is_not_the_next_one() {
        let mut state = State::new(7);
        assert_eq!((state.last_pivot(), state.pivot[0]), (7, u32::MAX));
        // The first solve uses the first one, and passes the second one on.
        state.pivot = [3, u32::MAX];
        for queue in &mut state.queue {
            queue.next |= PIVOT_BIT;
        }
        assert_eq!(state.last_pivot(), 3);
    }
}
