//! A generated matrix: its name, its recipe, and what it must turn out to be.

use crate::base::Result;
use crate::generate::factor::Factor;
use crate::generate::graph::PowerLaw;
use crate::generate::grids::{Arrow, Grid, Layered, Nets, Points, Stencil};
use crate::generate::lattice::Lattice;
use crate::generate::mesh::Mesh;
use crate::generate::model;
use crate::generate::multigrid::Coarse;
use crate::generate::reservoir::Reservoir;
use crate::generate::structures::Structure;
use crate::matrix::{Csr, Fill};

#[derive(Clone, Copy)]
pub enum Recipe {
    Grid(Grid),
    Layered(Layered),
    Points(Points),
    Arrow(Arrow),
    Nets(Nets),
    Structure(Structure),
    Lattice(Lattice),
    Factor(Factor),
    Coarse(Coarse),
    Mesh(Mesh),
    Reservoir(Reservoir),
    PowerLaw(PowerLaw),
}

/// A generated matrix and what its lower triangle must turn out to be.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    pub stand_in: bool,
    pub recipe: Recipe,
    /// Levels of the lower triangle, exactly.
    pub levels: usize,
    /// Rows and entries of the lower triangle in millions, as published: right within rounding.
    pub size: (f64, f64),
}

impl Entry {
    /// The lower triangle, checked against what it must be.
    pub fn lower(&self) -> Result<Csr> {
        let a = match self.recipe {
            Recipe::Grid(grid) => grid.pattern(true)?,
            Recipe::Layered(layered) => layered.lower_pattern()?,
            Recipe::Points(points) => points.pattern()?.triangle(Fill::Lower)?,
            Recipe::Arrow(arrow) => arrow.lower_pattern()?,
            Recipe::Nets(nets) => nets.lower_pattern()?,
            Recipe::Structure(structure) => structure.lower_pattern()?,
            Recipe::Lattice(lattice) => lattice.lower_pattern()?,
            Recipe::Factor(factor) => factor.pattern(Fill::Lower)?,
            Recipe::Coarse(coarse) => coarse.pattern()?.triangle(Fill::Lower)?,
            Recipe::Mesh(mesh) => mesh.pattern()?.triangle(Fill::Lower)?,
            Recipe::Reservoir(reservoir) => reservoir.lower_pattern()?,
            Recipe::PowerLaw(graph) => graph.lower_pattern()?,
        };
        let near = |count: usize, millions: f64| (count as f64 * 1e-6 / millions - 1.0).abs() < 0.06;
        let levels = a.levels(Fill::Lower).count();
        if levels != self.levels || !near(a.n, self.size.0) || !near(a.nnz(), self.size.1) {
            return Err(format!(
                "{} came out with {} rows, {} entries and {levels} levels instead of {} million, {} million and {}",
                self.name,
                a.n,
                a.nnz(),
                self.size.0,
                self.size.1,
                self.levels
            ));
        }
        Ok(a)
    }

    /// An upper triangle: a complete factor's own U, or the lower triangle with its unknowns in reverse order.
    pub fn upper(&self) -> Result<Csr> {
        match self.recipe {
            Recipe::Factor(factor) => factor.pattern(Fill::Upper),
            _ => self.lower()?.reversed(),
        }
    }

    /// The model problem of a grid that has one.
    pub fn model(&self) -> Result<Option<Csr>> {
        let Recipe::Grid(grid) = self.recipe else { return Ok(None) };
        let mut a = grid.pattern(false)?;
        Ok(model::set_values(&mut a, &grid).then_some(a))
    }

    /// The whole matrix: a grid's, or the symmetric pattern that a layered lower triangle belongs to.
    pub fn whole(&self) -> Result<Csr> {
        match self.recipe {
            Recipe::Grid(grid) => grid.pattern(false),
            Recipe::Layered(layered) => layered.lower_pattern()?.symmetrised(),
            Recipe::Points(points) => points.pattern(),
            Recipe::Arrow(arrow) => arrow.lower_pattern()?.symmetrised(),
            Recipe::Nets(nets) => nets.lower_pattern()?.symmetrised(),
            Recipe::Structure(structure) => structure.lower_pattern()?.symmetrised(),
            Recipe::Lattice(lattice) => lattice.lower_pattern()?.symmetrised(),
            Recipe::Factor(factor) => factor.pattern(Fill::Lower)?.symmetrised(),
            Recipe::Coarse(coarse) => coarse.pattern(),
            Recipe::Mesh(mesh) => mesh.pattern(),
            Recipe::Reservoir(reservoir) => reservoir.lower_pattern()?.symmetrised(),
            Recipe::PowerLaw(graph) => graph.lower_pattern()?.symmetrised(),
        }
    }
}

/// A matrix of another kind: rows and entries in millions.
pub fn other(name: &str, recipe: Recipe, levels: usize, size: (f64, f64)) -> Entry {
    Entry { name: name.into(), stand_in: false, recipe, levels, size }
}

fn entry(name: &str, recipe: Recipe, rows: usize, levels: usize, nnz: f64) -> Entry {
    Entry { name: name.into(), stand_in: false, recipe, levels, size: (rows as f64 * 1e-6, nnz) }
}

pub fn grid(name: &str, stencil: Stencil, size: [usize; 3], dof: usize, levels: usize, nnz: f64) -> Entry {
    let grid = Grid { stencil, size, dof };
    entry(name, Recipe::Grid(grid), grid.unknowns(), levels, nnz)
}

pub fn stand_in(entry: Entry) -> Entry {
    Entry { stand_in: true, ..entry }
}

pub fn layered(name: &str, m: Layered, nnz: f64) -> Entry {
    entry(name, Recipe::Layered(m), m.rows, m.levels, nnz)
}

pub fn points(name: &str, m: Points, levels: usize, nnz: f64) -> Entry {
    entry(name, Recipe::Points(m), m.count * m.dof, levels, nnz)
}

pub fn arrow(name: &str, m: Arrow, levels: usize, nnz: f64) -> Entry {
    entry(name, Recipe::Arrow(m), m.rows, levels, nnz)
}

pub fn nets(name: &str, m: Nets, levels: usize, nnz: f64) -> Entry {
    entry(name, Recipe::Nets(m), m.rows(), levels, nnz)
}

pub fn structure(name: &str, m: Structure, levels: usize, nnz: f64) -> Entry {
    entry(name, Recipe::Structure(m), m.rows(), levels, nnz)
}

pub fn lattice(name: &str, m: Lattice, levels: usize, nnz: f64) -> Entry {
    entry(name, Recipe::Lattice(m), m.rows(), levels, nnz)
}
