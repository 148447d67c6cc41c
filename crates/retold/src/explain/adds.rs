//! What a page says that none of some other pages says.

use serde::Serialize;

use super::passage::WordPlaces;
use super::shown::ShownPlaces;
use crate::model::Model;
use crate::text::Text;

/// A passage of a page that none of the others has.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AddedPassage {
    /// Position of the first character in the page's text, as `retold text` prints it.
    pub begin: u32,
    /// Position after the last character.
    pub end: u32,
    /// Its words that no other page has; 20 characters of scripts without spaces count as 12 words.
    pub words: u32,
    /// The passage.
    pub text: String,
}

/// The passages of a text that none of some other texts has, in the order of the text. `fingerprint` and `others` are made by the model's
/// [`Verifier`](crate::method::Verifier). A passage has at least as many words of its own as the model's limit for own passages says (12 by
/// default), whatever their share of the text.
///
/// `None` if the method does not count own passages. Time: that of aligning the text with each of the others.
pub fn added_passages(
    text: &Text,
    fingerprint: &[u64],
    others: &[&[u64]],
    model: &Model,
) -> Option<Vec<AddedPassage>> {
    let own = model.verifier()?.own_passages(fingerprint, others)?;
    if own.is_empty() {
        return Some(Vec::new());
    }
    let words = WordPlaces::of(text);
    let places = ShownPlaces::of(text, model.text_options());
    let shown = text.shown().collect::<Vec<&str>>().join("\n");
    // The byte of each character, and of the end.
    let bytes = shown.char_indices().map(|(at, _)| at);
    let bytes: Vec<usize> = bytes.chain([shown.len()]).collect();
    let added = own.into_iter().map(|passage| {
        let [first, last] = words.place(&passage.words);
        let (begin, end) = places.places(first, last);
        let of = bytes[begin as usize]..bytes[end as usize];
        AddedPassage {
            begin,
            end,
            words: passage.own,
            text: shown[of].to_owned(),
        }
    });
    Some(added.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JudgeConfig, Page};

    fn story(from: usize, to: usize) -> String {
        (from..to).map(|i| format!("word{i} ")).collect()
    }

    /// What the first text adds to the others, with the number of words.
    fn added(content: &str, others: &[&str]) -> Vec<(String, u32)> {
        let model = Model::new(JudgeConfig::default()).unwrap();
        let verifier = model.verifier().unwrap();
        let read = |content: &str| model.text(&Page::text("page", content)).unwrap();
        let others: Vec<Vec<u64>> = others
            .iter()
            .map(|other| verifier.fingerprint(&read(other)))
            .collect();
        let others: Vec<&[u64]> = others.iter().map(Vec::as_slice).collect();
        let text = read(content);
        let found = added_passages(&text, &verifier.fingerprint(&text), &others, &model).unwrap();
        let shown: Vec<char> = text
            .shown()
            .collect::<Vec<&str>>()
            .join("\n")
            .chars()
            .collect();
        for passage in &found {
            let placed: String = shown[passage.begin as usize..passage.end as usize]
                .iter()
                .collect();
            assert_eq!(placed, passage.text);
        }
        found
            .into_iter()
            .map(|passage| (passage.text, passage.words))
            .collect()
    }

    #[test]
    fn what_no_other_page_has() {
        let (first, second) = (story(0, 40), story(40, 80));
        let new = "Nobody of the nineteen passengers was hurt, the company said on Tuesday in a short statement.";
        let page = format!("{first}\n{new}\n{second}");
        // The first page lacks the second half and the sentence; both together lack only the sentence, of sixteen words.
        assert_eq!(added(&page, &[&first, &second]), [(new.to_owned(), 16)]);
        assert_eq!(
            added(&page, &[&first])
                .iter()
                .map(|added| added.1)
                .sum::<u32>(),
            56
        );
        assert_eq!(added(&page, &[&page]), []);
        // A short remark is below the limit of twelve words.
        assert_eq!(added(&format!("{first} He said so."), &[&first]), []);
    }

    #[test]
    fn characters_outside_ascii() {
        let story = "昨天下午三点左右，一艘开往纳克索斯的渡船因为大风晚点，乘客们在码头上一直等到中午才登船离开。";
        let new = "公司周二发表简短声明说，船上十九名乘客当中没有人在这次延误当中受伤。";
        let found = added(&format!("{story}{new}"), &[story]);
        assert_eq!(found.len(), 1);
        // Places count characters: the passage is a part of the new sentence, not of the story before it.
        assert!(new.contains(found[0].0.trim_end_matches('。')), "{found:?}");
    }
}
