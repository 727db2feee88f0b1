//! Analysis on the GPU: its schedules are what the patterns say, for every algorithm, orientation, format, diagonal and index width, on
//! matrices of every shape; both ways to find levels give the same, and so does the CPU for small systems, which AUTO leaves to it.
//! Of malformed patterns all say the same.
//!
//! Without a GPU schedules made on the CPU are checked, and all else counts as skipped, or fails where SPTRSV_REQUIRE_GPU is set. Under a
//! tool that slows kernels down, SPTRSV_TEST_SIZES=33,1025 and SPTRSV_TEST_ROWS=5000 take other sizes and smaller large ones.

mod check;
mod on_cpu;
mod shapes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sptrsv::address::{Address, Stream};
use sptrsv::analysis::irregular;
use sptrsv::engines::{self, Algorithm};
use sptrsv::error::{Error, Result};
use sptrsv::executor::cuda::{CudaPlan, DeviceArray, Gpu, How, PlanArrays};
use sptrsv::problem::{
    Arrays, Base, CopyValues, DataType, Diag, DiagSource, Fill, Format, Index, MatDescr, Op, Setup, Shape,
};
use sptrsv::tuning;

use check::{check, check_panels, Triangle};
use shapes::*;

const SIZES: &[usize] = &[1, 2, 3, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 3000, 9000];

/// Numbers from the environment, or else these.
fn numbers(variable: &str, usual: &[usize]) -> Vec<usize> {
    let Ok(text) = std::env::var(variable) else { return usual.to_vec() };
    let number = |s: &str| s.trim().parse().unwrap_or_else(|e| panic!("{variable}={text}: {e}"));
    text.split(',').map(number).collect()
}

/// An array on the device, in the width that the descriptor says.
fn upload(gpu: &Arc<Gpu>, data: &[i64], width: Index) -> DeviceArray {
    let _bound = gpu.bind().unwrap();
    let array = match width {
        Index::I32 => {
            let narrow: Vec<i32> = data.iter().map(|&v| v as i32).collect();
            DeviceArray::copy_of(gpu, &narrow, Stream::DEFAULT)
        }
        Index::I64 => DeviceArray::copy_of(gpu, data, Stream::DEFAULT),
    };
    sptrsv::executor::cuda::synchronize_all().unwrap();
    array.unwrap()
}

/// The algorithm asked for, or None for AUTO.
type Asked = Option<&'static dyn Algorithm>;

/// Any but PANEL, whose schedule is made on the GPU only.
fn random_algorithm(random: &mut Random) -> Asked {
    let asked = engines::ALL.get(random.below(engines::ALL.len() + 1)).copied();
    asked.filter(|a| a.name() != "panel")
}

fn name_of(algorithm: Asked) -> &'static str {
    algorithm.map_or("auto", |a| a.name())
}

/// A problem on the device.
struct Problem {
    shape: Shape,
    ptr: DeviceArray,
    ind: DeviceArray,
}

impl Problem {
    fn new(gpu: &Arc<Gpu>, ptr: &[i64], ind: &[i64], descr: MatDescr, op: Op, separate: bool) -> Self {
        let n = ptr.len() as i64 - 1;
        let dtype = DataType::F64;
        Problem {
            shape: Shape::new(op, n, ind.len() as i64, descr, dtype, separate).unwrap(),
            ptr: upload(gpu, ptr, descr.offsets),
            ind: upload(gpu, ind, descr.columns),
        }
    }
    fn plan(&self, gpu: &Arc<Gpu>, algorithm: Asked, setup: Setup) -> Result<CudaPlan> {
        CudaPlan::new(gpu, &engines::Asked(algorithm), &self.shape, self.arrays(), how(setup), &mut || ())
    }
    fn plan_with_copy(&self, gpu: &Arc<Gpu>, algorithm: Asked, setup: Setup) -> Result<CudaPlan> {
        CudaPlan::new(
            gpu,
            &engines::Asked(algorithm),
            &self.shape,
            self.arrays(),
            how_with_copy(setup),
            &mut || (),
        )
    }
    fn pair(&self, gpu: &Arc<Gpu>, algorithm: Asked, setup: Setup) -> Result<[CudaPlan; 2]> {
        CudaPlan::pair(gpu, &engines::Asked(algorithm), &self.shape, self.arrays(), how(setup), &mut || ())
    }
    fn arrays(&self) -> Arrays {
        Arrays { val: Address::NULL, ptr: self.ptr.address(), ind: self.ind.address() }
    }
}

fn how(setup: Setup) -> How {
    How {
        setup,
        stream: Stream::DEFAULT,
        timeout: Duration::from_secs(10),
        copy_values: CopyValues::No,
        right_hand_sides: 1,
    }
}

/// The same where values are to be copied if they lie scattered.
fn how_with_copy(setup: Setup) -> How {
    How { copy_values: CopyValues::WhereFaster, ..how(setup) }
}

fn random_descr(random: &mut Random, fill: Fill, format: Format) -> MatDescr {
    let (offsets, columns) =
        random.pick(&[(Index::I32, Index::I32), (Index::I64, Index::I32), (Index::I64, Index::I64)]);
    MatDescr {
        fill,
        format,
        offsets,
        columns,
        base: random.pick(&[Base::Zero, Base::One]),
        diag: random.pick(&[Diag::NonUnit, Diag::NonUnit, Diag::NonUnit, Diag::Unit]),
        ..Default::default()
    }
}

/// Tests take turns: one that waits for the whole GPU would break the graph that another one is recording.
static TURN: Mutex<()> = Mutex::new(());

fn take_turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// None, with a counted skip, where there is no GPU.
fn gpu(name: &str) -> Option<Arc<Gpu>> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(Error::NoDriver(why)) => {
            assert!(std::env::var_os("SPTRSV_REQUIRE_GPU").is_none(), "no GPU: {why}");
            println!("gpu_setup {name}: 0 passed, 0 failed, 1 skipped (no GPU: {why})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Whether AUTO leaves the analysis to the CPU.
fn is_small(shape: &Shape) -> bool {
    tuning::SETUP_GPU_ROW * shape.n as u64 + (shape.nnz as u64) < tuning::SETUP_GPU_SMALLEST
}

/// Whether there are so many levels that Kahn's algorithm, which waits for each, takes seconds.
fn is_deep(level: &[u32]) -> bool {
    level.iter().any(|&level| level >= 20_000)
}

/// Names what is being checked where a check fails.
struct Told(String);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in {}", self.0);
        }
    }
}

/// What is compared of a plan: its engine, the predicted time and its arrays.
fn found(plan: &CudaPlan) -> (&'static str, Duration, PlanArrays) {
    (plan.algorithm().name(), plan.predicted, plan.arrays(Stream::DEFAULT).unwrap())
}

/// Checks a plan that the analysis on the GPU made, for a triangle with these levels.
fn check_arrays(plan: &CudaPlan, of: &Triangle, level: &[u32]) {
    let got = plan.arrays(Stream::DEFAULT).unwrap();
    if plan.algorithm().name() == "panel" {
        check_panels(&got, plan.stored.n());
    } else {
        check(of, level, plan.algorithm(), &got);
    }
}

/// Checks the plan of the analysis on the GPU. By Kahn's levels it is the same, and so it is by the CPU, for systems that AUTO
/// analyses there.
fn check_plan(gpu: &Arc<Gpu>, problem: &Problem, of: &Triangle, algorithm: Asked, what: &str) {
    let _told = Told(format!("{what}, {}, {:?}", name_of(algorithm), problem.shape));
    let _bound = gpu.bind().unwrap();
    let made = |setup| {
        let plan = problem.plan(gpu, algorithm, setup).unwrap();
        assert_eq!(plan.setup, setup);
        plan
    };
    let (plan, level) = (made(Setup::Gpu), of.levels());
    assert!(is_deep(&level) || found(&plan) == found(&made(Setup::GpuKahn)), "by Kahn's levels");
    check_arrays(&plan, of, &level);
    if is_small(&problem.shape) && plan.algorithm().name() != "panel" {
        assert_eq!(found(&plan), found(&made(Setup::Cpu)));
    }
}

/// The same for plans for an operation and the transposed one; the first is the one that there is alone.
fn check_pair(gpu: &Arc<Gpu>, problem: &Problem, of: [&Triangle; 2], algorithm: Asked, what: &str) {
    let _told = Told(format!("a pair of {what}, {}, {:?}", name_of(algorithm), problem.shape));
    let _bound = gpu.bind().unwrap();
    let made = |setup| problem.pair(gpu, algorithm, setup).unwrap();
    let plans = made(Setup::Gpu);
    let got = plans.each_ref().map(found);
    let level = of[0].levels();
    assert!(is_deep(&level) || got == made(Setup::GpuKahn).each_ref().map(found), "by Kahn's levels");
    assert!(got[0] == found(&problem.plan(gpu, algorithm, Setup::Gpu).unwrap()), "the first one alone");
    check_arrays(&plans[0], of[0], &level);
    // One of nodes leaves nothing for the second.
    let level = if got[0].0 == "nodal" { of[1].levels() } else { of[0].transposed_levels() };
    check_arrays(&plans[1], of[1], &level);
    if is_small(&problem.shape) && got.iter().all(|got| got.0 != "panel") {
        assert_eq!(got, made(Setup::Cpu).each_ref().map(found));
    }
}

/// Panels of patterns of every shape, asked for; complete factors have an order of their own.
#[test]
fn panels_come_after_what_they_depend_on() {
    let _turn = take_turn();
    let Some(gpu) = gpu("panels") else { return };
    let _bound = gpu.bind().unwrap();
    let mut random = Random(11);
    let panel = engines::ALL.iter().copied().find(|a| a.name() == "panel");
    let (mut checked, mut of_several, mut pieces) = (0, 0, 0);
    for shape in 0..SHAPES.len() {
        for &n in &numbers("SPTRSV_TEST_SIZES", SIZES) {
            let pattern = build(shape, n, &mut random);
            let (ptr, ind) = pattern.arrays(Base::Zero);
            for (fill, op) in [Fill::Lower, Fill::Upper]
                .into_iter()
                .flat_map(|fill| [Op::NonTranspose, Op::Transpose].map(|op| (fill, op)))
            {
                let descr = MatDescr { fill, ..MatDescr::default() };
                let problem = Problem::new(&gpu, &ptr, &ind, descr, op, false);
                let plan = problem.plan(&gpu, panel, Setup::Gpu).unwrap();
                let (several, sums) = check_panels(&plan.arrays(Stream::DEFAULT).unwrap(), n as u32);
                of_several += several;
                pieces += sums;
                checked += 1;
            }
        }
    }
    assert!(of_several > 0, "no panel of {checked} matrices has several runs of rows");
    assert!(pieces > 0, "no panel of {checked} matrices has long rows");
    println!("gpu_setup panels: {checked} passed, 0 failed, 0 skipped");
}

#[test]
fn schedules_are_what_patterns_say() {
    let _turn = take_turn();
    let Some(gpu) = gpu("schedules") else { return };
    let mut random = Random(7);
    let mut checked = 0;
    for shape in 0..SHAPES.len() {
        for &n in &numbers("SPTRSV_TEST_SIZES", SIZES) {
            let pattern = build(shape, n, &mut random);
            let what = format!("{} {n}", pattern.name);
            // Every orientation, each with some of the algorithms.
            for bits in 0..8 {
                let (fill, format, op) = orientation(bits);
                let descr = random_descr(&mut random, fill, format);
                let (ptr, ind) = pattern.arrays(descr.base);
                let separate = descr.diag == Diag::NonUnit && random.below(4) == 0;
                let problem = Problem::new(&gpu, &ptr, &ind, descr, op, separate);
                let of = [problem.shape, problem.shape.transposed()]
                    .map(|shape| Triangle::new(&shape, &pattern.majors));
                for _ in 0..2 {
                    check_plan(&gpu, &problem, &of[0], random_algorithm(&mut random), &what);
                }
                if bits % 2 == 0 {
                    check_pair(&gpu, &problem, of.each_ref(), random_algorithm(&mut random), &what);
                }
                checked += 2 + 2 * (1 - bits % 2);
            }
        }
    }
    println!("gpu_setup schedules: {checked} passed, 0 failed, 0 skipped");
}

#[test]
fn large_matrices() {
    let _turn = take_turn();
    let Some(gpu) = gpu("large") else { return };
    let mut random = Random(11);
    let mut checked = 0;
    let rows = numbers("SPTRSV_TEST_ROWS", &[300_000])[0];
    let smaller = [
        "nothing",
        "diagonal",
        "small planes",
        "lower nodes",
        "upper nodes",
        "all but nodes",
        "twice",
        "empty majors",
        "dense",
    ];
    for (shape, &(name, _)) in SHAPES.iter().enumerate().filter(|(_, shape)| !smaller.contains(&shape.0)) {
        let n = match name {
            "long" | "hubs" => rows / 4,
            // More blocks than there is room for at once.
            "diagonals and a dense end" => rows * 7 / 2,
            _ => rows,
        };
        let pattern = build(shape, n, &mut random);
        for (fill, op) in
            [(Fill::Lower, Op::NonTranspose), (Fill::Upper, Op::NonTranspose), (Fill::Lower, Op::Transpose)]
        {
            let descr = random_descr(&mut random, fill, Format::Csr);
            let (ptr, ind) = pattern.arrays(descr.base);
            let problem = Problem::new(&gpu, &ptr, &ind, descr, op, false);
            let of = [problem.shape, problem.shape.transposed()]
                .map(|shape| Triangle::new(&shape, &pattern.majors));
            for id in [0, 3, 4, 16, 17, 18, 19] {
                check_plan(&gpu, &problem, &of[0], engines::by_id(id), name);
            }
            check_pair(&gpu, &problem, of.each_ref(), None, name);
            checked += 9;
        }
    }
    println!("gpu_setup large: {checked} passed, 0 failed, 0 skipped");
}

/// Rows that depend on unknowns anywhere, whose values are gathered piece by piece where they lie scattered.
#[test]
fn irregular_patterns() {
    let _turn = take_turn();
    let Some(gpu) = gpu("irregular") else { return };
    let _bound = gpu.bind().unwrap();
    let mut checked = 0;
    let pattern = anywhere(tuning::IRREGULAR_SMALLEST as usize + 1, &mut Random(17));
    for (fill, op, format) in [
        (Fill::Lower, Op::NonTranspose, Format::Csr),
        (Fill::Lower, Op::Transpose, Format::Csr),
        (Fill::Upper, Op::NonTranspose, Format::Csc),
    ] {
        let descr = MatDescr { fill, format, ..MatDescr::default() };
        let (ptr, ind) = pattern.arrays(descr.base);
        let problem = Problem::new(&gpu, &ptr, &ind, descr, op, false);
        let shapes = [problem.shape, problem.shape.transposed()];
        let of = shapes.map(|shape| Triangle::new(&shape, &pattern.majors));
        check_pair(&gpu, &problem, of.each_ref(), None, pattern.name);
        for (plan, shape) in problem.pair(&gpu, None, Setup::Gpu).unwrap().iter().zip(&shapes) {
            // Of two plans one is for values that lie scattered: they come from one piece after the other.
            let gathered = plan.arrays(Stream::DEFAULT).unwrap().gathered;
            let piece = irregular::piece(shape.nnz, shape.dtype.bytes() as u32);
            assert_eq!(gathered.is_empty(), shape.rows_are_stored(), "{shape:?}");
            assert!(gathered.is_sorted_by_key(|place| place / piece), "{shape:?}");
        }
        checked += 2;
    }
    let tiled = engines::ALL.iter().copied().find(|a| a.name() == "tiled");
    for (pattern, algorithm) in [(irregular_lines(), tiled), (irregular_nodes(), None)] {
        for op in [Op::NonTranspose, Op::Transpose] {
            let (ptr, ind) = pattern.arrays(Base::Zero);
            let problem = Problem::new(&gpu, &ptr, &ind, MatDescr::default(), op, false);
            let of = Triangle::new(&problem.shape, &pattern.majors);
            check_plan(&gpu, &problem, &of, algorithm, pattern.name);
            checked += 1;
        }
    }
    println!("gpu_setup irregular: {checked} passed, 0 failed, 0 skipped");
}

/// Where values are copied that would lie scattered the schedule is that of the matrix stored the other way round.
#[test]
fn copied_values() {
    let _turn = take_turn();
    let Some(gpu) = gpu("copied values") else { return };
    let _bound = gpu.bind().unwrap();
    let mut random = Random(13);
    let mut compared = 0;
    let mut sizes = numbers("SPTRSV_TEST_SIZES", SIZES);
    sizes.extend(numbers("SPTRSV_TEST_ROWS", &[100_000]));
    for (shape, (name, _)) in SHAPES.iter().enumerate() {
        for &n in sizes.iter().filter(|&&n| n < 10_000 || !name.contains("dense")) {
            let pattern = build(shape, n, &mut random);
            for orientation in 0..4 {
                let fill = if orientation & 1 == 0 { Fill::Lower } else { Fill::Upper };
                let (format, op, other) = match orientation & 2 {
                    0 => (Format::Csr, Op::Transpose, Format::Csc),
                    _ => (Format::Csc, Op::NonTranspose, Format::Csr),
                };
                let descr = random_descr(&mut random, fill, format);
                let (ptr, ind) = pattern.arrays(descr.base);
                let separate = descr.diag == Diag::NonUnit && random.below(4) == 0;
                let problem = Problem::new(&gpu, &ptr, &ind, descr, op, separate);
                let own_diagonal = problem.shape.diag == DiagSource::Matrix;
                let transposed = pattern.transposed(problem.shape.keeps_low(), own_diagonal);
                let (ptr, ind) = transposed.arrays(Base::Zero);
                let descr = MatDescr { fill, format: other, diag: descr.diag, ..Default::default() };
                let transposed = Problem::new(&gpu, &ptr, &ind, descr, op, separate);
                let algorithm = random_algorithm(&mut random);
                // Algorithms by columns copy nothing.
                let copies = algorithm.is_none_or(|a| a.needs().rows);
                for setup in [Setup::Cpu, Setup::Gpu] {
                    let got = problem.plan_with_copy(&gpu, algorithm, setup).unwrap();
                    let want =
                        if copies { &transposed } else { &problem }.plan(&gpu, algorithm, setup).unwrap();
                    assert_eq!(got.setup, want.setup);
                    // No array has less.
                    let bytes = [problem.shape.dtype.bytes(), 4]
                        .map(|each| (ind.len() * each).max(DeviceArray::LEAST));
                    let more = if copies { bytes[0] + bytes[1] } else { 0 };
                    assert_eq!(got.bytes_held(), want.bytes_held() + more, "{} {n}", pattern.name);
                    assert!(found(&got) == found(&want), "{} {n}", pattern.name);
                    compared += 1;
                }
            }
        }
    }
    println!("gpu_setup copied values: {compared} passed, 0 failed, 0 skipped");
}

#[test]
fn same_words_about_malformed_patterns() {
    let _turn = take_turn();
    let Some(gpu) = gpu("malformed") else { return };
    let mut random = Random(5);
    let (mut bad, mut good) = (0, 0);
    for round in 0..600 {
        let n = random.pick(&[1, 2, 5, 40, 700]);
        let pattern = build(random.below(SHAPES.len()), n, &mut random);
        let descr = random_descr(&mut random, Fill::Lower, random_format(round));
        let (mut ptr, mut ind) = pattern.arrays(descr.base);
        let wild = |width: Index, random: &mut Random| match width {
            Index::I32 => random.pick(&[i32::MIN as i64, -1, 0, 1, n as i64, n as i64 + 1, i32::MAX as i64]),
            Index::I64 => random.pick(&[i64::MIN, -1, n as i64 + 1, 1 << 32, (1 << 32) + 1, i64::MAX]),
        };
        for _ in 0..1 + random.below(2) {
            if ind.is_empty() || random.below(2) == 0 {
                let k = random.below(ptr.len());
                ptr[k] = wild(descr.offsets, &mut random);
            } else {
                let k = random.below(ind.len());
                ind[k] = wild(descr.columns, &mut random);
            }
        }
        let problem = Problem::new(&gpu, &ptr, &ind, descr, Op::NonTranspose, false);
        let algorithm = random_algorithm(&mut random);
        let words = |setup| problem.plan(&gpu, algorithm, setup).map(|_| ()).map_err(|e| e.to_string());
        let (cpu, sweep, kahn) = (words(Setup::Cpu), words(Setup::Gpu), words(Setup::GpuKahn));
        assert_eq!(cpu, sweep, "{} {:?}", pattern.name, problem.shape);
        assert_eq!(cpu, kahn, "{} {:?}", pattern.name, problem.shape);
        let copy = problem.plan_with_copy(&gpu, algorithm, Setup::Gpu).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(cpu, copy, "{} {:?}", pattern.name, problem.shape);
        if cpu.is_err() {
            bad += 1
        } else {
            good += 1
        }
    }
    assert!(bad > 100, "{bad} of {} were malformed", bad + good);
    println!("gpu_setup malformed: {bad} passed, 0 failed, 0 skipped");
}

fn random_format(round: usize) -> Format {
    if round % 2 == 0 {
        Format::Csr
    } else {
        Format::Csc
    }
}

/// Offsets that jump to and fro claim far more entries than there are: that must not become work.
#[test]
fn overlapping_majors_end_at_once() {
    let _turn = take_turn();
    let Some(gpu) = gpu("overlapping") else { return };
    let n = 2_000_000;
    let mut ptr: Vec<i64> = (0..=n).map(|i| if i % 2 == 0 { 0 } else { n }).collect();
    ptr[n as usize] = n;
    let ind: Vec<i64> = (0..n).collect();
    let problem = Problem::new(&gpu, &ptr, &ind, MatDescr::default(), Op::NonTranspose, false);
    let start = std::time::Instant::now();
    let error = problem.plan(&gpu, None, Setup::Gpu).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::Malformed { row: 1, .. }), "{error}");
    assert!(start.elapsed().as_secs() < 5);
    println!("gpu_setup overlapping: 1 passed, 0 failed, 0 skipped");
}
