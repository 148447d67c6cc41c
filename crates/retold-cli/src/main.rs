//! The program `retold`.

use std::process::ExitCode;

fn main() -> ExitCode {
    retold_cli::main()
}
