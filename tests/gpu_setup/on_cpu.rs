//! Schedules of the analysis on the CPU are what patterns say, and spoilt ones are not.

use std::panic::{self, AssertUnwindSafe};

use sptrsv::analysis::work_items::{self, Cut};
use sptrsv::analysis::{nodes, records, Lists, Needs, Pattern, Schedule, Tiles, Values, NONE};
use sptrsv::engines::tiled::{batches, batches::Batches, tuning::TILED_LARGEST_FORWARDED};
use sptrsv::engines::{self, nodal::Nodal, Algorithm};
use sptrsv::executor::cuda::PlanArrays;
use sptrsv::executor::host::setup;
use sptrsv::problem::{Base, DataType, DiagSource, MatDescr, Shape};

use crate::check::{check, Triangle};
use crate::shapes::*;

/// A list: where rows begin, what they depend on, where values lie; and whether that is said of each.
struct Words {
    ptr: Vec<u32>,
    adj: Vec<u32>,
    val: Vec<u32>,
    permuted: bool,
}

impl Words {
    fn new(list: &Option<Lists>) -> Words {
        let Some(Lists { ptr, adj, values }) = list.clone() else {
            return Words { ptr: Vec::new(), adj: Vec::new(), val: Vec::new(), permuted: false };
        };
        let (val, permuted) = match values {
            None => (Vec::new(), false),
            Some(Values::Contiguous(first)) => (first, false),
            Some(Values::Permuted(places)) => (places, true),
        };
        Words { ptr, adj, val, permuted }
    }
}

/// What of a plan goes by its cut: arrays, how many work items or batches there are, whether the diagonals of nodes are in their
/// rows, and the algorithm's own numbers.
struct OfCut {
    arrays: PlanArrays,
    count: usize,
    diag_in_rows: bool,
    own: Vec<u32>,
}

impl OfCut {
    fn none(shape: &Shape, s: &Schedule, rows: Words) -> OfCut {
        let diag_index = if shape.diag == DiagSource::Separate { &s.order } else { &s.diag }.clone();
        let Words { ptr: row_ptr, adj: row_adj, val: row_val, .. } = rows;
        let order = s.order.clone();
        let arrays = PlanArrays { order, row_ptr, row_adj, row_val, diag_index, ..PlanArrays::default() };
        OfCut { arrays, count: 0, diag_in_rows: false, own: Vec::new() }
    }

    fn levels(shape: &Shape, s: &Schedule, rows: Words, entries: u32, node: u32, names_rows: bool) -> OfCut {
        let Words { ptr, adj: mut row_adj, val, permuted } = rows;
        let work_item = work_items::of_levels(&s.level_ptr, &ptr, entries, node).unwrap();
        let count = work_item.len();
        let mut own = vec![NONE, work_item.iter().any(work_items::is_segment) as u32];
        if names_rows {
            own.splice(..1, work_items::steps(&s.level_ptr, &work_item));
            row_adj.iter_mut().for_each(|p| *p = s.order[*p as usize]);
        }
        let mut diag_in_rows = false;
        let (mut record, row_val, node_row) = match &s.nodes {
            None => (records(s, shape.diag), if permuted { val } else { Vec::new() }, Vec::new()),
            Some(nodes) => {
                diag_in_rows = shape.diag == DiagSource::Matrix && !permuted && nodes.diag_in_rows();
                own = vec![(diag_in_rows && nodes.rows_follow(&ptr)) as u32];
                (nodes::records(s, nodes), nodes.index.clone(), nodes.rows.concat())
            }
        };
        record.pop();
        let (record, work_item) = (record.concat(), work_item.concat());
        let arrays = PlanArrays { work_item, record, row_adj, row_val, node_row, ..PlanArrays::default() };
        OfCut { arrays, count, diag_in_rows, own }
    }

    fn tiles(shape: &Shape, s: &Schedule, rows: &Words, entries: u32) -> OfCut {
        let batches = Batches::new(s, shape.forward(), entries).unwrap();
        let largest = |ptr: &[u32]| ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap();
        let own = vec![largest(&rows.ptr), largest(&s.tile_ptr)];
        let count = batches.batch.len();
        let arrays = PlanArrays {
            work_item: batches.batch.concat(),
            record: batches::records(s, shape.diag, shape.forward()).concat(),
            tile_step: batches.tile_batch,
            row_adj: batches.code,
            row_val: batches.index,
            ..PlanArrays::default()
        };
        OfCut { arrays, count, diag_in_rows: false, own }
    }
}

/// What a plan would hold on the device.
fn arrays(algorithm: &dyn Algorithm, shape: &Shape, s: &Schedule) -> PlanArrays {
    let (rows, columns) = (Words::new(&s.rows), Words::new(&s.columns));
    let permuted = [rows.permuted, columns.permuted].map(u32::from);
    let OfCut { arrays, count, diag_in_rows, own } = match algorithm.cut(shape.dtype, s.form) {
        Cut::None => OfCut::none(shape, s, rows),
        Cut::Levels { entries, node, names_rows, .. } => {
            OfCut::levels(shape, s, rows, entries, node, names_rows)
        }
        Cut::Tiles { entries, .. } => OfCut::tiles(shape, s, &rows, entries),
    };
    let numbers = [
        s.entries,
        s.missing_diag.unwrap_or(NONE),
        s.widest_level(),
        permuted[0],
        permuted[1],
        s.extra_diag.len() as u32,
        count as u32,
        s.tile_ptr.len().saturating_sub(1) as u32,
        s.form.node(),
        diag_in_rows.into(),
    ];
    PlanArrays {
        col_ptr: columns.ptr,
        col_adj: columns.adj,
        col_val: columns.val,
        counts: s.counts.clone(),
        extra_diag: s.extra_diag.concat(),
        gathered: s.gathered.clone(),
        numbers: [&numbers[..], &own].concat(),
        ..arrays
    }
}

/// Calls `each` for schedules of all shapes, some by each algorithm.
fn each_schedule(sizes: &[usize], mut each: impl FnMut(&mut Random, &dyn Algorithm, &Triangle, PlanArrays)) {
    let random = &mut Random(3);
    let remote_buffer = TILED_LARGEST_FORWARDED;
    let auto = Needs { tiles: Tiles::IfFaster, narrow_levels: true, remote_buffer, ..Nodal.needs() };
    for (shape, &n) in (0..SHAPES.len()).flat_map(|shape| sizes.iter().map(move |n| (shape, n))) {
        let pattern = build(shape, n, random);
        let (ptr, ind) = pattern.arrays(Base::Zero);
        let unsigned = |words: &[i64]| words.iter().map(|&word| word as u32).collect();
        let host = Pattern { ptr: unsigned(&ptr), ind: unsigned(&ind) };
        for bits in 0..8 {
            let (fill, format, op) = orientation(bits);
            let descr = MatDescr { fill, format, ..MatDescr::default() };
            let mut shape = Shape::new(op, n as i64, ind.len() as i64, descr, DataType::F64, false).unwrap();
            use DiagSource::{Matrix, Separate, Unit};
            shape.diag = random.pick(&[Matrix, Matrix, Separate, Unit]);
            let asked = Some(random.pick(engines::ALL)).filter(|asked| asked.name() != "panel");
            let needs = asked.map_or(auto, |asked| asked.needs());
            let (s, _) = setup::schedule_by(&shape, &host, needs, None, &engines::decide);
            let algorithm = engines::choose(asked, s.form);
            let of = Triangle::new(&shape, &pattern.majors);
            each(random, algorithm, &of, arrays(algorithm, &shape, &s));
        }
    }
}

#[test]
fn schedules_of_the_cpu_are_what_patterns_say() {
    let (mut tiled, mut of_nodes, mut gathered) = (0, 0, 0);
    each_schedule(&[1, 2, 33, 256, 1025, 3000, 20_000], |_, algorithm, of, got| {
        check(of, &of.levels(), algorithm, &got);
        tiled += !got.tile_step.is_empty() as usize;
        of_nodes += !got.node_row.is_empty() as usize;
        gathered += !got.gathered.is_empty() as usize;
    });
    assert!(tiled > 100 && of_nodes > 20 && gathered > 0, "{tiled}, {of_nodes}, {gathered}");
}

/// A word of some array is another one.
#[test]
fn what_is_spoilt_is_found() {
    let own = std::thread::current().id();
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() != own {
            loud(info)
        }
    }));
    let (mut tried, mut missed) = (0, 0);
    each_schedule(&[33, 300], |random, algorithm, of, mut got| {
        let g = &mut got;
        let lists =
            [&mut g.order, &mut g.row_adj, &mut g.row_val, &mut g.col_adj, &mut g.col_val, &mut g.counts];
        let others = [
            &mut g.diag_index,
            &mut g.extra_diag,
            &mut g.record,
            &mut g.work_item,
            &mut g.tile_step,
            &mut g.node_row,
        ];
        let all = lists.into_iter().chain(others);
        let mut filled: Vec<&mut Vec<u32>> = all.filter(|words| !words.is_empty()).collect();
        let which = random.below(filled.len());
        let place = random.below(filled[which].len());
        filled[which][place] ^= 1 << random.below(8);
        let is_found = panic::catch_unwind(AssertUnwindSafe(|| check(of, &of.levels(), algorithm, &got)));
        (tried, missed) = (tried + 1, missed + is_found.is_ok() as usize);
    });
    drop(panic::take_hook());
    // Some words say nothing, as where the values of an empty row lie.
    assert!(tried > 300 && missed * 10 < tried, "{missed} of {tried}");
}
