//! A triangular system in an executor's memory: matrix, right-hand side, solution.

use rayon::prelude::*;

use crate::base::{memory, Result};
use crate::matrix::{Csr, Fill};
use crate::system::executor::{Buffer, Executor};

/// Type of the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    S,
    D,
    C,
    Z,
}

impl Type {
    pub fn is_double(self) -> bool {
        matches!(self, Type::D | Type::Z)
    }
    pub fn is_complex(self) -> bool {
        matches!(self, Type::C | Type::Z)
    }
    /// cudaDataType's number, which is also sptrsvDataType_t's.
    pub fn number(self) -> i32 {
        match self {
            Type::S => 0,
            Type::D => 1,
            Type::C => 4,
            Type::Z => 5,
        }
    }
    pub fn bytes(self) -> usize {
        (if self.is_double() { 8 } else { 4 }) * (if self.is_complex() { 2 } else { 1 })
    }
    pub fn epsilon(self) -> f64 {
        if self.is_double() {
            f64::EPSILON
        } else {
            f64::from(f32::EPSILON)
        }
    }
    pub fn letter(self) -> &'static str {
        match self {
            Type::S => "S",
            Type::D => "D",
            Type::C => "C",
            Type::Z => "Z",
        }
    }

    /// Rounds numbers to this type's precision.
    pub fn round(self, values: &mut [f64]) {
        if !self.is_double() {
            values.par_iter_mut().with_min_len(4096).for_each(|v| *v = f64::from(*v as f32));
        }
    }
}

/// Copies numbers to the executor in the type wanted.
pub fn upload<'e>(executor: &'e Executor, ty: Type, re: &[f64], im: &[f64]) -> Result<Buffer<'e>> {
    let imaginary = |i: usize| im.get(i).copied().unwrap_or(0.0);
    // For the copy in the right type, which exists until it is uploaded.
    memory::must_have(re.len() as u64 * ty.bytes() as u64, "the values of a system")?;
    match ty {
        Type::D => executor.upload(re),
        Type::S => executor.upload(&re.par_iter().map(|&v| v as f32).collect::<Vec<f32>>()),
        Type::Z => executor.upload(&(0..re.len()).map(|i| [re[i], imaginary(i)]).collect::<Vec<_>>()),
        Type::C => {
            executor.upload(&(0..re.len()).map(|i| [re[i] as f32, imaginary(i) as f32]).collect::<Vec<_>>())
        }
    }
}

/// Copies n numbers back; the second part is empty for real types.
pub fn download(buffer: &Buffer, ty: Type, n: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    fn fetch<T: Copy + Send + Sync>(buffer: &Buffer, n: usize, zero: T) -> Result<Vec<T>> {
        // For the downloaded copy and its two parts.
        memory::must_have(n as u64 * (size_of::<T>() as u64 + 16), "a solution")?;
        let mut out = vec![zero; n];
        buffer.read(&mut out)?;
        Ok(out)
    }
    Ok(match ty {
        Type::D => (fetch(buffer, n, 0f64)?, Vec::new()),
        Type::S => (fetch(buffer, n, 0f32)?.into_iter().map(f64::from).collect(), Vec::new()),
        Type::Z => fetch(buffer, n, [0f64; 2])?.into_iter().map(|[r, i]| (r, i)).unzip(),
        Type::C => {
            fetch(buffer, n, [0f32; 2])?.into_iter().map(|[r, i]| (f64::from(r), f64::from(i))).unzip()
        }
    })
}

/// A matrix in an executor's memory, 32-bit indices, base 0.
pub struct DeviceMatrix<'e> {
    pub executor: &'e Executor,
    pub ty: Type,
    pub n: usize,
    pub nnz: usize,
    pub ptr: Buffer<'e>,
    pub col: Buffer<'e>,
    pub val: Buffer<'e>,
}

impl<'e> DeviceMatrix<'e> {
    pub fn upload(executor: &'e Executor, a: &Csr, ty: Type) -> Result<Self> {
        Ok(DeviceMatrix {
            executor,
            ty,
            n: a.n,
            nnz: a.nnz(),
            ptr: executor.upload(&a.ptr)?,
            col: executor.upload(&a.col)?,
            val: upload(executor, ty, &a.val, &a.im)?,
        })
    }
}

/// What is solved with: the triangle itself, its transpose or its conjugate transpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Op {
    N,
    T,
    H,
}

impl Op {
    /// sptrsvOperation_t's number, which is also cusparseOperation_t's.
    pub fn number(self) -> i32 {
        self as i32
    }
    pub fn letter(self) -> &'static str {
        ["N", "T", "H"][self as usize]
    }
    /// What to add to the name of a triangle.
    pub fn words(self) -> &'static str {
        ["", ", transposed", ", conjugate-transposed"][self as usize]
    }
}

/// op(triangle of A) x = f, for one right-hand side or several, one after the other in f and x.
#[derive(Clone, Copy)]
pub struct System<'s, 'e> {
    pub matrix: &'s DeviceMatrix<'e>,
    pub fill: Fill,
    /// Whether the diagonal is ones, whatever is stored.
    pub unit: bool,
    pub op: Op,
    pub rhs: usize,
    pub f: &'s Buffer<'e>,
    pub x: &'s Buffer<'e>,
}

impl System<'_, '_> {
    pub fn fill_number(&self) -> i32 {
        i32::from(self.fill == Fill::Upper)
    }
    pub fn diagonal_number(&self) -> i32 {
        i32::from(self.unit)
    }
    pub fn operation_number(&self) -> i32 {
        self.op.number()
    }
}
