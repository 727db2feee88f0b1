//! Schedules of the analysis on the CPU are what patterns say, and spoilt ones are not.

use std::panic::{self, AssertUnwindSafe};

use sptrsv::analysis::work_items::{self, Cut};
use sptrsv::analysis::{cpu, nodes, records, Lists, Needs, Pattern, Schedule, Tiles, Values, NONE};
use sptrsv::engines::tiled::{batches, tuning::TILED_LARGEST_FORWARDED};
use sptrsv::engines::{self, nodal::Nodal, Algorithm};
use sptrsv::executor::cuda::PlanArrays;
use sptrsv::problem::{Base, DataType, DiagSource, MatDescr, Shape};

use crate::check::{check, Triangle};
use crate::shapes::*;

/// A list: where rows begin, what they depend on, where values lie; and whether that is said of each.
fn words(list: &Option<Lists>) -> ([Vec<u32>; 3], bool) {
    let Some(Lists { ptr, adj, values }) = list.clone() else { return Default::default() };
    match values {
        None => ([ptr, adj, Vec::new()], false),
        Some(Values::Contiguous(first)) => ([ptr, adj, first], false),
        Some(Values::Permuted(places)) => ([ptr, adj, places], true),
    }
}

/// What a plan would hold on the device.
fn arrays(algorithm: &dyn Algorithm, shape: &Shape, s: &Schedule) -> PlanArrays {
    let ([row_ptr, mut row_adj, row_val], row_permuted) = words(&s.rows);
    let ([col_ptr, col_adj, col_val], col_permuted) = words(&s.columns);
    let common = PlanArrays {
        col_ptr,
        col_adj,
        col_val,
        counts: s.counts.clone(),
        extra_diag: s.extra_diag.concat(),
        gathered: s.gathered.clone(),
        ..PlanArrays::default()
    };
    let (mut count, mut diag_in_rows, mut own) = (0, 0, Vec::new());
    let arrays = match (algorithm.cut(shape.dtype, s.form), &s.nodes) {
        (Cut::None, _) => {
            let diag_index = if shape.diag == DiagSource::Separate { &s.order } else { &s.diag }.clone();
            PlanArrays { order: s.order.clone(), row_ptr, row_adj, row_val, diag_index, ..common }
        }
        (Cut::Levels { entries, node, names_rows, .. }, of_nodes) => {
            let work_item = work_items::of_levels(&s.level_ptr, &row_ptr, entries, node).unwrap();
            count = work_item.len();
            own = vec![NONE, work_item.iter().any(work_items::is_segment) as u32];
            if names_rows {
                own.splice(..1, work_items::steps(&s.level_ptr, &work_item));
                row_adj.iter_mut().for_each(|p| *p = s.order[*p as usize]);
            }
            let arrays = PlanArrays { work_item: work_item.concat(), row_adj, ..common };
            let (mut record, arrays) = match of_nodes {
                None => {
                    let row_val = if row_permuted { row_val } else { Vec::new() };
                    (records(s, shape.diag), PlanArrays { row_val, ..arrays })
                }
                Some(of_nodes) => {
                    let own_diag = shape.diag == DiagSource::Matrix && !row_permuted;
                    diag_in_rows = (own_diag && of_nodes.diag_in_rows()) as u32;
                    own = vec![diag_in_rows & of_nodes.rows_follow(&row_ptr) as u32];
                    let (row_val, node_row) = (of_nodes.index.clone(), of_nodes.rows.concat());
                    (nodes::records(s, of_nodes), PlanArrays { row_val, node_row, ..arrays })
                }
            };
            record.pop();
            PlanArrays { record: record.concat(), ..arrays }
        }
        (Cut::Tiles { entries, .. }, _) => {
            let of = batches::Batches::new(s, shape.forward(), entries).unwrap();
            count = of.batch.len();
            let largest = |ptr: &[u32]| ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap();
            own = vec![largest(&row_ptr), largest(&s.tile_ptr)];
            let record = batches::records(s, shape.diag, shape.forward()).concat();
            let (work_item, tile_step) = (of.batch.concat(), of.tile_batch);
            PlanArrays { work_item, record, tile_step, row_adj: of.code, row_val: of.index, ..common }
        }
    };
    let numbers = [
        s.entries,
        s.missing_diag.unwrap_or(NONE),
        s.widest_level(),
        row_permuted as u32,
        col_permuted as u32,
        s.extra_diag.len() as u32,
        count as u32,
        s.tile_ptr.len().saturating_sub(1) as u32,
        s.form.node(),
        diag_in_rows,
    ];
    PlanArrays { numbers: [&numbers[..], &own].concat(), ..arrays }
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
            let (s, _) = cpu::schedule(&shape, &host, asked.map_or(auto, |asked| asked.needs()));
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
