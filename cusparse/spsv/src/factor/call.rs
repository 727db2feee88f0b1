//! One call of a program: whether libsptrsv serves it, or the real library.

use super::args::{Boost, Call, Factorise, Kind};
use super::info::{self, Found, SizedBy, State};
use super::ours::{Ours, PivotBoost};
use super::real::{self, Functions};
use crate::buffer::PassedBuffer;
use crate::descr::Side;
use crate::matrix::{Storage, Why};
use crate::ours::Failure;
use crate::report;
use doors::cusparse::{Handle, HandleState};
use doors::driver;
use doors::pooled::{is_captured, Executor};
use doors::sptrsv;
use doors::status::{
    Status, EXECUTION_FAILED, INTERNAL_ERROR, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED, ZERO_PIVOT,
};
use libc::{c_int, c_void};

const NOT_ANALYSED: Why = "nothing has been analysed with success";

impl Call {
    /// # Safety
    /// As cuSPARSE's functions; so are those below.
    unsafe fn served(&self) -> Result<Storage, Why> {
        match report::is_off() {
            true => Err("SPTRSV_SPSV=off"),
            false => self.storage(),
        }
    }

    pub unsafe fn buffer_size(&self, bytes: *mut c_int) -> Result<(), Status> {
        let info = match info::find(self.kind, "bufferSize", self.info)? {
            Found::Here(info) => info,
            Found::Foreign(real) => return real.buffer_size(self, self.info, bytes),
        };
        let mut state = info.lock();
        let ours = if bytes.is_null() { Err("an argument is NULL") } else { self.our_size(&mut state) };
        match ours {
            Ok(size) => {
                bytes.write(size);
                state.sized_by = SizedBy::Ours(size as usize);
            }
            Err(why) => {
                report::passed_on(self.kind, "bufferSize", why);
                let real = real::functions(self.kind, "bufferSize")?;
                real.buffer_size(self, state.real(real)?, bytes)?;
                state.sized_by = SizedBy::Real;
            }
        }
        Ok(())
    }

    unsafe fn our_size(&self, state: &mut State) -> Result<c_int, Why> {
        let storage = self.served()?;
        let bytes = ours(state)?.buffer_size(self, &storage)?;
        c_int::try_from(bytes).map_err(|_| "libsptrsv needs a buffer that is larger than an int can say")
    }
}

impl Factorise {
    pub unsafe fn analyse(&self) -> Result<(), Status> {
        let kind = self.call.kind;
        let info = match info::find(kind, "analysis", self.call.info)? {
            Found::Here(info) => info,
            Found::Foreign(real) => return real.analyse(self, self.call.info),
        };
        let mut state = info.lock();
        if self.buffer.is_null() {
            return Err(report::refused(kind, "analysis", INVALID_VALUE, "the buffer is NULL"));
        }
        match self.analyse_here(&mut state) {
            Ok(()) => {
                state.analysed_by = Side::Ours;
                state.real = None;
                state.buffer = None;
                Ok(())
            }
            Err(Failure::Refused(status, why)) => Err(report::refused(kind, "analysis", status, &why)),
            Err(Failure::PassOn(why)) => {
                report::passed_on(kind, "analysis", &why);
                if state.ours.as_ref().is_some_and(|ours| !ours.is_analysed()) {
                    // Its memory may be what the real library needs.
                    state.ours = None;
                    state.analysed_by = Side::Nobody;
                }
                self.pass_analysis_on(&mut state)
            }
        }
    }

    unsafe fn analyse_here(&self, state: &mut State) -> Result<(), Failure> {
        let pass_on = |why: Why| Failure::PassOn(why.into());
        let storage = self.call.served().map_err(pass_on)?;
        if !(0..=1).contains(&self.policy) {
            return Err(pass_on("there is no such policy"));
        }
        // No work may begin, and nothing may be freed. As in cuSPARSE, the analysis before this one counts no more.
        if is_captured(self.call.handle) {
            state.analysed_by = Side::Nobody;
            let why = "an analysis cannot be captured";
            return Err(Failure::Refused(EXECUTION_FAILED, why.into()));
        }
        // A buffer of another size than libsptrsv's is for the real library.
        let sized = match state.sized_by {
            SizedBy::Ours(sized) => sized,
            SizedBy::Real => return Err(pass_on("bufferSize was passed on")),
            SizedBy::Nobody => return Err(pass_on("bufferSize was not called with this info")),
        };
        let ours = ours(state).map_err(pass_on)?;
        if ours.buffer_size(&self.call, &storage).map_err(pass_on)? > sized {
            return Err(pass_on("bufferSize was called for a smaller matrix"));
        }
        ours.analyse(self, storage)
    }

    unsafe fn pass_analysis_on(&self, state: &mut State) -> Result<(), Status> {
        let real = real::functions(self.call.kind, "analysis")?;
        let info = state.real(real)?;
        let mut own = None;
        let mut step = *self;
        if state.sized_by != SizedBy::Real {
            let mut bytes = 0;
            real.buffer_size(&self.call, info, &mut bytes)?;
            let made = PassedBuffer::new(usize::try_from(bytes).unwrap_or(0))?;
            step.buffer = own.insert(made).address();
        }
        let done = real.analyse(&step, info);
        if matches!(done, Ok(()) | Err(ZERO_PIVOT)) {
            state.buffer = own;
            state.analysed_by = Side::Real;
            state.ours = None;
            if let Some(boost) = state.boost {
                boost.tell(real, self.call.handle, info)?;
            }
        }
        done
    }

    pub unsafe fn factorise(&self) -> Result<(), Status> {
        let kind = self.call.kind;
        let info = match info::find(kind, "", self.call.info)? {
            Found::Here(info) => info,
            Found::Foreign(real) => return real.factorise(self, self.call.info),
        };
        let mut guard = info.lock();
        let state = &mut *guard;
        match (state.analysed_by, &mut state.ours) {
            (Side::Ours, Some(ours)) => {
                let done = ours.factorise(self, state.boost);
                done.map_err(|(status, why)| report::refused(kind, "", status, &why))
            }
            (Side::Real, _) => {
                report::passed_on(kind, "", "the real library has analysed the matrix");
                let mut step = *self;
                if let (false, Some(own)) = (self.buffer.is_null(), &mut state.buffer) {
                    step.buffer = own.address();
                }
                let real = real::functions(kind, "")?;
                real.factorise(&step, state.real(real)?)
            }
            _ if self.call.handle.is_null() => {
                Err(report::refused(kind, "", NOT_INITIALIZED, "the handle is NULL"))
            }
            _ => Err(report::refused(kind, "", INTERNAL_ERROR, NOT_ANALYSED)),
        }
    }
}

/// # Safety
/// As cuSPARSE's function.
pub unsafe fn zero_pivot(
    kind: Kind,
    handle: Handle,
    number: usize,
    position: *mut c_int,
) -> Result<(), Status> {
    let info = match info::find(kind, "zeroPivot", number)? {
        Found::Here(info) => info,
        Found::Foreign(real) => return real.zero_pivot(handle, number, position),
    };
    let mut state = info.lock();
    match (state.analysed_by, &state.ours) {
        (Side::Ours, Some(ours)) => ours.zero_pivot(handle, position),
        (Side::Real, _) => {
            report::passed_on(kind, "zeroPivot", "the real library has analysed the matrix");
            let real = real::functions(kind, "zeroPivot")?;
            real.zero_pivot(handle, state.real(real)?, position)
        }
        _ if handle.is_null() => {
            Err(report::refused(kind, "zeroPivot", NOT_INITIALIZED, "the handle is NULL"))
        }
        _ => Err(report::refused(kind, "zeroPivot", INVALID_VALUE, NOT_ANALYSED)),
    }
}

impl Boost {
    /// # Safety
    /// As cuSPARSE's function; so is that below.
    pub unsafe fn set(&self, number: usize) -> Result<(), Status> {
        let info = match info::find(Kind::Ilu, "numericBoost", number)? {
            Found::Here(info) => info,
            Found::Foreign(real) => return real.boost(self, number),
        };
        let mut state = info.lock();
        if let (Side::Real, Some(real)) = (state.analysed_by, &state.real) {
            report::passed_on(Kind::Ilu, "numericBoost", "the real library has analysed the matrix");
            real::functions(Kind::Ilu, "numericBoost")?.boost(self, real.info)?;
        }
        let boost = self.read();
        let boost = boost.map_err(|(status, why)| report::refused(Kind::Ilu, "numericBoost", status, why))?;
        state.boost = Some(boost);
        Ok(())
    }

    /// The numbers, by the pointer mode.
    unsafe fn read(&self) -> Result<PivotBoost, (Status, Why)> {
        if self.handle.is_null() {
            return Err((NOT_INITIALIZED, "the handle is NULL"));
        }
        let mut boost =
            PivotBoost { data_type: self.data_type, enable: self.enable, tolerance: 0.0, value: [0.0; 2] };
        if self.enable == 0 {
            return Ok(boost);
        }
        if self.tolerance.is_null() || self.value.is_null() {
            return Err((INTERNAL_ERROR, "the tolerance or the value is NULL"));
        }
        let handle =
            HandleState::read(self.handle).map_err(|status| (status, "the handle cannot be read"))?;
        let executor = Executor::chosen().map_err(|status| (status, "there is no such executor"))?;
        let is_here = executor == Executor::Host || handle.pointer_mode == sptrsv::POINTER_MODE_HOST;
        if !is_here && driver::is_capturing(handle.stream) {
            return Err((
                NOT_SUPPORTED,
                "a boost in device memory cannot be read while the stream is being captured",
            ));
        }
        let copy = |to: *mut c_void, from: *const c_void, bytes| match is_here {
            true => {
                std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), bytes);
                Ok(())
            }
            false => driver::copy(to, from, bytes, handle.stream)
                .map_err(|status| (status, "the boost cannot be read from device memory")),
        };
        copy((&raw mut boost.tolerance).cast(), self.tolerance.cast(), size_of::<f64>())?;
        let parts = 1 + usize::from(self.data_type.complex);
        let bytes = self.data_type.bytes;
        if bytes / parts == size_of::<f64>() {
            copy(boost.value.as_mut_ptr().cast(), self.value, bytes)?;
        } else {
            let mut single = [0f32; 2];
            copy(single.as_mut_ptr().cast(), self.value, bytes)?;
            boost.value = single.map(f64::from);
        }
        Ok(boost)
    }
}

impl PivotBoost {
    /// Has the real library's info know it too.
    ///
    /// # Safety
    /// The handle and the info are live.
    unsafe fn tell(mut self, real: &Functions, handle: Handle, info: usize) -> Result<(), Status> {
        let mut single = self.value.map(|part| part as f32);
        let is_single = self.data_type.bytes / (1 + usize::from(self.data_type.complex)) == size_of::<f32>();
        let value = if is_single { single.as_mut_ptr().cast() } else { self.value.as_mut_ptr().cast() };
        let PivotBoost { data_type, enable, .. } = self;
        let boost = Boost { data_type, handle, enable, tolerance: &mut self.tolerance, value };
        let mode = HandleState::read(handle)?.pointer_mode;
        real.set_pointer_mode(handle, sptrsv::POINTER_MODE_HOST)?;
        let told = real.boost(&boost, info);
        real.set_pointer_mode(handle, mode)?;
        told
    }
}

fn ours(state: &mut State) -> Result<&mut Ours, Why> {
    if state.ours.is_none() {
        state.ours = Some(Ours::new().map_err(|_| "libsptrsv made no info")?);
    }
    Ok(state.ours.as_mut().expect("made above"))
}
