//! Plots as SVG: lines over categories, with axes, units and a legend.

use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::base::Result;
use crate::solvers::library::algorithm_number;

/// One solver's line: a value for each category, or none.
#[derive(Clone)]
pub struct Line {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

#[derive(Clone)]
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

/// The palette of M. Okabe and K. Ito, which the colour-blind can tell apart too, with grey in place of its yellow, which is
/// hardly seen on white. Its black is the choice's.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(204, 121, 167),
    RGBColor(110, 110, 110),
];

/// The least number of an engine in sptrsvAlgorithm_t.
const FIRST_ENGINE: i32 = 16;

/// How a line is drawn.
#[derive(Clone, Copy, PartialEq)]
struct Looks {
    colour: RGBColor,
    mark: Mark,
    thickness: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Disc,
    Triangle,
    Cross,
    Square,
    /// Around the points of others, so that both are seen.
    Ring,
}

const MARKS: [Mark; 4] = [Mark::Disc, Mark::Triangle, Mark::Cross, Mark::Square];

impl Plot {
    /// How each of its lines is drawn: no two alike, and none in the colour of another as long as there are colours.
    fn looks(&self) -> Vec<Looks> {
        // Their numbers have no common divisor, so a colour that comes again has another mark.
        let mut others = COLOURS.into_iter().cycle().zip(MARKS.into_iter().cycle());
        let of = |line: &Line| match line.name == "AUTO" {
            // A choice among the others.
            true => Looks { colour: BLACK, mark: Mark::Ring, thickness: 1 },
            false => {
                let (colour, mark) = others.next().expect("there is always a next one");
                Looks { colour, mark, thickness: 2 }
            }
        };
        self.lines.iter().map(of).collect()
    }

    /// One of all solvers but the engines, and one of the engines.
    pub fn by_kind(self) -> [Plot; 2] {
        let (engines, others) = self.lines.iter().cloned().partition(Line::is_engine);
        let title = format!("{}: the engines", self.title);
        [Plot { lines: others, ..self.clone() }, Plot { lines: engines, title, ..self }]
    }
}

impl Line {
    /// Whether it is of an engine, and not of one of the paper's algorithms, whose numbers are smaller, or of a peer.
    fn is_engine(&self) -> bool {
        algorithm_number(&self.name).is_ok_and(|number| number >= FIRST_ENGINE)
    }
}

/// Evaluates an expression that calls `$mark` with points: what is drawn at each of them. Marks have types of their own.
macro_rules! with_mark {
    ($looks:expr, $mark:ident => $draw:expr) => {{
        let Looks { colour, mark, .. } = $looks;
        let (filled, stroke) = (colour.filled(), colour.stroke_width(2));
        match mark {
            Mark::Disc => {
                let $mark = |at| Circle::new(at, 4, filled);
                $draw
            }
            Mark::Triangle => {
                let $mark = |at| TriangleMarker::new(at, 6, filled);
                $draw
            }
            Mark::Cross => {
                let $mark = |at| Cross::new(at, 4, stroke);
                $draw
            }
            Mark::Square => {
                let $mark = |at| EmptyElement::at(at) + Rectangle::new([(-4, -4), (4, 4)], filled);
                $draw
            }
            Mark::Ring => {
                let $mark = |at| Circle::new(at, 7, colour.stroke_width(1));
                $draw
            }
        }
    }};
}

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
    for (k, (line, looks)) in plot.lines.iter().zip(plot.looks()).enumerate() {
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
        with_mark!(looks, mark => chart.draw_series(points.iter().map(|&point| mark(point)))?);
        if plot.joined {
            chart.draw_series(LineSeries::new(points, looks.colour.stroke_width(looks.thickness)))?;
        }
        draw_in_legend(&legend, k, plot, looks)?;
    }
    root.present()?;
    Ok(())
}

/// The legend stands beside the plot, where it hides nothing.
fn draw_in_legend(legend: &DrawingArea<SVGBackend, Shift>, k: usize, plot: &Plot, looks: Looks) -> Drawn {
    let y = 60 + 22 * k as i32;
    if plot.joined {
        let style = looks.colour.stroke_width(looks.thickness);
        legend.draw(&PathElement::new(vec![(4, y), (28, y)], style))?;
    }
    with_mark!(looks, mark => legend.draw(&mark((16, y)))?);
    legend.draw(&Text::new(plot.lines[k].name.clone(), (34, y - 7), ("sans-serif", 14)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::library::algorithms;

    #[test]
    fn axis_numbers_are_short() {
        assert_eq!([0.1 + 0.2, 20.0, 1000.0, 0.05].map(|v| short(&v)), ["0.3", "20", "1000", "0.05"]);
    }

    fn plot_of(names: Vec<String>) -> Plot {
        Plot {
            title: "Five points".into(),
            x: "aspect ratio".into(),
            categories: vec!["1".into(), "64".into()],
            y: "GFLOPS".into(),
            lines: names.into_iter().map(|name| Line { name, values: vec![Some(0.1), Some(20.0)] }).collect(),
            joined: true,
        }
    }

    /// How many of the first ones are like none before them.
    fn distinct<T: PartialEq>(of: &[T]) -> usize {
        (0..of.len()).take_while(|&k| !of[..k].contains(&of[k])).count()
    }

    #[test]
    fn no_two_lines_look_alike() {
        let plot = plot_of((0..COLOURS.len() * MARKS.len()).map(|k| format!("matrix {k}")).collect());
        let pairs: Vec<_> = plot.looks().iter().map(|looks| (looks.colour, looks.mark)).collect();
        assert_eq!(distinct(&pairs), pairs.len());
    }

    #[test]
    fn no_solvers_of_a_plot_have_one_colour() {
        let ours = algorithms().map(|(name, _)| name);
        let [others, engines] =
            plot_of(["SpSV", "csrsv2"].map(String::from).into_iter().chain(ours).collect()).by_kind();
        assert_eq!(engines.title, "Five points: the engines");
        assert!(others.lines.iter().any(|line| line.name == "AUTO"));
        assert_eq!(
            (others.lines.len(), others.lines.len() + engines.lines.len()),
            (8, algorithms().count() + 2)
        );
        for plot in [others, engines] {
            let colours: Vec<RGBColor> = plot.looks().iter().map(|looks| looks.colour).collect();
            assert_eq!(distinct(&colours), colours.len(), "{}", plot.title);
        }
    }

    #[test]
    fn a_plot_has_axes_units_and_a_legend() {
        let path = std::env::temp_dir().join(format!("sptrsv-{}.svg", std::process::id()));
        let mut plot = plot_of(vec!["SLFC".into()]);
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
