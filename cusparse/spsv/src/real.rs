//! The real cuSPARSE: the library whose handles and descriptors the program passes in. It is found among what the program has
//! loaded, and never this library itself.

use crate::args::{Call, Family};
use crate::report;
use doors::cusparse::{self, Handle};
use doors::dl::Library;
use doors::functions;
use doors::status::{Status, NOT_INITIALIZED, NOT_SUPPORTED};
use libc::{c_int, c_void};
use std::sync::OnceLock;

type Mat = *const c_void;

functions!(
    /// Reads the descriptors of matrices and vectors; all are there from CUDA 12.0 on.
    Getters {
        format = c"cusparseSpMatGetFormat": unsafe extern "C" fn(Mat, *mut c_int) -> c_int,
        attribute = c"cusparseSpMatGetAttribute": unsafe extern "C" fn(Mat, c_int, *mut c_void, usize) -> c_int,
        csr = c"cusparseConstCsrGet": unsafe extern "C" fn(
            Mat, *mut i64, *mut i64, *mut i64, *mut Mat, *mut Mat, *mut Mat, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
        ) -> c_int,
        csc = c"cusparseConstCscGet": unsafe extern "C" fn(
            Mat, *mut i64, *mut i64, *mut i64, *mut Mat, *mut Mat, *mut Mat, *mut c_int, *mut c_int, *mut c_int, *mut c_int,
        ) -> c_int,
        coo = c"cusparseConstCooGet": unsafe extern "C" fn(
            Mat, *mut i64, *mut i64, *mut i64, *mut Mat, *mut Mat, *mut Mat, *mut c_int, *mut c_int, *mut c_int,
        ) -> c_int,
        vector = c"cusparseConstDnVecGet": unsafe extern "C" fn(Mat, *mut i64, *mut Mat, *mut c_int) -> c_int,
        dense = c"cusparseConstDnMatGet": unsafe extern "C" fn(
            Mat, *mut i64, *mut i64, *mut i64, *mut Mat, *mut c_int, *mut c_int,
        ) -> c_int,
        property = c"cusparseGetProperty": unsafe extern "C" fn(c_int, *mut c_int) -> c_int,
        row_offsets = c"cusparseXcoo2csr":
            unsafe extern "C" fn(Handle, *const c_void, c_int, c_int, *mut c_void, c_int) -> c_int,
    }
);

functions!(
    Spsv {
        create = c"cusparseSpSV_createDescr": unsafe extern "C" fn(*mut usize) -> c_int,
        destroy = c"cusparseSpSV_destroyDescr": unsafe extern "C" fn(usize) -> c_int,
        buffer_size = c"cusparseSpSV_bufferSize": unsafe extern "C" fn(
            Handle, c_int, Mat, Mat, Mat, *mut c_void, c_int, c_int, usize, *mut usize,
        ) -> c_int,
        analysis = c"cusparseSpSV_analysis": unsafe extern "C" fn(
            Handle, c_int, Mat, Mat, Mat, *mut c_void, c_int, c_int, usize, *mut c_void,
        ) -> c_int,
        solve = c"cusparseSpSV_solve": unsafe extern "C" fn(
            Handle, c_int, Mat, Mat, Mat, *mut c_void, c_int, c_int, usize,
        ) -> c_int,
    }
);

functions!(
    Spsm {
        create = c"cusparseSpSM_createDescr": unsafe extern "C" fn(*mut usize) -> c_int,
        destroy = c"cusparseSpSM_destroyDescr": unsafe extern "C" fn(usize) -> c_int,
        buffer_size = c"cusparseSpSM_bufferSize": unsafe extern "C" fn(
            Handle, c_int, c_int, Mat, Mat, Mat, *mut c_void, c_int, c_int, usize, *mut usize,
        ) -> c_int,
        analysis = c"cusparseSpSM_analysis": unsafe extern "C" fn(
            Handle, c_int, c_int, Mat, Mat, Mat, *mut c_void, c_int, c_int, usize, *mut c_void,
        ) -> c_int,
        solve = c"cusparseSpSM_solve": unsafe extern "C" fn(
            Handle, c_int, c_int, Mat, Mat, Mat, *mut c_void, c_int, c_int, usize,
        ) -> c_int,
    }
);

type Update = unsafe extern "C" fn(Handle, usize, *mut c_void, c_int) -> c_int;

functions!(
    SpsvUpdate { update = c"cusparseSpSV_updateMatrix": Update }
);
functions!(
    SpsmUpdate { update = c"cusparseSpSM_updateMatrix": Update }
);

pub struct Real {
    /// None in a version that lacks one of them: then everything is passed on.
    pub getters: Option<Getters>,
    spsv: Option<Spsv>,
    spsm: Option<Spsm>,
    spsv_update: Option<SpsvUpdate>,
    spsm_update: Option<SpsmUpdate>,
    /// Major and minor number.
    version: (c_int, c_int),
}

/// The real library, found at the first call that finds it.
pub fn real() -> Option<&'static Real> {
    static FOUND: OnceLock<Real> = OnceLock::new();
    FOUND.get().or_else(|| cusparse::of_cuda_12().map(|library| FOUND.get_or_init(|| Real::new(library))))
}

/// The same for a call that cannot do without it.
pub fn real_for(family: Family, function: &'static str) -> Result<&'static Real, Status> {
    real().ok_or_else(|| {
        report::refused(family, function, NOT_INITIALIZED, "no libcusparse.so.12 is loaded, and none can be")
    })
}

impl Real {
    fn new(library: Library) -> Real {
        let getters = Getters::find(library);
        let mut version = [0; 2];
        if let Some(getters) = &getters {
            for (number, part) in version.iter_mut().zip(0..) {
                // SAFETY: writes one int.
                unsafe { (getters.property)(part, number) };
            }
        }
        Real {
            getters,
            spsv: Spsv::find(library),
            spsm: Spsm::find(library),
            spsv_update: SpsvUpdate::find(library),
            spsm_update: SpsmUpdate::find(library),
            version: (version[0], version[1]),
        }
    }

    /// Whether this version knows the algorithm.
    pub fn has_algorithm(&self, family: Family, alg: c_int) -> bool {
        match (family, alg) {
            (_, 0) => true,
            (Family::SpSV, 1 | 2) => self.version >= (12, 9), // ALG1 and ALG2
            _ => false,
        }
    }

    /// Whether this version solves with matrices by columns.
    pub fn has_csc(&self) -> bool {
        self.version >= (12, 9)
    }

    /// # Safety
    /// As cuSPARSE's function; so are those below.
    pub unsafe fn create(&self, family: Family) -> Result<usize, Status> {
        let mut descr = 0;
        let status = match family {
            Family::SpSV => (self.spsv()?.create)(&mut descr),
            Family::SpSM => (self.spsm()?.create)(&mut descr),
        };
        Status::from_cusparse(status).map(|()| descr)
    }

    pub unsafe fn destroy(&self, family: Family, descr: usize) -> Result<(), Status> {
        Status::from_cusparse(match family {
            Family::SpSV => (self.spsv()?.destroy)(descr),
            Family::SpSM => (self.spsm()?.destroy)(descr),
        })
    }

    pub unsafe fn buffer_size(&self, call: &Call, descr: usize, bytes: *mut usize) -> Result<(), Status> {
        let Call { handle, op, op_b, alpha, a, b, c, compute, alg, .. } = *call;
        Status::from_cusparse(match call.family {
            Family::SpSV => {
                (self.spsv()?.buffer_size)(handle, op, alpha, a, b, c, compute, alg, descr, bytes)
            }
            Family::SpSM => {
                (self.spsm()?.buffer_size)(handle, op, op_b, alpha, a, b, c, compute, alg, descr, bytes)
            }
        })
    }

    pub unsafe fn analyse(&self, call: &Call, descr: usize, buffer: *mut c_void) -> Result<(), Status> {
        let Call { handle, op, op_b, alpha, a, b, c, compute, alg, .. } = *call;
        Status::from_cusparse(match call.family {
            Family::SpSV => (self.spsv()?.analysis)(handle, op, alpha, a, b, c, compute, alg, descr, buffer),
            Family::SpSM => {
                (self.spsm()?.analysis)(handle, op, op_b, alpha, a, b, c, compute, alg, descr, buffer)
            }
        })
    }

    pub unsafe fn solve(&self, call: &Call, descr: usize) -> Result<(), Status> {
        let Call { handle, op, op_b, alpha, a, b, c, compute, alg, .. } = *call;
        Status::from_cusparse(match call.family {
            Family::SpSV => (self.spsv()?.solve)(handle, op, alpha, a, b, c, compute, alg, descr),
            Family::SpSM => (self.spsm()?.solve)(handle, op, op_b, alpha, a, b, c, compute, alg, descr),
        })
    }

    pub unsafe fn update(
        &self,
        family: Family,
        handle: Handle,
        descr: usize,
        values: *mut c_void,
        part: c_int,
    ) -> Result<(), Status> {
        let update = match family {
            Family::SpSV => self.spsv_update.as_ref().map(|f| f.update),
            Family::SpSM => self.spsm_update.as_ref().map(|f| f.update),
        };
        Status::from_cusparse(update.ok_or(NOT_SUPPORTED)?(handle, descr, values, part))
    }

    /// Offsets of rows that are given one by one, in rising order.
    pub unsafe fn row_offsets(
        &self,
        handle: Handle,
        rows: *const c_void,
        [nnz, m, base]: [c_int; 3],
        offsets: *mut c_void,
    ) -> Result<(), Status> {
        let getters = self.getters.as_ref().ok_or(NOT_SUPPORTED)?;
        Status::from_cusparse((getters.row_offsets)(handle, rows, nnz, m, offsets, base))
    }

    fn spsv(&self) -> Result<&Spsv, Status> {
        self.spsv.as_ref().ok_or(NOT_SUPPORTED)
    }

    fn spsm(&self) -> Result<&Spsm, Status> {
        self.spsm.as_ref().ok_or(NOT_SUPPORTED)
    }
}

/// A descriptor of the real library, destroyed with its owner.
pub struct RealDescr {
    family: Family,
    pub descr: usize,
}

impl RealDescr {
    pub fn new(family: Family) -> Result<RealDescr, Status> {
        // SAFETY: writes one pointer.
        let descr = unsafe { real().ok_or(NOT_INITIALIZED)?.create(family) }?;
        Ok(RealDescr { family, descr })
    }
}

impl Drop for RealDescr {
    fn drop(&mut self) {
        if let Some(real) = real() {
            // SAFETY: made by `new`, and destroyed once.
            let _ = unsafe { real.destroy(self.family, self.descr) };
        }
    }
}
