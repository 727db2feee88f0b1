//! The files that a run writes.

use std::path::{Path, PathBuf};

use super::args::Args;
use super::results::Results;
use crate::base::files::{make_folder_of, must_be_writable, must_not_be_read, write_json, write_whole};
use crate::base::Result;

/// Where the results and the table go, if anywhere.
pub struct Outputs {
    pub json: Option<PathBuf>,
    markdown: Option<PathBuf>,
}

impl Outputs {
    pub fn of(args: &Args) -> Outputs {
        match &args.out {
            None => Outputs { json: args.json.clone(), markdown: args.markdown.clone() },
            Some(folder) => {
                Outputs { json: Some(folder.join("results.json")), markdown: Some(folder.join("report.md")) }
            }
        }
    }

    fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.json.iter().chain(&self.markdown)
    }

    /// Fails if one of the files is also an input.
    pub fn must_not_be<'a>(&self, inputs: impl Iterator<Item = &'a Path> + Clone) -> Result<()> {
        self.paths().try_for_each(|path| must_not_be_read(path, inputs.clone()))
    }

    /// Fails if they cannot be written. Makes their folders, and returns those that were not there.
    pub fn prepare(&self) -> Result<Vec<PathBuf>> {
        let mut made = Vec::new();
        for path in self.paths() {
            made.extend(make_folder_of(path)?);
            must_be_writable(path)?;
        }
        Ok(made)
    }

    pub fn write_results(&self, results: &Results) -> Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        make_folder_of(path)?;
        write_json(path, results)
    }

    pub fn write_report(&self, text: impl FnOnce() -> String) -> Result<()> {
        let Some(path) = &self.markdown else { return Ok(()) };
        make_folder_of(path)?;
        write_whole(path, text().as_bytes())
    }
}
