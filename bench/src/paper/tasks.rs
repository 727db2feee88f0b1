//! Which experiments there are.

use crate::base::Result;
use crate::bench::args::Args;
use crate::solvers::library::{algorithm_number, algorithms};
use crate::suites::cases::Case;
use crate::suites::entries::Entry;
use crate::suites::lists;
use crate::system::Type;

/// One matrix in one precision.
pub struct Task {
    pub entry: Entry,
    pub group: &'static str,
    pub ratio: usize,
    pub ty: Type,
}

impl Task {
    pub fn name(&self) -> String {
        format!("{} {}", self.entry.name, self.ty.letter())
    }
    pub fn weight(&self) -> f64 {
        Case::generated(self.entry.clone()).weight()
    }
}

pub fn tasks(args: &Args) -> Result<Vec<Task>> {
    let types = args.value_types(&[Type::D, Type::S])?;
    if types.iter().any(|ty| ty.is_complex()) {
        return Err("the paper's experiments are in the value types s and d".into());
    }
    let ratios_2d = [1, 4, 16, 64, 256];
    let ratios_3d = [1, 4, 8, 32, 64];
    let mut tasks = Vec::new();
    for &ty in &types {
        for (k, entry) in lists::paper_grids().into_iter().enumerate() {
            let group = ["5pt", "9pt", "7pt", "27pt"][k / 5];
            let ratio = if k < 10 { ratios_2d[k % 5] } else { ratios_3d[k % 5] };
            tasks.push(Task { entry, group, ratio, ty });
        }
    }
    for entry in lists::paper_general().into_iter().filter(|_| types.contains(&Type::D)) {
        tasks.push(Task { entry, group: "general", ratio: 0, ty: Type::D });
    }
    let wanted = &args.selection;
    tasks.retain(|t| wanted.has_name(&t.entry.name) && wanted.has_size(t.entry.size.0 * 1e6));
    match tasks.is_empty() {
        true => Err("no matrix is of such a name and size".into()),
        false => Ok(tasks),
    }
}

/// Ours in the order of the report: the paper's, GSF, the further engines, AUTO.
pub fn our_solvers(args: &Args) -> Result<Vec<i32>> {
    if !args.algorithm.is_empty() {
        return args.algorithm.iter().map(|name| algorithm_number(name)).collect();
    }
    let mut numbers: Vec<i32> = algorithms().map(|(_, number)| number).collect();
    numbers.rotate_left(1);
    Ok(numbers)
}
