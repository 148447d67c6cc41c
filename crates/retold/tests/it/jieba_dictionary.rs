//! The packed dictionary is that of the crate jieba-rs that is built in.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_dictionary_is_that_of_the_crate() {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let jieba = packages
        .iter()
        .find(|package| package["name"] == "jieba-rs");
    let manifest = Path::new(jieba.unwrap()["manifest_path"].as_str().unwrap());
    let expected = std::fs::read(manifest.with_file_name("src/data/dict.txt")).unwrap();
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/jieba/dict.txt.zst");
    let ours = zstd::decode_all(&std::fs::read(packed).unwrap()[..]).unwrap();
    assert!(
        ours == expected,
        "pack the crate's dictionary anew (data/jieba/README.md)"
    );
}
