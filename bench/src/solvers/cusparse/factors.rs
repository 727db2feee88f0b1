//! cuSPARSE's incomplete factorisations, csrilu02 and csric02, which it has deprecated.

use std::ptr::null_mut;

use super::{address, call, destroy, Cusparse, Handle, USE_LEVEL};
use crate::base::dynamic::functions;
use crate::base::Result;
use crate::solvers::contender::Contender;
use crate::solvers::factorisation::Kind;
use crate::system::executor::Buffer;
use crate::system::DeviceMatrix;

functions! {
    /// Both factorisations for one value type.
    FactorApi {
        create_descr: "cusparseCreateMatDescr" (*mut Handle);
        destroy_descr: "cusparseDestroyMatDescr" (Handle);
        create_ilu: "cusparseCreateCsrilu02Info" (*mut Handle);
        destroy_ilu: "cusparseDestroyCsrilu02Info" (Handle);
        ilu_size: "cusparse?csrilu02_bufferSize" (Handle, i32, i32, Handle, Handle, Handle, Handle, Handle, *mut i32);
        ilu_analysis: "cusparse?csrilu02_analysis" (Handle, i32, i32, Handle, Handle, Handle, Handle, Handle, i32, Handle);
        ilu: "cusparse?csrilu02" (Handle, i32, i32, Handle, Handle, Handle, Handle, Handle, i32, Handle);
        create_ic: "cusparseCreateCsric02Info" (*mut Handle);
        destroy_ic: "cusparseDestroyCsric02Info" (Handle);
        ic_size: "cusparse?csric02_bufferSize" (Handle, i32, i32, Handle, Handle, Handle, Handle, Handle, *mut i32);
        ic_analysis: "cusparse?csric02_analysis" (Handle, i32, i32, Handle, Handle, Handle, Handle, Handle, i32, Handle);
        ic: "cusparse?csric02" (Handle, i32, i32, Handle, Handle, Handle, Handle, Handle, i32, Handle);
    }
}

/// The name of a factorisation.
pub fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Ilu0 => "csrilu02",
        Kind::Ic0 => "csric02",
    }
}

/// A factorisation in place of the matrix's values, with level information.
pub struct PeerFactorisation<'s, 'e> {
    peer: &'s Cusparse<FactorApi>,
    kind: Kind,
    a: &'s DeviceMatrix<'e>,
    /// The values of the matrix.
    original: &'s Buffer<'e>,
    descr: Handle,
    info: Handle,
    buffer: Option<Buffer<'e>>,
}

/// Calls the function of the kind in hand with the arguments that all of them have, then others.
macro_rules! factorise {
    ($s:ident, $ilu:ident, $ic:ident($($more:expr),*)) => {{
        let (peer, a) = ($s.peer, $s.a);
        let (n, nnz) = (a.n as i32, a.nnz as i32);
        let (val, ptr, col) = (a.val.ptr(), a.ptr.ptr(), a.col.ptr());
        match $s.kind {
            Kind::Ilu0 => call!(peer.api, $ilu(peer.handle, n, nnz, $s.descr, val, ptr, col, $s.info, $($more),*)),
            Kind::Ic0 => call!(peer.api, $ic(peer.handle, n, nnz, $s.descr, val, ptr, col, $s.info, $($more),*)),
        }
    }};
}

impl<'s, 'e> PeerFactorisation<'s, 'e> {
    pub fn new(
        peer: &'s Cusparse<FactorApi>,
        kind: Kind,
        a: &'s DeviceMatrix<'e>,
        original: &'s Buffer<'e>,
    ) -> Result<Self> {
        let (descr, info) = (null_mut(), null_mut());
        let mut s = PeerFactorisation { peer, kind, a, original, descr, info, buffer: None };
        call!(peer.api, create_descr(&mut s.descr))?;
        Ok(s)
    }

    fn drop_info(&mut self) {
        let api = &self.peer.api;
        destroy(&mut self.info, if self.kind == Kind::Ilu0 { api.destroy_ilu } else { api.destroy_ic });
    }
}

impl Contender for PeerFactorisation<'_, '_> {
    /// A new info, and the buffer that it needs.
    fn prepare(&mut self) -> Result<()> {
        let mut bytes = 0i32;
        self.drop_info();
        match self.kind {
            Kind::Ilu0 => call!(self.peer.api, create_ilu(&mut self.info))?,
            Kind::Ic0 => call!(self.peer.api, create_ic(&mut self.info))?,
        }
        factorise!(self, ilu_size, ic_size(&mut bytes))?;
        self.buffer = Some(self.a.executor.alloc(bytes as usize)?);
        // The analysis may read values.
        self.restore()
    }

    fn analyse(&mut self) -> Result<()> {
        factorise!(self, ilu_analysis, ic_analysis(USE_LEVEL, address(&self.buffer)))
    }

    fn solve(&mut self) -> Result<()> {
        factorise!(self, ilu, ic(USE_LEVEL, address(&self.buffer)))
    }

    fn restore(&mut self) -> Result<()> {
        self.a.val.copy_from(self.original)
    }

    fn restores_each(&self) -> bool {
        true
    }
}

impl Drop for PeerFactorisation<'_, '_> {
    fn drop(&mut self) {
        self.drop_info();
        destroy(&mut self.descr, self.peer.api.destroy_descr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;
    use crate::solvers::standin::StandIn;
    use crate::suites::values::generate_dominant;
    use crate::system::check::TOLERANCE;
    use crate::system::executor::Executor;
    use crate::system::residuals::{of_ic, of_ilu, Matrix};
    use crate::system::{download, upload, Type};

    #[test]
    fn factorisations_of_a_cusparse_are_called_as_they_are_declared() {
        let stand_in = StandIn::new("factors");
        let executor = Executor::Host;
        let peer = Cusparse::load(&executor, &stand_in.file, Type::D.letter()).unwrap();
        let mut a = Csr::from_rows(60, |i, out| {
            out.extend([-8, -1, 0, 1, 8].map(|d| i as i32 + d).into_iter().filter(|j| (0..60).contains(j)));
        })
        .unwrap();
        generate_dominant(&mut a, false);
        let there = DeviceMatrix::upload(&executor, &a, Type::D).unwrap();
        let original = upload(&executor, Type::D, &a.val, &[]).unwrap();
        let whole = Matrix { pattern: &a, values: (&a.val, &[]), ty: Type::D };
        for kind in [Kind::Ilu0, Kind::Ic0] {
            let mut c = PeerFactorisation::new(&peer, kind, &there, &original).unwrap();
            // Twice: what the first one leaves is put back.
            for _ in 0..2 {
                c.prepare()
                    .and_then(|()| c.analyse())
                    .and_then(|()| c.restore())
                    .and_then(|()| c.solve())
                    .unwrap();
                let (values, _) = download(&there.val, Type::D, a.nnz()).unwrap();
                let factors = Matrix { values: (&values, &[]), ..whole };
                let errors = [of_ilu(&whole, &factors), of_ic(&whole, &factors)];
                let (own, other) = (errors[kind as usize], errors[1 - kind as usize]);
                assert!(own < TOLERANCE && other > TOLERANCE, "{kind:?}: {errors:?}");
            }
        }
    }
}
