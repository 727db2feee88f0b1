//! Finds a cuSPARSE.

use std::path::PathBuf;

/// Where the CUDA toolkit's or a Python package's libcusparse may be, the likeliest first.
pub fn cusparse_candidates() -> Vec<PathBuf> {
    let names = ["libcusparse.so.13", "libcusparse.so.12", "libcusparse.so"];
    let mut folders: Vec<PathBuf> = Vec::new();
    for variable in ["CUDA_PATH", "CUDA_HOME"] {
        folders.extend(std::env::var_os(variable).map(|root| PathBuf::from(root).join("lib64")));
    }
    folders.push("/usr/local/cuda/lib64".into());
    folders.extend(python_folders());
    let mut candidates: Vec<PathBuf> = Vec::new();
    for folder in folders.iter().filter(|f| f.is_dir()) {
        candidates.extend(names.map(|n| folder.join(n)).into_iter().filter(|p| p.exists()));
    }
    // Last, whatever the loader finds by itself.
    candidates.extend(names.map(PathBuf::from));
    candidates
}

/// The library folders of NVIDIA's packages in the Python on the PATH.
fn python_folders() -> Vec<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    let output = std::process::Command::new("python3").args(["-c", script]).output();
    let Ok(output) = output else { return Vec::new() };
    let packages = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("nvidia");
    let entries = std::fs::read_dir(packages).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path().join("lib")).collect();
    folders.sort();
    folders
}
