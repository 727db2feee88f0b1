//! How long solves take on the GPU, by events on the stream between them; and what tuning knows of a matrix.

use std::time::Duration;

use cust::sys;

use super::errors::check;
use super::{memory, CudaPlan};
use crate::address::Stream;
use crate::error::{Error, Result};
use crate::executor::{SolveCall, Timed};
use crate::problem::Order;
use crate::select::features::Counts;

/// A moment of a stream.
struct Event(sys::CUevent);

impl Event {
    /// One in the current context.
    fn new() -> Result<Event> {
        let mut event = std::ptr::null_mut();
        // SAFETY: writes one handle.
        check(unsafe { sys::cuEventCreate(&mut event, 0) }, "cuEventCreate")?;
        Ok(Event(event))
    }

    /// Is when all that has been enqueued on the stream is done.
    fn record(&self, stream: Stream) -> Result<()> {
        // SAFETY: the event is alive, the stream the caller's.
        check(unsafe { sys::cuEventRecord(self.0, stream.handle()) }, "cuEventRecord")
    }

    /// The time to a later one. Both have passed.
    fn until(&self, later: &Event) -> Result<Duration> {
        let mut milliseconds = 0.0;
        // SAFETY: writes one number; both events are alive.
        let result = unsafe { sys::cuEventElapsedTime(&mut milliseconds, self.0, later.0) };
        check(result, "cuEventElapsedTime")?;
        Ok(Duration::from_secs_f64(1e-3 * f64::from(milliseconds).max(0.0)))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: destroyed once; the driver keeps it until it has passed.
        unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}

impl Timed for CudaPlan {
    fn time_solves(&mut self, stream: Stream, call: &SolveCall, times: &mut [Duration]) -> Result<()> {
        let gpu = self.gpu().clone();
        let _bound = gpu.bind()?;
        let ld = i64::from(self.stored.n());
        let events = (0..=times.len()).map(|_| Event::new()).collect::<Result<Vec<_>>>()?;
        self.note_use(stream)?;
        events[0].record(stream)?;
        for event in &events[1..] {
            self.begin(stream, call)?;
            self.solve_columns(stream, call, 1, ld, ld, Order::Columns)?;
            event.record(stream)?;
        }
        memory::synchronize(stream)?;
        if self.take_failure(stream)? {
            return Err(Error::TimedOut);
        }
        for (time, ends) in times.iter_mut().zip(events.windows(2)) {
            *time = ends[0].until(&ends[1])?;
        }
        Ok(())
    }
}

impl CudaPlan {
    /// What is counted of its rows, for promises of other engines.
    pub fn counts(&self) -> Counts {
        let shape = self.stored.shape();
        Counts {
            n: shape.n,
            entries: self.stored.entries,
            levels: self.stored.levels as u32,
            scattered: self.copied.is_none() && !shape.rows_are_stored(),
            node: 1,
            value_bytes: shape.dtype.bytes() as u32,
            is_complex: shape.dtype.is_complex(),
            speed: self.gpu().speed(),
            ..Counts::default()
        }
    }
}
