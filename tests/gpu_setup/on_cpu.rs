//! Schedules of the analysis on the CPU are what patterns say, and spoilt ones are not.

use sptrsv::analysis::slices::{self, Cut};
use sptrsv::analysis::{cpu, nodes, records, Lists, Needs, Pattern, Schedule, Tiles, Values, NONE};
use sptrsv::engines::tiled::{batches, tuning::TILED_LARGEST_RELAY};
use sptrsv::engines::{self, nodal::Nodal, Algorithm};
use sptrsv::executor::cuda::PlanArrays;
use sptrsv::problem::{Base, DataType, DiagSource, Fill, Format, MatDescr, Op, Shape};
use sptrsv::select::gpus::Speed;

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
    let ([row_ptr, mut row_adj, mut row_val], row_permuted) = words(&s.rows);
    let ([col_ptr, col_adj, col_val], col_permuted) = words(&s.columns);
    let (mut slice, mut record, mut tile_step, mut node_row, mut own) =
        <(Vec<[u32; 2]>, _, _, _, _)>::default();
    let mut batch = Vec::new();
    match algorithm.cut(shape.dtype, s.form) {
        Cut::None => {}
        Cut::Levels { entries, node, names_rows, .. } => {
            slice = slices::of_levels(&s.level_ptr, &row_ptr, entries, node).unwrap();
            own = vec![NONE, slice.iter().any(slices::is_part) as u32];
            if names_rows {
                own.splice(..1, slices::steps(&s.level_ptr, &slice));
                row_adj.iter_mut().for_each(|p| *p = s.order[*p as usize]);
            }
            record = match &s.nodes {
                None => records(s, shape.diag),
                Some(of_nodes) => nodes::records(s, of_nodes),
            };
            record.pop();
            if let Some(of_nodes) = &s.nodes {
                node_row = of_nodes.rows.clone();
                let is_in_rows = of_nodes.diag_in_rows() && shape.diag == DiagSource::Matrix && !row_permuted;
                own = vec![(is_in_rows && of_nodes.rows_follow(&row_ptr)) as u32, is_in_rows as u32];
                row_val = of_nodes.index.clone();
            }
        }
        Cut::Tiles { entries, .. } => {
            let of_tiles = batches::Batches::new(s, shape.forward(), entries).unwrap();
            record = batches::records(s, shape.diag, shape.forward());
            own = [&row_ptr, &s.tile_ptr]
                .map(|ptr| ptr.windows(2).map(|w| w[1] - w[0]).max().unwrap())
                .to_vec();
            (batch, tile_step) = (of_tiles.batch, of_tiles.tile_batch);
            (row_adj, row_val) = (of_tiles.code, of_tiles.index);
        }
    }
    let diag_in_rows = if s.nodes.is_some() { own.pop().unwrap() } else { 0 };
    let has_lists = record.is_empty();
    let plain = |words: Vec<u32>| if has_lists { words } else { Vec::new() };
    let numbers = [
        s.entries,
        s.missing_diag.unwrap_or(NONE),
        s.widest_level(),
        row_permuted as u32,
        col_permuted as u32,
        s.extra_diag.len() as u32,
        (slice.len() + batch.len()) as u32,
        tile_step.len().saturating_sub(1) as u32,
        s.form.node(),
        diag_in_rows,
    ];
    PlanArrays {
        order: plain(s.order.clone()),
        row_ptr: plain(row_ptr),
        row_adj,
        row_val,
        col_ptr,
        col_adj,
        col_val,
        counts: s.counts.clone(),
        diag_index: plain(if shape.diag == DiagSource::Separate { s.order.clone() } else { s.diag.clone() }),
        extra_diag: s.extra_diag.concat(),
        slice: [slice.concat(), batch.concat()].concat(),
        record: record.concat(),
        tile_step,
        gathered: s.gathered.clone(),
        node_row: node_row.concat(),
        numbers: [&numbers[..], &own].concat(),
    }
}

/// Calls `each` for schedules of all shapes and algorithms.
fn each_schedule(
    sizes: &[usize],
    mut each: impl FnMut(&dyn Algorithm, &Triangle, PlanArrays, &mut Random, &str),
) {
    let mut random = Random(3);
    let auto = Needs {
        tiles: Tiles::IfFaster,
        narrow_levels: true,
        mirror: TILED_LARGEST_RELAY,
        speed: Speed::default(),
        ..Nodal.needs()
    };
    for (shape, n) in (0..SHAPES.len()).flat_map(|shape| sizes.iter().map(move |&n| (shape, n))) {
        let pattern = build(shape, n, &mut random);
        let (ptr, ind) = pattern.arrays(Base::Zero);
        let unsigned = |words: &[i64]| words.iter().map(|&word| word as u32).collect();
        let host = Pattern { ptr: unsigned(&ptr), ind: unsigned(&ind) };
        for orientation in 0..8 {
            let descr = MatDescr {
                fill: if orientation & 1 == 0 { Fill::Lower } else { Fill::Upper },
                format: if orientation & 2 == 0 { Format::Csr } else { Format::Csc },
                ..MatDescr::default()
            };
            let op = if orientation & 4 == 0 { Op::NonTranspose } else { Op::Transpose };
            let mut shape = Shape::new(op, n as i64, ind.len() as i64, descr, DataType::F64, false).unwrap();
            shape.diag = random.pick(&[
                DiagSource::Matrix,
                DiagSource::Matrix,
                DiagSource::Separate,
                DiagSource::Unit,
            ]);
            let of = Triangle::new(&shape, &pattern.majors);
            let asked = random.pick(engines::ALL);
            let asked = Some(asked).filter(|asked| asked.name() != "panel");
            let (s, _) = cpu::schedule(&shape, &host, asked.map_or(auto, |asked| asked.needs()));
            let algorithm = engines::choose(asked, s.form);
            let what = format!("{} {n}, {}, {shape:?}", pattern.name, algorithm.name());
            each(algorithm, &of, arrays(algorithm, &shape, &s), &mut random, &what);
        }
    }
}

#[test]
fn schedules_of_the_cpu_are_what_patterns_say() {
    let mut tiled = 0;
    each_schedule(&[1, 2, 33, 256, 1025, 3000, 20_000], |algorithm, of, got, _, what| {
        if let Err(why) = check(of, &of.levels(), algorithm, &got) {
            panic!("{why}: {what}");
        }
        tiled += !got.tile_step.is_empty() as usize;
    });
    assert!(tiled > 100, "{tiled}");
}

/// A word of some array is another one.
#[test]
fn what_is_spoilt_is_found() {
    let (mut tried, mut missed) = (0, 0);
    each_schedule(&[33, 300], |algorithm, of, mut got, random, _| {
        let g = &mut got;
        let mut arrays =
            [&mut g.order, &mut g.row_adj, &mut g.row_val, &mut g.col_adj, &mut g.counts, &mut g.diag_index]
                .into_iter()
                .chain([&mut g.extra_diag, &mut g.record, &mut g.slice, &mut g.tile_step, &mut g.node_row])
                .filter(|words| !words.is_empty())
                .collect::<Vec<_>>();
        if arrays.is_empty() {
            return;
        }
        let which = random.below(arrays.len());
        let words = &mut arrays[which];
        let at = random.below(words.len());
        words[at] ^= 1 << random.below(8);
        tried += 1;
        missed += check(of, &of.levels(), algorithm, &got).is_ok() as usize;
    });
    // Some words say nothing, as where the values of an empty row lie.
    assert!(tried > 300 && missed * 5 < tried, "{missed} of {tried}");
}
