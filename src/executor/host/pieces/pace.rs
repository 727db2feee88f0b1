//! Which of two ways to solve is faster, by the times that solves have taken.
//!
//! A team of threads is faster on paper, but not where other programs have the processors: then its threads wait for each other
//! while one thread would go on. Both ways give the same bits, so that which one is taken changes nothing but the time.
#![forbid(unsafe_code)]

/// How a solve is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Team,
    One,
}

/// Solves after which the other way is tried again: so many at first, twice as many each time that it is slower, and at most.
const FEWEST: u32 = 8;
const MOST: u32 = 512;

/// Solves before any is counted: memory is touched for the first time.
const COLD: u32 = 1;

/// What is known of both ways.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Solves that are not counted.
    cold: u32,
    /// Seconds of a solve by a team and by one thread, once they are known.
    team: Option<f64>,
    one: Option<f64>,
    is_one_faster: bool,
    /// Solves until the slower way is tried, and from one try to the next.
    left: u32,
    every: u32,
}

impl Pace {
    /// How to solve next.
    pub fn next(&self) -> By {
        let is_try = self.left == 0;
        match (self.team, self.one) {
            (None, _) => By::Team,
            (_, None) => By::One,
            _ if self.is_one_faster != is_try => By::One,
            _ => By::Team,
        }
    }

    /// A solve has taken so many seconds.
    pub fn took(&mut self, by: By, seconds: f64) {
        if self.cold < COLD {
            self.cold += 1;
            return;
        }
        let is_try = (by == By::One) != self.is_one_faster;
        let known = if by == By::One { &mut self.one } else { &mut self.team };
        *known = Some(match *known {
            Some(before) if !is_try => 0.5 * (before + seconds),
            _ => seconds,
        });
        let (Some(team), Some(one)) = (self.team, self.one) else { return };
        if is_try {
            let is_better = (one < team) != self.is_one_faster;
            self.is_one_faster = one < team;
            self.every = if is_better { FEWEST } else { (2 * self.every).clamp(FEWEST, MOST) };
            self.left = self.every;
        } else {
            // The way that was faster has become slower than the other one was.
            let has_slowed = if self.is_one_faster { one > 1.25 * team } else { team > 1.25 * one };
            self.left = if has_slowed { 0 } else { self.left.saturating_sub(1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many solves are a team's, if these are the times.
    fn of_team(pace: &mut Pace, solves: u32, team: f64, one: f64) -> u32 {
        let mut count = 0;
        for _ in 0..solves {
            let by = pace.next();
            count += u32::from(by == By::Team);
            pace.took(by, if by == By::Team { team } else { one });
        }
        count
    }

    #[test]
    fn the_faster_way_is_taken() {
        for (team, one, is_team) in [(1.0, 2.0, true), (2.0, 1.0, false)] {
            let mut pace = Pace::default();
            assert_eq!(pace.next(), By::Team);
            let count = of_team(&mut pace, 1000, team, one);
            assert!(if is_team { count > 985 } else { count < 15 }, "{count}");
        }
    }

    #[test]
    fn the_first_solve_does_not_count() {
        let mut pace = Pace::default();
        pace.took(By::Team, 100.0);
        of_team(&mut pace, 2, 1.0, 2.0);
        assert_eq!(of_team(&mut pace, 8, 1.0, 2.0), 8);
    }

    #[test]
    fn a_team_that_slows_down_is_left_and_taken_again() {
        let mut pace = Pace::default();
        of_team(&mut pace, 2000, 1.0, 2.0);
        assert!(of_team(&mut pace, 100, 8.0, 2.0) < 20);
        assert!(of_team(&mut pace, 1000, 1.0, 2.0) > 700);
        // Where everything slows down, the other way is tried seldom.
        assert!(of_team(&mut pace, 1000, 10.0, 20.0) > 980);
    }
}
