//! The parts of a page within which words are linked.

use super::params::Across;
use crate::text::Text;

/// For each word of a page the number of its block or sentence, ascending; 0 for all words if the unit is the page. A sentence ends at a
/// full stop, at `!` and `?`, and at the end of its block.
pub(super) fn units(text: &Text, across: Across) -> Vec<u32> {
    let words = text.words();
    let all = words.all();
    if across == Across::Page {
        return vec![0; all.len()];
    }
    let mut blocks = text.seen().map(|(offset, _)| offset).peekable();
    let mut stops = text.sentences.iter().map(|stop| stop.end).peekable();
    let (mut unit, mut before) = (0, 0);
    let mut units = Vec::with_capacity(all.len());
    for word in all {
        let mut ends = false;
        while blocks
            .next_if(|&offset| offset <= word.start as usize)
            .is_some()
        {
            ends = true;
        }
        if across == Across::Sentence {
            while stops.next_if(|&end| end <= word.start).is_some() {
                ends = true;
            }
            let gap = text.folded.get(before..word.start as usize);
            ends |= gap.is_some_and(|gap| gap.contains(['!', '?', '！', '？']));
        }
        unit += u32::from(ends);
        units.push(unit);
        before = word.end as usize;
    }
    units
}
