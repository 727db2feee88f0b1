//! One call of a program: whether libsptrsv serves it, or the real library.

use crate::args::{Call, Family};
use crate::buffer::PassedBuffer;
use crate::descr::{self, Found, Side, State};
use crate::matrix::{self, Why};
use crate::ours::{Failure, Ours};
use crate::real::{real_for, Real, RealDescr};
use crate::report;
use doors::cusparse::Handle;
use doors::pooled::is_captured;
use doors::status::{Status, INVALID_VALUE};
use libc::{c_int, c_void};

impl Call {
    /// # Safety
    /// As cuSPARSE's bufferSize, analysis and solve; so are those below.
    pub unsafe fn buffer_size(&self, bytes: *mut usize) -> Result<(), Status> {
        let descr = match descr::find(self.family, "bufferSize", self.descr)? {
            Found::Here(descr) => descr,
            Found::Foreign(real) => return real.buffer_size(self, self.descr, bytes),
        };
        let real = real_for(self.family, "bufferSize")?;
        let mut state = descr.lock();
        let ours = if bytes.is_null() { Err("an argument is NULL") } else { self.our_size(real, &mut state) };
        match ours {
            Ok(size) => {
                bytes.write(size);
                state.sized_by = Side::Ours;
                Ok(())
            }
            Err(why) => {
                report::passed_on(self.family, "bufferSize", why);
                real.buffer_size(self, real_descr(self.family, &mut state)?, bytes)?;
                state.sized_by = Side::Real;
                Ok(())
            }
        }
    }

    unsafe fn our_size(&self, real: &Real, state: &mut State) -> Result<usize, Why> {
        let matrix = self.served(real)?;
        let ours = ours(state, self, &matrix)?;
        ours.buffer_size(self, &matrix)
    }

    /// The matrix, if the problem is one for libsptrsv.
    unsafe fn served(&self, real: &Real) -> Result<matrix::Matrix, Why> {
        if report::is_off() {
            return Err("SPTRSV_SPSV=off");
        }
        if self.alpha.is_null() {
            return Err("an argument is NULL");
        }
        let matrix = matrix::of_call(real, self)?;
        match is_captured(self.handle) {
            true => Err("the stream is being captured"),
            false => Ok(matrix),
        }
    }

    pub unsafe fn analyse(&self, buffer: *mut c_void) -> Result<(), Status> {
        let descr = match descr::find(self.family, "analysis", self.descr)? {
            Found::Here(descr) => descr,
            Found::Foreign(real) => return real.analyse(self, self.descr, buffer),
        };
        let real = real_for(self.family, "analysis")?;
        let mut state = descr.lock();
        if buffer.is_null() {
            // The real SpSV dies of that.
            return Err(report::refused(self.family, "analysis", INVALID_VALUE, "the buffer is NULL"));
        }
        let done = match self.served(real) {
            // A buffer of the real library's size is for the real library.
            Ok(_) if state.sized_by == Side::Real => Err(Failure::PassOn("bufferSize was passed on".into())),
            Ok(matrix) => match ours(&mut state, self, &matrix) {
                Ok(ours) => ours.analyse(real, self, &matrix, buffer),
                Err(why) => Err(Failure::PassOn(why.into())),
            },
            Err(why) => Err(Failure::PassOn(why.into())),
        };
        match done {
            Ok(()) => {
                state.analysed_by = Side::Ours;
                state.real = None;
                state.buffer = None;
                Ok(())
            }
            // The analysis before this one still counts.
            Err(Failure::Refused(status, why)) => Err(report::refused(self.family, "analysis", status, &why)),
            Err(Failure::PassOn(why)) => {
                report::passed_on(self.family, "analysis", &why);
                if state.ours.as_ref().is_some_and(|ours| !ours.is_analysed()) {
                    // Its memory may be what the real library needs.
                    state.ours = None;
                    state.analysed_by = Side::Nobody;
                }
                self.pass_analysis_on(real, &mut state, buffer)
            }
        }
    }

    unsafe fn pass_analysis_on(
        &self,
        real: &Real,
        state: &mut State,
        buffer: *mut c_void,
    ) -> Result<(), Status> {
        let descr = real_descr(self.family, state)?;
        let mut buffer = buffer;
        // The size of the caller's may be that of another descriptor, so of libsptrsv.
        if state.sized_by != Side::Real {
            let mut bytes = 0;
            real.buffer_size(self, descr, &mut bytes)?;
            let mut passed = PassedBuffer::new(bytes)?;
            buffer = passed.address();
            match is_captured(self.handle) {
                // The graph works in it for as long as it lives, which nobody tells: it is never freed.
                true => std::mem::forget(passed),
                false => state.buffer = Some(passed),
            }
        }
        real.analyse(self, descr, buffer)?;
        state.analysed_by = Side::Real;
        state.ours = None;
        Ok(())
    }

    pub unsafe fn solve(&self) -> Result<(), Status> {
        let descr = match descr::find(self.family, "solve", self.descr)? {
            Found::Here(descr) => descr,
            Found::Foreign(real) => return real.solve(self, self.descr),
        };
        let real = real_for(self.family, "solve")?;
        let state = descr.lock();
        match (state.analysed_by, &state.ours, &state.real) {
            (Side::Ours, Some(ours), _) => {
                let solved = ours.solve(real, self);
                solved.map_err(|(status, why)| report::refused(self.family, "solve", status, &why))
            }
            (Side::Real, _, Some(descr)) => {
                report::passed_on(self.family, "solve", "the real library has analysed the matrix");
                real.solve(self, descr.descr)
            }
            // The real library refuses a descriptor that nobody has analysed, and some arguments before that.
            _ => {
                report::passed_on(self.family, "solve", "nothing has been analysed with success");
                let fresh = RealDescr::new(self.family)?;
                real.solve(self, fresh.descr)
            }
        }
    }
}

/// # Safety
/// As cuSPARSE's updateMatrix.
pub unsafe fn update(
    family: Family,
    handle: Handle,
    number: usize,
    values: *mut c_void,
    part: c_int,
) -> Result<(), Status> {
    let descr = match descr::find(family, "updateMatrix", number)? {
        Found::Here(descr) => descr,
        Found::Foreign(real) => return real.update(family, handle, number, values, part),
    };
    let state = descr.lock();
    if let (Side::Real, Some(descr)) = (state.analysed_by, &state.real) {
        report::passed_on(family, "updateMatrix", "the real library has analysed the matrix");
        return real_for(family, "updateMatrix")?.update(family, handle, descr.descr, values, part);
    }
    let refused = |why| Err(report::refused(family, "updateMatrix", INVALID_VALUE, why));
    if handle.is_null() {
        return refused("the handle is NULL");
    }
    if values.is_null() {
        return refused("the new values are NULL");
    }
    if !(0..=1).contains(&part) {
        return refused("there is no such part of the matrix");
    }
    match (state.analysed_by, &state.ours) {
        (Side::Ours, Some(ours)) => {
            let updated = ours.update(handle, values, part == 1);
            updated.map_err(|(status, why)| report::refused(family, "updateMatrix", status, &why))
        }
        // Accepted before an analysis, which reads the values of its matrix.
        _ => Ok(()),
    }
}

fn ours<'a>(state: &'a mut State, call: &Call, matrix: &matrix::Matrix) -> Result<&'a mut Ours, Why> {
    if state.ours.is_none() {
        state.ours = Some(Ours::new(call, matrix).map_err(|_| "libsptrsv made no info")?);
    }
    Ok(state.ours.as_mut().expect("made above"))
}

fn real_descr(family: Family, state: &mut State) -> Result<usize, Status> {
    if state.real.is_none() {
        state.real = Some(RealDescr::new(family)?);
    }
    Ok(state.real.as_ref().expect("made above").descr)
}
