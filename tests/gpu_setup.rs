//! Setup on the GPU gives exactly the arrays that setup on the CPU gives: for every algorithm, orientation,
//! format, diagonal and index width, on matrices of every shape; and says the same of malformed patterns.
//!
//! Without a GPU the comparison counts as skipped, or fails where SPTRSV_REQUIRE_GPU is set. Under a tool that
//! slows kernels down, SPTRSV_TEST_SIZES=33,1025 and SPTRSV_TEST_ROWS=5000 take other sizes and smaller large ones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sptrsv::engines::{self, Algorithm};
use sptrsv::error::{Error, Result};
use sptrsv::executor::cuda::{CudaPlan, DeviceArray, Gpu, How, PlanArrays};
use sptrsv::problem::{
    Arrays, Base, CopyValues, DataType, Diag, DiagSource, Fill, Format, Index, MatDescr, Op, Setup, Shape,
};
use sptrsv::tuning;

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % bound.max(1) as u64) as usize
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A pattern by majors, zero-based.
struct Pattern {
    name: &'static str,
    majors: Vec<Vec<i64>>,
}

type Build = fn(usize, usize, &mut Random) -> Vec<i64>;

/// Of a grid in three dimensions with large planes, that is tiled by skewed boxes.
fn crossing(n: usize, i: usize) -> Vec<i64> {
    let (line, plane) = (100, 15_000);
    let (y, by) = (i % plane / line, plane - line);
    let mut row = solid(n, i, line, plane);
    row.extend((i >= plane && y + 1 < plane / line).then(|| (i - by) as i64));
    row.extend((y > 0 && i + by < n).then(|| (i + by) as i64));
    row.sort_unstable();
    row
}

/// Of a grid in three dimensions, with so many unknowns in a line and in a plane.
fn solid(n: usize, i: usize, line: usize, plane: usize) -> Vec<i64> {
    let before = [(plane, n), (line, plane), (1, line)];
    let low = before.iter().filter(|&&(by, of)| i % of >= by).map(|&(by, _)| (i - by) as i64);
    let high = before.iter().rev().filter(|&&(by, of)| i % of + by < of && i + by < n);
    low.chain([i as i64]).chain(high.map(|&(by, _)| (i + by) as i64)).collect()
}

/// A row of a square grid that comes by diagonals, and of unknowns by themselves: tiles are strips across the diagonals.
fn by_diagonals(n: usize, i: usize) -> Vec<i64> {
    let side = (n as f64).sqrt() as usize;
    // The first line of a diagonal, and the number of its point there.
    let low = |d: usize| (d + 1).saturating_sub(side);
    let begin = |d: usize| {
        if d < side {
            d * (d + 1) / 2
        } else {
            side * side - (2 * side - 1 - d) * (2 * side - d) / 2
        }
    };
    let Some(d) = (0..2 * side - 1).rfind(|&d| begin(d) <= i).filter(|_| i < side * side) else {
        return vec![i as i64];
    };
    let y = i - begin(d) + low(d);
    let x = d - y;
    let number = |x: usize, y: usize| (begin(x + y) + y - low(x + y)) as i64;
    let below = (y > 0).then(|| number(x, y - 1));
    let left = (x > 0).then(|| number(x - 1, y));
    let right = (x + 1 < side).then(|| number(x + 1, y));
    let above = (y + 1 < side).then(|| number(x, y + 1));
    [below, left, Some(i as i64), right, above].into_iter().flatten().collect()
}

/// Nodes of as many unknowns as `n` allows, each joined to four others.
fn of_nodes(n: usize, i: usize) -> Vec<i64> {
    let size = (2..=6).rev().find(|size| n % size == 0).unwrap_or(2);
    let (nodes, node) = (n.div_ceil(size) as i64, (i / size) as i64);
    let others = [node - 40, node - 1, node, node + 1, node + 40];
    let all = others.into_iter().filter(|other| (0..nodes).contains(other));
    let rows = all.flat_map(|other| (0..size as i64).map(move |c| other * size as i64 + c));
    rows.filter(|&j| j < n as i64).collect()
}

/// Major `i` of `n` of each shape. Full ones hold both triangles.
const SHAPES: &[(&str, Build)] = &[
    ("nothing", |_, _, _| vec![]),
    ("diagonal", |_, i, _| vec![i as i64]),
    ("chain", |n, i, _| (i.saturating_sub(1)..=(i + 1).min(n - 1)).map(|j| j as i64).collect()),
    ("chain of blocks", |n, i, _| (i / 3 * 3..(i / 3 * 3 + 6).min(n)).map(|j| j as i64).collect()),
    ("grid", |n, i, _| {
        let width = (n as f64).sqrt().ceil() as i64;
        let i = i as i64;
        [i - width, i - 1, i, i + 1, i + width].into_iter().filter(|j| (0..n as i64).contains(j)).collect()
    }),
    ("diagonals", |n, i, _| by_diagonals(n, i)),
    ("diagonals and a dense end", |n, i, _| {
        // An early row, whose last entry is not the unknown that it waits for, refutes chains before all pieces of the last row
        // are looked at.
        if i + 1 == n {
            return (0..n as i64).collect();
        }
        let mut row = by_diagonals(n - 1, i);
        row.extend((i == 300).then_some(0));
        row
    }),
    ("long grid", |n, i, _| {
        // Lines of 20: tiles are strips along the grid, by ranks from the other end.
        let (x, i, n) = (i % 20, i as i64, n as i64);
        let (left, right) = ((x > 0).then_some(i - 1), (x < 19 && i + 1 < n).then_some(i + 1));
        let (below, above) = ((i >= 20).then_some(i - 20), (i + 20 < n).then_some(i + 20));
        [below, left, Some(i), right, above].into_iter().flatten().collect()
    }),
    // Tiles are some planes, a plane, and boxes.
    ("small planes", |n, i, _| solid(n, i, 20, 300)),
    ("planes", |n, i, _| solid(n, i, 50, 1000)),
    ("boxes", |n, i, _| solid(n, i, 100, 15_000)),
    ("skewed boxes", |n, i, _| crossing(n, i)),
    ("nodes", |n, i, _| of_nodes(n, i)),
    // Their rows follow one another where there is but one triangle.
    ("lower nodes", |n, i, _| of_nodes(n, i).into_iter().filter(|&j| j <= i as i64).collect()),
    ("upper nodes", |n, i, _| of_nodes(n, i).into_iter().filter(|&j| j >= i as i64).collect()),
    ("all but nodes", |n, i, _| {
        // Pairs, but for one row in a hundred.
        let mut row: Vec<i64> = (i / 2 * 2..(i / 2 * 2 + 2).min(n)).map(|j| j as i64).collect();
        if i % 100 == 99 {
            row.insert(0, 0);
        }
        row
    }),
    ("random", |n, i, r| {
        let mut row: Vec<i64> = (0..r.below(9)).map(|_| r.below(n) as i64).chain([i as i64]).collect();
        row.sort_unstable();
        row.dedup();
        row
    }),
    ("layers", |n, i, r| {
        // Laid out level by level: where there are enough of them, rows go by families.
        let width = 600;
        let (begin, end) = (i / width * width, (i / width + 1) * width);
        let mut row = vec![i as i64];
        if begin > 0 {
            row.extend([begin - 1 - r.below(width), r.below(begin), r.below(begin)].map(|j| j as i64));
        }
        if end < n {
            row.extend([end + r.below(width.min(n - end)), end + r.below(n - end)].map(|j| j as i64));
        }
        row.sort_unstable();
        row.dedup();
        row
    }),
    ("unsorted", |n, i, r| {
        let mut row: Vec<i64> = (0..r.below(9)).map(|_| r.below(n) as i64).collect();
        if r.below(8) > 0 {
            row.insert(r.below(row.len() + 1), i as i64);
        }
        row
    }),
    ("twice", |n, i, r| {
        let j = r.below(n) as i64;
        let mut row = vec![i as i64; r.below(4)];
        row.extend([j, j, i as i64, j]);
        row
    }),
    (
        "dense row",
        |n, i, _| {
            if i == n / 2 || i + 1 == n || i == 0 {
                (0..n as i64).collect()
            } else {
                vec![i as i64]
            }
        },
    ),
    ("dense column", |n, i, _| {
        let mut row = vec![0, n as i64 / 2, i as i64, n as i64 - 1];
        row.sort_unstable();
        row.dedup();
        row
    }),
    // Dense rows beside each other.
    ("dense end", |n, i, _| if i + 40 >= n { (0..n as i64).collect() } else { vec![i as i64 / 2, i as i64] }),
    ("nets", |n, i, _| {
        // Lines of 20, and three unknowns that every third one depends on, or the other way round.
        let x = i % 20;
        let mut nets = (n / 6..n).step_by((n / 3).max(1));
        let mut row = vec![i];
        row.extend((x > 0).then(|| i - 1));
        row.extend((x < 19 && i + 1 < n).then_some(i + 1));
        row.extend(i.checked_sub(20));
        row.extend((i + 20 < n).then_some(i + 20));
        row.extend(nets.clone().filter(|_| i % 3 == 0));
        if nets.any(|net| net == i) {
            row.extend((0..n).step_by(3));
        }
        row.sort_unstable();
        row.dedup();
        row.into_iter().map(|j| j as i64).collect()
    }),
    ("empty majors", |n, i, r| if i % 3 == 0 { vec![] } else { vec![r.below(n) as i64, i as i64] }),
    ("long", |n, i, r| {
        let length = if i % 40 == 7 { 300 } else { 20 };
        let mut row: Vec<i64> = (0..length).map(|_| r.below(n) as i64).chain([i as i64]).collect();
        row.sort_unstable();
        row.dedup();
        row
    }),
    // Rows of up to 600 entries among short ones, which depend on each other, and on a few that many depend on.
    ("hubs", |n, i, r| {
        let length = if r.below(8) == 0 { 20 + r.below(600) } else { 4 };
        let mut row = vec![i as i64];
        row.extend((0..length).map(|_| {
            let often = r.below(n) + 1;
            r.below(often) as i64
        }));
        row.extend((0..length.min(40)).map(|_| i.saturating_sub(r.below(40)) as i64));
        row.sort_unstable();
        row.dedup();
        row
    }),
    ("dense", |n, _, _| (0..n.min(400) as i64).collect()),
    ("long and unsorted", |n, i, r| {
        let length = if i % 500 == 3 { 1500 } else { 3 };
        (0..length).map(|_| r.below(n) as i64).collect()
    }),
    ("band", |n, i, _| (i.saturating_sub(7)..(i + 8).min(n)).step_by(2).map(|j| j as i64).collect()),
    ("overtaken", |n, i, _| {
        // Even unknowns in a chain and odd ones in two, which are half as high. One even row depends on the odd ones beside
        // it as well.
        let by = if i % 2 == 0 { 2 } else { 4 };
        let beside = if i == n / 4 * 2 { 1 } else { by };
        let (i, n) = (i as i64, n as i64);
        let mut row = vec![i - by, i - beside, i, i + beside, i + by];
        row.retain(|j| (0..n).contains(j));
        row.dedup();
        row
    }),
];

const SIZES: &[usize] = &[1, 2, 3, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 3000, 9000];

/// Numbers from the environment, or else these.
fn numbers(variable: &str, usual: &[usize]) -> Vec<usize> {
    let Ok(text) = std::env::var(variable) else { return usual.to_vec() };
    let number = |s: &str| s.trim().parse().unwrap_or_else(|e| panic!("{variable}={text}: {e}"));
    text.split(',').map(number).collect()
}

fn build(shape: usize, n: usize, random: &mut Random) -> Pattern {
    let (name, major) = SHAPES[shape];
    Pattern { name, majors: (0..n).map(|i| major(n, i, random)).collect() }
}

impl Pattern {
    /// The caller's arrays, as wide integers.
    fn arrays(&self, base: Base) -> (Vec<i64>, Vec<i64>) {
        let base = base as i64;
        let mut ptr = vec![base];
        for major in &self.majors {
            ptr.push(ptr.last().unwrap() + major.len() as i64);
        }
        (ptr, self.majors.iter().flatten().map(|j| j + base).collect())
    }
}

impl Pattern {
    /// What there is of a triangle by the other index; of each, entries come in the order in which they are stored.
    fn turned(&self, keeps_low: bool, with_diagonal: bool) -> Pattern {
        let mut majors = vec![Vec::new(); self.majors.len()];
        for (i, major) in self.majors.iter().enumerate() {
            for &j in major {
                let j = j as usize;
                if if i == j { with_diagonal } else { (j < i) == keeps_low } {
                    majors[j].push(i as i64);
                }
            }
        }
        Pattern { name: self.name, majors }
    }
}

/// An array on the device, in the width that the descriptor says.
fn upload(gpu: &Arc<Gpu>, data: &[i64], width: Index) -> DeviceArray {
    let _bound = gpu.bind().unwrap();
    let array = match width {
        Index::I32 => {
            let narrow: Vec<i32> = data.iter().map(|&v| v as i32).collect();
            DeviceArray::copy_of(gpu, &narrow, 0)
        }
        Index::I64 => DeviceArray::copy_of(gpu, data, 0),
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
        CudaPlan::new(gpu, algorithm, &self.shape, self.arrays(), how(setup), &mut || ())
    }
    fn plan_with_copy(&self, gpu: &Arc<Gpu>, algorithm: Asked, setup: Setup) -> Result<CudaPlan> {
        CudaPlan::new(gpu, algorithm, &self.shape, self.arrays(), how_with_copy(setup), &mut || ())
    }
    fn pair(&self, gpu: &Arc<Gpu>, algorithm: Asked, setup: Setup) -> Result<[CudaPlan; 2]> {
        CudaPlan::pair(gpu, algorithm, &self.shape, self.arrays(), how(setup), &mut || ())
    }
    fn arrays(&self) -> Arrays {
        Arrays { val: 0, ptr: self.ptr.address() as usize, ind: self.ind.address() as usize }
    }
}

fn how(setup: Setup) -> How {
    How { setup, stream: 0, timeout: Duration::from_secs(10), copy_values: CopyValues::No }
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

/// Compares both setups on the GPU with the one on the CPU.
fn compare(gpu: &Arc<Gpu>, problem: &Problem, algorithm: Asked, what: &str) {
    let _bound = gpu.bind().unwrap();
    let cpu = problem.plan(gpu, algorithm, Setup::Cpu).unwrap();
    let want = cpu.arrays(0).unwrap();
    assert_eq!(cpu.setup, Setup::Cpu);
    for setup in [Setup::Gpu, Setup::GpuKahn] {
        let plan = problem.plan(gpu, algorithm, setup).unwrap();
        assert_eq!(plan.setup, setup);
        if plan.algorithm().name() == "panel" {
            assert!(algorithm.is_none() && plan.predicted < cpu.predicted);
            check_panels(&plan.arrays(0).unwrap(), problem.shape.n);
            continue;
        }
        assert_eq!(plan.algorithm().id(), cpu.algorithm().id());
        assert_eq!(plan.predicted, cpu.predicted);
        let what = || format!("{what}, {}, {setup:?}, {:?}", name_of(algorithm), problem.shape);
        assert_same(&plan.arrays(0).unwrap(), &want, what);
    }
}

/// The same for plans for an operation and the transposed one; the first is the one that there is alone.
fn compare_pairs(gpu: &Arc<Gpu>, problem: &Problem, algorithm: Asked, what: &str) {
    let _bound = gpu.bind().unwrap();
    let arrays = |plans: [CudaPlan; 2]| {
        plans.map(|plan| (plan.predicted, plan.arrays(0).unwrap(), plan.algorithm().name()))
    };
    let want = arrays(problem.pair(gpu, algorithm, Setup::Cpu).unwrap());
    let alone = problem.plan(gpu, algorithm, Setup::Cpu).unwrap().arrays(0).unwrap();
    assert_same(&want[0].1, &alone, || format!("{what}, {}, alone, {:?}", name_of(algorithm), problem.shape));
    for setup in [Setup::Gpu, Setup::GpuKahn] {
        let got = arrays(problem.pair(gpu, algorithm, setup).unwrap());
        for (side, (got, want)) in ["first", "second"].into_iter().zip(got.iter().zip(&want)) {
            let what = || format!("{what}, {}, {side} of {setup:?}, {:?}", name_of(algorithm), problem.shape);
            if got.2 == "panel" {
                check_panels(&got.1, problem.shape.n);
                continue;
            }
            assert_eq!(got.0, want.0, "predicted: {}", what());
            assert_same(&got.1, &want.1, what);
        }
    }
}

/// Every row is in one panel, and what it depends on is in an earlier panel, or in the same one and then right before it.
/// How many panels have rows of several runs, and whether they are in an order of their own.
fn check_panels(plan: &PlanArrays, n: u32) -> (usize, bool) {
    let none = u32::MAX;
    let natural: Vec<u32> = (0..n.next_multiple_of(32)).map(|p| if p < n { p } else { none }).collect();
    let has_order = !plan.slice.is_empty();
    let rows = if has_order { &plan.slice } else { &natural };
    let mut place = vec![none; n as usize];
    for (at, &p) in rows.iter().enumerate().filter(|&(_, &p)| p != none) {
        assert_eq!(std::mem::replace(&mut place[p as usize], at as u32), none, "row {p} twice");
    }
    assert!(place.iter().all(|&at| at != none), "a row without a panel");
    let mut several = 0;
    for panel in rows.chunks(32) {
        assert_ne!(panel[0], none);
        let inside: Vec<u32> = panel.iter().copied().filter(|&p| p != none).collect();
        several += inside.windows(2).any(|w| w[1] != w[0] + 1) as usize;
    }
    for p in 0..n as usize {
        for &q in &plan.row_adj[plan.row_ptr[p] as usize..plan.row_ptr[p + 1] as usize] {
            let (at, of) = (place[p], place[q as usize]);
            let is_in_run = at / 32 == of / 32 && at - of == p as u32 - q;
            assert!(of / 32 < at / 32 || is_in_run, "row {p} at {at} depends on {q} at {of}");
        }
    }
    (several, has_order)
}

/// Panels of patterns of every shape, asked for; complete factors have an order of their own.
#[test]
fn panels_come_after_what_they_depend_on() {
    let _turn = take_turn();
    let Some(gpu) = gpu("panels") else { return };
    let _bound = gpu.bind().unwrap();
    let mut random = Random(11);
    let panel = engines::ALL.iter().copied().find(|a| a.name() == "panel");
    let (mut checked, mut of_several, mut ordered) = (0, 0, 0);
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
                let (several, has_order) = check_panels(&plan.arrays(0).unwrap(), n as u32);
                (checked, of_several, ordered) =
                    (checked + 1, of_several + several, ordered + has_order as usize);
            }
        }
    }
    assert!(of_several > 0 && ordered > 0 && ordered < checked, "{of_several}, {ordered} of {checked}");
    println!("gpu_setup panels: {checked} passed, 0 failed, 0 skipped");
}

fn assert_same(got: &PlanArrays, want: &PlanArrays, what: impl Fn() -> String) {
    assert_eq!(got.numbers, want.numbers, "numbers: {}", what());
    for (name, got, want) in [
        ("order", &got.order, &want.order),
        ("row_ptr", &got.row_ptr, &want.row_ptr),
        ("row_adj", &got.row_adj, &want.row_adj),
        ("row_val", &got.row_val, &want.row_val),
        ("col_ptr", &got.col_ptr, &want.col_ptr),
        ("col_adj", &got.col_adj, &want.col_adj),
        ("col_val", &got.col_val, &want.col_val),
        ("counts", &got.counts, &want.counts),
        ("diag_index", &got.diag_index, &want.diag_index),
        ("extra_diag", &got.extra_diag, &want.extra_diag),
        ("slice", &got.slice, &want.slice),
        ("record", &got.record, &want.record),
        ("tile_step", &got.tile_step, &want.tile_step),
        ("node_row", &got.node_row, &want.node_row),
    ] {
        assert_eq!(got.len(), want.len(), "length of {name}: {}", what());
        if let Some(k) = (0..got.len()).find(|&k| got[k] != want[k]) {
            panic!("{name}[{k}] is {}, not {}: {}", got[k], want[k], what());
        }
    }
    assert_eq!(got, want, "{}", what());
}

#[test]
fn same_schedule_as_on_the_cpu() {
    let _turn = take_turn();
    let Some(gpu) = gpu("schedules") else { return };
    let mut random = Random(7);
    let mut compared = 0;
    for shape in 0..SHAPES.len() {
        for &n in &numbers("SPTRSV_TEST_SIZES", SIZES) {
            let pattern = build(shape, n, &mut random);
            // Every orientation, each with some of the algorithms.
            for orientation in 0..8 {
                let fill = if orientation & 1 == 0 { Fill::Lower } else { Fill::Upper };
                let format = if orientation & 2 == 0 { Format::Csr } else { Format::Csc };
                let op = if orientation & 4 == 0 { Op::NonTranspose } else { Op::Transpose };
                let descr = random_descr(&mut random, fill, format);
                let (ptr, ind) = pattern.arrays(descr.base);
                let separate = descr.diag == Diag::NonUnit && random.below(4) == 0;
                let problem = Problem::new(&gpu, &ptr, &ind, descr, op, separate);
                for _ in 0..2 {
                    let algorithm = random_algorithm(&mut random);
                    compare(&gpu, &problem, algorithm, &format!("{} {n}", pattern.name));
                    compared += 2;
                }
                if orientation % 2 == 0 {
                    compare_pairs(
                        &gpu,
                        &problem,
                        random_algorithm(&mut random),
                        &format!("{} {n}", pattern.name),
                    );
                    compared += 4;
                }
            }
        }
    }
    println!("gpu_setup schedules: {compared} passed, 0 failed, 0 skipped");
}

#[test]
fn large_matrices() {
    let _turn = take_turn();
    let Some(gpu) = gpu("large") else { return };
    let mut random = Random(11);
    let mut compared = 0;
    let rows = numbers("SPTRSV_TEST_ROWS", &[300_000])[0];
    for name in [
        "chain",
        "chain of blocks",
        "nodes",
        "grid",
        "diagonals",
        "long grid",
        "planes",
        "boxes",
        "skewed boxes",
        "random",
        "layers",
        "unsorted",
        "dense column",
        "long",
        "band",
        "overtaken",
        "dense row",
        "dense end",
        "diagonals and a dense end",
        "nets",
        "long and unsorted",
        "hubs",
    ] {
        let shape = SHAPES.iter().position(|s| s.0 == name).unwrap();
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
            for id in [0, 3, 4, 16, 17, 18, 19] {
                let algorithm = engines::by_id(id);
                let _bound = gpu.bind().unwrap();
                let want = problem.plan(&gpu, algorithm, Setup::Cpu).unwrap().arrays(0).unwrap();
                let plan = problem.plan(&gpu, algorithm, Setup::Gpu).unwrap();
                let got = plan.arrays(0).unwrap();
                assert!(got == want, "{name} {n}, {}, {fill:?} {op:?}", name_of(algorithm));
                compared += 1;
            }
            if name == "layers" {
                compare(&gpu, &problem, engines::by_id(16), name);
                compare_pairs(&gpu, &problem, None, name);
                compared += 6;
            }
        }
    }
    println!("gpu_setup large: {compared} passed, 0 failed, 0 skipped");
}

/// Rows that depend on unknowns anywhere, whose values are gathered piece by piece where they lie scattered.
#[test]
fn irregular_patterns() {
    let _turn = take_turn();
    let Some(gpu) = gpu("irregular") else { return };
    let _bound = gpu.bind().unwrap();
    let mut random = Random(17);
    let mut compared = 0;
    let n = tuning::IRREGULAR_SMALLEST as usize + 1;
    let row = |i: usize, random: &mut Random| {
        let mut row: Vec<i64> = (0..20).map(|_| random.below(n) as i64).chain([i as i64]).collect();
        row.sort_unstable();
        row.dedup();
        row
    };
    let pattern = Pattern { name: "irregular", majors: (0..n).map(|i| row(i, &mut random)).collect() };
    for (fill, op, format) in [
        (Fill::Lower, Op::NonTranspose, Format::Csr),
        (Fill::Lower, Op::Transpose, Format::Csr),
        (Fill::Upper, Op::NonTranspose, Format::Csc),
    ] {
        let descr = random_descr(&mut random, fill, format);
        let (ptr, ind) = pattern.arrays(descr.base);
        let problem = Problem::new(&gpu, &ptr, &ind, descr, op, false);
        let want = problem.pair(&gpu, None, Setup::Cpu).unwrap().map(|plan| plan.arrays(0).unwrap());
        let got = problem.pair(&gpu, None, Setup::Gpu).unwrap().map(|plan| plan.arrays(0).unwrap());
        for (side, (got, want)) in got.iter().zip(&want).enumerate() {
            // Of two plans one is for values that lie scattered.
            let is_scattered = (side == 1) == problem.shape.rows_are_stored();
            assert_eq!(!got.gathered.is_empty(), is_scattered, "{fill:?} {op:?} {format:?} {side}");
            assert_same(got, want, || format!("{fill:?} {op:?} {format:?} {side}"));
            compared += 1;
        }
    }
    // Tiles are asked for where every size of them is larger than is good.
    let grid = |i: usize| {
        let (line, plane, n) = (60, 3600, 3600 * 146);
        let own =
            [i.checked_sub(1).filter(|_| i % line != 0), i.checked_sub(line).filter(|_| i % plane >= line)];
        let far = (1..6usize).filter(|_| i > n / 8);
        let anywhere = far.map(|k| (i ^ k << 9).wrapping_mul(2_654_435_761) % (i - n / 16 - 1));
        let mut row: Vec<i64> =
            own.into_iter().flatten().chain(anywhere).chain([i]).map(|j| j as i64).collect();
        row.sort_unstable();
        row.dedup();
        row
    };
    // Nodes of two unknowns, which depend on the ones left and below and on others anywhere. Nodes are not looked at for that: else
    // they would be solved by nodes, and so they go by tiles.
    let node = |i: usize| {
        let (node, line) = (i / 2, 1024);
        let (x, y) = (node % line, node / line);
        let own = [node.checked_sub(1).filter(|_| x > 0), node.checked_sub(line)];
        let hashed = |k: usize| (node ^ k << 9).wrapping_mul(2_654_435_761) >> 7;
        let far = (1..4usize).filter(|_| y > 40).map(hashed);
        let anywhere = far.map(|h| h % (y - 33) * line + h / 4096 % (x + 1));
        let mut nodes: Vec<usize> = own.into_iter().flatten().chain(anywhere).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let own = (2 * node..=i).map(|j| j as i64);
        nodes.iter().flat_map(|&j| [2 * j as i64, 2 * j as i64 + 1]).chain(own).collect()
    };
    let irregular_lines = Pattern { name: "irregular lines", majors: (0..3600 * 146).map(grid).collect() };
    let irregular_nodes = Pattern { name: "irregular nodes", majors: (0..2 << 19).map(node).collect() };
    let tiled = engines::ALL.iter().copied().find(|a| a.name() == "tiled");
    for (pattern, algorithm) in [(irregular_lines, tiled), (irregular_nodes, None)] {
        for op in [Op::NonTranspose, Op::Transpose] {
            let (ptr, ind) = pattern.arrays(Base::Zero);
            let problem = Problem::new(&gpu, &ptr, &ind, MatDescr::default(), op, false);
            let [want, got] = [Setup::Cpu, Setup::Gpu]
                .map(|setup| problem.plan(&gpu, algorithm, setup).unwrap().arrays(0).unwrap());
            assert_same(&got, &want, || format!("{} {op:?}", pattern.name));
            compared += 1;
        }
    }
    println!("gpu_setup irregular: {compared} passed, 0 failed, 0 skipped");
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
                let turned = pattern.turned(problem.shape.keeps_low(), own_diagonal);
                let (ptr, ind) = turned.arrays(Base::Zero);
                let descr = MatDescr { fill, format: other, diag: descr.diag, ..Default::default() };
                let turned = Problem::new(&gpu, &ptr, &ind, descr, op, separate);
                let algorithm = random_algorithm(&mut random);
                // Algorithms by columns copy nothing.
                let copies = algorithm.is_none_or(|a| a.needs().rows);
                for setup in [Setup::Cpu, Setup::Gpu] {
                    let got = problem.plan_with_copy(&gpu, algorithm, setup).unwrap();
                    let want = if copies { &turned } else { &problem }.plan(&gpu, algorithm, setup).unwrap();
                    assert_eq!((got.setup, got.predicted), (want.setup, want.predicted));
                    // No array has less.
                    let bytes = [problem.shape.dtype.bytes(), 4]
                        .map(|each| (ind.len() * each).max(DeviceArray::LEAST));
                    let more = if copies { bytes[0] + bytes[1] } else { 0 };
                    assert_eq!(got.bytes_held(), want.bytes_held() + more, "{} {n}", pattern.name);
                    let what =
                        || format!("{} {n}, {}, {:?}", pattern.name, name_of(algorithm), problem.shape);
                    assert_same(&got.arrays(0).unwrap(), &want.arrays(0).unwrap(), what);
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
