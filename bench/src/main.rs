//! The command line; its map is in `lib.rs`.

fn main() -> std::process::ExitCode {
    sptrsv_bench::main()
}
