//! The stand-in for cuSPARSE of the tests in C, which works on host memory.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The stand-in, as the file in a new folder, which is removed with this value.
pub struct StandIn {
    folder: PathBuf,
    pub file: PathBuf,
}

impl StandIn {
    /// `name`: of the folder, another one for each test.
    pub fn new(name: &str) -> StandIn {
        let folder = std::env::temp_dir().join(format!("sptrsv-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../c_tests/cusparse/standin");
        let file = folder.join("libcusparse.so.12");
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=gnu11", "-O1", "-fPIC", "-shared", "-Wl,-soname,libcusparse.so.12", "-o"]).arg(&file);
        let names = ["cusparse", "descriptors", "triangle", "spsv", "spsm", "factors", "around"];
        gcc.args(names.map(|name| sources.join(name).with_extension("c")));
        gcc.arg("-I").arg(&sources).arg("-I").arg(sources.join("../../../include")).arg("-lm");
        assert!(gcc.status().unwrap().success(), "{gcc:?} failed");
        StandIn { folder, file }
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
