//! What the paper says of its solvers, and what the same experiments say here.

use crate::measure::statistics::geometric_mean;
use crate::paper::data::{implied_solve, name_in_paper, GRIDS};
use crate::paper::results::{gpu_setup, index_of};
use crate::paper::results::{Experiment, Results};

/// The paper's solvers that can still be had, fastest first as its title solver would have it.
pub const ORDERED: [&str; 5] = ["SLFC", "SLFR", "LEVR", "LEVC", "csrsv2"];

/// A solver's time of a solve in milliseconds.
#[derive(Clone)]
pub struct Times {
    pub solver: &'static str,
    pub here: f64,
    /// In the paper, and between which times its rounding leaves it.
    pub there: f64,
    range: [f64; 2],
}

/// Experiments with the times of each solver of `ORDERED` that was measured: our mean, and the paper's. The paper
/// draws its solve times but prints none; they are its setup times over their ratios to one solve, which it prints.
pub fn beside_paper(results: &Results) -> Vec<(&Experiment, Vec<Times>)> {
    let mut out = Vec::new();
    for tables in &GRIDS {
        for e in results.experiments.iter().filter(|e| e.group == tables.group && e.value_type == "D") {
            let Some(cells) = index_of(e).map(|k| &tables.cpu[k]) else { continue };
            let both = |solver: &'static str| {
                let (there, range) = implied_solve(cells, name_in_paper(solver))?;
                Some(Times { solver, here: e.timing(solver)?.solve_mean_ms, there, range })
            };
            let both: Vec<_> = ORDERED.into_iter().filter_map(both).collect();
            if both.len() > 1 {
                out.push((e, both));
            }
        }
    }
    out
}

/// Solvers of one grid from the shortest solve to the longest, by our times or by the paper's.
pub fn order(both: &[Times], time: fn(&Times) -> f64) -> String {
    let mut sorted = both.to_vec();
    sorted.sort_by(|a, b| time(a).total_cmp(&time(b)));
    sorted.iter().map(|s| s.solver).collect::<Vec<_>>().join(" < ")
}

/// How two solvers compare on a grid.
#[derive(Clone, Copy, PartialEq)]
enum Pair {
    Same,
    /// The paper's rounding leaves open which of them is the faster there.
    Open,
    Swapped,
}

fn compare(x: &Times, y: &Times) -> Pair {
    if (x.here < y.here) == (x.there < y.there) {
        Pair::Same
    } else if x.range[0] <= y.range[1] && y.range[0] <= x.range[1] {
        Pair::Open
    } else {
        Pair::Swapped
    }
}

/// Whether the solvers of one grid come in the paper's order.
pub fn is_same(both: &[Times]) -> &'static str {
    let pairs = || (0..both.len()).flat_map(|j| (0..j).map(move |k| compare(&both[j], &both[k])));
    if pairs().any(|pair| pair == Pair::Swapped) {
        "no"
    } else if pairs().any(|pair| pair == Pair::Open) {
        "within the paper's rounding"
    } else {
        "yes"
    }
}

/// Two solvers whose order is not the paper's on some grids, in how many of them each is the faster, and why.
pub struct Swap {
    pub pair: (&'static str, &'static str),
    pub grids: usize,
    pub first_there: usize,
    pub first_here: usize,
    pub differing: usize,
    /// Of those, where the paper's rounding leaves the order open.
    pub open: usize,
    pub why: String,
}

pub fn swaps(results: &Results) -> Vec<Swap> {
    let rows = beside_paper(results);
    let mut out = Vec::new();
    for (k, &a) in ORDERED.iter().enumerate() {
        for &b in &ORDERED[k + 1..] {
            let both = |(e, times): &(&Experiment, Vec<Times>)| {
                let of = |s: &str| times.iter().find(|t| t.solver == s).cloned();
                Some(Grid {
                    width: e.n as f64 / e.levels_lower.max(1) as f64,
                    row: e.nnz as f64 / e.n.max(1) as f64,
                    first: of(a)?,
                    second: of(b)?,
                })
            };
            let grids: Vec<Grid> = rows.iter().filter_map(both).collect();
            let count = |is: &dyn Fn(&Grid) -> bool| grids.iter().filter(|g| is(g)).count();
            let pair_of = |g: &Grid| compare(&g.first, &g.second);
            let swap = Swap {
                pair: (a, b),
                grids: grids.len(),
                first_there: count(&|g| g.first.there < g.second.there),
                first_here: count(&|g| g.first.here < g.second.here),
                differing: count(&|g| pair_of(g) != Pair::Same),
                open: count(&|g| pair_of(g) == Pair::Open),
                why: why(a, b, &grids),
            };
            out.extend((swap.differing > 0).then_some(swap));
        }
    }
    out
}

/// Two solvers on a grid with so many rows a level and entries a row.
struct Grid {
    width: f64,
    row: f64,
    first: Times,
    second: Times,
}

/// The least value of the grids that are in and the largest of the others, where these do not mix.
fn split(grids: &[Grid], value: fn(&Grid) -> f64, is_in: fn(&Grid) -> bool) -> Option<(f64, f64)> {
    let values =
        |wanted: bool| grids.iter().filter(move |g| is_in(g) == wanted).map(value).collect::<Vec<_>>();
    let least = values(true).into_iter().min_by(f64::total_cmp)?;
    let most = values(false).into_iter().max_by(f64::total_cmp)?;
    (least > most).then_some((least, most))
}

/// Why the order of two solvers differs, with what the grids themselves say of it.
fn why(a: &str, b: &str, grids: &[Grid]) -> String {
    let by_level = |s: &str| s.starts_with("LEV");
    let gains = |g: &&Grid| g.first.here < g.second.here && g.first.there > g.second.there;
    if b == "csrsv2" {
        LATER.into()
    } else if by_level(a) == by_level(b) {
        let seen = split(grids, |g| g.row, |g| g.first.here < g.second.here).filter(|_| by_level(a));
        match seen {
            Some((from, to)) => {
                format!("{COLUMNS}: rows win with {from:.1} entries a row and more, columns up to {to:.1}")
            }
            None => COLUMNS.into(),
        }
    } else if grids.iter().any(|g| gains(&g)) {
        match split(grids, |g| g.width, |g| compare(&g.first, &g.second) != Pair::Same) {
            Some((from, to)) => {
                format!("{WARPS}: the grids that differ have {from:.0} rows a level and more, the others up to {to:.0}")
            }
            None => WARPS.into(),
        }
    } else {
        GRAPH.into()
    }
}

/// A statement of the paper's text, what was found here, and why that is something else where it is.
pub struct Finding {
    pub statement: &'static str,
    pub here: String,
    pub agrees: Option<bool>,
    pub why: String,
}

impl Finding {
    fn new(statement: &'static str, (here, agrees): Judged, why: &str) -> Finding {
        Finding { statement, here, agrees, why: why.into() }
    }
}

const WARPS: &str =
    "a self-scheduled solver keeps a warp for each row that waits, and the P100 has room for 3584 warps";
const GRAPH: &str =
    "the levels are nodes of one CUDA graph here and were a kernel launch each in the paper, which makes \
                     them cheaper";
const COLUMNS: &str =
    "by columns, each entry costs an atomic addition; by rows, a gathered load, and one store a row";
const LATER: &str =
    "csrsv2 here is a later cuSPARSE's, the paper's was that of CUDA 8: another program under the same name";

/// The experiments that statements are about, and how these are judged: what was found, and whether it is so.
struct Judge<'r> {
    all: Vec<&'r Experiment>,
}

type Judged = (String, Option<bool>);

fn unknown() -> Judged {
    ("not measured".into(), None)
}

fn time(e: &Experiment, solver: &str) -> Option<f64> {
    e.timing(solver).map(|t| t.solve_mean_ms)
}

impl<'r> Judge<'r> {
    fn of(&self, groups: &[&str], types: &[&str]) -> Vec<&'r Experiment> {
        let belongs =
            |e: &&&Experiment| groups.contains(&e.group.as_str()) && types.contains(&e.value_type.as_str());
        self.all.iter().filter(belongs).copied().collect()
    }

    fn grids(&self, groups: &[&str]) -> Vec<&'r Experiment> {
        self.of(groups, &["S", "D"])
    }

    /// On how many of the experiments in which all of them were measured each of `first` beats each of `then`.
    fn before(&self, groups: &[&str], first: &[&str], then: &[&str], is_so: fn(f64) -> bool) -> Judged {
        let judged = |e: &&Experiment| -> Option<bool> {
            let slowest = first.iter().map(|s| time(e, s)).collect::<Option<Vec<f64>>>()?;
            let fastest = then.iter().map(|s| time(e, s)).collect::<Option<Vec<f64>>>()?;
            let slowest = slowest.into_iter().fold(0.0, f64::max);
            Some(slowest < fastest.into_iter().fold(f64::INFINITY, f64::min))
        };
        share("so on ", self.grids(groups).iter().filter_map(judged), is_so)
    }

    /// How many times as fast as csrsv2 SLFC is, and whether that is the paper's range within a fifth.
    fn against_csrsv2(&self, list: &[&Experiment], paper: [f64; 2]) -> Judged {
        let ratios: Vec<f64> =
            list.iter().filter_map(|e| Some(time(e, "csrsv2")? / time(e, "SLFC")?)).collect();
        if ratios.is_empty() {
            return unknown();
        }
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        (format!("{least:.2} to {most:.2}"), Some(least > 0.8 * paper[0] && most < 1.2 * paper[1]))
    }

    /// Double over single precision, the mean over grids and the paper's four solvers.
    fn precision(&self, groups: &[&str]) -> Option<f64> {
        let mut ratios = Vec::new();
        for d in self.of(groups, &["D"]) {
            if let Some(s) = self.of(groups, &["S"]).into_iter().find(|s| s.name == d.name) {
                let ratio = |solver: &&str| Some(time(d, solver)? / time(s, solver)?);
                ratios.extend(ORDERED[..4].iter().filter_map(ratio));
            }
        }
        geometric_mean(ratios.into_iter())
    }

    /// The least that the fastest of the paper's solvers takes, over what bytes and levels need at least.
    fn over_limit(&self, groups: &[&str]) -> Option<f64> {
        let of = |e: &&Experiment| {
            let best = ORDERED[..4].iter().filter_map(|s| time(e, s)).min_by(f64::total_cmp)?;
            Some(best / (2.0 * e.limit_ms?))
        };
        self.of(groups, &["D"]).iter().filter_map(of).min_by(f64::total_cmp)
    }

    /// The rate of the fastest of the paper's solvers on a general matrix.
    fn rate(&self, name: &str) -> Judged {
        let Some(e) = self.of(&["general"], &["D"]).into_iter().find(|e| e.name == name) else {
            return unknown();
        };
        let rates = ORDERED.iter().filter_map(|s| Some((*s, e.gflops(s)?)));
        rates
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or_else(unknown, |(s, g)| (format!("{s} {g:.1}"), Some(g > 10.0)))
    }

    fn setups(&self, wins: fn(&Experiment) -> Option<bool>, is_so: fn(f64) -> bool) -> Judged {
        share("", self.of(&["general"], &["D"]).into_iter().filter_map(wins), is_so)
    }
}

fn share(words: &str, judged: impl Iterator<Item = bool>, is_so: fn(f64) -> bool) -> Judged {
    let judged: Vec<bool> = judged.collect();
    let yes = judged.iter().filter(|&&yes| yes).count();
    match judged.len() {
        0 => unknown(),
        n => (format!("{words}{yes} of {n}"), Some(is_so(yes as f64 / n as f64))),
    }
}

fn on_gpu(e: &Experiment) -> Option<bool> {
    Some(gpu_setup(e, "SLFC")?.0 < e.timing("SLFC")?.analysis_ms)
}

fn below_csrsv2(e: &Experiment) -> Option<bool> {
    let gpu = gpu_setup(e, "SLFC").map_or(f64::INFINITY, |g| g.0);
    Some(gpu.min(e.timing("SLFC")?.analysis_ms) < e.timing("csrsv2")?.analysis_ms)
}

pub fn findings(results: &Results) -> Vec<Finding> {
    let judge = Judge { all: results.experiments.iter().filter(|e| e.error.is_none()).collect() };
    [of_orders(&judge), of_precision(&judge), of_matrices(&judge)].into_iter().flatten().collect()
}

const FLAT: [&str; 2] = ["5pt", "9pt"];
const SOLID: [&str; 2] = ["7pt", "27pt"];

fn nearly(share: f64) -> bool {
    share >= 0.9
}

/// Which solvers are the faster ones, and than csrsv2 how many times.
fn of_orders(judge: &Judge) -> Vec<Finding> {
    let (selves, levels) = (["SLFR", "SLFC"], ["LEVR", "LEVC"]);
    let everywhere = |share: f64| share == 1.0;
    vec![
        Finding::new(
            "2-D: SLFC is faster than SLFR on all grids",
            judge.before(&FLAT, &["SLFC"], &["SLFR"], everywhere),
            COLUMNS,
        ),
        Finding::new(
            "2-D: SLFR and SLFC are faster than LEVR and LEVC",
            judge.before(&FLAT, &selves, &levels, everywhere),
            GRAPH,
        ),
        Finding::new(
            "7-point: LEVR and LEVC are faster than SLFR on most grids",
            judge.before(&["7pt"], &levels, &["SLFR"], |share| share > 0.5),
            WARPS,
        ),
        Finding::new(
            "3-D: SLFC is the fastest of all on 19 of 20",
            judge.before(&SOLID, &["SLFC"], &["SLFR", "LEVR", "LEVC", "csrsv2", "GSF"], nearly),
            "as above, pair by pair",
        ),
        Finding::new(
            "7-point: SLFC is 1.18 to 1.47 times as fast as csrsv2 (0.95 and 0.98 on the last grid)",
            judge.against_csrsv2(&judge.grids(&["7pt"]), [0.95, 1.47]),
            LATER,
        ),
        Finding::new(
            "27-point: SLFC is 1.09 to 1.82 times as fast as csrsv2",
            judge.against_csrsv2(&judge.grids(&["27pt"]), [1.09, 1.82]),
            LATER,
        ),
        Finding::new(
            "general: SLFC is up to 2.64 times as fast as csrsv2",
            judge.against_csrsv2(&judge.of(&["general"], &["D"]), [0.0, 2.64]),
            LATER,
        ),
        Finding::new(
            "3-D: GSF is the slowest on almost all",
            judge.before(&SOLID, &ORDERED[..4], &["GSF"], nearly),
            "it polls in natural order, which costs the less, the fewer rows a level has",
        ),
    ]
}

/// How much longer double precision takes than single precision.
fn of_precision(judge: &Judge) -> Vec<Finding> {
    let (in_2d, in_3d) = (judge.precision(&FLAT), judge.precision(&SOLID));
    let ratio = |mean: Option<f64>, is_so: Option<bool>| {
        mean.map_or_else(unknown, |m| (format!("double takes {m:.2} times as long as single"), is_so))
    };
    let waits = judge.over_limit(&SOLID).map_or(String::new(), |times| {
        format!(
            "the fastest of the paper's solvers takes {times:.0} times as long and more as bytes and levels ask for: it \
             waits, and that takes as long in either precision"
        )
    });
    vec![
        Finding::new(
            "2-D: single and double precision differ very little",
            ratio(in_2d, in_2d.map(|m| m < 1.1)),
            "values are read from the caller's arrays, twice as many bytes in double precision",
        ),
        Finding::new(
            "3-D: they differ more",
            ratio(in_3d, in_3d.zip(in_2d).map(|(s, f)| s > f + 0.02)),
            &waits,
        ),
    ]
}

/// Rates and setups of the general matrices.
fn of_matrices(judge: &Judge) -> Vec<Finding> {
    vec![
        Finding::new("elasticity3D: more than 10 GFLOPS", judge.rate("elasticity3D"), ""),
        Finding::new("Queen_4147: more than 10 GFLOPS", judge.rate("Queen_4147"), ""),
        Finding::new(
            "general: setup is faster on the GPU for 11 of 12 (SLFC)",
            judge.setups(on_gpu, nearly),
            "the levels that are walked one by one there are found in one sweep here",
        ),
        Finding::new(
            "general: SLFC's setup, on the faster place, is cheaper than csrsv2's for 6 of 12",
            judge.setups(below_csrsv2, |share| (0.25..=0.75).contains(&share)),
            "setup on the GPU finds its levels in one sweep here, level by level in the paper",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::timing::Timing;

    fn experiment(group: &str, ratio: usize, times: &[(&str, f64)]) -> Experiment {
        let timing =
            |&(s, ms): &(&str, f64)| Timing { solver: s.into(), solve_mean_ms: ms, ..Timing::default() };
        Experiment {
            name: group.into(),
            group: group.into(),
            ratio,
            value_type: "D".into(),
            timings: times.iter().map(timing).collect(),
            ..Experiment::default()
        }
    }

    #[test]
    fn orders_and_statements_are_judged_by_the_times() {
        // The paper has SLFC before LEVR on the first 5-point grid (8.2 against 27.3 ms).
        let slow = experiment("5pt", 1, &[("SLFC", 5.0), ("LEVR", 4.0), ("LEVC", 6.0), ("SLFR", 7.0)]);
        let results = Results { experiments: vec![slow], ..Results::default() };
        let rows = beside_paper(&results);
        assert_eq!(order(&rows[0].1, |t| t.here), "LEVR < SLFC < LEVC < SLFR");
        assert_eq!(order(&rows[0].1, |t| t.there), "SLFC < SLFR < LEVR < LEVC");
        let swaps = swaps(&results);
        let swap = swaps.iter().find(|s| s.pair == ("SLFC", "LEVR")).unwrap();
        assert_eq!((swap.grids, swap.first_there, swap.first_here), (1, 1, 0));
        assert_eq!((swap.differing, swap.open), (1, 0));
        assert!(swap.why.contains("CUDA graph"), "{}", swap.why);
        assert!(!swaps.iter().any(|s| s.pair == ("SLFC", "SLFR")));
        let found = findings(&results);
        let here = |start: &str| &found.iter().find(|f| f.statement.starts_with(start)).unwrap().here;
        assert_eq!(here("2-D: SLFC is faster"), "so on 1 of 1");
        assert_eq!(here("2-D: SLFR and SLFC"), "so on 0 of 1");
        assert_eq!(here("27-point"), "not measured");
    }
}
