//! The command line of Retold.

fn main() {}
