//! How pages become texts for a method.

use std::sync::Arc;

use crate::config::{FileRef, Fold, JudgeConfig};
use crate::error::{Error, Result};
use crate::method::MethodInfo;
use crate::param::Params;
use crate::text::TextOptions;
use crate::text::synonyms::Synonyms;
use crate::text::tokenize::Tokenizer;

/// How pages become texts for a method; reads the word files.
pub(super) fn text_options(
    config: &mut JudgeConfig,
    info: &MethodInfo,
    params: &Params,
) -> Result<TextOptions> {
    let extract = config.extract.unwrap_or(info.extract);
    extract.check()?;
    let has = |step| config.fold.contains(&step);
    let mut options = TextOptions {
        nfkc: has(Fold::Nfkc),
        case: has(Fold::Case),
        simplify: has(Fold::Simplify),
        extract: Some(extract),
        sentences: (info.reads_sentences)(params),
        ..TextOptions::default()
    };
    if let Some(file) = &mut config.user_dict {
        let content = file.read("--user-dict")?;
        let words = Tokenizer::with_user_words(&content, &options);
        options.tokenizer = Arc::new(words.map_err(|e| in_file("--user-dict", file, &e))?);
    }
    if let Some(file) = &mut config.synonyms {
        let content = file.read("--synonyms")?;
        let groups = Synonyms::with_groups(&content, &options);
        options.synonyms = Arc::new(groups.map_err(|e| in_file("--synonyms", file, &e))?);
    }
    Ok(options)
}

pub(super) fn in_file(option: &str, file: &FileRef, what: &str) -> Error {
    Error::Usage(format!("{option} {}: {what}", file.path.display()))
}
