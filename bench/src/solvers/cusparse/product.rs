//! A Gauss-Seidel sweep as it is made of cuSPARSE: the residual by SpMV, a solve by any solver, and the update of x.

use std::ptr::null_mut;

use super::{address, call, destroy, Const, Cusparse, Handle, INDEX_32I};
use crate::base::dynamic::functions;
use crate::base::Result;
use crate::solvers::contender::Contender;
use crate::solvers::library::Alpha;
use crate::system::executor::Buffer;
use crate::system::DeviceMatrix;

functions! {
    /// cuSPARSE 12.4 and later: products and sums.
    ProductApi {
        create_csr: "cusparseCreateCsr" (*mut Handle, i64, i64, i64, Handle, Handle, Handle, i32, i32, i32, i32);
        destroy_matrix: "cusparseDestroySpMat" (Handle);
        create_vector: "cusparseCreateDnVec" (*mut Handle, i64, Handle, i32);
        destroy_vector: "cusparseDestroyDnVec" (Handle);
        create_sparse_vector: "cusparseCreateSpVec" (*mut Handle, i64, i64, Handle, Handle, i32, i32, i32);
        destroy_sparse_vector: "cusparseDestroySpVec" (Handle);
        spmv_buffer_size: "cusparseSpMV_bufferSize" (Handle, i32, Const, Handle, Handle, Const, Handle, i32, i32, *mut usize);
        spmv_preprocess: "cusparseSpMV_preprocess" (Handle, i32, Const, Handle, Handle, Const, Handle, i32, i32, Handle);
        spmv: "cusparseSpMV" (Handle, i32, Const, Handle, Handle, Const, Handle, i32, i32, Handle);
        axpby: "cusparseAxpby" (Handle, Const, Handle, Const, Handle);
    }
}

pub(super) const NON_TRANSPOSE: i32 = 0;
pub(super) const CSR_ALG1: i32 = 2;

/// The vectors of a sweep, of as many values as the matrix has rows.
#[derive(Clone, Copy)]
pub struct Vectors<'s, 'e> {
    pub b: &'s Buffer<'e>,
    pub x: &'s Buffer<'e>,
    /// What x is before the first sweep.
    pub guess: &'s Buffer<'e>,
    /// What the solver reads, and what it writes.
    pub residual: &'s Buffer<'e>,
    pub update: &'s Buffer<'e>,
    /// The numbers of all rows, 32-bit: cuSPARSE adds a sparse vector to a dense one.
    pub rows: &'s Buffer<'e>,
}

/// residual = b - A x, a solve with the triangle of A, x += update.
pub struct ComposedSweep<'s, 'e> {
    peer: &'s Cusparse<ProductApi>,
    a: &'s DeviceMatrix<'e>,
    solver: Box<dyn Contender + 's>,
    vectors: Vectors<'s, 'e>,
    matrix: Handle,
    x: Handle,
    residual: Handle,
    update: Handle,
    buffer: Option<Buffer<'e>>,
}

/// Calls a function of SpMV with the arguments that all three have, then another one.
macro_rules! spmv {
    ($s:ident, $function:ident($more:expr)) => {{
        let (one, minus_one) = ($s.number(1.0), $s.number(-1.0));
        call!(
            $s.peer.api,
            $function(
                $s.peer.handle,
                NON_TRANSPOSE,
                minus_one.ptr(),
                $s.matrix,
                $s.x,
                one.ptr(),
                $s.residual,
                $s.a.ty.number(),
                CSR_ALG1,
                $more
            )
        )
    }};
}

impl<'s, 'e> ComposedSweep<'s, 'e> {
    /// The solver reads the residual and writes the update.
    pub fn new(
        peer: &'s Cusparse<ProductApi>,
        a: &'s DeviceMatrix<'e>,
        solver: Box<dyn Contender + 's>,
        vectors: Vectors<'s, 'e>,
    ) -> Result<Self> {
        let (matrix, x, residual, update) = (null_mut(), null_mut(), null_mut(), null_mut());
        let mut s = ComposedSweep { peer, a, solver, vectors, matrix, x, residual, update, buffer: None };
        let (api, n, nnz, ty) = (&peer.api, a.n as i64, a.nnz as i64, a.ty.number());
        let (ptr, col, val) = (a.ptr.ptr(), a.col.ptr(), a.val.ptr());
        call!(api, create_csr(&mut s.matrix, n, n, nnz, ptr, col, val, INDEX_32I, INDEX_32I, 0, ty))?;
        call!(api, create_vector(&mut s.x, n, vectors.x.ptr(), ty))?;
        call!(api, create_vector(&mut s.residual, n, vectors.residual.ptr(), ty))?;
        let (rows, values) = (vectors.rows.ptr(), vectors.update.ptr());
        call!(api, create_sparse_vector(&mut s.update, n, n, rows, values, INDEX_32I, 0, ty))?;
        Ok(s)
    }

    fn number(&self, value: f64) -> Alpha {
        Alpha::of(value, self.a.ty.is_double())
    }
}

impl Contender for ComposedSweep<'_, '_> {
    fn prepare(&mut self) -> Result<()> {
        let mut bytes = 0usize;
        spmv!(self, spmv_buffer_size(&mut bytes))?;
        self.buffer = Some(self.a.executor.alloc(bytes)?);
        self.solver.prepare()
    }

    fn analyse(&mut self) -> Result<()> {
        spmv!(self, spmv_preprocess(address(&self.buffer)))?;
        self.solver.analyse()
    }

    fn solve(&mut self) -> Result<()> {
        self.vectors.residual.copy_from(self.vectors.b)?;
        spmv!(self, spmv(address(&self.buffer)))?;
        self.solver.solve()?;
        let one = self.number(1.0);
        call!(self.peer.api, axpby(self.peer.handle, one.ptr(), self.update, one.ptr(), self.x))
    }

    fn restore(&mut self) -> Result<()> {
        self.vectors.x.copy_from(self.vectors.guess)
    }
}

impl Drop for ComposedSweep<'_, '_> {
    fn drop(&mut self) {
        destroy(&mut self.update, self.peer.api.destroy_sparse_vector);
        destroy(&mut self.residual, self.peer.api.destroy_vector);
        destroy(&mut self.x, self.peer.api.destroy_vector);
        destroy(&mut self.matrix, self.peer.api.destroy_matrix);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Generic, GenericApi};
    use super::*;
    use crate::matrix::{right_hand_side, Csr, Fill};
    use crate::solvers::standin::StandIn;
    use crate::suites::values::generate_dominant;
    use crate::system::check::TOLERANCE;
    use crate::system::executor::Executor;
    use crate::system::residuals::{of_sweep, Matrix};
    use crate::system::{download, upload, Op, System, Type};

    #[test]
    fn a_sweep_is_made_of_a_product_a_solve_and_a_sum() {
        let stand_in = StandIn::new("product");
        let executor = Executor::Host;
        let product: Cusparse<ProductApi> = Cusparse::load(&executor, &stand_in.file, "D").unwrap();
        let spsv: Cusparse<GenericApi> = Cusparse::load(&executor, &stand_in.file, "D").unwrap();
        let mut a = Csr::from_rows(60, |i, out| {
            out.extend([-8, -1, 0, 1, 8].map(|d| i as i32 + d).into_iter().filter(|j| (0..60).contains(j)));
        })
        .unwrap();
        generate_dominant(&mut a, false);
        let there = DeviceMatrix::upload(&executor, &a, Type::D).unwrap();
        let (right, first) = (right_hand_side(60), vec![0.25; 60]);
        let place = |values: &[f64]| upload(&executor, Type::D, values, &[]).unwrap();
        let (b, guess, x, residual, update) =
            (place(&right), place(&first), place(&first), place(&first), place(&first));
        let rows = executor.upload(&(0..60).collect::<Vec<i32>>()).unwrap();
        let (f, d) = (&residual, &update);
        let system = System { matrix: &there, fill: Fill::Lower, unit: false, op: Op::N, rhs: 1, f, x: d };
        let solver = Box::new(Generic::new(&spsv, system, 0).unwrap());
        let vectors =
            Vectors { b: &b, x: &x, guess: &guess, residual: &residual, update: &update, rows: &rows };
        let mut sweep = ComposedSweep::new(&product, &there, solver, vectors).unwrap();
        sweep.prepare().and_then(|()| sweep.analyse()).unwrap();
        for _ in 0..2 {
            sweep.restore().and_then(|()| sweep.solve()).unwrap();
            let (x, _) = download(&x, Type::D, 60).unwrap();
            let matrix = Matrix { pattern: &a, values: (&a.val, &[]), ty: Type::D };
            let error = of_sweep(&matrix, (&right, &[]), (&first, &[]), (&x, &[]));
            assert!(error < TOLERANCE && x != first, "{error}");
        }
    }
}
