//! How long solves take on the host, by its clock.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use super::HostPlan;
use crate::address::Stream;
use crate::error::{Error, Result};
use crate::executor::{SolveCall, Timed};
use crate::problem::{Dense, Order};

impl Timed for HostPlan {
    fn time_solves(&mut self, _stream: Stream, call: &SolveCall, times: &mut [Duration]) -> Result<()> {
        let ld = i64::from(self.shape().n);
        let sides = [call.f, call.x].map(|address| Dense { address, ld, order: Order::Columns });
        for time in times {
            let start = Instant::now();
            self.solve_dense(call, 1, sides);
            *time = start.elapsed();
        }
        if self.take_failure() {
            return Err(Error::TimedOut);
        }
        Ok(())
    }
}
