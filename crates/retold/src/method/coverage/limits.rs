//! The limits of the verdict on two texts, those that are no parameters: one table. Each says its unit, and which labelled set pays if it
//! moves.

/// Runs of words in common over those of the smaller page, from which on texts are aligned. (Speed; no set.)
pub(super) const RUNS_IN_COMMON: f64 = 0.3;
/// Words in common, in any order, over those of the smaller page: below this nothing is aligned. (Speed; no set.)
pub(super) const WORDS_IN_COMMON: f64 = 0.5;
/// Pairs of words in common over those of the smaller page: below this nothing is aligned. (Speed; `vszh`.)
pub(super) const PAIRS_IN_COMMON: f64 = 0.35;
/// Words outside frames that make a story; with fewer both pages are only frames. (`wooyun`)
pub(super) const STORY_WORDS: usize = 12;
/// Share of the smaller page that pages which are only frames have in common. (`msadvisories`)
pub(super) const FRAMES_IN_COMMON: f64 = 0.95;
/// Pages that have this share of the smaller one in common are copies however frequent all of it is, if no word is replaced. (`msadvisories`)
pub(super) const NEARLY_EQUAL: f64 = 0.95;
/// Articles, and short texts without a template, that share so much overlap, also if words in them are others. (`eventmonitor`)
pub(super) const MOST: f64 = 0.8;
/// Words of articles that are evidence although other pages have them too: a statement, not a line at the foot of a page. (`eventmonitor`)
pub(super) const STATEMENT_WORDS: usize = 50;
/// Pages of fewer words are no articles. (`advisories`)
pub(super) const ARTICLE_WORDS: usize = 60;
/// Share of the numbers of the smaller page that the other has, if names agree. (`krpress`, `msadvisories`)
pub(super) const NUMBERS: f64 = 0.9;
/// So many numbers have to be missing to make another page; of a short page one. (`terms`)
pub(super) const MISSING_NUMBERS: usize = 2;
/// Pages of fewer words are another with one other number. (`cpperrors`)
pub(super) const FEW_WORDS: usize = 100;
/// Share of the longest words of each page that the other has: where templates are all that is known to be shared ... (`notices`, `vszh`)
pub(super) const LONGEST_AS_EVIDENCE: f64 = 0.8;
/// ... and where many words are others. (`vszh`, `polished`)
pub(super) const LONGEST: f64 = 0.65;
/// Share of the smaller page in stretches of two characters and more that replace as many others: where words are not parted, these are
/// names. (`eventmonitor`)
pub(super) const NAMES: f64 = 0.08;
/// With so many words of alphabets the longest of them tell whether names agree, also among characters. (`vszh`)
pub(super) const ALPHABETIC: usize = 10;
/// Share of nearly equal words among those that differ: from this on the page was misread by a machine, ... (`ocrnews`)
pub(super) const MISREAD: f64 = 0.2;
/// ... if this share is in order and it has so many words.
pub(super) const MISREAD_IN_ORDER: f64 = 0.7;
pub(super) const MISREAD_WORDS: usize = 80;
/// Share of the shared shingles that are on many texts, or are templates', from which on a form is suspected. (`msadvisories`, `terms`)
pub(super) const FORM: f64 = 0.33;
/// Where only a template is known to be shared, a page with so many other words says something of its own. (`notices`)
pub(super) const OWN_BESIDE_TEMPLATE: usize = 5;
/// Replaced words are counted over at least so many words: of an article, and of any other page. (`eventmonitor`; `advisories`)
pub(super) const LEAST_ARTICLE: usize = 100;
pub(super) const LEAST_PAGE: usize = 12;
