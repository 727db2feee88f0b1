//! Right-hand sides and solutions that lie otherwise than an engine reads them: copied to where they lie as it wants them, and back.
#![forbid(unsafe_code)]

use super::shared::copies::{DenseArgs, DenseSteps, DENSE_BLOCK, DENSE_ROWS};
use super::{CudaPlan, KernelName, Launcher};
use crate::address::Stream;
use crate::error::Result;
use crate::executor::SolveCall;
use crate::problem::{Dense, Order, Steps};
use crate::workspace::Spare;

const COPY: KernelName<DenseArgs> = KernelName::new("dense_copy");

fn steps(dense: Dense) -> DenseSteps {
    let Steps { row, column } = dense.steps();
    DenseSteps { row: row as u64, column: column as u64 }
}

/// Enqueues a copy of `columns` columns.
fn copy(launcher: &Launcher, from: Dense, to: Dense, n: u32, columns: u32) -> Result<()> {
    let args =
        DenseArgs { from: from.address, to: to.address, of_from: steps(from), of_to: steps(to), n, columns };
    launcher.kernel_overlapped(COPY, "")?.launch(n.div_ceil(DENSE_ROWS), DENSE_BLOCK, 0, &args)
}

impl CudaPlan {
    /// Enqueues the solves for `count` right-hand sides, each side stored by columns or by rows. Where the engine does not read them
    /// as they lie they are copied: to X, if it reads that, else a few at a time to `spare`, where they are solved in place.
    pub fn solve_dense(
        &mut self,
        stream: Stream,
        call: &SolveCall,
        count: i64,
        [f, x]: [Dense; 2],
        spare: Spare,
    ) -> Result<()> {
        let takes = |dense: Dense| dense.order == Order::Columns || self.takes_rows();
        if takes(x) {
            if f.order == x.order {
                return self.solve_as_they_lie(stream, call, count, [f, x]);
            }
            let launcher = self.launcher(stream);
            let mut done = 0;
            while done < count {
                let columns = (count - done).min(i64::from(u32::MAX >> 1)) as u32;
                let [from, to] = [f, x].map(|side| side.column(done, self.stored.dtype()));
                copy(&launcher, from, to, self.stored.n(), columns)?;
                done += i64::from(columns);
            }
            return self.solve_as_they_lie(stream, call, count, [x, x]);
        }
        let fit = spare.row_bytes / self.stored.dtype().bytes();
        let mut done = 0;
        while done < count {
            // One at a time where what others leave is shared with the solve.
            let most = if spare.is_apart() { (count - done).min(fit as i64) } else { 1 };
            let columns = self.columns_at_once(call, most);
            let there =
                Dense { address: spare.address, ld: i64::from(self.stored.n()), order: Order::Columns };
            let [from, to] = [f, x].map(|side| side.column(done, self.stored.dtype()));
            let n = self.stored.n();
            copy(&self.launcher(stream), from, there, n, columns)?;
            self.solve_as_they_lie(stream, call, i64::from(columns), [there, there])?;
            copy(&self.launcher(stream), there, to, n, columns)?;
            done += i64::from(columns);
        }
        Ok(())
    }

    fn solve_as_they_lie(
        &mut self,
        stream: Stream,
        call: &SolveCall,
        count: i64,
        [f, x]: [Dense; 2],
    ) -> Result<()> {
        let mut done = 0;
        while done < count {
            let [of_f, of_x] = [f, x].map(|side| side.column(done, self.stored.dtype()).address);
            let call = SolveCall { f: of_f, x: of_x, ..*call };
            let columns = self.columns_at_once(&call, count - done);
            self.solve_columns(stream, &call, columns, f.ld, x.ld, x.order)?;
            done += i64::from(columns);
        }
        Ok(())
    }
}
