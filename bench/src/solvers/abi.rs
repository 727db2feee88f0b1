//! The C interface of libsptrsv, as `include/sptrsv.h` declares it: the functions that this program calls, and the
//! structures and numbers that they take. Enums are C ints.
//!
//! The library is loaded at the first call. `sptrsv run` therefore starts programs where there is no libsptrsv.so, or
//! another one.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::OnceLock;

use crate::base::dynamic;
use crate::base::dynamic::{functions, Table};
use crate::base::Result;

pub type Handle = *mut c_void;
pub type Descr = *mut c_void;
pub type Info = *mut c_void;
type In = *const c_void;
type Out = *mut c_void;

/// Numbers of sptrsvExecutor_t.
pub const EXECUTOR_CUDA: c_int = 0;
pub const EXECUTOR_HOST: c_int = 1;
/// Of sptrsvSolvePolicy_t.
pub const USE_LEVEL: c_int = 1;
/// Of sptrsvSweeps_t.
pub const SWEEPS_GAUSS_SEIDEL: c_int = 2;
/// Of sptrsvCopyValues_t.
pub const COPY_WHERE_FASTER: c_int = 1;

include!(concat!(env!("OUT_DIR"), "/algorithms.rs"));

const LIBRARY: &str = "libsptrsv.so";
const NOT_FOUND: &str = concat!(
    "there is no libsptrsv.so.",
    env!("SPTRSV_SERIES"),
    " beside this program, in ../lib, in ../lib64, or where the system looks"
);

/// `sptrsvStats_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Stats {
    pub struct_size: usize,
    pub levels: i64,
    pub widest_level: i64,
    pub rows: i64,
    pub entries_used: i64,
    pub algorithm: c_int,
    pub setup: c_int,
    pub setup_ms: f64,
    pub bytes_held: i64,
    pub predicted_ms: f64,
    pub mat_d2h_ms: f64,
    pub trans_ms: f64,
    pub dep_ms: f64,
    pub lev_ms: f64,
    pub lev_h2d_ms: f64,
    pub missing_diagonal: i64,
    pub pattern_was_known: i64,
    pub tuned_ms: f64,
}

functions! {
    /// The functions of libsptrsv that return a status.
    #[allow(non_snake_case)]
    Functions {
        sptrsvCreateWithExecutor: "sptrsvCreateWithExecutor" (*mut Handle, c_int);
        sptrsvDestroy: "sptrsvDestroy" (Handle);
        sptrsvGetVersion: "sptrsvGetVersion" (Handle, *mut c_int);
        sptrsvSetStream: "sptrsvSetStream" (Handle, *mut c_void);
        sptrsvSetTimeout: "sptrsvSetTimeout" (Handle, f64);
        sptrsvCreateMatDescr: "sptrsvCreateMatDescr" (*mut Descr);
        sptrsvDestroyMatDescr: "sptrsvDestroyMatDescr" (Descr);
        sptrsvSetMatFillMode: "sptrsvSetMatFillMode" (Descr, c_int);
        sptrsvSetMatDiagType: "sptrsvSetMatDiagType" (Descr, c_int);
        sptrsvCreateInfo: "sptrsvCreateInfo" (*mut Info);
        sptrsvDestroyInfo: "sptrsvDestroyInfo" (Info);
        sptrsvSetAlgorithm: "sptrsvSetAlgorithm" (Info, c_int);
        sptrsvSetExpectedRightHandSides: "sptrsvSetExpectedRightHandSides" (Info, i64);
        sptrsvSetAnalysisMode: "sptrsvSetAnalysisMode" (Info, c_int);
        sptrsvSetCopyValues: "sptrsvSetCopyValues" (Info, c_int);
        sptrsvGetStats: "sptrsvGetStats" (Info, *mut Stats);
        sptrsvBufferSize: "sptrsvBufferSize" (Handle, c_int, i64, i64, Descr, c_int, In, In, In, Info, *mut usize);
        sptrsvAnalysis: "sptrsvAnalysis" (Handle, c_int, i64, i64, Descr, c_int, In, In, In, Info, c_int, Out);
        sptrsvUpdateValues: "sptrsvUpdateValues" (Handle, Info, In);
        sptrsvSolve: "sptrsvSolve" (Handle, c_int, i64, i64, In, Descr, c_int, In, In, In, Info, In, Out, c_int, Out);
        sptrsvTune: "sptrsvTune" (Handle, c_int, i64, i64, In, Descr, c_int, In, In, In, Info, In, Out, c_int, Out);
        sptrsvSolveMulti: "sptrsvSolveMulti" (Handle, c_int, i64, i64, i64, In, Descr, c_int, In, In, In, Info, In, i64, Out, i64, c_int, Out);
        sptrsvSolvePair: "sptrsvSolvePair" (Handle, c_int, i64, i64, In, c_int, Descr, i64, In, In, In, Info, Descr, i64, In, In, In, Info, In, In, In, i64, Out, i64, Out, c_int, Out);
        sptrsvSetFactorization: "sptrsvSetFactorization" (Info, c_int);
        sptrsvIlu0: "sptrsvIlu0" (Handle, i64, i64, Descr, c_int, Out, In, In, Info, Out);
        sptrsvIc0: "sptrsvIc0" (Handle, i64, i64, Descr, c_int, Out, In, In, Info, Out);
        sptrsvSetSweeps: "sptrsvSetSweeps" (Info, c_int);
        sptrsvSweep: "sptrsvSweep" (Handle, i64, i64, f64, c_int, Descr, c_int, In, In, In, Info, In, Out, Out);
        sptrsvZeroPivot: "sptrsvZeroPivot" (Handle, Info, *mut i64);
    }
}

/// The loaded library.
pub struct Abi {
    pub functions: Functions,
    error_name: unsafe extern "C" fn(c_int) -> *const c_char,
    last_message: unsafe extern "C" fn() -> *const c_char,
}

/// libsptrsv, which stays loaded until the program ends: it may have threads that wait for work.
pub fn get() -> Result<&'static Abi> {
    static LOADED: OnceLock<Result<Abi>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Abi> {
    let files = dynamic::beside_program(LIBRARY)?;
    let (library, found) = match files.is_empty() {
        false => dynamic::open(&files)?,
        true => dynamic::open(&[dynamic::soname(LIBRARY).into()]).map_err(|_| NOT_FOUND)?,
    };
    let at_path = |e: String| format!("{}: {e}", found.display());
    must_be_of_this_version(&library).map_err(at_path)?;
    let functions = Functions::load(&library, "").map_err(at_path)?;
    let error_name = dynamic::symbol(&library, "sptrsvGetErrorName").map_err(at_path)?;
    let last_message = dynamic::symbol(&library, "sptrsvGetLastErrorString").map_err(at_path)?;
    Ok(Abi { functions, error_name, last_message })
}

/// Of two versions that are installed, the link without a version may lead to the other one.
fn must_be_of_this_version(library: &libloading::Library) -> Result<()> {
    let get: unsafe extern "C" fn(c_int, *mut c_int) -> c_int =
        dynamic::symbol(library, "sptrsvGetProperty")?;
    let mut version = [0; 3];
    for (property, part) in version.iter_mut().enumerate() {
        // SAFETY: the properties are numbered from 0 on, and the number is writable.
        unsafe { get(property as c_int, part) };
    }
    let [major, minor, patch] = version;
    let series = if major == 0 { format!("0.{minor}") } else { major.to_string() };
    match series == env!("SPTRSV_SERIES") {
        true => Ok(()),
        false => Err(format!(
            "the library is version {major}.{minor}.{patch}, and this program is version {}: install both of one version",
            env!("CARGO_PKG_VERSION")
        )),
    }
}

impl Abi {
    /// What the library says of a status, and of this thread's last call.
    pub fn words(&self, status: c_int) -> String {
        // SAFETY: any status will do; the strings are never NULL and outlive this use.
        let [name, words] = unsafe {
            [(self.error_name)(status), (self.last_message)()].map(|s| CStr::from_ptr(s).to_string_lossy())
        };
        format!("{name}: {words}")
    }
}

#[cfg(test)]
mod tests {
    const HEADER: &str = include_str!("../../../include/sptrsv.h");

    /// The text between the first `start` and the `end` behind it.
    fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
        let from = text.find(start)? + start.len();
        let length = text[from..].find(end)?;
        Some(&text[from..from + length])
    }

    /// What kind of argument a parameter of the header or of this file is.
    fn kind(parameter: &str) -> &'static str {
        if parameter.contains('*') {
            return "pointer";
        }
        match parameter.split_whitespace().next().unwrap_or_default() {
            "sptrsvHandle_t" | "sptrsvMatDescr_t" | "sptrsvConstMatDescr_t" => "pointer",
            "sptrsvInfo_t" | "sptrsvConstInfo_t" | "sptrsvStream_t" => "pointer",
            "Handle" | "Descr" | "Info" | "In" | "Out" => "pointer",
            "int64_t" | "i64" => "64-bit integer",
            "double" | "f64" => "double",
            "int" | "c_int" => "int",
            name if name.starts_with("sptrsv") => "int",
            name => panic!("an unknown type: {name}"),
        }
    }

    fn kinds(list: &str) -> Vec<&'static str> {
        list.split(',').map(|parameter| kind(parameter.trim())).collect()
    }

    #[test]
    fn functions_are_declared_as_in_the_header() {
        let own = between(include_str!("abi.rs"), "    Functions {", "\n    }").unwrap();
        let mut seen = 0;
        for line in own.lines().filter(|line| line.contains('"')) {
            let name = between(line, "\"", "\"").unwrap();
            let here = between(line, "\" (", ");").unwrap();
            let there = between(HEADER, &format!("sptrsvStatus_t {name}("), ");")
                .unwrap_or_else(|| panic!("{name} is not declared"));
            assert_eq!(kinds(here), kinds(there), "{name}");
            seen += 1;
        }
        assert!(seen > 20);
    }

    #[test]
    fn statistics_are_laid_out_as_in_the_header() {
        let (there, _) = HEADER.split_once("} sptrsvStats_t;").unwrap();
        let (_, there) = there.rsplit_once("typedef struct {").unwrap();
        let fields =
            there.lines().map(str::trim).filter(|l| l.ends_with(';')).map(|l| l.trim_end_matches(';'));
        let there: Vec<String> = fields
            .map(|field| {
                let (ty, name) = field.split_once(' ').unwrap();
                let ty = match ty {
                    "size_t" => "usize",
                    "int64_t" => "i64",
                    "double" => "f64",
                    "int" => "c_int",
                    other => other,
                };
                format!("{name}: {ty}")
            })
            .collect();
        let here = between(include_str!("abi.rs"), "pub struct Stats {", "}").unwrap();
        let here: Vec<&str> =
            here.lines().map(str::trim).filter_map(|l| l.strip_prefix("pub ")?.strip_suffix(',')).collect();
        assert_eq!(here, there);
    }
}
