//! Tuning: the engines that promise most are timed on the caller's system, and the fastest stays.
#![forbid(unsafe_code)]

use std::time::Duration;

use super::{Analysed, Body, Info, Request, Source, Tuned};
use crate::address::{Address, Stream};
use crate::context::Context;
use crate::engines::{self, Algorithm, Asked, AUTO};
use crate::error::{Error, Result};
use crate::executor::cuda::{stream_beside_captures, CudaPlan, DeviceArray, How};
use crate::executor::host::{HostArray, HostPlan};
use crate::executor::{Executor, SolveCall, Timed};
use crate::problem::{require_aligned, Arrays, CopyValues, Shape};

/// Engines that are timed beside the one that the info holds.
const CANDIDATES: usize = 2;

/// Solves that are not counted, and those of a round. Two engines have a round each in turn, so that a clock that changes
/// changes for both.
const WARM_UPS: usize = 2;
const ROUND: usize = 5;
const ROUNDS: usize = 2;

/// A round of long solves has fewer of them: as many as take that long, and one at least.
const LONGEST_ROUND: Duration = Duration::from_millis(50);

/// A candidate whose last warm-up takes so many times as long is not timed further.
const HOPELESS: f64 = 2.0;

/// What a tuning has found.
#[derive(Default)]
pub struct Tuning {
    /// The algorithms that were timed, and the median time of a solve. AUTO stands for what AUTO does on the host.
    pub times: Vec<(i32, Duration)>,
    /// The one that stays.
    pub kept: i32,
}

/// What all solves of a tuning have in common.
struct Trial {
    stream: Stream,
    call: SolveCall,
}

impl Info {
    /// Times the algorithms that promise most for this system, keeps the fastest and solves by it. Waits for all of that.
    pub fn tune(&mut self, context: &Context, request: &Request) -> Result<Tuning> {
        let Some(ready) = self.ready(context, request)? else { return Ok(Tuning::default()) };
        let analysed = self.analysed.as_mut().ok_or(Error::NotAnalysed)?;
        let (which, call) = (ready.which, ready.call);
        require_pattern(&request.shape, request.arrays, analysed.values)?;
        let stream = stream_to_wait_for(context)?;
        let _bound = analysed.bodies[which].bind()?;
        let bytes = request.shape.n as usize * request.shape.dtype.bytes();
        let mut scratch = Scratch::new(context, bytes, stream)?;
        if analysed.values == Source::Copy {
            let val = request.arrays.val;
            analysed.bodies.iter_mut().try_for_each(|body| body.update_values(stream, val))?;
        }
        let mut found = Tuning { times: Vec::new(), kept: analysed.bodies[which].engine() };
        if analysed.is_open {
            let trial = Trial { stream, call: SolveCall { x: scratch.address(), ..call } };
            found = analysed.tune(context, which, request.arrays, &trial)?;
        }
        analysed.last = which;
        Trial { stream, call }.times(&mut analysed.bodies[which], 1)?;
        Ok(found)
    }
}

impl Analysed {
    fn tune(&mut self, context: &Context, which: usize, arrays: Arrays, trial: &Trial) -> Result<Tuning> {
        let held = self.bodies[which].engine();
        let mut best = trial.warm_up(&mut self.bodies[which])?;
        let mut found = Tuning { times: vec![(held, best)], kept: held };
        for asked in self.candidates(which) {
            if found.times.len() > CANDIDATES {
                break;
            }
            if asked.is_some_and(|asked| found.has(asked.id())) {
                continue;
            }
            // Without the memory for it, or on a GPU that it does not serve, it is no candidate.
            let Ok(mut candidate) = self.candidate(context, which, arrays, asked, trial.stream) else {
                continue;
            };
            let engine = candidate.engine();
            // An algorithm may have left the matrix to another one.
            if found.has(engine) {
                continue;
            }
            let Some([of_held, time]) = trial.compare(&mut self.bodies[which], &mut candidate, best)? else {
                continue;
            };
            best = of_held;
            found.note(best);
            found.times.push((engine, time));
            if time < best {
                (best, found.kept) = (time, engine);
                self.keep(which, candidate, asked);
            }
        }
        let is_other = self.tuned[which].is_some_and(|tuned| tuned.is_other);
        self.tuned[which] = Some(Tuned { time: best, is_other });
        Ok(found)
    }

    /// What solves take that may be faster; None stands for AUTO's choice.
    fn candidates(&self, which: usize) -> Vec<Option<&'static dyn Algorithm>> {
        let others = match &self.bodies[which] {
            Body::Host(_) => engines::candidates_on_host(),
            Body::Cuda(plan) => {
                engines::candidates_on_gpu(plan.algorithm(), plan.gpu(), plan.shape(), plan.counts())
            }
        };
        let is_other = self.tuned[which].is_some_and(|tuned| tuned.is_other);
        is_other.then_some(None).into_iter().chain(others.into_iter().map(Some)).collect()
    }

    /// The analysis of the same problem by another algorithm.
    fn candidate(
        &self,
        context: &Context,
        which: usize,
        arrays: Arrays,
        asked: Option<&'static dyn Algorithm>,
        stream: Stream,
    ) -> Result<Body> {
        let shape = if which == 0 { self.shape } else { self.shape.transposed() };
        let candidate = match &context.executor {
            Executor::Host(pool) => {
                let (mut plan, _) = HostPlan::new(pool, asked.map(|a| a.host()), &shape, arrays, false)?;
                if self.values == Source::Copy {
                    plan.copy_values(arrays.val)?;
                }
                Body::Host(Box::new(plan))
            }
            Executor::Cuda(gpu) => {
                let copy_values = match self.values {
                    Source::Caller => CopyValues::No,
                    Source::Handed(_) => CopyValues::WhereFaster,
                    Source::Copy => CopyValues::All,
                };
                let how = How {
                    setup: self.setup,
                    stream,
                    timeout: context.timeout,
                    copy_values,
                    right_hand_sides: self.settings.right_hand_sides,
                };
                let analyse = || CudaPlan::new(gpu, &Asked(asked), &shape, arrays, how, &mut || ());
                let mut plan = gpu.with_all_memory(stream, analyse)?;
                if let Source::Handed(val) = self.values {
                    plan.update_values(stream, val)?;
                }
                Body::Cuda(Box::new(plan))
            }
        };
        match candidate.entries() == self.bodies[which].entries() {
            true => Ok(candidate),
            false => {
                Err(Error::Invalid("the arrays hold another pattern than the one that was analysed".into()))
            }
        }
    }

    /// Solves with this body from now on.
    fn keep(&mut self, which: usize, body: Body, asked: Option<&'static dyn Algorithm>) {
        if which == 0 {
            self.algorithm = body.algorithm(engines::choose_on_host(asked));
        }
        self.bodies[which] = body;
        let shape = self.shape;
        self.row_bytes = self.row_bytes.max(self.row_bytes_of_solves(&shape, which));
        self.tuned[which] = Some(Tuned { time: Duration::ZERO, is_other: asked.is_some() });
    }
}

impl Tuning {
    fn has(&self, engine: i32) -> bool {
        self.times.iter().any(|&(timed, _)| timed == engine)
    }

    /// The kept one's time has been measured once more.
    fn note(&mut self, time: Duration) {
        let kept = self.kept;
        self.times.iter_mut().filter(|(engine, _)| *engine == kept).for_each(|of_kept| of_kept.1 = time);
    }
}

impl Trial {
    fn times(&self, body: &mut Body, solves: usize) -> Result<Vec<Duration>> {
        let mut times = vec![Duration::ZERO; solves];
        body.timed().time_solves(self.stream, &self.call, &mut times)?;
        Ok(times)
    }

    /// The time of the last warm-up.
    fn warm_up(&self, body: &mut Body) -> Result<Duration> {
        Ok(self.times(body, WARM_UPS)?[WARM_UPS - 1])
    }

    /// The median times of a solve by both. None if the candidate cannot solve. `best` is about what the other one takes.
    fn compare(
        &self,
        held: &mut Body,
        candidate: &mut Body,
        best: Duration,
    ) -> Result<Option<[Duration; 2]>> {
        let Ok(first) = self.warm_up(candidate) else { return Ok(None) };
        if first > best.mul_f64(HOPELESS) {
            return Ok(Some([best, first]));
        }
        let solves =
            |time: Duration| (LONGEST_ROUND.as_nanos() / time.as_nanos().max(1)).clamp(1, ROUND as u128);
        let (mut of_held, mut of_candidate) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            of_held.extend(self.times(held, solves(best) as usize)?);
            let Ok(times) = self.times(candidate, solves(first) as usize) else { return Ok(None) };
            of_candidate.extend(times);
        }
        Ok(Some([median(of_held), median(of_candidate)]))
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

impl Body {
    fn timed(&mut self) -> &mut dyn Timed {
        match self {
            Body::Host(plan) => plan.as_mut(),
            Body::Cuda(plan) => plan.as_mut(),
        }
    }

    /// The number of the algorithm that solves; AUTO's for what AUTO does on the host.
    fn engine(&self) -> i32 {
        match self {
            Body::Host(plan) => plan.method().map_or(AUTO, engines::id_on_host),
            Body::Cuda(plan) => plan.algorithm().id(),
        }
    }

    /// Off-diagonal entries of the triangle.
    fn entries(&self) -> u32 {
        match self {
            Body::Host(plan) => plan.entries(),
            Body::Cuda(plan) => plan.stored.entries,
        }
    }
}

/// Room for the solution of a trial, so that x keeps what it holds, which may be f.
enum Scratch {
    Host(HostArray),
    Cuda(DeviceArray),
}

impl Scratch {
    fn new(context: &Context, bytes: usize, stream: Stream) -> Result<Scratch> {
        match &context.executor {
            Executor::Host(_) => Ok(Scratch::Host(HostArray::new(bytes)?)),
            Executor::Cuda(gpu) => Ok(Scratch::Cuda(DeviceArray::temporary(gpu, bytes, stream)?)),
        }
    }

    fn address(&mut self) -> Address {
        match self {
            Scratch::Host(array) => array.address(),
            Scratch::Cuda(array) => array.address(),
        }
    }
}

/// The caller's stream, or another one that is waited for in its place.
fn stream_to_wait_for(context: &Context) -> Result<Stream> {
    match &context.executor {
        Executor::Host(_) => Ok(context.stream),
        Executor::Cuda(gpu) => stream_beside_captures(gpu, context.stream),
    }
}

/// Refuses a call without the arrays that an analysis reads, which a solve may do without.
fn require_pattern(shape: &Shape, arrays: Arrays, values: Source) -> Result<()> {
    require_aligned(arrays.ptr, "rowPtr", shape.descr.offsets.bytes())?;
    if shape.nnz > 0 {
        require_aligned(arrays.ind, "colInd", shape.descr.columns.bytes())?;
        if values == Source::Copy {
            require_aligned(arrays.val, "val", shape.dtype.bytes())?;
        }
    }
    Ok(())
}
