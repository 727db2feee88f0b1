//! Products and sums for conjugate gradients by cuSPARSE: SpMV, Axpby and SpVV.

use std::ptr::null_mut;

use super::product::{ProductApi, CSR_ALG1, NON_TRANSPOSE};
use super::{address, call, destroy, Const, Cusparse, Handle, INDEX_32I};
use crate::base::dynamic::functions;
use crate::base::Result;
use crate::solvers::krylov::{Algebra, Vector, VECTORS};
use crate::solvers::library::Alpha;
use crate::system::executor::Buffer;
use crate::system::DeviceMatrix;

functions! {
    /// Inner products of a sparse and a dense vector.
    DotApi {
        set_pointer_mode: "cusparseSetPointerMode" (Handle, i32);
        spvv_buffer_size: "cusparseSpVV_bufferSize" (Handle, i32, Handle, Handle, Const, i32, *mut usize);
        spvv: "cusparseSpVV" (Handle, i32, Handle, Handle, Handle, i32, Handle);
    }
}

const POINTER_MODE_DEVICE: i32 = 1;

/// Works on vectors of as many values as the matrix has rows, in double precision.
pub struct CusparseAlgebra<'s, 'e> {
    product: &'s Cusparse<ProductApi>,
    /// Its results are in memory of the GPU, so that two of them are waited for once.
    dot: &'s Cusparse<DotApi>,
    a: &'s DeviceMatrix<'e>,
    vectors: &'s [Buffer<'e>; VECTORS],
    matrix: Handle,
    dense: [Handle; VECTORS],
    /// The same with an index for each value: Axpby and SpVV take one sparse vector and one dense.
    sparse: [Handle; VECTORS],
    dots: Buffer<'e>,
    /// SpMV keeps what it prepares in its buffer.
    of_products: Option<Buffer<'e>>,
    of_dots: Option<Buffer<'e>>,
}

/// Calls a function of SpMV for y = A x with the arguments that all three have, then another one.
macro_rules! spmv {
    ($s:ident, $x:expr, $y:expr, $function:ident($more:expr)) => {{
        let (one, zero) = (Alpha::one(true), Alpha::of(0.0, true));
        let (x, y, ty) = ($s.dense[$x as usize], $s.dense[$y as usize], $s.a.ty.number());
        let (h, op) = ($s.product.handle, NON_TRANSPOSE);
        call!($s.product.api, $function(h, op, one.ptr(), $s.matrix, x, zero.ptr(), y, ty, CSR_ALG1, $more))
    }};
}

impl<'s, 'e> CusparseAlgebra<'s, 'e> {
    /// `rows`: the numbers of all rows, 32-bit.
    pub fn new(
        product: &'s Cusparse<ProductApi>,
        dot: &'s Cusparse<DotApi>,
        a: &'s DeviceMatrix<'e>,
        rows: &'s Buffer<'e>,
        vectors: &'s [Buffer<'e>; VECTORS],
    ) -> Result<Self> {
        let (matrix, dense, sparse) = (null_mut(), [null_mut(); VECTORS], [null_mut(); VECTORS]);
        let (of_products, of_dots) = (None, None);
        let dots = a.executor.upload(&[0f64; 2])?;
        let mut s =
            CusparseAlgebra { product, dot, a, vectors, matrix, dense, sparse, dots, of_products, of_dots };
        let (api, n, nnz, ty) = (&product.api, a.n as i64, a.nnz as i64, a.ty.number());
        let (ptr, col, val) = (a.ptr.ptr(), a.col.ptr(), a.val.ptr());
        call!(dot.api, set_pointer_mode(dot.handle, POINTER_MODE_DEVICE))?;
        call!(api, create_csr(&mut s.matrix, n, n, nnz, ptr, col, val, INDEX_32I, INDEX_32I, 0, ty))?;
        for ((dense, sparse), vector) in s.dense.iter_mut().zip(&mut s.sparse).zip(vectors) {
            call!(api, create_vector(dense, n, vector.ptr(), ty))?;
            call!(api, create_sparse_vector(sparse, n, n, rows.ptr(), vector.ptr(), INDEX_32I, 0, ty))?;
        }
        s.prepare()?;
        Ok(s)
    }

    /// What SpMV prepares, and buffers.
    fn prepare(&mut self) -> Result<()> {
        let mut bytes = 0usize;
        let ty = self.a.ty.number();
        let (x, y) = (self.sparse[Vector::P as usize], self.dense[Vector::Q as usize]);
        let (dot, result) = (self.dot, self.dots.ptr().cast_const());
        call!(dot.api, spvv_buffer_size(dot.handle, NON_TRANSPOSE, x, y, result, ty, &mut bytes))?;
        self.of_dots = Some(self.a.executor.alloc(bytes)?);
        spmv!(self, Vector::P, Vector::Q, spmv_buffer_size(&mut bytes))?;
        self.of_products = Some(self.a.executor.alloc(bytes)?);
        spmv!(self, Vector::P, Vector::Q, spmv_preprocess(address(&self.of_products)))
    }
}

impl Algebra for CusparseAlgebra<'_, '_> {
    fn multiply(&mut self, x: Vector, y: Vector) -> Result<()> {
        spmv!(self, x, y, spmv(address(&self.of_products)))
    }

    fn add(&mut self, alpha: f64, x: Vector, beta: f64, y: Vector) -> Result<()> {
        let (alpha, beta) = (Alpha::of(alpha, true), Alpha::of(beta, true));
        let (x, y) = (self.sparse[x as usize], self.dense[y as usize]);
        call!(self.product.api, axpby(self.product.handle, alpha.ptr(), x, beta.ptr(), y))
    }

    fn dots(&mut self, pairs: &[[Vector; 2]]) -> Result<[f64; 2]> {
        let mut dots = [0f64; 2];
        let first = self.dots.ptr().cast::<f64>();
        for (k, &[x, y]) in pairs.iter().enumerate().take(dots.len()) {
            let result = first.wrapping_add(k).cast();
            let (x, y, ty) = (self.sparse[x as usize], self.dense[y as usize], self.a.ty.number());
            let buffer = address(&self.of_dots);
            call!(self.dot.api, spvv(self.dot.handle, NON_TRANSPOSE, x, y, result, ty, buffer))?;
        }
        self.dots.read(&mut dots)?;
        Ok(dots)
    }

    fn copy(&mut self, from: Vector, to: Vector) -> Result<()> {
        self.vectors[to as usize].copy_from(&self.vectors[from as usize])
    }
}

impl Drop for CusparseAlgebra<'_, '_> {
    fn drop(&mut self) {
        let api = &self.product.api;
        self.sparse.iter_mut().for_each(|vector| destroy(vector, api.destroy_sparse_vector));
        self.dense.iter_mut().for_each(|vector| destroy(vector, api.destroy_vector));
        destroy(&mut self.matrix, api.destroy_matrix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::grids::{Grid, Stencil};
    use crate::generate::model;
    use crate::solvers::krylov::HostAlgebra;
    use crate::solvers::standin::StandIn;
    use crate::system::executor::Executor;
    use crate::system::Type;

    #[test]
    fn products_and_sums_of_a_cusparse_are_those_of_plain_loops() {
        use Vector::*;
        let stand_in = StandIn::new("algebra");
        let executor = Executor::Host;
        let product = Cusparse::load(&executor, &stand_in.file, "D").unwrap();
        let dot = Cusparse::load(&executor, &stand_in.file, "D").unwrap();
        let grid = Grid { stencil: Stencil::Box, size: [3, 4, 5], dof: 3 };
        let mut a = grid.pattern(false).unwrap();
        assert!(model::set_values(&mut a, &grid));
        let there = DeviceMatrix::upload(&executor, &a, Type::D).unwrap();
        let rows = executor.upload(&(0..a.n as i32).collect::<Vec<i32>>()).unwrap();
        let numbers = |k: usize| (0..a.n).map(|i| ((i * 7 + k * 5) % 11) as f64 - 4.0).collect::<Vec<f64>>();
        let vectors = || std::array::from_fn(|k| executor.upload(&numbers(k)).unwrap());
        let (by_cusparse, by_loops) = (vectors(), vectors());
        let mut one = CusparseAlgebra::new(&product, &dot, &there, &rows, &by_cusparse).unwrap();
        let mut other = HostAlgebra { a: &a, vectors: &by_loops };
        let work = |algebra: &mut dyn Algebra| {
            algebra.multiply(P, Q).unwrap();
            algebra.add(2.0, Q, -0.5, X).unwrap();
            algebra.copy(X, Z).unwrap();
            algebra.dots(&[[X, R], [Z, Z]]).unwrap()
        };
        let (dots, expected) = (work(&mut one), work(&mut other));
        assert!(dots.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-12 * e.abs()), "{dots:?}");
        for (mine, theirs) in by_cusparse.iter().zip(&by_loops) {
            let [mut x, mut y] = [vec![0f64; a.n], vec![0f64; a.n]];
            mine.read(&mut x).and_then(|()| theirs.read(&mut y)).unwrap();
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12));
        }
    }
}
