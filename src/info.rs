//! What an info holds between calls, and what a call on it does: the same matrix as analysed? then on to
//! the executor.
#![forbid(unsafe_code)]

mod analyse;
mod body;
mod factor;
mod pair;
mod request;
mod sweep;
mod tune;

use std::time::Duration;

use crate::address::{Address, Stream};
use crate::context::Context;
use crate::engines::{self, Algorithm, AUTO};
use crate::error::{Error, Result};
use crate::executor::cuda::{CudaSweep, SetupTimes};
use crate::executor::host::setup::Times;
use crate::executor::{Executor, SolveCall};
use crate::factor::Factor;
use crate::kept::KeptPattern;
use crate::problem::{
    require, require_aligned, Alpha, Boost, CopyValues, DataType, DiagSource, MatDescr, Op, Policy, Setup,
    Shape, Sweeps,
};
use crate::stats::{Pivot, Stats};
use crate::workspace::{self, Workspace, ROW_BYTES};

use body::Body;

pub use pair::{Pair, Permutations};
pub use request::{Request, Rhs};
pub use sweep::Sweep;
pub use tune::Tuning;

/// A solve that can be enqueued: by which body, and how.
#[derive(Clone, Copy)]
struct Ready {
    which: usize,
    call: SolveCall,
}

/// What an analysis is for beside solves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    pub factorizes: bool,
    pub sweeps: Sweeps,
}

impl Default for Purpose {
    fn default() -> Self {
        Purpose { factorizes: false, sweeps: Sweeps::None }
    }
}

impl Purpose {
    fn covers(self, other: Purpose) -> bool {
        self.factorizes >= other.factorizes && self.sweeps() >= other.sweeps()
    }

    fn and(self, other: Purpose) -> Purpose {
        let sweeps = if self.sweeps() { self.sweeps } else { other.sweeps };
        Purpose { factorizes: self.factorizes || other.factorizes, sweeps }
    }

    pub fn sweeps(self) -> bool {
        self.sweeps != Sweeps::None
    }
}

pub struct Info {
    pub algorithm: i32,
    /// How many right-hand sides solves will have, for AUTO to go by.
    pub right_hand_sides: i64,
    /// For each type: bytes for a row of the buffer whose size was asked for last.
    pub row_bytes: [usize; 4],
    pub setup: Setup,
    /// Whether an analysis prepares the transposed operation too.
    pub any_operation: bool,
    /// Which values an analysis prepares to copy.
    pub copy_values: CopyValues,
    /// Whether an analysis keeps the pattern, to know it again.
    pub keeps_pattern: bool,
    /// The separate diagonal, or null.
    pub diagonal: Address,
    /// What an analysis is for beside solves, and what the size of the buffer was asked for last.
    pub purpose: Purpose,
    pub buffer_is_for: Purpose,
    /// What takes the place of small pivots.
    pub boost: Option<Boost>,
    analysed: Option<Analysed>,
}

impl Default for Info {
    fn default() -> Self {
        Info {
            algorithm: AUTO,
            right_hand_sides: 1,
            row_bytes: [ROW_BYTES; 4],
            setup: Setup::Auto,
            any_operation: false,
            copy_values: CopyValues::No,
            keeps_pattern: false,
            diagonal: Address::NULL,
            purpose: Purpose::default(),
            buffer_is_for: Purpose::default(),
            boost: None,
            analysed: None,
        }
    }
}

struct Analysed {
    /// As the analysis was called.
    shape: Shape,
    policy: Policy,
    algorithm: &'static dyn Algorithm,
    setup: Setup,
    setup_time: Duration,
    /// For this operation, and for the transposed one where any is to be solved with.
    bodies: Vec<Body>,
    /// The one of the last solve.
    last: usize,
    values: Source,
    /// Bytes of the caller's buffer for a row.
    row_bytes: usize,
    purpose: Purpose,
    /// Whether it was left to AUTO which algorithms solve.
    is_open: bool,
    /// What a tuning has measured, for each of the bodies.
    tuned: [Option<Tuned>; 2],
    /// For factorisations, and for sweeps on a GPU, where they were asked for.
    factor: Option<Factor>,
    sweep: Option<CudaSweep>,
    /// The pattern, where later analyses are to know it again, and what else they depend on.
    kept: Option<KeptPattern>,
    settings: Settings,
    /// Whether the last analysis has known it.
    was_known: bool,
    /// Whether the watchdog has ended what nobody has been told of.
    was_ended: bool,
}

/// What an analysis depends on beside the matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Settings {
    algorithm: i32,
    right_hand_sides: i64,
    setup: Setup,
    any_operation: bool,
    copy_values: CopyValues,
    purpose: Purpose,
}

/// What a tuning has measured of the algorithm that it has kept.
#[derive(Clone, Copy)]
struct Tuned {
    time: Duration,
    /// Whether that is another one than AUTO's choice.
    is_other: bool,
}

/// Where solves have their values from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The array that each solve is given.
    Caller,
    /// Copies of some, by sptrsvUpdateValues: the array of the last call, or null.
    Handed(Address),
    /// A copy of all.
    Copy,
}

impl Source {
    fn new(copy: CopyValues) -> Source {
        match copy {
            CopyValues::No => Source::Caller,
            CopyValues::WhereFaster => Source::Handed(Address::NULL),
            CopyValues::All => Source::Copy,
        }
    }

    /// Refuses values that sptrsvUpdateValues was to be given and was not.
    fn must_have(self, val: Address) -> Result<()> {
        match self {
            Source::Handed(Address::NULL) => Err(Error::NoValues),
            Source::Handed(last) if last != val => Err(Error::OtherValues),
            _ => Ok(()),
        }
    }
}

impl Info {
    /// The checked shape of the problem that an analysis is to be made of.
    pub fn shape_to_analyse(
        &self,
        op: Op,
        [m, nnz]: [i64; 2],
        descr: MatDescr,
        dtype: DataType,
    ) -> Result<Shape> {
        let has_own = self.purpose.sweeps == Sweeps::Any || !self.diagonal.is_null();
        let shape = Shape::new(op, m, nnz, descr, dtype, has_own)?;
        if self.purpose.sweeps == Sweeps::GaussSeidel && shape.diag != DiagSource::Matrix {
            let text = "Gauss-Seidel sweeps by the matrix's own diagonal need the diagonal type NON_UNIT and no diagonal of \
                        sptrsvSetDiagonal";
            return Err(Error::Invalid(text.into()));
        }
        Ok(shape)
    }

    /// The same of a call that is to work with the analysis that there is.
    pub fn shape(&self, op: Op, [m, nnz]: [i64; 2], descr: MatDescr, dtype: DataType) -> Result<Shape> {
        let sweeps = self.analysed.as_ref().is_some_and(|a| a.purpose.sweeps == Sweeps::Any);
        Shape::new(op, m, nnz, descr, dtype, sweeps || !self.diagonal.is_null())
    }

    /// What a buffer is to have room for: what an analysis that comes now is for, and the one that there is.
    pub fn purpose_of_buffer(&self) -> Purpose {
        self.analysed.as_ref().map_or(self.purpose, |a| self.purpose.and(a.purpose))
    }

    /// What an analysis is asked for; None leaves it to AUTO.
    fn asked(&self) -> Option<&'static dyn Algorithm> {
        engines::by_id(self.algorithm)
    }

    /// Bytes of the caller's buffer for each row: for an analysis that comes now, and for solves with the one that there is.
    pub fn row_bytes_wanted(&self, executor: &Executor, dtype: DataType) -> usize {
        let asked = self.row_bytes_of_analysis(executor, self.asked(), dtype);
        self.analysed.as_ref().map_or(asked, |a| asked.max(a.row_bytes))
    }

    /// Bytes for each row without which there is no analysis.
    fn least_row_bytes(
        &self,
        executor: &Executor,
        asked: Option<&'static dyn Algorithm>,
        dtype: DataType,
    ) -> usize {
        match (asked, executor) {
            (None, Executor::Host(_)) => ROW_BYTES,
            _ => engines::row_bytes(asked, dtype, self.right_hand_sides),
        }
    }

    /// Bytes for each row for an analysis that comes now, and its solves.
    fn row_bytes_of_analysis(
        &self,
        executor: &Executor,
        asked: Option<&'static dyn Algorithm>,
        dtype: DataType,
    ) -> usize {
        let of_solves = self.least_row_bytes(executor, asked, dtype);
        // With more than one right-hand side, so that they can be copied to where an engine reads them.
        match (self.right_hand_sides, executor) {
            (1, _) => of_solves,
            (_, Executor::Host(_)) => of_solves.max(2 * ROW_BYTES),
            (many, Executor::Cuda(_)) => of_solves.max(2 * engines::row_bytes_of_columns(asked, dtype, many)),
        }
    }

    /// The same for the solves of an analysis with these bodies, whose engines may be different ones.
    fn row_bytes_of_bodies(
        &self,
        executor: &Executor,
        algorithm: &'static dyn Algorithm,
        bodies: &[Body],
        dtype: DataType,
    ) -> usize {
        let of_body =
            |body: &Body| self.row_bytes_of_analysis(executor, Some(body.algorithm(algorithm)), dtype);
        bodies.iter().map(of_body).max().unwrap_or(ROW_BYTES)
    }

    pub fn algorithm_in_use(&self) -> i32 {
        self.analysed.as_ref().map_or(self.algorithm, |a| a.algorithm.id())
    }

    /// Hands over values: copies them where solves are to read a copy.
    pub fn update_values(&mut self, context: &Context, val: Address) -> Result<()> {
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        if analysed.values == Source::Caller {
            return Err(Error::NotCopying);
        }
        analysed.bodies[0].must_belong_to(&context.executor)?;
        if analysed.shape.nnz > 0 {
            require_aligned(val, "val", analysed.shape.dtype.bytes())?;
        }
        let _bound = analysed.bodies[0].bind()?;
        analysed.bodies.iter_mut().try_for_each(|body| body.update_values(context.stream, val))?;
        if analysed.values != Source::Copy {
            analysed.values = Source::Handed(val);
        }
        Ok(())
    }

    /// Puts another diagonal into the copy of all values.
    pub fn update_diagonal(&mut self, context: &Context, diagonal: Address) -> Result<()> {
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        if analysed.values != Source::Copy {
            return Err(Error::NotCopyingAll);
        }
        if analysed.shape.diag != DiagSource::Matrix {
            return Err(Error::Invalid(
                "the diagonal is not one of the matrix: it is UNIT, or given separately".into(),
            ));
        }
        analysed.bodies[0].must_belong_to(&context.executor)?;
        if analysed.shape.n == 0 {
            return Ok(());
        }
        require_aligned(diagonal, "diag", analysed.shape.dtype.bytes())?;
        let _bound = analysed.bodies[0].bind()?;
        for body in &mut analysed.bodies {
            match body {
                Body::Cuda(plan) => plan.update_diagonal(context.stream, diagonal)?,
                Body::Host(plan) => plan.update_diagonal(diagonal)?,
            }
        }
        Ok(())
    }

    pub fn solve(&mut self, context: &Context, request: &Request) -> Result<()> {
        match self.ready(context, request)? {
            Some(ready) => self.enqueue(context, request, ready),
            None => Ok(()),
        }
    }

    /// Whether the info can do what is asked for, and how; None where there is nothing to do. Touches nothing.
    fn ready(&mut self, context: &Context, request: &Request) -> Result<Option<Ready>> {
        let &Request { ref shape, arrays, policy, alpha, rhs, buffer, .. } = request;
        rhs.check(shape)?;
        let values = shape.dtype.bytes();
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let which = analysed.body_for(shape)?;
        if policy == Policy::UseLevel && analysed.policy == Policy::NoLevel {
            return Err(Error::PolicyMismatch);
        }
        analysed.bodies[0].must_belong_to(&context.executor)?;
        if rhs.is_nothing(shape) {
            return Ok(None);
        }
        let (alpha_device, alpha_host) = match alpha {
            Alpha::Host(bytes) => (Address::NULL, bytes),
            Alpha::Device(address) => (address, [0; 16]),
        };
        if let Alpha::Device(address) = alpha {
            require(address, "alpha")?;
        }
        if analysed.values != Source::Copy {
            require(arrays.ptr, "rowPtr")?;
            if shape.nnz > 0 {
                require_aligned(arrays.val, "val", values)?;
                require(arrays.ind, "colInd")?;
                analysed.values.must_have(arrays.val)?;
            }
        }
        require_aligned(rhs.f.address, rhs.names[0], values)?;
        require_aligned(rhs.x.address, rhs.names[1], values)?;
        require(buffer, "buffer")?;
        let diagonal = request.diagonal.unwrap_or(self.diagonal);
        if shape.diag == DiagSource::Separate {
            require_aligned(diagonal, "the diagonal", values)?;
        }
        let call = SolveCall {
            val: arrays.val,
            diagonal,
            f: rhs.f.address,
            x: rhs.x.address,
            alpha_device,
            alpha_host,
            conjugate: shape.conjugate(),
            inverts: false,
            workspace: analysed.places(shape, which, buffer),
            timeout: context.timeout,
            sm_count_target: context.sm_count_target,
        };
        let _bound = analysed.bodies[which].bind()?;
        if analysed.take_failure(context.stream)? {
            return Err(Error::TimedOut);
        }
        Ok(Some(Ready { which, call }))
    }

    /// Enqueues, or does, the solve.
    fn enqueue(&mut self, context: &Context, request: &Request, ready: Ready) -> Result<()> {
        let Ready { which, call } = ready;
        let Request { shape, rhs, buffer, .. } = request;
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let _bound = analysed.bodies[which].bind()?;
        analysed.last = which;
        let sides = match rhs.count {
            1 => [rhs.f, rhs.x].map(|side| side.of_one(shape.n)),
            _ => [rhs.f, rhs.x],
        };
        let spare =
            workspace::spare(shape, analysed.row_bytes, analysed.row_bytes_of_solves(shape, which), *buffer);
        match &mut analysed.bodies[which] {
            Body::Host(plan) => plan.solve_dense(&call, rhs.count, sides),
            Body::Cuda(plan) => {
                plan.note_use(context.stream)?;
                plan.begin(context.stream, &call)?;
                plan.solve_dense(context.stream, &call, rhs.count, sides, spare)?;
            }
        }
        Ok(())
    }

    /// Waits for the last solve and tells its pivot; writes the position to device memory, if it is to go there.
    pub fn zero_pivot(&mut self, context: &Context, in_device_memory: Option<Address>) -> Result<Pivot> {
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let last = &analysed.bodies[analysed.last];
        last.must_belong_to(&context.executor)?;
        let base = analysed.shape.base();
        let _bound = last.bind()?;
        let row = match last {
            Body::Host(plan) => plan.pivot,
            Body::Cuda(plan) => plan.zero_pivot(context.stream)?,
        };
        if analysed.take_failure(context.stream)? {
            return Err(Error::TimedOut);
        }
        let last = &analysed.bodies[analysed.last];
        let position = row.map_or(-1, |r| r as i64 + base);
        if let (Body::Cuda(plan), Some(address)) = (last, in_device_memory) {
            plan.write_position(address, position, context.stream)?;
        }
        Ok(Pivot { position, is_structural: row.is_some() && last.missing_diag() == row })
    }

    pub fn stats(&self) -> Result<Stats> {
        let a = self.analysed.as_ref().ok_or(Error::NotAnalysed)?;
        let (entries, levels, widest_level, predicted, times) = match &a.bodies[0] {
            Body::Host(p) => {
                let Times { trans, dep, lev } = p.times;
                let times = SetupTimes { trans, dep, lev, ..SetupTimes::default() };
                let levels = p.levels();
                (p.entries(), levels.count as usize, levels.widest, Duration::ZERO, times)
            }
            Body::Cuda(p) => (p.stored.entries, p.stored.levels, p.stored.widest, p.predicted, p.times()),
        };
        let missing = a.bodies[0].missing_diag();
        Ok(Stats {
            rows: a.shape.n,
            entries_used: entries as i64 + i64::from(a.shape.n),
            levels,
            widest_level,
            algorithm: a.algorithm.id(),
            setup: a.setup,
            time: a.setup_time,
            times,
            bytes_held: a.bodies.iter().map(Body::bytes_held).sum::<usize>()
                + a.factor.as_ref().map_or(0, Factor::bytes_held)
                + a.sweep.as_ref().map_or(0, CudaSweep::bytes_held)
                + a.kept.as_ref().map_or(0, KeptPattern::bytes_held),
            predicted,
            tuned: a.tuned[0].map_or(Duration::ZERO, |tuned| tuned.time),
            missing_diagonal: missing.map(|row| i64::from(row) + a.shape.base()),
            pattern_was_known: a.was_known,
        })
    }
}

impl Analysed {
    /// Where a solve by one of the bodies has its places in a buffer.
    fn places(&self, shape: &Shape, which: usize, buffer: Address) -> Workspace {
        workspace::places(shape, self.row_bytes_of_solves(shape, which), buffer)
    }

    /// Bytes of a row there.
    fn row_bytes_of_solves(&self, shape: &Shape, which: usize) -> usize {
        let algorithm = self.bodies[which].algorithm(self.algorithm);
        algorithm.row_bytes(shape.dtype, self.settings.right_hand_sides)
    }

    /// Which of the bodies solves this problem, if it is the one that was analysed. T and H share one.
    fn body_for(&self, shape: &Shape) -> Result<usize> {
        if self.bodies.len() == 1 {
            return shape.must_equal(&self.shape).map(|()| 0);
        }
        Shape { op: self.shape.op, ..*shape }.must_equal(&self.shape)?;
        let is_plain = |shape: &Shape| shape.op == Op::NonTranspose;
        Ok(usize::from(is_plain(shape) != is_plain(&self.shape)))
    }

    /// Whether the watchdog ended a solve or a factorisation since the last look.
    fn take_failure(&mut self, stream: Stream) -> Result<bool> {
        if let Some(factor) = &mut self.factor {
            self.was_ended |= factor.take_failure(stream)?;
        }
        for body in &mut self.bodies {
            self.was_ended |= body.take_failure(stream)?;
        }
        Ok(std::mem::take(&mut self.was_ended))
    }
}
