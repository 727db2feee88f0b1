//! The report of the paper's experiments: tables beside the paper's own numbers, and plots. `page` is what all parts of
//! it are written with, `cells` what stands in their tables; each other file is a part.

mod beyond;
mod cells;
mod order;
mod page;
mod performance;
mod setups;
mod totals;

use std::path::Path;

use super::results::Results;
use crate::base::files::write_whole;
use crate::base::Result;
use page::Page;

/// Writes report.md and the plots into the folder.
pub fn write(folder: &Path, results: &Results) -> Result<()> {
    let mut page = Page { results, folder, text: String::new() };
    page.head();
    page.performance()?;
    page.order();
    page.setups();
    page.general_setups();
    page.setup_parts();
    page.levels_on_gpu();
    page.break_even();
    page.beyond()?;
    page.all_failures();
    write_whole(&folder.join("report.md"), page.text.as_bytes())
}
