//! Does nothing: Cargo heeds the features of build dependencies (see `Cargo.toml`) only where there is a build script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
