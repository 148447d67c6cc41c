//! Plain text and Markdown to blocks.

use super::block::Blocks;

/// Every line of the text is a block, except that the lines of a hard-wrapped paragraph are joined.
pub fn visible_text(text: &str) -> String {
    let mut blocks = Blocks::with_capacity(text.len());
    for line in text.lines() {
        blocks.push(line.as_bytes());
        blocks.end_block();
    }
    blocks.finish()
}
