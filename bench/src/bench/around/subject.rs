//! One matrix of one value type, and what its measurements have in common.

use crate::base::Result;
use crate::matrix::{right_hand_side, Csr, Fill};
use crate::measure::timing::{measure, Effort, Step, Timing};
use crate::solvers::contender::Contender;
use crate::solvers::library::{Library, Purpose, Solver};
use crate::solvers::peers::{Peers, Who};
use crate::system::executor::{Buffer, Executor};
use crate::system::residuals::{Matrix, Parts};
use crate::system::{self, DeviceMatrix, Op, System, Type};

/// The library, and the numbers of its algorithm and of where it analyses.
#[derive(Clone, Copy)]
pub struct Ours<'s, 'e> {
    pub library: &'s Library<'e>,
    pub algorithm: i32,
    pub setup: i32,
}

pub struct Subject<'s, 'e> {
    pub ours: Ours<'s, 'e>,
    pub peers: &'s Peers,
    pub effort: Effort,
    pub pattern: &'s Csr,
    /// Of the matrix, rounded to the value type.
    pub values: Parts<'s>,
    pub ty: Type,
}

/// A vector on the host: real and imaginary parts.
pub struct Vector {
    pub re: Vec<f64>,
    pub im: Vec<f64>,
}

impl Vector {
    pub fn parts(&self) -> Parts<'_> {
        (&self.re, &self.im)
    }

    /// The values in another order.
    pub fn permuted(&self, place: impl Fn(usize) -> usize) -> Vector {
        let moved = |values: &Vec<f64>| (0..values.len()).map(|i| values[place(i)]).collect();
        Vector { re: moved(&self.re), im: moved(&self.im) }
    }
}

impl<'s, 'e> Subject<'s, 'e> {
    pub fn executor(&self) -> &'e Executor {
        self.ours.library.executor
    }

    pub fn matrix(&self) -> Matrix<'s> {
        self.with_values(self.values)
    }

    /// A matrix of this pattern with other values.
    pub fn with_values<'v>(&self, values: Parts<'v>) -> Matrix<'v>
    where
        's: 'v,
    {
        Matrix { pattern: self.pattern, values, ty: self.ty }
    }

    pub fn upload(&self) -> Result<DeviceMatrix<'e>> {
        DeviceMatrix::upload(self.executor(), self.pattern, self.ty)
    }

    /// The values alone, to be put back where they were replaced.
    pub fn upload_values(&self) -> Result<Buffer<'e>> {
        system::upload(self.executor(), self.ty, self.values.0, self.values.1)
    }

    /// The numbers of a right-hand side.
    pub fn numbers(&self) -> Vector {
        let mut re = right_hand_side(self.pattern.n);
        let mut im: Vec<f64> =
            if self.ty.is_complex() { re.iter().rev().copied().collect() } else { Vec::new() };
        self.ty.round(&mut re);
        self.ty.round(&mut im);
        Vector { re, im }
    }

    pub fn upload_vector(&self, vector: &Vector) -> Result<Buffer<'e>> {
        system::upload(self.executor(), self.ty, &vector.re, &vector.im)
    }

    /// Room for a vector.
    pub fn room(&self) -> Result<Buffer<'e>> {
        self.executor().alloc(self.pattern.n * self.ty.bytes())
    }

    pub fn download(&self, vector: &Buffer, count: usize) -> Result<Vector> {
        let (re, im) = system::download(vector, self.ty, count)?;
        Ok(Vector { re, im })
    }

    /// One of the library's solvers.
    pub fn solver<'m>(&self, system: System<'m, 'e>, purpose: Purpose) -> Result<Solver<'m, 'e>>
    where
        's: 'm,
    {
        let Ours { library, algorithm, setup } = self.ours;
        Solver::with_purpose(library, system, algorithm, setup, purpose)
    }

    /// The library, to be entered for a solve.
    pub fn us(&self) -> Who {
        Who::ours(self.ours.algorithm, self.ours.setup)
    }

    pub fn enter<'m>(&self, who: Who, system: System<'m, 'm>) -> Result<Box<dyn Contender + 'm>>
    where
        's: 'm,
    {
        who.enter(self.ours.library, self.peers, system)
    }

    /// The times of a sequence of solves, if it can be made.
    pub fn time(&self, name: &str, steps: Result<Vec<Step>>) -> Timing {
        match steps {
            Ok(steps) => measure(self.executor(), name, steps, self.effort),
            Err(error) => Timing::failed(name, error),
        }
    }
}

/// A sequence of one call, whose result is in x.
pub fn one<'m>(
    contender: impl Contender + 'm,
    x: &'m Buffer<'m>,
    check: impl Fn() -> Result<f64> + 'm,
) -> Vec<Step<'m>> {
    vec![Step { contender: Box::new(contender), x, check: Box::new(check) }]
}

/// The triangle that is solved with.
pub fn triangle<'m, 'e>(
    matrix: &'m DeviceMatrix<'e>,
    (fill, unit): (Fill, bool),
    f: &'m Buffer<'e>,
    x: &'m Buffer<'e>,
) -> System<'m, 'e> {
    System { matrix, fill, unit, op: Op::N, rhs: 1, f, x }
}
