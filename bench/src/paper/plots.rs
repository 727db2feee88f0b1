//! Plots as SVG: lines over categories, with axes, units and a legend.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::base::Result;

/// One solver's line: a value for each category, or none.
pub struct Line {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

pub struct Plot {
    pub title: String,
    /// What the categories are.
    pub x: String,
    pub categories: Vec<String>,
    /// What the values are, with their unit.
    pub y: String,
    pub lines: Vec<Line>,
    /// Whether points of a line belong together and are joined.
    pub joined: bool,
}

const LEGEND_WIDTH: i32 = 190;

const COLOURS: [RGBColor; 10] = [
    RGBColor(31, 119, 180),
    RGBColor(255, 127, 14),
    RGBColor(44, 160, 44),
    RGBColor(214, 39, 40),
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(227, 119, 194),
    RGBColor(90, 90, 90),
    RGBColor(188, 189, 34),
    RGBColor(23, 190, 207),
];

/// Draws a plot with a logarithmic value axis; nothing is written where there is nothing to draw.
pub fn draw(path: &Path, plot: &Plot) -> Result<bool> {
    let values: Vec<f64> =
        plot.lines.iter().flat_map(|l| l.values.iter().flatten().copied()).filter(|&v| v > 0.0).collect();
    if values.is_empty() {
        return Ok(false);
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let mut svg = String::new();
    // From a power of ten on, for the axis has no numbers below the first one; from a little less, for that one's
    // own logarithm to be counted in.
    let from = 10f64.powf((least / 1.1).log10().floor()) * (1.0 - 1e-9);
    render(&mut svg, plot, from..most * 1.5).map_err(|e| format!("{}: {e}", path.display()))?;
    crate::base::files::write_whole(path, svg.as_bytes())?;
    Ok(true)
}

/// A number on an axis, without the digits that rounding leaves behind.
fn short(value: &f64) -> String {
    let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        text
    }
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

fn render(svg: &mut String, plot: &Plot, range: std::ops::Range<f64>) -> Drawn {
    let count = plot.categories.len();
    let long_names = plot.categories.iter().any(|c| c.len() > 6);
    let width = if long_names { 1300 } else { 900 };
    let root = SVGBackend::with_string(svg, ((width + LEGEND_WIDTH) as u32, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    let (root, legend) = root.split_horizontally(width);
    let mut chart = ChartBuilder::on(&root)
        .caption(&plot.title, ("sans-serif", 22))
        .margin(12)
        .margin_right(24)
        .x_label_area_size(48)
        .y_label_area_size(70)
        .build_cartesian_2d(-0.4..count as f64 - 0.6, range.log_scale())?;
    let name = |x: &f64| {
        let i = x.round();
        let near = (x - i).abs() < 1e-6 && i >= 0.0;
        if near {
            plot.categories.get(i as usize).cloned().unwrap_or_default()
        } else {
            String::new()
        }
    };
    chart
        .configure_mesh()
        .x_labels(4 * count)
        .x_label_formatter(&name)
        .x_label_style(("sans-serif", 13))
        .x_desc(&plot.x)
        .y_desc(&plot.y)
        .y_label_formatter(&short)
        .axis_desc_style(("sans-serif", 16))
        .light_line_style(RGBColor(240, 240, 240))
        .disable_x_mesh()
        .draw()?;
    for (k, line) in plot.lines.iter().enumerate() {
        let (chooses, colour, thickness) = looks(k, line);
        // Points that are not joined stand side by side, so that none hides another.
        let aside = match plot.joined {
            true => 0.0,
            false => 0.7 * ((k as f64 + 0.5) / plot.lines.len() as f64 - 0.5),
        };
        let points: Vec<(f64, f64)> = line
            .values
            .iter()
            .enumerate()
            .filter_map(|(i, v)| v.filter(|&v| v > 0.0).map(|v| (i as f64 + aside, v)))
            .collect();
        // Shapes repeat after three lines, colours after ten.
        match k % 3 {
            _ if chooses => {
                chart.draw_series(points.iter().map(|&p| Circle::new(p, 7, colour.stroke_width(1))))?
            }
            0 => chart.draw_series(points.iter().map(|&p| Circle::new(p, 4, colour.filled())))?,
            1 => chart.draw_series(points.iter().map(|&p| TriangleMarker::new(p, 6, colour.filled())))?,
            _ => chart.draw_series(points.iter().map(|&p| Cross::new(p, 4, colour.stroke_width(2))))?,
        };
        if plot.joined {
            chart.draw_series(LineSeries::new(points, colour.stroke_width(thickness)))?;
        }
        draw_in_legend(&legend, k, plot)?;
    }
    root.present()?;
    Ok(())
}

/// Whether a line is of a choice among the others, its colour and its thickness. A choice gets rings around the points of
/// the others, so that both are seen.
fn looks(k: usize, line: &Line) -> (bool, RGBColor, u32) {
    match line.name == "AUTO" {
        true => (true, BLACK, 1),
        false => (false, COLOURS[k % COLOURS.len()], 2),
    }
}

/// The legend stands beside the plot, where it hides nothing.
fn draw_in_legend(legend: &DrawingArea<SVGBackend, Shift>, k: usize, plot: &Plot) -> Drawn {
    let line = &plot.lines[k];
    let (chooses, colour, thickness) = looks(k, line);
    let y = 60 + 22 * k as i32;
    if plot.joined {
        legend.draw(&PathElement::new(vec![(4, y), (28, y)], colour.stroke_width(thickness)))?;
    }
    match k % 3 {
        _ if chooses => legend.draw(&Circle::new((16, y), 7, colour.stroke_width(1)))?,
        0 => legend.draw(&Circle::new((16, y), 4, colour.filled()))?,
        1 => legend.draw(&TriangleMarker::new((16, y), 6, colour.filled()))?,
        _ => legend.draw(&Cross::new((16, y), 4, colour.stroke_width(2)))?,
    }
    legend.draw(&Text::new(line.name.clone(), (34, y - 7), ("sans-serif", 14)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_numbers_are_short() {
        assert_eq!([0.1 + 0.2, 20.0, 1000.0, 0.05].map(|v| short(&v)), ["0.3", "20", "1000", "0.05"]);
    }

    #[test]
    fn a_plot_has_axes_units_and_a_legend() {
        let path = std::env::temp_dir().join(format!("sptrsv-{}.svg", std::process::id()));
        let mut plot = Plot {
            title: "Five points".into(),
            x: "aspect ratio".into(),
            categories: vec!["1".into(), "64".into()],
            y: "GFLOPS".into(),
            lines: vec![Line { name: "SLFC".into(), values: vec![Some(0.1), Some(20.0)] }],
            joined: true,
        };
        assert!(draw(&path, &plot).unwrap());
        let svg = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        for words in ["Five points", "aspect ratio", "GFLOPS", "SLFC", "64", "0.01", "0.1", "1", "10"] {
            assert!(svg.contains(&format!("\n{words}\n")), "{words}");
        }
        plot.lines[0].values = vec![None, None];
        assert!(!draw(&path, &plot).unwrap() && !path.exists());
    }
}
