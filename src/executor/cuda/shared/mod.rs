//! What kernels and the library share: the arguments of kernels, and constants. Each is written here once. The build script
//! makes a header of C++ of each file of this folder, and of each `shared.rs` elsewhere: `solve.rs` is `shared/solve.h` to kernels,
//! and `engines/thin/shared.rs` is `shared/thin.h`.
//!
//! A pointer of a kernel is an [`Address`] here. A comment behind the field, as `// <u32>`, says what is there: in C++ the field is a
//! pointer to that. What a kernel has for each type of value has a parameter there, as `/*<T>*/` says. The test here compares the
//! layouts in both languages, field by field.
#![forbid(unsafe_code)]

use crate::address::Address;

pub mod cluster;
pub mod copies;
pub mod diagonal;
pub mod factor;
pub mod pattern;
pub mod solve;
pub mod sweep;

/// To kernels a struct with functions, of the same fields.
pub use pattern::PatternArgs as Pattern;

/// `const T *` in C++, by kernels/device/pointers.cuh.
pub type ConstPtr = Address;
/// `T *`.
pub type MutPtr = Address;
/// `volatile T *`.
pub type VolatilePtr = Address;

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs;
    use std::mem::offset_of;
    use std::path::Path;
    use std::process::Command;

    /// A struct in Rust: of each field its name, its place and its size.
    struct Layout {
        header: &'static str,
        name: &'static str,
        bytes: usize,
        alignment: usize,
        fields: Vec<(&'static str, usize, usize)>,
    }

    fn size<S, F>(_: impl Fn(&S) -> &F) -> usize {
        size_of::<F>()
    }

    macro_rules! layouts {
        ($($header:literal $name:literal $of:ty { $($field:ident,)* })*) => {
            [$(Layout {
                header: $header,
                name: $name,
                bytes: size_of::<$of>(),
                alignment: align_of::<$of>(),
                fields: vec![$((stringify!($field), offset_of!($of, $field), size(|s: &$of| &s.$field))),*],
            }),*]
        };
    }

    /// What C++ must find the same. The fields are all that the struct has, or they could not be bound to as many names.
    fn checks(of: &Layout) -> String {
        let Layout { header, name, bytes, alignment, fields } = of;
        let mut text = format!("#include \"shared/{header}.h\"\n");
        let mut check = |what: String, number: usize| {
            writeln!(text, "static_assert({what} == {number}, \"{name} in Rust\");")
                .expect("there is memory");
        };
        check(format!("sizeof({name})"), *bytes);
        check(format!("alignof({name})"), *alignment);
        for (field, place, bytes) in fields {
            check(format!("offsetof({name}, {field})"), *place);
            check(format!("sizeof({name}::{field})"), *bytes);
        }
        let names: Vec<&str> = fields.iter().map(|field| field.0).collect();
        text + &format!("void bind({name} &all) {{ auto &[{}] = all; }}\n", names.join(", "))
    }

    #[test]
    fn structs_have_one_layout_in_rust_and_in_cpp() {
        let layouts = include!(concat!(env!("OUT_DIR"), "/fields.rs"));
        assert!(layouts.len() > 20, "only {} structs were found", layouts.len());
        // What others are made of comes first.
        let mut text = String::from(
            "#include <cstddef>\n#define __device__\n#define __forceinline__ inline\nstruct uint2;\nstruct uint4;\n\
             #include \"device/pattern.cuh\"\n#include \"shared/solve.h\"\n#include \"shared/ranges.h\"\n",
        );
        layouts.iter().for_each(|of| text += &checks(of));
        // OUT_DIR is target/<profile>/build/<package>/out.
        let out = Path::new(env!("OUT_DIR"));
        let headers = out.ancestors().nth(3).expect("Cargo's layout").join("kernels/include");
        let (kernels, program) =
            (Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"), out.join("layouts.cpp"));
        fs::write(&program, text).expect("the target folder is writable");
        let mut command = Command::new("g++");
        command.args(["-std=c++17", "-fsyntax-only"]).arg(&program);
        let output = command.arg("-I").arg(kernels).arg("-I").arg(headers).output();
        let output = output.expect("a C++ compiler is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
