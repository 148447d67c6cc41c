//! The fixed limits of the verdict on two texts. Each entry gives its unit and the labelled sets that suffer if it is changed.

/// Minimum share of runs of the smaller page in common, from which texts are aligned without further checks. (Speed; no set.)
pub(super) const RUNS_IN_COMMON: f64 = 0.3;
/// Minimum share of words of the smaller page in common, in any order, for alignment. (Speed; no set.)
pub(super) const WORDS_IN_COMMON: f64 = 0.5;
/// Minimum share of word pairs of the smaller page in common for alignment. (Speed; `vszh`.)
pub(super) const PAIRS_IN_COMMON: f64 = 0.35;
/// With a smaller share of words of the smaller page in common, in any order, two pages overlap at most. Only asked if a page has many
/// candidates. (Speed; no set.)
pub(super) const WORDS_OF_A_COPY: f64 = 0.7;
/// Minimum words outside frames for a story; with fewer, both pages consist of frames. (`wooyun`)
pub(super) const STORY_WORDS: usize = 12;
/// Minimum share of the smaller page that two pages of frames have in common. (`msadvisories`)
pub(super) const FRAMES_IN_COMMON: f64 = 0.95;
/// Pages with this share of the smaller one in common and no replaced word are copies, however frequent the text is. (`msadvisories`)
pub(super) const NEARLY_EQUAL: f64 = 0.95;
/// Articles, and short texts without a template, that share this much overlap even if words differ. (`eventmonitor`)
pub(super) const MOST: f64 = 0.8;
/// Minimum words of an article that are evidence even if other pages have them: a statement, not a line at the foot of a page.
/// (`eventmonitor`)
pub(super) const STATEMENT_WORDS: usize = 50;
/// Minimum words of an article. (`advisories`)
pub(super) const ARTICLE_WORDS: usize = 60;
/// Minimum share of the numbers of the smaller page that the other has, if names agree. (`krpress`, `msadvisories`)
pub(super) const NUMBERS: f64 = 0.9;
/// How many missing numbers make another page; on a short page one is enough. (`terms`)
pub(super) const MISSING_NUMBERS: usize = 2;
/// On pages with fewer words than this, one different number makes another page. (`cpperrors`)
pub(super) const FEW_WORDS: usize = 100;
/// Minimum share of the longest words of each page that the other has, if only templates are known to be shared ... (`notices`, `vszh`)
pub(super) const LONGEST_AS_EVIDENCE: f64 = 0.8;
/// ... and if many words differ. (`vszh`, `polished`)
pub(super) const LONGEST: f64 = 0.65;
/// Maximum share of the smaller page in stretches of two or more characters that replace as many others: in scripts without spaces these
/// are names. (`eventmonitor`)
pub(super) const NAMES: f64 = 0.08;
/// With this many alphabetic words, the longest of them show whether names agree, even in texts of characters. (`vszh`)
pub(super) const ALPHABETIC: usize = 10;
/// Minimum share of nearly equal words among differing ones for a page that a machine misread, ... (`ocrnews`)
pub(super) const MISREAD: f64 = 0.2;
/// ... with at least this share of words in order and at least this many words.
pub(super) const MISREAD_IN_ORDER: f64 = 0.7;
pub(super) const MISREAD_WORDS: usize = 80;
/// Minimum words, share in order, and share of pairs of words in common, for a page with so many wrong letters that rare bigrams have to say
/// that it is the same text, ... (`ocrnews`)
pub(super) const MISTYPED_WORDS: usize = 20;
pub(super) const MISTYPED_IN_ORDER: f64 = 0.5;
pub(super) const MISTYPED_PAIRS: f64 = 0.2;
/// ... minimum share and number of words that may be the other page's with wrong letters, among those that differ. (`cpperrors`)
pub(super) const MISTYPED: f64 = 0.6;
pub(super) const MISTYPED_LEAST: usize = 3;
/// The same for pages that then only overlap, whose share in order may also be lower. (`ocrnews`)
pub(super) const MUCH_MISTYPED_IN_ORDER: f64 = 0.4;
pub(super) const MUCH_MISTYPED: f64 = 0.25;
pub(super) const MUCH_MISTYPED_LEAST: usize = 8;
/// Minimum share of shared shingles that are on many texts or belong to templates, for a suspected form. (`msadvisories`, `terms`)
pub(super) const FORM: f64 = 0.33;
/// If only a template is known to be shared, this many other words count as own text. (`notices`)
pub(super) const OWN_BESIDE_TEMPLATE: usize = 5;
/// Replaced words are divided by at least this many words: in an article, and on any other page. (`eventmonitor`; `advisories`)
pub(super) const LEAST_ARTICLE: usize = 100;
pub(super) const LEAST_PAGE: usize = 12;
/// Minimum share of rare bigrams in common, for texts that share too little else to be aligned, ... (`ocrnews`)
pub(super) const RARE_BIGRAMS: f64 = 0.08;
/// ... and for one that may be the other retold. (`vszh`)
pub(super) const RETOLD_BIGRAMS: f64 = 0.25;
/// Maximum share of runs in common (`peer20k`), minimum words of both, ... (`advisories`)
pub(super) const RETOLD_RUNS: f64 = 0.5;
pub(super) const RETOLD_WORDS: usize = 80;
/// ... share of the smaller and of the larger one in order, ... (`notices`)
pub(super) const RETOLD_IN_ORDER: f64 = 0.5;
pub(super) const RETOLD_OF_LARGER: f64 = 0.35;
/// ... of the longest words of each that the other has, ... (`polished`)
pub(super) const RETOLD_LONGEST: f64 = 0.4;
/// ... and of the numbers of the smaller and of the larger one. (`msadvisories`)
pub(super) const RETOLD_NUMBERS: f64 = 0.8;
pub(super) const RETOLD_NUMBERS_OF_LARGER: f64 = 0.6;
