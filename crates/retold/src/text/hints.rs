//! Hints from an element's class, id and role: words that sites use for elements outside the page's own text. A hint is weak evidence;
//! [`super::main_text`] decides when it counts.

/// The hint in an element's names; later variants are stronger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// The numbers of the lines of code.
    LineNumbers,
    /// Something about the page or beside it: adverts, authors, forms, other articles.
    Beside,
    /// The site's frame: menus, footers, cookie notices.
    Frame,
    /// What readers write below the page's text.
    Comments,
}

/// Length in bytes of the longest known word.
const LONGEST: usize = 16;

/// The strongest hint of all words in these names. A word ends at a non-letter, and before a capital after a small letter.
pub fn hint_of(names: &[u8]) -> Hint {
    let mut strongest = Hint::None;
    let mut word = [0; LONGEST];
    let (mut length, mut was_small) = (0, false);
    for &byte in names.iter().chain(b" ") {
        let is_letter = byte.is_ascii_alphabetic();
        if !is_letter || was_small && byte.is_ascii_uppercase() {
            if length <= LONGEST {
                strongest = strongest.max(hint_of_word(&word[..length]));
            }
            length = 0;
        }
        if is_letter {
            if let Some(place) = word.get_mut(length) {
                *place = byte.to_ascii_lowercase();
            }
            length += 1;
        }
        was_small = byte.is_ascii_lowercase();
    }
    strongest
}

/// The hint of a word in lower case.
fn hint_of_word(word: &[u8]) -> Hint {
    match word {
        b"comment" | b"comments" | b"commenting" | b"commentlist" | b"disqus" | b"liuyan"
        | b"pinglun" | b"replies" | b"respond" => Hint::Comments,
        b"breadcrumb" | b"breadcrumbs" | b"complementary" | b"consent" | b"contentinfo"
        | b"cookie" | b"cookies" | b"copyright" | b"crumb" | b"crumbs" | b"daohang" | b"foot"
        | b"footer" | b"footnav" | b"gdpr" | b"leftnav" | b"masthead" | b"menu" | b"menubar"
        | b"menus" | b"modal" | b"nav" | b"navbar" | b"navigation" | b"newsletter"
        | b"outbrain" | b"pager" | b"pagination" | b"popup" | b"recirc" | b"related"
        | b"sidebar" | b"sidenav" | b"subnav" | b"taboola" | b"toolbar" | b"topbar" | b"topnav" => {
            Hint::Frame
        }
        b"gutter" | b"lineno" | b"linenos" | b"linenr" | b"linenumber" | b"linenumbers"
        | b"linenums" => Hint::LineNumbers,
        b"ad" | b"ads" | b"adv" | b"advert" | b"advertisement" | b"author" | b"banner"
        | b"bottom" | b"byline" | b"disclaimer" | b"hot" | b"login" | b"popular" | b"promo"
        | b"rail" | b"recommend" | b"recommendations" | b"recommended" | b"register"
        | b"search" | b"share" | b"sharing" | b"signup" | b"skip" | b"social" | b"sponsor"
        | b"sponsored" | b"subscribe" | b"subscription" | b"taglist" | b"tags" | b"teaser"
        | b"toc" | b"trending" | b"widget" | b"widgets" => Hint::Beside,
        _ => Hint::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_and_the_strongest_counts() {
        for (names, hint) in [
            ("", Hint::None),
            ("article-body", Hint::None),
            ("unavailable advanced", Hint::None),
            ("side_ad2 post", Hint::Beside),
            ("topNav", Hint::Frame),
            ("js-lineno", Hint::LineNumbers),
            ("pageFooter", Hint::Frame),
            ("shareCommentList", Hint::Comments),
            (
                "averyveryverylongnamewithoutanyend nav-averyveryverylongnamewithoutanyend",
                Hint::Frame,
            ),
        ] {
            assert_eq!(hint_of(names.as_bytes()), hint, "{names}");
        }
    }
}
