//! Preconditioned conjugate gradients, on an executor's vectors (Saad, Iterative Methods, algorithm 9.1).

use crate::base::Result;
use crate::matrix::Csr;
use crate::system::executor::Buffer;

/// The vectors of the method, by their places in an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vector {
    /// The solution.
    X,
    /// The residual, and what the preconditioner makes of it.
    R,
    Z,
    /// The direction, and its product with the matrix.
    P,
    Q,
}

pub const VECTORS: usize = 5;

/// Products and sums, in the executor's stream.
pub trait Algebra {
    /// y = A x.
    fn multiply(&mut self, x: Vector, y: Vector) -> Result<()>;
    /// y = alpha x + beta y.
    fn add(&mut self, alpha: f64, x: Vector, beta: f64, y: Vector) -> Result<()>;
    /// The inner products of at most two pairs of vectors; waits for them.
    fn dots(&mut self, pairs: &[[Vector; 2]]) -> Result<[f64; 2]>;
    fn copy(&mut self, from: Vector, to: Vector) -> Result<()>;
}

/// Solves A x = b from x = 0, where r is b, until the residual is at most `tolerance` times as long as b. `precondition` makes z of r.
/// Returns the number of iterations.
pub fn conjugate_gradients(
    algebra: &mut dyn Algebra,
    precondition: &mut dyn FnMut() -> Result<()>,
    tolerance: f64,
    most: usize,
) -> Result<usize> {
    use Vector::*;
    precondition()?;
    algebra.copy(Z, P)?;
    let [mut rz, first] = algebra.dots(&[[R, Z], [R, R]])?;
    for iteration in 1..=most {
        algebra.multiply(P, Q)?;
        let [pq, _] = algebra.dots(&[[P, Q]])?;
        // Also where it is NaN.
        if pq.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return Err(format!(
                "the matrix is not positive definite: in iteration {iteration} p A p is {pq:e}"
            ));
        }
        let alpha = rz / pq;
        algebra.add(alpha, P, 1.0, X)?;
        algebra.add(-alpha, Q, 1.0, R)?;
        precondition()?;
        let [next, residual] = algebra.dots(&[[R, Z], [R, R]])?;
        if residual.sqrt() <= tolerance * first.sqrt() {
            return Ok(iteration);
        }
        algebra.add(1.0, Z, next / rz, P)?;
        rz = next;
    }
    Err(format!("no convergence in {most} iterations"))
}

/// Plain loops over double precision, for the host executor.
pub struct HostAlgebra<'s, 'e> {
    pub a: &'s Csr,
    pub vectors: &'s [Buffer<'e>; VECTORS],
}

impl HostAlgebra<'_, '_> {
    fn read(&self, vector: Vector) -> Result<Vec<f64>> {
        let mut values = vec![0.0; self.a.n];
        self.vectors[vector as usize].read(&mut values)?;
        Ok(values)
    }
}

impl Algebra for HostAlgebra<'_, '_> {
    fn multiply(&mut self, x: Vector, y: Vector) -> Result<()> {
        let x = self.read(x)?;
        let product: Vec<f64> = (0..self.a.n).map(|i| row_times(self.a, i, &x)).collect();
        self.vectors[y as usize].write(&product)
    }

    fn add(&mut self, alpha: f64, x: Vector, beta: f64, y: Vector) -> Result<()> {
        let sums: Vec<f64> =
            self.read(x)?.iter().zip(self.read(y)?).map(|(x, y)| alpha * x + beta * y).collect();
        self.vectors[y as usize].write(&sums)
    }

    fn dots(&mut self, pairs: &[[Vector; 2]]) -> Result<[f64; 2]> {
        let mut dots = [0.0; 2];
        for (dot, &[x, y]) in dots.iter_mut().zip(pairs) {
            *dot = self.read(x)?.iter().zip(self.read(y)?).map(|(x, y)| x * y).sum();
        }
        Ok(dots)
    }

    fn copy(&mut self, from: Vector, to: Vector) -> Result<()> {
        self.vectors[to as usize].copy_from(&self.vectors[from as usize])
    }
}

/// A row of a real matrix times a vector.
pub fn row_times(a: &Csr, i: usize, x: &[f64]) -> f64 {
    a.range(i).map(|k| a.val[k] * x[a.col[k] as usize]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::grids::{Grid, Stencil};
    use crate::generate::model;
    use crate::system::executor::Executor;

    fn solve(a: &Csr, b: &[f64], most: usize) -> (Result<usize>, Vec<f64>) {
        let executor = Executor::Host;
        let vectors: [Buffer; VECTORS] = std::array::from_fn(|_| executor.upload(&vec![0.0; a.n]).unwrap());
        vectors[Vector::R as usize].write(b).unwrap();
        let mut algebra = HostAlgebra { a, vectors: &vectors };
        let mut copies = || vectors[Vector::Z as usize].copy_from(&vectors[Vector::R as usize]);
        let iterations = conjugate_gradients(&mut algebra, &mut copies, 1e-10, most);
        (iterations, algebra.read(Vector::X).unwrap())
    }

    fn poisson() -> Csr {
        let grid = Grid { stencil: Stencil::Axes, size: [6, 7, 8], dof: 1 };
        let mut a = grid.pattern(false).unwrap();
        assert!(model::set_values(&mut a, &grid));
        a
    }

    #[test]
    fn it_converges_on_a_definite_matrix() {
        let a = poisson();
        let exact: Vec<f64> = (0..a.n).map(|i| (i % 7) as f64 - 3.0).collect();
        let b: Vec<f64> = (0..a.n).map(|i| row_times(&a, i, &exact)).collect();
        let (iterations, x) = solve(&a, &b, 200);
        assert!((5..100).contains(&iterations.unwrap()));
        assert!(x.iter().zip(&exact).all(|(x, y)| (x - y).abs() < 1e-8));
        assert_eq!(solve(&a, &b, 3).0, Err("no convergence in 3 iterations".into()));
    }

    #[test]
    fn other_matrices_are_told() {
        let mut a = poisson();
        a.val.iter_mut().for_each(|v| *v = -*v);
        assert!(solve(&a, &vec![1.0; a.n], 10).0.unwrap_err().contains("not positive definite"));
        a.val[0] = f64::NAN;
        assert!(solve(&a, &vec![1.0; a.n], 10).0.unwrap_err().contains("not positive definite"));
    }
}
