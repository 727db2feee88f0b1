//! From raw C values to checked types: the only room where an integer becomes a meaning.
#![forbid(unsafe_code)]

use crate::address::Address;
use crate::error::{Error, Result};

macro_rules! raw_enum {
    ($(#[$m:meta])* $name:ident, $what:literal, { $($variant:ident = $value:literal $word:literal),* $(,)? }) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($variant = $value),* }
        impl $name {
            /// The meaning of the number that a C caller passed.
            pub fn from_raw(value: i32) -> Result<Self> {
                match value {
                    $($value => Ok(Self::$variant),)*
                    _ => Err(Error::BadEnum { what: $what, value }),
                }
            }
            /// How its name in C ends.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

raw_enum!(
    /// op(A): A, its transpose, or its conjugate transpose.
    Op, "sptrsvOperation_t",
    { NonTranspose = 0 "NON_TRANSPOSE", Transpose = 1 "TRANSPOSE", ConjugateTranspose = 2 "CONJUGATE_TRANSPOSE" });
raw_enum!(
    MatType, "sptrsvMatrixType_t",
    { General = 0 "GENERAL", Symmetric = 1 "SYMMETRIC", Hermitian = 2 "HERMITIAN", Triangular = 3 "TRIANGULAR" });
raw_enum!(
    /// Which triangle of A (not of op(A)) is the matrix; the other one is ignored.
    Fill, "sptrsvFillMode_t", { Lower = 0 "LOWER", Upper = 1 "UPPER" });
raw_enum!(
    /// The sweeps that an info is for.
    Sweeps, "sptrsvSweeps_t", { None = 0 "NONE", Any = 1 "ANY", GaussSeidel = 2 "GAUSS_SEIDEL" });
raw_enum!(Diag, "sptrsvDiagType_t", { NonUnit = 0 "NON_UNIT", Unit = 1 "UNIT" });
raw_enum!(Base, "sptrsvIndexBase_t", { Zero = 0 "ZERO", One = 1 "ONE" });
raw_enum!(Format, "sptrsvFormat_t", { Csr = 0 "CSR", Csc = 1 "CSC" });
raw_enum!(Index, "sptrsvIndexType_t", { I32 = 0 "32I", I64 = 1 "64I" });
raw_enum!(
    /// Value types by cudaDataType's numbers.
    DataType, "sptrsvDataType_t", { F32 = 0 "R_32F", F64 = 1 "R_64F", C32 = 4 "C_32F", C64 = 5 "C_64F" });
raw_enum!(Policy, "sptrsvSolvePolicy_t", { NoLevel = 0 "NO_LEVEL", UseLevel = 1 "USE_LEVEL" });
raw_enum!(PointerMode, "sptrsvPointerMode_t", { Host = 0 "HOST", Device = 1 "DEVICE" });
raw_enum!(ExecutorKind, "sptrsvExecutor_t", { Cuda = 0 "CUDA", Host = 1 "HOST" });
raw_enum!(
    /// Which values solves read: the caller's, or copies.
    CopyValues, "sptrsvCopyValues_t", { No = 0 "NONE", WhereFaster = 1 "WHERE_FASTER", All = 2 "ALL" });
raw_enum!(
    /// How right-hand sides and solutions are stored.
    Order, "sptrsvOrder_t", { Columns = 1 "COLUMN", Rows = 2 "ROW" });
raw_enum!(Property, "sptrsvProperty_t", { Major = 0 "MAJOR_VERSION", Minor = 1 "MINOR_VERSION", Patch = 2 "PATCH_LEVEL" });
raw_enum!(Setup, "sptrsvAnalysisMode_t", { Auto = 0 "AUTO", Cpu = 1 "CPU", Gpu = 2 "GPU", GpuKahn = 3 "GPU_KAHN" });

/// Which incomplete factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factorization {
    /// A = L U.
    Ilu0,
    /// A = L L^H.
    Ic0,
}

impl Factorization {
    /// Its name in the C interface; kernels are called by it.
    pub fn name(self) -> &'static str {
        match self {
            Factorization::Ilu0 => "ilu0",
            Factorization::Ic0 => "ic0",
        }
    }
}

/// What takes the place of pivots of ILU(0) that are no larger than the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boost {
    pub tolerance: f64,
    /// Real and imaginary part.
    pub value: [f64; 2],
}

impl Boost {
    /// The meaning of what a C caller says; None for a negative tolerance.
    pub fn new(tolerance: f64, re: f64, im: f64) -> Result<Option<Boost>> {
        match tolerance.is_nan() {
            true => Err(Error::Invalid("tolerance is NaN".into())),
            false => Ok((tolerance >= 0.0).then_some(Boost { tolerance, value: [re, im] })),
        }
    }
}

impl Index {
    pub fn bytes(self) -> usize {
        match self {
            Index::I32 => 4,
            Index::I64 => 8,
        }
    }
}

impl DataType {
    pub fn bytes(self) -> usize {
        match self {
            DataType::F32 => 4,
            DataType::F64 | DataType::C32 => 8,
            DataType::C64 => 16,
        }
    }
    /// Its place among the four.
    pub fn place(self) -> usize {
        match self {
            DataType::F32 => 0,
            DataType::F64 => 1,
            DataType::C32 => 2,
            DataType::C64 => 3,
        }
    }
    /// cuSPARSE's letter for the type: kernel names end in it.
    pub fn letter(self) -> char {
        match self {
            DataType::F32 => 's',
            DataType::F64 => 'd',
            DataType::C32 => 'c',
            DataType::C64 => 'z',
        }
    }
    pub fn is_complex(self) -> bool {
        matches!(self, DataType::C32 | DataType::C64)
    }
}

/// The meaning of a number that a C caller passed to turn something on or off.
pub fn switch(what: &'static str, value: i32) -> Result<bool> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::Invalid(format!("{what} is {value}, but must be 0 or 1"))),
    }
}

/// The meaning of how many right-hand sides a C caller says that there will be.
pub fn right_hand_sides(nrhs: i64) -> Result<i64> {
    match nrhs {
        1.. => Ok(nrhs),
        _ => Err(Error::Invalid(format!("nrhs is {nrhs}, but must be 1 or more"))),
    }
}

/// A matrix descriptor: how the arrays are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatDescr {
    pub mat_type: MatType,
    pub fill: Fill,
    pub diag: Diag,
    pub base: Base,
    pub format: Format,
    pub offsets: Index,
    pub columns: Index,
}

impl Default for MatDescr {
    fn default() -> Self {
        MatDescr {
            mat_type: MatType::General,
            fill: Fill::Lower,
            diag: Diag::NonUnit,
            base: Base::Zero,
            format: Format::Csr,
            offsets: Index::I32,
            columns: Index::I32,
        }
    }
}

/// Where the diagonal of the triangular matrix comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagSource {
    /// All ones; stored entries are ignored.
    Unit,
    /// The matrix's own diagonal entries.
    Matrix,
    /// A vector of m values given by the caller; stored entries are ignored.
    Separate,
}

impl DiagSource {
    /// What a message calls it.
    fn words(self) -> &'static str {
        match self {
            DiagSource::Unit => Diag::Unit.word(),
            DiagSource::Matrix => Diag::NonUnit.word(),
            DiagSource::Separate => "one given by sptrsvSetDiagonal",
        }
    }
}

/// Everything about a problem that the analysis depends on and a solve must repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub op: Op,
    pub n: u32,
    pub nnz: u32,
    pub descr: MatDescr,
    pub dtype: DataType,
    pub diag: DiagSource,
}

/// Values from one row to the next, and from one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub row: usize,
    pub column: usize,
}

impl Steps {
    /// Where a value of row `i` and column `j` lies.
    #[inline(always)]
    pub fn to(self, i: u32, j: usize) -> usize {
        i as usize * self.row + j * self.column
    }
}

/// Right-hand sides or solutions: an address, how they are stored, and the values from one column, or row, to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    pub address: Address,
    pub ld: i64,
    pub order: Order,
}

impl Dense {
    pub fn steps(self) -> Steps {
        match self.order {
            Order::Columns => Steps { row: 1, column: self.ld as usize },
            Order::Rows => Steps { row: self.ld as usize, column: 1 },
        }
    }

    /// The same from column `j` on.
    pub fn column(self, j: i64, dtype: DataType) -> Dense {
        Dense { address: self.address.offset(self.steps().to(0, j as usize) * dtype.bytes()), ..self }
    }

    /// A single column whose values lie beside each other is stored either way.
    pub fn of_one(self, n: u32) -> Dense {
        match (self.order, self.ld) {
            (Order::Rows, 1) => Dense { ld: i64::from(n), order: Order::Columns, ..self },
            _ => self,
        }
    }
}

/// alpha, as the pointer mode says.
#[derive(Clone, Copy, Debug)]
pub enum Alpha {
    /// The bytes of its value.
    Host([u8; 16]),
    /// Where it is in device memory; null where the caller's pointer is NULL in either mode.
    Device(Address),
}

/// Refuses an address that is NULL.
pub fn require(address: Address, what: &'static str) -> Result<()> {
    if address.is_null() {
        return Err(Error::Null(what));
    }
    Ok(())
}

/// Refuses the address of an array whose elements, of so many bytes, could not be read there: a GPU ends the whole context at an
/// access that is not aligned.
pub fn require_aligned(address: Address, what: &'static str, element: usize) -> Result<()> {
    require(address, what)?;
    if address.get() % element as u64 != 0 {
        return Err(Error::Misaligned { what, element });
    }
    Ok(())
}

/// The caller's three arrays, as addresses on the executor's side; never dereferenced by this room.
#[derive(Clone, Copy, Debug)]
pub struct Arrays {
    pub val: Address,
    pub ptr: Address,
    pub ind: Address,
}

/// Rows and entries are 32-bit positions inside. Kernels count some of them beyond the last one, and the last value is "none".
pub const MAX_SIZE: i64 = u32::MAX as i64 - 4096;

impl Shape {
    /// Bytes of the caller's offsets, and of the indices.
    pub fn pattern_bytes(&self) -> [usize; 2] {
        let offsets = if self.n > 0 { self.n as usize + 1 } else { 0 };
        [offsets * self.descr.offsets.bytes(), self.nnz as usize * self.descr.columns.bytes()]
    }

    /// Checks sizes and the descriptor. `separate` says that the info carries a separate diagonal.
    pub fn new(op: Op, m: i64, nnz: i64, descr: MatDescr, dtype: DataType, separate: bool) -> Result<Self> {
        for (what, value) in [("m", m), ("nnz", nnz)] {
            if value < 0 {
                return Err(Error::Negative { what, value });
            }
            if value > MAX_SIZE {
                return Err(Error::TooLarge { what, value, limit: MAX_SIZE });
            }
        }
        if descr.mat_type != MatType::General {
            let found = descr.mat_type.word();
            return Err(Error::MatrixType { found });
        }
        if descr.offsets == Index::I32 && descr.columns == Index::I64 {
            return Err(Error::Unsupported("32-bit offsets with 64-bit columns".into()));
        }
        let diag = match (descr.diag, separate) {
            (Diag::Unit, true) => {
                let why = "the diagonal type is UNIT, but the info is for sweeps or sptrsvSetDiagonal has given a diagonal";
                return Err(Error::Invalid(why.into()));
            }
            (Diag::Unit, false) => DiagSource::Unit,
            (Diag::NonUnit, true) => DiagSource::Separate,
            (Diag::NonUnit, false) => DiagSource::Matrix,
        };
        // Real values are their own conjugates.
        let op = match op {
            Op::ConjugateTranspose if !dtype.is_complex() => Op::Transpose,
            op => op,
        };
        Ok(Shape { op, n: m as u32, nnz: nnz as u32, descr, dtype, diag })
    }

    /// The same with the transposed operation: T in place of N, or N in place of T and H.
    pub fn transposed(&self) -> Shape {
        let op = if self.op == Op::NonTranspose { Op::Transpose } else { Op::NonTranspose };
        Shape { op, ..*self }
    }

    /// The same matrix with its triangle, of so many entries, stored by columns in place of rows or the other way round,
    /// in zero-based 32-bit indices.
    pub fn with_transposed_storage(&self, nnz: u32) -> Shape {
        let format = if self.descr.format == Format::Csr { Format::Csc } else { Format::Csr };
        let (base, offsets, columns) = (Base::Zero, Index::I32, Index::I32);
        Shape { nnz, descr: MatDescr { format, base, offsets, columns, ..self.descr }, ..*self }
    }

    /// Whether the rows of op(A) are the stored rows or columns (else the matrix must be transposed).
    pub fn rows_are_stored(&self) -> bool {
        (self.descr.format == Format::Csr) == (self.op == Op::NonTranspose)
    }

    /// Whether the triangle's entries of stored row or column `i` have indices `<= i` (else `>= i`).
    pub fn keeps_low(&self) -> bool {
        (self.descr.format == Format::Csr) == (self.descr.fill == Fill::Lower)
    }

    /// Whether unknowns are solved from first to last (op(A) is lower triangular).
    pub fn forward(&self) -> bool {
        (self.op == Op::NonTranspose) == (self.descr.fill == Fill::Lower)
    }

    pub fn conjugate(&self) -> bool {
        self.op == Op::ConjugateTranspose
    }

    pub fn base(&self) -> i64 {
        self.descr.base as i64
    }

    /// What a message calls the stored major index.
    pub fn major(&self) -> &'static str {
        match self.descr.format {
            Format::Csr => "row",
            Format::Csc => "column",
        }
    }

    /// Refuses a solve whose arguments differ from the analysed ones, naming the first that does.
    pub fn must_equal(&self, analysed: &Shape) -> Result<()> {
        if self == analysed {
            return Ok(());
        }
        let parts = |s: &Shape| {
            let MatDescr { fill, base, format, offsets, columns, .. } = s.descr;
            [
                ("m", s.n.to_string()),
                ("nnz", s.nnz.to_string()),
                ("the operation", s.op.word().into()),
                ("the value type", s.dtype.word().into()),
                ("the fill mode", fill.word().into()),
                ("the diagonal", s.diag.words().into()),
                ("the index base", base.word().into()),
                ("the format", format.word().into()),
                ("the index type", format!("{}/{}", offsets.word(), columns.word())),
            ]
        };
        for ((what, given), (_, analysed)) in parts(self).into_iter().zip(parts(analysed)) {
            if given != analysed {
                return Err(Error::Mismatch { what, analysed, given });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(matches!(Op::from_raw(3), Err(Error::BadEnum { value: 3, .. })));
        assert!(DataType::from_raw(2).is_err());
        assert_eq!(DataType::from_raw(5).unwrap(), DataType::C64);
    }

    #[test]
    fn a_switch_is_on_or_off() {
        assert!(!switch("enabled", 0).unwrap() && switch("enabled", 1).unwrap());
        for value in [-1, 2, i32::MIN, i32::MAX] {
            let error = switch("enabled", value).unwrap_err();
            assert_eq!(error.to_string(), format!("enabled is {value}, but must be 0 or 1"));
        }
    }

    #[test]
    fn h_is_t_for_real_types() {
        let shape = |op, dtype| Shape::new(op, 4, 4, MatDescr::default(), dtype, false).unwrap();
        for dtype in [DataType::F32, DataType::F64, DataType::C32, DataType::C64] {
            let same = shape(Op::ConjugateTranspose, dtype).must_equal(&shape(Op::Transpose, dtype)).is_ok();
            assert_eq!(same, !dtype.is_complex());
        }
    }

    #[test]
    fn the_transposed_problem_is_turned_around() {
        for op in [Op::NonTranspose, Op::Transpose, Op::ConjugateTranspose] {
            let shape = Shape::new(op, 4, 4, MatDescr::default(), DataType::C64, false).unwrap();
            let other = shape.transposed();
            assert_eq!(
                (other.forward(), other.rows_are_stored()),
                (!shape.forward(), !shape.rows_are_stored())
            );
            assert_eq!(other.keeps_low(), shape.keeps_low());
            assert!(
                !other.conjugate()
                    && other.transposed().must_equal(&shape).is_ok() == (op != Op::ConjugateTranspose)
            );
        }
    }

    #[test]
    fn a_mismatch_is_told_in_the_words_of_the_interface() {
        let shape = |diag, dtype, separate| {
            Shape::new(Op::Transpose, 4, 4, MatDescr { diag, ..Default::default() }, dtype, separate)
        };
        let analysed = shape(Diag::NonUnit, DataType::C32, false).unwrap();
        let told = |given: Shape| given.must_equal(&analysed).unwrap_err().to_string();
        assert_eq!(
            told(shape(Diag::NonUnit, DataType::F64, false).unwrap()),
            "the value type is R_64F, but the info was analysed with C_32F"
        );
        assert_eq!(
            told(shape(Diag::NonUnit, DataType::C32, true).unwrap()),
            "the diagonal is one given by sptrsvSetDiagonal, but the info was analysed with NON_UNIT"
        );
        let other = Shape { op: Op::NonTranspose, ..analysed };
        assert_eq!(told(other), "the operation is NON_TRANSPOSE, but the info was analysed with TRANSPOSE");
        let error = shape(Diag::Unit, DataType::F64, true).unwrap_err().to_string();
        assert_eq!(
            error,
            "the diagonal type is UNIT, but the info is for sweeps or sptrsvSetDiagonal has given a diagonal"
        );
    }

    #[test]
    fn orientation() {
        let shape = |op, fill, format| {
            let descr = MatDescr { fill, format, ..Default::default() };
            Shape::new(op, 4, 4, descr, DataType::C64, false).unwrap()
        };
        let s = shape(Op::NonTranspose, Fill::Lower, Format::Csr);
        assert!(s.rows_are_stored() && s.keeps_low() && s.forward() && !s.conjugate());
        let s = shape(Op::ConjugateTranspose, Fill::Lower, Format::Csc);
        assert!(s.rows_are_stored() && !s.keeps_low() && !s.forward() && s.conjugate());
        let s = shape(Op::Transpose, Fill::Upper, Format::Csr);
        assert!(!s.rows_are_stored() && !s.keeps_low() && s.forward());
    }
}
