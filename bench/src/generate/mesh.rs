//! Meshes of finite elements: graded triangles, and tetrahedra with holes between them.

use std::collections::HashMap;

use crate::base::Result;
use crate::matrix::{hash, unit, Csr};

/// Which mesh it is.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A square of triangles that are bisected towards some points, until the area of a triangle is at most this times
    /// the square of its distance from the nearest of them.
    Graded(f64),
    /// A cube of so many cells along each side, each of six tetrahedra; one cell in ten is a hole.
    Porous(usize),
}

/// Where the unknowns are; those of one element are all linked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Element {
    /// At the corners: linear elements.
    P1,
    /// At the corners and the middles of edges: quadratic elements.
    P2,
    /// On the edges: Nédélec's elements of the lowest order.
    Edge,
}

#[derive(Clone, Copy, Debug)]
pub struct Mesh {
    pub shape: Shape,
    pub element: Element,
    /// Unknowns at each place.
    pub dof: usize,
}

/// Corners by their coordinates, and the corners of each element.
struct Elements {
    points: Vec<[f64; 3]>,
    corners: Vec<Vec<u32>>,
}

/// A corner (twice), or the two ends of an edge.
type Place = (u32, u32);

impl Mesh {
    /// The whole pattern, in the order of a front that sweeps the mesh.
    pub fn pattern(&self) -> Result<Csr> {
        let elements = match self.shape {
            Shape::Graded(fineness) => graded(fineness),
            Shape::Porous(side) => porous(side),
        };
        let lists: Vec<Vec<Place>> = elements.corners.iter().map(|corners| self.places(corners)).collect();
        let mut places: Vec<Place> = lists.concat();
        places.sort_unstable();
        places.dedup();
        let middle = |&(a, b): &Place| {
            let (a, b) = (elements.points[a as usize], elements.points[b as usize]);
            // A front that is not parallel to an axis meets few points at once.
            (a[0] + b[0]) + 0.37 * (a[1] + b[1]) + 0.23 * (a[2] + b[2])
        };
        places.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        let number: HashMap<Place, u32> = places.iter().copied().zip(0..).collect();
        let lists: Vec<Vec<u32>> =
            lists.iter().map(|list| list.iter().map(|place| number[place]).collect()).collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
        for (element, list) in (0..).zip(&lists) {
            list.iter().for_each(|&place| around[place as usize].push(element));
        }
        let dof = self.dof as u32;
        Csr::from_rows(places.len() * self.dof, |row, out| {
            let mut near: Vec<u32> = around[row / self.dof]
                .iter()
                .flat_map(|&element| &lists[element as usize])
                .copied()
                .collect();
            near.sort_unstable();
            near.dedup();
            out.extend(
                near.iter().flat_map(|&place| (place * dof..(place + 1) * dof).map(|unknown| unknown as i32)),
            );
        })
    }

    fn places(&self, corners: &[u32]) -> Vec<Place> {
        let at_corners = corners.iter().map(|&c| (c, c));
        let pairs = corners
            .iter()
            .enumerate()
            .flat_map(|(k, &a)| corners[..k].iter().map(move |&b| (a.min(b), a.max(b))));
        match self.element {
            Element::P1 => at_corners.collect(),
            Element::P2 => at_corners.chain(pairs).collect(),
            Element::Edge => pairs.collect(),
        }
    }
}

/// Newest-vertex bisection: a triangle's first two corners are the edge that is bisected next. Triangles with a bisected
/// edge are bisected too, until the mesh is conforming.
fn graded(fineness: f64) -> Elements {
    let mut points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mut triangles: Vec<[u32; 3]> = vec![[0, 2, 1], [0, 2, 3]];
    let mut middles: HashMap<Place, u32> = HashMap::new();
    let centres: Vec<[f64; 2]> = (0..5).map(|k| [unit(hash(2 * k)), unit(hash(2 * k + 1))]).collect();
    let edge = |a: u32, b: u32| (a.min(b), a.max(b));
    loop {
        let mut next = Vec::with_capacity(2 * triangles.len());
        for &[a, b, c] in &triangles {
            let is_split = |a, b| middles.contains_key(&edge(a, b));
            if !is_split(a, b)
                && !is_split(b, c)
                && !is_split(a, c)
                && !is_large([a, b, c], &points, &centres, fineness)
            {
                next.push([a, b, c]);
                continue;
            }
            let middle = *middles.entry(edge(a, b)).or_insert_with(|| {
                let (p, q) = (points[a as usize], points[b as usize]);
                points.push(std::array::from_fn(|axis| 0.5 * (p[axis] + q[axis])));
                points.len() as u32 - 1
            });
            next.extend([[a, c, middle], [b, c, middle]]);
        }
        if next.len() == triangles.len() {
            let corners = triangles.into_iter().map(|t| t.to_vec()).collect();
            return Elements { points, corners };
        }
        triangles = next;
    }
}

fn is_large(corners: [u32; 3], points: &[[f64; 3]], centres: &[[f64; 2]], fineness: f64) -> bool {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    let area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).abs();
    let middle = [(a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0];
    let squares = centres.iter().map(|p| (p[0] - middle[0]).powi(2) + (p[1] - middle[1]).powi(2));
    area > fineness * squares.fold(f64::INFINITY, f64::min).max(1e-4)
}

fn porous(side: usize) -> Elements {
    let along = side + 1;
    let points = (0..along * along * along)
        .map(|i| [i % along, i / along % along, i / (along * along)].map(|x| x as f64))
        .collect();
    // A tetrahedron goes from one corner of the cell to the other along three edges, one of each axis.
    let axes = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let step = [1, along as u32, (along * along) as u32];
    let mut corners = Vec::new();
    for cell in (0..side * side * side).filter(|&cell| hash(cell as u64) % 10 > 0) {
        let (x, y, z) = (cell % side, cell / side % side, cell / (side * side));
        let first = ((z * along + y) * along + x) as u32;
        for [i, j, _] in axes {
            let last = first + step.iter().sum::<u32>();
            corners.push(vec![first, first + step[i], first + step[i] + step[j], last]);
        }
    }
    Elements { points, corners }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(shape: Shape, element: Element, dof: usize) -> Csr {
        let a = Mesh { shape, element, dof }.pattern().unwrap();
        assert_eq!(a.missing_diagonal(), None);
        let t = a.transposed();
        assert_eq!((&a.ptr, &a.col), (&t.ptr, &t.col));
        a
    }

    /// A triangulation without holes: corners - edges + triangles = 1.
    #[test]
    fn triangles_are_conforming_and_graded() {
        let elements = graded(0.02);
        let edges = mesh(Shape::Graded(0.02), Element::Edge, 1).n;
        assert_eq!(elements.points.len() + elements.corners.len(), edges + 1);
        let area = |c: &Vec<u32>| {
            let [a, b, d] = [c[0], c[1], c[2]].map(|corner| elements.points[corner as usize]);
            0.5 * ((b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0])).abs()
        };
        let areas: Vec<f64> = elements.corners.iter().map(area).collect();
        assert!((areas.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let (least, most) = areas.iter().fold((1.0f64, 0.0f64), |(l, m), &a| (l.min(a), m.max(a)));
        assert!(most > 100.0 * least, "{least} {most}");
    }

    #[test]
    fn elements_have_their_unknowns() {
        let elements = porous(4).corners.len();
        assert!(elements % 6 == 0 && elements < 6 * 64 && elements > 6 * 32, "{elements}");
        let [corners, quadratic, edges] =
            [Element::P1, Element::P2, Element::Edge].map(|element| mesh(Shape::Porous(4), element, 1));
        assert_eq!(quadratic.n, corners.n + edges.n);
        assert_eq!(mesh(Shape::Porous(4), Element::P1, 3).nnz(), 9 * corners.nnz());
    }
}
