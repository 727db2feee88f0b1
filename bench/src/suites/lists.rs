//! The matrices of the benchmark, by name: the grids, the stand-ins for general matrices, the paper's grids.
//!
//! A stand-in has the size, the row lengths and the level count of the matrix that it is named after, but
//! is generated; reports always say so.

use super::entries::{arrow, grid, lattice, layered, nets, points, stand_in, structure, Entry};
use super::weak;
use crate::generate::grids::{Along, Arrow, Grid, Layered, Nets, Points, Profile, Stencil};
use crate::generate::lattice::{Lattice, Neighbours};
use crate::generate::structures::Structure;

/// What `--suite` names.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    Grids,
    #[value(alias = "standins")]
    General,
    All,
    Paper,
    Small,
    Robust,
    Sizes,
    Meshes,
    Large,
    Extremes,
    Structures,
    Lattices,
    Fit,
    Report,
    Factors,
    Host,
    Pair,
    Sweep,
    Ilu0,
    Pcg,
}

/// What is done to a matrix around a solve with one of its triangles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Around {
    /// Solves with both factors of ILU(0).
    Pair,
    /// Gauss-Seidel sweeps.
    Sweep,
    /// ILU(0) and IC(0).
    Factorisation,
}

/// What is measured in place of a solve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    Call(Around),
    /// Conjugate gradients with ILU(0), from the analysis to the solution.
    Iteration,
}

impl Suite {
    /// What is measured in place of a solve.
    pub fn around(self) -> Option<Task> {
        match self {
            Suite::Pair => Some(Task::Call(Around::Pair)),
            Suite::Sweep => Some(Task::Call(Around::Sweep)),
            Suite::Ilu0 => Some(Task::Call(Around::Factorisation)),
            Suite::Pcg => Some(Task::Iteration),
            _ => None,
        }
    }
}

/// The matrices of a suite; those of `robust`, `meshes` and `extremes` are measured in other orders or filled in as well.
pub fn entries(suite: Suite) -> Vec<Entry> {
    match suite {
        Suite::Grids => grids(),
        Suite::General => stand_ins(),
        Suite::All => grids().into_iter().chain(stand_ins()).collect(),
        Suite::Paper => paper_grids().into_iter().chain(paper_general()).collect(),
        Suite::Small => small(),
        Suite::Robust => to_reorder().into_iter().chain(to_fill_in()).collect(),
        Suite::Sizes => other_sizes(),
        Suite::Meshes => meshes(),
        Suite::Large => large(),
        Suite::Structures => structures(),
        Suite::Lattices => lattices(),
        Suite::Fit => weak::fit(),
        Suite::Report => weak::report(),
        Suite::Factors => weak::factors(),
        Suite::Pair | Suite::Sweep | Suite::Ilu0 => systems(),
        Suite::Pcg => models(),
        Suite::Host => host(),
        Suite::Extremes => {
            long_rows().into_iter().chain(circuits()).chain(to_factorise()).chain(to_colour()).collect()
        }
    }
}

/// Thirteen grids and model problems in natural order.
pub fn grids() -> Vec<Entry> {
    use Stencil::{Axes, Box};
    let random =
        Layered { rows: 5_000_000, levels: 35, profile: Profile::Even, dependencies: (3, 7), hubs: false };
    vec![
        grid("5pt-1024x1024", Axes, [1024, 1024, 1], 1, 2047, 3.1),
        grid("5pt-256x4096", Axes, [256, 4096, 1], 1, 4351, 3.1),
        grid("5pt-64x16384", Axes, [64, 16384, 1], 1, 16447, 3.13),
        grid("9pt-1024x1024", Box, [1024, 1024, 1], 1, 3070, 5.24),
        grid("9pt-64x16384", Box, [64, 16384, 1], 1, 32830, 5.2),
        grid("7pt-128x128x128", Axes, [128, 128, 128], 1, 382, 8.34),
        grid("7pt-32x32x2048", Axes, [32, 32, 2048], 1, 2110, 8.26),
        grid("27pt-128x128x128", Box, [128, 128, 128], 1, 890, 28.9),
        grid("27pt-32x32x2048", Box, [32, 32, 2048], 1, 8282, 28.2),
        grid("elasticity-70x70x70x3", Box, [70, 70, 70], 3, 1452, 41.0),
        grid("elasticity-111x111x111x3", Box, [111, 111, 111], 3, 2313, 165.0),
        layered("random-5M-35", random, 29.0),
        grid("tridiagonal-200k", Axes, [200_000, 1, 1], 1, 200_000, 0.4),
    ]
}

/// Stand-ins for twelve general matrices and an ILU(2) factor. The sizes name the slowest axis first, so
/// they are turned round here.
pub fn stand_ins() -> Vec<Entry> {
    use Stencil::{Axes, Box, Ilu2, Kuhn, Triangles};
    let webbase = Layered {
        rows: 1_000_005,
        levels: 512,
        profile: Profile::Decaying,
        dependencies: (1, 0),
        hubs: true,
    };
    let thermal =
        Layered { rows: 1_228_045, levels: 1239, profile: Profile::Bulge, dependencies: (1, 4), hubs: false };
    [
        grid("ecology2", Axes, [1000, 1000, 1], 1, 1999, 3.0),
        grid("elasticity2D", Triangles, [708, 708, 1], 2, 2830, 7.5),
        grid("atmosmodd", Axes, [148, 148, 58], 1, 352, 5.0),
        grid("Transport", Kuhn, [321, 161, 31], 1, 571, 12.6),
        grid("af_shell8", Triangles, [178, 568, 1], 5, 3725, 9.1),
        layered("webbase-1M", webbase, 2.2),
        layered("thermal2", thermal, 4.3),
        grid("StocF-1465", Kuhn, [38, 39, 977], 1, 3004, 11.3),
        grid("elasticity3D", Box, [70, 70, 70], 3, 1452, 41.0),
        grid("ILU2-400x400", Ilu2, [400, 400, 1], 1, 1597, 0.8),
        grid("af_shell10", Triangles, [206, 1467, 1], 5, 8360, 27.1),
        grid("Bump_2911", Kuhn, [29, 30, 1110], 3, 10155, 64.0),
        grid("Queen_4147", Box, [110, 112, 112], 3, 2328, 167.0),
    ]
    .map(stand_in)
    .to_vec()
}

/// The twenty grids of the paper: two stencils in two dimensions and two in three, five aspect ratios each.
pub fn paper_grids() -> Vec<Entry> {
    let flat = [[1024, 1024, 1], [512, 2048, 1], [256, 4096, 1], [128, 8192, 1], [64, 16384, 1]];
    let solid = [[128, 128, 128], [64, 128, 256], [64, 64, 512], [32, 64, 1024], [32, 32, 2048]];
    let mut entries = Vec::new();
    for (points, stencil, sizes) in [
        (5usize, Stencil::Axes, flat),
        (9, Stencil::Box, flat),
        (7, Stencil::Axes, solid),
        (27, Stencil::Box, solid),
    ] {
        for size in sizes {
            let [x, y, z] = size;
            let (name, weights) = match z {
                1 => (format!("{points}pt-{x}x{y}"), if points == 5 { [1, 1, 0] } else { [1, 2, 0] }),
                _ => (format!("{points}pt-{x}x{y}x{z}"), if points == 7 { [1, 1, 1] } else { [1, 2, 4] }),
            };
            let levels = 1 + size.iter().zip(weights).map(|(s, w)| (s - 1) * w).sum::<usize>();
            let nnz = (x * y * z * points.div_ceil(2)) as f64 * 1e-6;
            entries.push(grid(&name, stencil, size, 1, levels, nnz));
        }
    }
    entries
}

/// The kinds of `all` in sizes that a CPU solves in milliseconds; `like-NAME` is the stand-in of that name with fewer rows.
pub fn host() -> Vec<Entry> {
    use Stencil::{Axes, Box, Kuhn, Triangles};
    let random =
        Layered { rows: 1_000_000, levels: 35, profile: Profile::Even, dependencies: (3, 7), hubs: false };
    let whole = ["ecology2", "atmosmodd", "af_shell8", "webbase-1M", "thermal2", "ILU2-400x400"];
    let mut all = vec![
        grid("5pt-1024x1024", Axes, [1024, 1024, 1], 1, 2047, 3.1),
        grid("5pt-250x4000", Axes, [250, 4000, 1], 1, 4249, 3.0),
        grid("5pt-60x16000", Axes, [60, 16000, 1], 1, 16059, 2.86),
        grid("9pt-1000x1000", Box, [1000, 1000, 1], 1, 2998, 5.0),
        grid("9pt-60x16000", Box, [60, 16000, 1], 1, 32058, 4.75),
        grid("7pt-100x100x100", Axes, [100, 100, 100], 1, 298, 3.97),
        grid("7pt-30x30x1000", Axes, [30, 30, 1000], 1, 1058, 3.54),
        grid("27pt-80x80x80", Box, [80, 80, 80], 1, 554, 6.95),
        grid("27pt-30x30x500", Box, [30, 30, 500], 1, 2084, 6.0),
        grid("elasticity-36x36x36x3", Box, [36, 36, 36], 3, 738, 5.4),
        grid("elasticity-50x50x50x3", Box, [50, 50, 50], 3, 1032, 14.7),
        layered("random-1M-35", random, 5.8),
        grid("tridiagonal-200k", Axes, [200_000, 1, 1], 1, 200_000, 0.4),
        grid("like-elasticity2D", Triangles, [500, 500, 1], 2, 1998, 3.74),
        grid("like-Transport", Kuhn, [200, 100, 31], 1, 389, 4.85),
        grid("like-StocF-1465", Kuhn, [38, 39, 450], 1, 1423, 5.2),
        grid("like-elasticity3D", Box, [44, 44, 44], 3, 906, 9.95),
        grid("like-af_shell10", Triangles, [206, 700, 1], 5, 4525, 12.9),
        grid("like-Bump_2911", Kuhn, [29, 30, 200], 3, 1965, 11.5),
        grid("like-Queen_4147", Box, [44, 45, 45], 3, 924, 10.4),
    ];
    all.extend(stand_ins().into_iter().filter(|entry| whole.contains(&entry.name.as_str())));
    all
}

/// Matrices of every kind that take no time.
pub fn small() -> Vec<Entry> {
    use Stencil::{Axes, Box, Ilu2, Kuhn, Triangles};
    let layered_small =
        Layered { rows: 20_000, levels: 50, profile: Profile::Decaying, dependencies: (1, 0), hubs: true };
    vec![
        grid("5pt-100x100", Axes, [100, 100, 1], 1, 199, 0.0298),
        grid("9pt-64x128", Box, [64, 128, 1], 1, 318, 0.0404),
        grid("7pt-24x24x24", Axes, [24, 24, 24], 1, 70, 0.0536),
        grid("27pt-20x20x20", Box, [20, 20, 20], 1, 134, 0.1),
        grid("elasticity-12x12x12x3", Box, [12, 12, 12], 3, 234, 0.1793),
        grid("shell-40x60x5", Triangles, [60, 40, 1], 5, 495, 0.208),
        grid("kuhn-16x16x64", Kuhn, [16, 16, 64], 1, 220, 0.1168),
        grid("ILU2-80x80", Ilu2, [80, 80, 1], 1, 317, 0.0313),
        layered("webby-20k", layered_small, 0.047),
        grid("tridiagonal-5k", Axes, [5000, 1, 1], 1, 5000, 0.01),
    ]
}

/// Whole systems that are smoothed and factorised: grids, elasticity, shells, coarse operators of multigrid, graded meshes.
pub fn systems() -> Vec<Entry> {
    let names = [
        "5pt-512x512",
        "5pt-1024x1024",
        "9pt-1024x1024",
        "7pt-100x100x100",
        "7pt-128x128x128",
        "27pt-48x48x48",
        "27pt-100x100x100",
        "elasticity-30x30x30x3",
        "elasticity-70x70x70x3",
        "shell-300x200x5",
        "coarse-100-1",
        "coarse-120-2",
        "graded-p1",
        "graded-p1-x2",
    ];
    let all = [grids(), other_sizes(), to_reorder(), weak::fit()].concat();
    let of_name = |name: &str| all.iter().find(|e| e.name == name).expect("it is in a list").clone();
    names.map(of_name).to_vec()
}

/// Model problems that are solved for by conjugate gradients.
pub fn models() -> Vec<Entry> {
    let is_model = |e: &Entry| ["7pt-128x128x128", "elasticity-70x70x70x3"].contains(&e.name.as_str());
    grids().into_iter().filter(is_model).collect()
}

/// Small ones of the same kinds.
pub fn small_models() -> Vec<Entry> {
    let is_model = |e: &Entry| e.name.starts_with("7pt") || e.name.starts_with("elasticity");
    small().into_iter().filter(is_model).collect()
}

/// Systems of the same kinds that take no time.
pub fn small_systems() -> Vec<Entry> {
    let is_system =
        |e: &Entry| !["kuhn", "ILU2", "webby", "tridiagonal"].iter().any(|s| e.name.starts_with(s));
    small().into_iter().filter(is_system).chain(weak::small()).collect()
}

/// Matrices of every kind to be solved in other orders: large enough to fill a GPU, small enough to reorder in
/// a second.
pub fn to_reorder() -> Vec<Entry> {
    use Stencil::{Axes, Box, Kuhn, Triangles};
    let random =
        Layered { rows: 300_000, levels: 120, profile: Profile::Bulge, dependencies: (1, 6), hubs: false };
    vec![
        grid("5pt-512x512", Axes, [512, 512, 1], 1, 1023, 0.785),
        grid("9pt-512x512", Box, [512, 512, 1], 1, 1534, 1.308),
        grid("7pt-64x64x64", Axes, [64, 64, 64], 1, 190, 1.036),
        grid("27pt-48x48x48", Box, [48, 48, 48], 1, 330, 1.5),
        grid("elasticity-30x30x30x3", Box, [30, 30, 30], 3, 612, 3.1),
        grid("shell-300x200x5", Triangles, [200, 300, 1], 5, 2495, 5.35),
        grid("kuhn-40x40x100", Kuhn, [40, 40, 100], 1, 376, 1.23),
        layered("random-300k", random, 1.34),
    ]
}

/// Grids of other sizes. Lines and planes of all except one are no powers of two.
pub fn other_sizes() -> Vec<Entry> {
    use Stencil::{Axes, Box, Kuhn};
    vec![
        grid("5pt-1500x1500", Axes, [1500, 1500, 1], 1, 2999, 6.75),
        grid("5pt-333x2000", Axes, [333, 2000, 1], 1, 2332, 2.0),
        grid("9pt-1500x1500", Box, [1500, 1500, 1], 1, 4498, 11.25),
        grid("7pt-100x100x100", Axes, [100, 100, 100], 1, 298, 3.97),
        grid("7pt-150x150x90", Axes, [150, 150, 90], 1, 388, 8.05),
        grid("7pt-256x256x64", Axes, [256, 256, 64], 1, 574, 16.7),
        grid("27pt-100x100x100", Box, [100, 100, 100], 1, 694, 13.7),
        grid("27pt-150x120x60", Box, [150, 120, 60], 1, 624, 14.7),
        grid("27pt-30x40x400", Box, [30, 40, 400], 1, 1704, 6.46),
        grid("27pt-48x48x48", Box, [48, 48, 48], 1, 330, 1.49),
        grid("kuhn-100x60x90", Kuhn, [100, 60, 90], 1, 426, 4.2),
        grid("kuhn-48x48x48", Kuhn, [48, 48, 48], 1, 236, 0.857),
    ]
}

/// Millions of rows: matrices whose vectors no cache holds.
pub fn large() -> Vec<Entry> {
    use Along::{Curve, Sweep};
    use Stencil::{Axes, Box, Kuhn, Triangles};
    let plane = |along| Points { count: 4_000_000, dof: 1, axes: 2, radius: 0.00089, along };
    let solid = |along| Points { count: 2_000_000, dof: 1, axes: 3, radius: 0.0118, along };
    vec![
        grid("5pt-4000x4000", Axes, [4000, 4000, 1], 1, 7999, 48.0),
        grid("9pt-3000x3000", Box, [3000, 3000, 1], 1, 8998, 45.0),
        grid("7pt-256x256x256", Axes, [256, 256, 256], 1, 766, 66.9),
        grid("27pt-200x200x200", Box, [200, 200, 200], 1, 1394, 110.9),
        grid("kuhn-250x200x160", Kuhn, [250, 200, 160], 1, 926, 63.2),
        grid("elasticity-140x140x140x3", Box, [140, 140, 140], 3, 2922, 332.0),
        grid("shell-1000x800x5", Triangles, [800, 1000, 1], 5, 8995, 72.0),
        points("points2d-4M", plane(Sweep), 9630, 23.9),
        points("points2d-4M-curve", plane(Curve), 12266, 23.9),
        points("points3d-2M", solid(Sweep), 1439, 15.6),
        points("points3d-2M-curve", solid(Curve), 2883, 15.6),
    ]
}

/// Meshes without any regularity, in two orders each, and such of finite elements with several unknowns a node.
pub fn meshes() -> Vec<Entry> {
    use Along::{Curve, Sweep};
    let plane = |along| Points { count: 400_000, dof: 1, axes: 2, radius: 0.0028, along };
    let solid = |along| Points { count: 150_000, dof: 1, axes: 3, radius: 0.028, along };
    let nodes = |points, dof| Points { dof, ..points };
    vec![
        points("points2d-400k", plane(Sweep), 3052, 2.37),
        points("points2d-400k-curve", plane(Curve), 4195, 2.37),
        points("points3d-150k", solid(Sweep), 611, 1.15),
        points("points3d-150k-curve", solid(Curve), 1150, 1.15),
        points("points3d-150k-x3", nodes(solid(Sweep), 3), 1833, 9.92),
        points("points3d-150k-x3-curve", nodes(solid(Curve), 3), 3450, 9.92),
        points("points2d-400k-x2", nodes(plane(Sweep), 2), 6104, 9.09),
    ]
}

/// Graphs, trees, saddle points, domains, borders, circuits, blocks, bands, and grids with gaps or along a curve.
pub fn structures() -> Vec<Entry> {
    use Structure::*;
    let grid = |size| Grid { stencil: Stencil::Axes, size, dof: 1 };
    let window = |links, reach| Window { rows: 300_000, links, reach, reversed: false };
    let tree = |reach, reversed| Window { rows: 500_000, links: 1, reach, reversed };
    let control = |by_points| Control { side: 40, by_points };
    vec![
        structure("rmat-18", RMat { scale: 18, links: 1 << 21 }, 467, 2.23),
        structure("attached-300k-8", Attached { rows: 300_000, links: 8 }, 143, 2.7),
        structure("tree-500k", tree(500_000, false), 30, 1.0),
        structure("river-500k-1000", tree(1000, false), 1029, 1.0),
        structure("river-500k-3000-up", tree(3000, true), 370, 1.0),
        structure("window-300k-5-of-20k", window(5, 20_000), 275, 1.75),
        structure("control-40-by-kind", control(false), 119, 0.88),
        structure("control-40-by-point", control(true), 236, 0.88),
        structure("domains-1000x20x20", Domains { count: 1000, grid: grid([20, 20, 1]) }, 39, 1.16),
        structure("domains-64x20x20x20", Domains { count: 64, grid: grid([20, 20, 20]) }, 58, 1.97),
        structure(
            "border-20000x8-50",
            Bordered { blocks: 20_000, size: 8, border: 50, links: 16_000 },
            58,
            1.48,
        ),
        nets("circuit-400-30", Nets { side: 400, nets: 30, one_in: 50 }, 12290, 0.57),
        structure("blocks-4000x16", Blocks { count: 4000, size: 16 }, 64_000, 1.57),
        structure("band-50k-30", Band { rows: 50_000, width: 30 }, 50_000, 1.55),
        structure("chains-4096x256", Chains { count: 4096, length: 256 }, 256, 2.09),
        structure("gaps-700x700", Sparse { grid: grid([700, 700, 1]), left_out: 35 }, 1392, 1.12),
        structure("7pt-64-curve", Curve { grid: grid([64, 64, 64]) }, 190, 1.04),
    ]
}

/// Stencils that reach far, sides that meet, four dimensions, and elements whose unknowns are all linked.
pub fn lattices() -> Vec<Entry> {
    use Neighbours::{Axes, Box, Planes};
    let open = |size, neighbours| Lattice { size, neighbours, dof: 1, periodic: false };
    let ring = |size, neighbours| Lattice { size, neighbours, dof: 1, periodic: true };
    let elements = |size, dof| Lattice { size, neighbours: Axes(1), dof, periodic: false };
    let chromodynamics = Lattice { size: [12, 12, 12, 24], neighbours: Axes(1), dof: 12, periodic: true };
    vec![
        lattice("5pt-1024x1024-periodic", ring([1024, 1024, 1, 1], Axes(1)), 2047, 3.15),
        lattice("9pt-512x512-periodic", ring([512, 512, 1, 1], Box), 262_144, 1.31),
        lattice("7pt-128x128x128-periodic", ring([128, 128, 128, 1], Axes(1)), 382, 8.39),
        lattice("27pt-64x64x64-periodic", ring([64, 64, 64, 1], Box), 262_144, 3.67),
        lattice("5pt-reach2-700x700", open([700, 700, 1, 1], Axes(2)), 1399, 2.45),
        lattice("13pt-biharmonic-700x700", open([700, 700, 1, 1], Planes(2)), 2098, 3.42),
        lattice("7pt-reach2-100x100x100", open([100, 100, 100, 1], Axes(2)), 298, 6.91),
        lattice("7pt-reach4-80x80x80", open([80, 80, 80, 1], Axes(4)), 238, 6.46),
        lattice("19pt-100x100x100", open([100, 100, 100, 1], Planes(1)), 595, 9.85),
        lattice("9pt-32x32x32x32", open([32, 32, 32, 32], Axes(1)), 125, 5.11),
        lattice("81pt-20x20x20x20", open([20, 20, 20, 20], Box), 286, 5.74),
        lattice("chromodynamics-12x12x12x24x12", chromodynamics, 684, 27.1),
        lattice("elements-200x200x10", elements([200, 200, 1, 1], 10), 3990, 10.2),
        lattice("elements-24x24x24x20", elements([24, 24, 24, 1], 20), 1400, 18.8),
        lattice("elements-40x40x40x8", elements([40, 40, 40, 1], 8), 944, 14.3),
        lattice("chain-reach2-200k", open([200_000, 1, 1, 1], Axes(2)), 200_000, 0.6),
        lattice("chain-reach4-100k", open([100_000, 1, 1, 1], Axes(4)), 100_000, 0.5),
    ]
}

/// Rows and columns that are far longer than the others, and a dense triangle.
pub fn long_rows() -> Vec<Entry> {
    let full = |columns| Arrow { rows: 200_000, full: 4, columns };
    vec![
        arrow("4-rows-of-200k", full(false), 5, 1.0),
        arrow("4-columns-of-200k", full(true), 5, 1.0),
        arrow("dense-1200", Arrow { rows: 1200, full: 1200, columns: false }, 1200, 0.72),
    ]
}

/// Grids with a few nets; in other orders too.
pub fn circuits() -> Vec<Entry> {
    vec![nets("circuit-512x512", Nets { side: 512, nets: 4, one_in: 4 }, 3061, 1.05)]
}

/// Grids whose complete factors by nested dissection are measured.
pub fn to_factorise() -> Vec<Entry> {
    vec![
        grid("5pt-200x200", Stencil::Axes, [200, 200, 1], 1, 399, 0.12),
        grid("7pt-20x20x20", Stencil::Axes, [20, 20, 20], 1, 58, 0.031),
    ]
}

/// What is measured colour by colour, which leaves few levels.
pub fn to_colour() -> Vec<Entry> {
    let names = ["5pt-512x512", "9pt-512x512", "27pt-48x48x48", "kuhn-40x40x100"];
    to_reorder().into_iter().filter(|e| names.contains(&e.name.as_str())).collect()
}

/// Grids whose incomplete factors are measured.
pub fn to_fill_in() -> Vec<Entry> {
    vec![
        grid("5pt-512x512", Stencil::Axes, [512, 512, 1], 1, 1023, 0.785),
        grid("7pt-48x48x48", Stencil::Axes, [48, 48, 48], 1, 142, 0.435),
    ]
}

/// The paper's general matrices, as stand-ins.
pub fn paper_general() -> Vec<Entry> {
    stand_ins().into_iter().filter(|e| !e.name.starts_with("ILU")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lists_complete() {
        let (grids, stand_ins, paper) = (grids(), stand_ins(), paper_grids());
        assert_eq!((grids.len(), stand_ins.len(), paper.len(), paper_general().len()), (13, 13, 20, 12));
        assert_eq!((entries(Suite::Extremes).len(), host().len()), (10, 26));
        assert_eq!((systems().len(), small_systems().len()), (14, 8));
        for list in [grids, stand_ins, paper, host()] {
            let names: std::collections::HashSet<_> = list.iter().map(|e| e.name.clone()).collect();
            assert_eq!(names.len(), list.len());
        }
    }

    #[test]
    fn the_smaller_matrices_come_out_as_published() {
        for entry in small()
            .into_iter()
            .chain(grids())
            .chain(stand_ins())
            .chain(paper_grids())
            .chain(entries(Suite::Robust))
            .chain(other_sizes())
            .chain(meshes())
            .chain(entries(Suite::Extremes))
            .chain(structures())
            .chain(lattices())
            .chain(entries(Suite::Fit))
            .chain(entries(Suite::Report))
            .chain(entries(Suite::Factors))
            .chain(small_systems())
            .chain(host())
        {
            if entry.size.1 < 6.0 {
                entry.lower().unwrap();
            }
        }
    }
}
