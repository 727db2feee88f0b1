//! What an info holds between calls, and what a call on it does: the same matrix as analysed? then on to
//! the executor.
#![forbid(unsafe_code)]

use std::time::Instant;

use crate::algorithms::{self, Algorithm, AUTO};
use crate::context::Context;
use crate::executor::cuda::{CudaPlan, How};
use crate::executor::host::HostPlan;
use crate::executor::{read_host_value, write_host_position, Executor, SolveCall};
use crate::ffi::sptrsvStats_t;
use crate::problem::{Arrays, DataType, MatDescr, Op, PointerMode, Policy, Setup, Shape};
use crate::status::{Error, Result};
use crate::workspace;

/// Right-hand sides and solutions, as addresses.
#[derive(Clone, Copy)]
pub struct Rhs {
    pub count: i64,
    pub f: usize,
    pub ldf: i64,
    pub x: usize,
    pub ldx: i64,
}

pub struct Info {
    pub algorithm: i32,
    pub setup: Setup,
    /// The separate diagonal, or 0.
    pub diagonal: usize,
    analysed: Option<Analysed>,
}

impl Default for Info {
    fn default() -> Self {
        Info { algorithm: AUTO, setup: Setup::Auto, diagonal: 0, analysed: None }
    }
}

struct Analysed {
    shape: Shape,
    policy: Policy,
    algorithm: &'static dyn Algorithm,
    setup: Setup,
    setup_ms: f64,
    body: Body,
}

enum Body {
    Host(Box<HostPlan>),
    Cuda(Box<CudaPlan>),
}

impl Info {
    /// The checked shape of the problem that a call describes.
    pub fn shape(&self, op: Op, m: i64, nnz: i64, descr: MatDescr, dtype: DataType) -> Result<Shape> {
        Shape::new(op, m, nnz, descr, dtype, self.diagonal != 0)
    }

    pub fn algorithm_in_use(&self) -> i32 {
        self.analysed.as_ref().map_or(self.algorithm, |a| a.algorithm.id())
    }

    pub fn analyse(
        &mut self,
        context: &Context,
        shape: Shape,
        arrays: Arrays,
        policy: Policy,
        buffer: usize,
    ) -> Result<()> {
        if shape.n > 0 {
            require(arrays.ptr, "rowPtr")?;
            require(buffer, "buffer")?;
            if shape.nnz > 0 {
                require(arrays.ind, "colInd")?;
            }
        }
        let start = Instant::now();
        let (algorithm, setup, body) = match &context.executor {
            Executor::Host(pool) => {
                let asked = algorithms::by_id(self.algorithm);
                let plan = HostPlan::new(pool, asked.map(|a| a.host()), &shape, arrays)?;
                let algorithm = asked.unwrap_or_else(algorithms::choose_on_host);
                (algorithm, Setup::Cpu, Body::Host(Box::new(plan)))
            }
            Executor::Cuda(gpu) => {
                let asked = algorithms::by_id(self.algorithm);
                // Given up as late as can be, so that a refused matrix leaves it, and early enough to be
                // where the new one goes.
                let mut let_go = || {
                    match &mut self.analysed {
                        Some(Analysed { body: Body::Cuda(old), .. }) if old.gpu().same_context(gpu) => {
                            old.retire_on(context.stream);
                        }
                        _ => {}
                    }
                    self.analysed = None;
                };
                let how = How { setup: self.setup, stream: context.stream, timeout: context.timeout };
                let plan = CudaPlan::new(gpu, asked, &shape, arrays, how, &mut let_go)?;
                (plan.algorithm(), plan.setup, Body::Cuda(Box::new(plan)))
            }
        };
        let setup_ms = start.elapsed().as_secs_f64() * 1e3;
        self.analysed = Some(Analysed { shape, policy, algorithm, setup, setup_ms, body });
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    pub fn solve(
        &mut self,
        context: &Context,
        shape: Shape,
        arrays: Arrays,
        policy: Policy,
        alpha: usize,
        rhs: Rhs,
        buffer: usize,
    ) -> Result<()> {
        if rhs.count < 0 {
            return Err(Error::Negative { what: "nrhs", value: rhs.count });
        }
        for (what, ld) in [("ldf", rhs.ldf), ("ldx", rhs.ldx)] {
            if ld < shape.n as i64 {
                return Err(Error::Invalid(format!("{what} is {ld}, less than m = {}", shape.n)));
            }
        }
        if rhs.count > 1 && rhs.f == rhs.x && rhs.ldf != rhs.ldx {
            return Err(Error::Invalid(format!(
                "X is F itself, but ldx is {} and ldf is {}",
                rhs.ldx, rhs.ldf
            )));
        }
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        shape.must_equal(&analysed.shape)?;
        if policy == Policy::UseLevel && analysed.policy == Policy::NoLevel {
            return Err(Error::PolicyMismatch);
        }
        analysed.body.must_belong_to(&context.executor)?;
        if shape.n == 0 || rhs.count == 0 {
            return Ok(());
        }
        require(alpha, "alpha")?;
        require(arrays.ptr, "rowPtr")?;
        if shape.nnz > 0 {
            require(arrays.val, "val")?;
            require(arrays.ind, "colInd")?;
        }
        require(rhs.f, "f")?;
        require(rhs.x, "x")?;
        require(buffer, "buffer")?;
        let in_device_memory =
            context.pointer_mode == PointerMode::Device && matches!(context.executor, Executor::Cuda(_));
        let mut call = SolveCall {
            val: arrays.val,
            diagonal: self.diagonal,
            f: rhs.f,
            x: rhs.x,
            alpha_device: if in_device_memory { alpha } else { 0 },
            alpha_host: [0; 16],
            workspace: workspace::places(&shape, buffer),
            timeout: context.timeout,
        };
        if !in_device_memory {
            call.alpha_host = read_host_value(alpha, shape.dtype);
        }
        let column = |base: usize, ld: i64, j: i64| base + (ld * j) as usize * shape.dtype.bytes();
        match &mut analysed.body {
            Body::Host(plan) => {
                if plan.take_failure() {
                    return Err(Error::TimedOut);
                }
                let mut j = 0;
                while j < rhs.count {
                    call.f = column(rhs.f, rhs.ldf, j);
                    call.x = column(rhs.x, rhs.ldx, j);
                    let columns = plan.columns_at_once(rhs.count - j);
                    plan.solve(&call, columns, rhs.ldf, rhs.ldx);
                    j += columns as i64;
                }
            }
            Body::Cuda(plan) => {
                let _bound = plan.gpu().bind()?;
                if plan.take_failure(context.stream)? {
                    return Err(Error::TimedOut);
                }
                plan.note_use(context.stream)?;
                let mut j = 0;
                while j < rhs.count {
                    call.f = column(rhs.f, rhs.ldf, j);
                    call.x = column(rhs.x, rhs.ldx, j);
                    let columns = plan.columns_at_once(rhs.count - j);
                    plan.solve_columns(context.stream, &call, columns, rhs.ldf, rhs.ldx)?;
                    j += columns as i64;
                }
            }
        }
        Ok(())
    }

    pub fn zero_pivot(&mut self, context: &Context, position: usize) -> Result<()> {
        require(position, "position")?;
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        analysed.body.must_belong_to(&context.executor)?;
        let base = analysed.shape.base();
        let row = match &mut analysed.body {
            Body::Host(plan) => {
                if plan.take_failure() {
                    return Err(Error::TimedOut);
                }
                plan.pivot
            }
            Body::Cuda(plan) => {
                let _bound = plan.gpu().bind()?;
                let row = plan.zero_pivot(context.stream)?;
                if plan.take_failure(context.stream)? {
                    return Err(Error::TimedOut);
                }
                row
            }
        };
        let reported = row.map_or(-1, |r| r as i64 + base);
        let in_device_memory =
            context.pointer_mode == PointerMode::Device && matches!(analysed.body, Body::Cuda(_));
        match &analysed.body {
            Body::Cuda(plan) if in_device_memory => {
                plan.write_position(position, reported, context.stream)?
            }
            _ => write_host_position(position, reported),
        }
        match row {
            None => Ok(()),
            Some(_) => Err(Error::ZeroPivot { row: reported, structural: analysed.is_structural(row) }),
        }
    }

    pub fn fill_stats(&self, stats: &mut sptrsvStats_t) -> Result<()> {
        let a = self.analysed.as_ref().ok_or(Error::NotAnalysed)?;
        let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
        stats.rows = a.shape.n as i64;
        stats.algorithm = a.algorithm.id();
        stats.setup = a.setup as i32;
        stats.setup_ms = a.setup_ms;
        let entries = match &a.body {
            Body::Host(p) => {
                stats.levels = p.schedule.levels() as i64;
                stats.widest_level = p.schedule.widest_level() as i64;
                stats.bytes_held = p.schedule.bytes() as i64;
                stats.trans_ms = ms(p.times.trans);
                stats.dep_ms = ms(p.times.dep);
                stats.lev_ms = ms(p.times.lev);
                p.schedule.entries
            }
            Body::Cuda(p) => {
                stats.levels = p.levels as i64;
                stats.widest_level = p.widest as i64;
                stats.bytes_held = p.bytes_held() as i64;
                stats.predicted_ms = ms(p.predicted);
                stats.mat_d2h_ms = ms(p.times.mat_d2h);
                stats.trans_ms = ms(p.times.trans);
                stats.dep_ms = ms(p.times.dep);
                stats.lev_ms = ms(p.times.lev);
                stats.lev_h2d_ms = ms(p.times.lev_h2d);
                p.entries
            }
        };
        stats.entries_used = entries as i64 + a.shape.n as i64;
        Ok(())
    }
}

impl Analysed {
    fn is_structural(&self, row: Option<u32>) -> bool {
        match &self.body {
            Body::Host(p) => p.schedule.missing_diag == row,
            Body::Cuda(p) => p.missing_diag() == row,
        }
    }
}

impl Body {
    /// Refuses an info that was analysed on another executor or GPU.
    fn must_belong_to(&self, executor: &Executor) -> Result<()> {
        let (analysed, given) = match (self, executor) {
            (Body::Host(_), Executor::Host(_)) => return Ok(()),
            (Body::Cuda(plan), Executor::Cuda(gpu)) if plan.gpu().same_context(gpu) => return Ok(()),
            (Body::Host(_), Executor::Cuda(gpu)) => ("the host executor".to_string(), gpu.describe()),
            (Body::Cuda(plan), Executor::Host(_)) => (plan.gpu().describe(), "the host executor".to_string()),
            (Body::Cuda(plan), Executor::Cuda(gpu)) => (plan.gpu().describe(), gpu.describe()),
        };
        Err(Error::Mismatch { what: "the handle's device", analysed, given })
    }
}

fn require(address: usize, what: &'static str) -> Result<()> {
    if address == 0 {
        return Err(Error::Null(what));
    }
    Ok(())
}
