//! `sptrsv man`, for packagers: the man pages of this program.

use std::path::PathBuf;

use crate::base::Result;

#[derive(clap::Args)]
pub struct Args {
    /// The folder that sptrsv.1 and a page for each command are written to
    folder: PathBuf,
}

/// Writes the pages of `program` and of each of its commands that is not hidden.
pub fn run(args: &Args, program: clap::Command) -> Result<()> {
    clap_mangen::generate_to(program, &args.folder).map_err(|e| format!("{}: {e}", args.folder.display()))
}
