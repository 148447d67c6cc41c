//! The data set `charset`: files whose folder names say their encoding.

use std::path::{Path, PathBuf};

use crate::data;
use encoding_rs::Encoding;
use retold::read::decode;

/// The encoding that a folder is named after; `None` for those that encoding_rs lacks.
fn encoding_of(folder: &str) -> Option<&'static Encoding> {
    let label = match folder {
        "gbk-html" | "GB2312" => "gbk",
        "CP932" => "shift_jis",
        "CP949" => "euc-kr",
        "utf-8-sig" => "utf-8",
        other => other,
    };
    Encoding::for_label(label.as_bytes())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What is wrong with the decoding of a file, if anything.
fn fault(path: &Path) -> Option<String> {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let bytes = std::fs::read(path).expect("the data set can be read");
    let decoded = decode(&bytes, None);
    let right = match encoding_of(&folder.to_string_lossy()) {
        Some(encoding) => {
            let (truth, _, _) = encoding.decode(&bytes);
            decoded
                .as_ref()
                .is_ok_and(|decoded| decoded.text == truth && decoded.charset.is_some())
        }
        // Johab and EUC-TW: refused, or flagged as garbled.
        None => decoded
            .as_ref()
            .map_or(true, |decoded| decoded.charset.is_none()),
    };
    let read_as = match &decoded {
        Ok(decoded) => decoded.charset.unwrap_or("garbled").to_owned(),
        Err(reason) => reason.clone(),
    };
    (!right).then(|| format!("{}: {read_as}", path.display()))
}

#[test]
fn the_charset_set_is_decoded() {
    let Some(set) = data::labelled_set("charset") else {
        return;
    };
    let unknown = |path: &Path| {
        let path = path.to_string_lossy();
        path.contains("Johab") || path.contains("EUC-TW")
    };
    let (flagged, known): (Vec<_>, Vec<_>) =
        files(&set).into_iter().partition(|path| unknown(path));
    let unflagged: Vec<_> = flagged.iter().filter_map(|path| fault(path)).collect();
    assert!(
        unflagged.is_empty(),
        "taken for text:\n{}",
        unflagged.join("\n")
    );
    let wrong: Vec<_> = known.iter().filter_map(|path| fault(path)).collect();
    println!(
        "{} of {} files are wrong:\n{}",
        wrong.len(),
        known.len(),
        wrong.join("\n")
    );
    assert!(known.len() >= 200, "the set has {} files", known.len());
    assert!(
        wrong.len() * 100 <= known.len() * 3,
        "{} of {} files are wrong:\n{}",
        wrong.len(),
        known.len(),
        wrong.join("\n")
    );
}
