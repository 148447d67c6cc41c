//! Charset detection: from a page's bytes to Unicode.
//!
//! Sources in order of priority: a byte-order mark; the bytes, if they are (nearly) valid UTF-8; the HTTP header; a declaration in the
//! document; detection. A declaration counts only if the bytes agree with it: pages that declare GBK and are UTF-8, or declare Latin-1 and
//! are GBK, are common.
//!
//! Encodings that `encoding_rs` lacks (Johab, EUC-TW, …) cannot be decoded. If this leaves broken characters, the document is rejected as
//! "not text". If it leaves plausible characters in an implausible order, the text is kept, because copies of it are still equal, and
//! flagged (`Meta::garbled`, no `Meta::charset`).

use std::borrow::Cow;

use super::garbled::Damage;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes of a document that are searched for a declaration. HTML says 1,024, but real pages put scripts before it.
const DECLARATION_WINDOW: usize = 4096;
/// Bytes that the detector reads: at about 7 MB/s, this bounds it to a few milliseconds a page.
const DETECTION_BUDGET: usize = 16 * 1024;
/// ASCII bytes kept around the others for the detector, which uses neighbouring letters.
const DETECTION_MARGIN: usize = 8;
/// Bytes that are examined to tell text from binary data.
const TEXT_WINDOW: usize = 64 * 1024;

/// A decoded document.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text; borrowed if the bytes were UTF-8.
    pub text: Cow<'a, str>,
    /// The WHATWG name of the encoding; `None` if the text is garbled.
    pub charset: Option<&'static str>,
}

/// Decodes a document. `header` is the charset of the HTTP header. The error is the reason for a reject.
pub fn decode<'a>(bytes: &'a [u8], header: Option<&str>) -> Result<Decoded<'a>, String> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return finish(&bytes[length..], encoding);
    }
    if let Some(encoding) = utf16_without_bom(bytes) {
        return finish(bytes, encoding);
    }
    if let Some(text) = as_utf8(bytes) {
        let shifts = text.contains('\u{1b}') && text.is_ascii();
        if shifts && detect(&sample(bytes)) == ISO_2022_JP {
            return finish(bytes, ISO_2022_JP);
        }
        let text = readable(text)?;
        return Ok(Decoded {
            text,
            charset: Some(UTF_8.name()),
        });
    }
    finish(bytes, choose(bytes, header))
}

/// Decodes with the chosen encoding and refuses a result that does not look like text.
fn finish<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Result<Decoded<'a>, String> {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let damage = Damage::of(&text, encoding);
    if damage.is_heavy() {
        return Err(format!(
            "not text: read as {}, {} of {} characters beyond ASCII are broken; the file may be binary or in an encoding that is not supported",
            encoding.name(),
            damage.broken,
            damage.beyond_ascii
        ));
    }
    Ok(Decoded {
        text: readable(text)?,
        charset: (!damage.garbled).then_some(encoding.name()),
    })
}

/// The bytes as UTF-8, if at most a few bytes are broken or the last sequence is incomplete.
fn as_utf8(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let valid = &bytes[..error.valid_up_to()];
    if error.error_len().is_none() && !valid.is_ascii() {
        return std::str::from_utf8(valid).ok().map(Cow::Borrowed);
    }
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        good += beyond_ascii(chunk.valid());
        bad += usize::from(!chunk.invalid().is_empty());
    }
    // In the set `charset` no file in another encoding has more than 0.43 valid characters for each broken place.
    (good >= 8 * bad).then(|| String::from_utf8_lossy(bytes))
}

fn beyond_ascii(text: &str) -> usize {
    text.bytes().filter(|&b| b >= 0xC0).count()
}

/// Chooses among the declared encodings and the detected one: the first that decodes with little damage, otherwise the least damaged.
fn choose(bytes: &[u8], header: Option<&str>) -> &'static Encoding {
    let header = header.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let sample = sample(bytes);
    let mut best: Option<Candidate> = None;
    for encoding in [header, declared(bytes)].into_iter().flatten() {
        // UTF-8 was tried first and failed, and UTF-16 would have been recognised.
        if [UTF_8, UTF_16LE, UTF_16BE].contains(&encoding) {
            continue;
        }
        let candidate = Candidate::new(encoding, &sample);
        // A single-byte encoding accepts any bytes, and Latin-1 is the default of servers.
        if candidate.damage.is_light() && !encoding.is_single_byte() {
            return encoding;
        }
        if best.as_ref().is_none_or(|best| candidate.beats(best)) {
            best = Some(candidate);
        }
    }
    let detected = Candidate::new(detect(&sample), &sample);
    match best {
        Some(best) if !detected.beats(&best) => best.encoding,
        _ => detected.encoding,
    }
}

/// An encoding and how the sample looks in it.
struct Candidate {
    encoding: &'static Encoding,
    damage: Damage,
}

impl Candidate {
    fn new(encoding: &'static Encoding, sample: &[u8]) -> Candidate {
        let (text, _) = encoding.decode_without_bom_handling(sample);
        Candidate {
            encoding,
            damage: Damage::of(&text, encoding),
        }
    }

    /// Whether this explains the bytes better than a candidate of higher priority.
    fn beats(&self, other: &Candidate) -> bool {
        match (self.damage.is_light(), other.damage.is_light()) {
            // Undamaged multi-byte text is no coincidence; undamaged single-byte text proves little.
            (true, true) => other.encoding.is_single_byte() && !self.encoding.is_single_byte(),
            (true, false) => true,
            (false, true) => false,
            (false, false) => self.damage.share() < other.damage.share(),
        }
    }
}

/// The encoding declared in a `<meta>` or an XML declaration.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let window = &bytes[..bytes.len().min(DECLARATION_WINDOW)];
    let mut rest = window;
    while let Some(at) = find_keyword(rest) {
        rest = &rest[at..];
        if let Some(encoding) = label_after(rest).and_then(Encoding::for_label) {
            return Some(encoding);
        }
    }
    None
}

/// The position after the next `charset` or `encoding`, in any case.
fn find_keyword(bytes: &[u8]) -> Option<usize> {
    let word = |i: usize, word: &[u8]| {
        bytes
            .get(i..i + word.len())
            .is_some_and(|w| w.eq_ignore_ascii_case(word))
    };
    memchr::memchr2_iter(b'c', b'C', bytes).find_map(|i| {
        if word(i, b"charset") {
            Some(i + 7)
        } else if i >= 2 && word(i - 2, b"encoding") {
            Some(i + 6)
        } else {
            None
        }
    })
}

/// The label in `="label"`, with optional quotes and white space.
fn label_after(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let bytes = match bytes.first() {
        Some(b'"' | b'\'') => bytes[1..].trim_ascii_start(),
        _ => bytes,
    };
    let end = bytes
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || b"-_:.".contains(b)))
        .unwrap_or(bytes.len());
    (end > 0).then(|| &bytes[..end])
}

/// The detector's guess for the sample.
fn detect(sample: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    // No top-level domain is given: with `.cn` or `.tw` the detector misreads Big5 and GBK pages almost always.
    detector.guess(None, Utf8Detection::Deny)
}

/// The parts of a document that show its encoding: bytes beyond ASCII with some ASCII around them.
fn sample(bytes: &[u8]) -> Vec<u8> {
    let mut sample = Vec::new();
    let mut taken = 0;
    while sample.len() < DETECTION_BUDGET {
        let ahead = &bytes[taken..];
        let Some(skip) = ahead.iter().position(|&b| b >= 0x80 || b == 0x1b) else {
            break;
        };
        let from = taken + skip.saturating_sub(DETECTION_MARGIN);
        let run_end = end_of_run(bytes, taken + skip);
        sample.extend_from_slice(&bytes[from..run_end]);
        taken = run_end;
    }
    sample
}

/// The end of the run that starts at `at`: at least two margins of ASCII follow, or the run is long enough.
fn end_of_run(bytes: &[u8], at: usize) -> usize {
    let limit = bytes.len().min(at + DETECTION_BUDGET);
    let mut last = at;
    for (i, &b) in bytes.iter().enumerate().take(limit).skip(at) {
        if b >= 0x80 || b == 0x1b {
            last = i;
        } else if i - last > 2 * DETECTION_MARGIN {
            break;
        }
    }
    bytes.len().min(last + 1 + DETECTION_MARGIN)
}

/// UTF-16 without a byte-order mark: many NULs, nearly all on one side of the pairs.
fn utf16_without_bom(bytes: &[u8]) -> Option<&'static Encoding> {
    let window = &bytes[..bytes.len().min(DECLARATION_WINDOW) & !1];
    memchr::memchr(0, window)?;
    let (mut even, mut odd) = (0usize, 0usize);
    for pair in window.chunks_exact(2) {
        even += usize::from(pair[0] == 0);
        odd += usize::from(pair[1] == 0);
    }
    let enough = window.len() / 100 + 1;
    // The other side has NULs too, for characters like U+4E00.
    let encoding = if odd >= enough && even * 2 <= odd {
        UTF_16LE
    } else if even >= enough && odd * 2 <= even {
        UTF_16BE
    } else {
        return None;
    };
    let (_, broken) = encoding.decode_without_bom_handling(window);
    (!broken).then_some(encoding)
}

/// Refuses text full of control characters: an image or archive whose bytes happen to decode.
fn readable(text: Cow<'_, str>) -> Result<Cow<'_, str>, String> {
    let bytes = text.as_bytes();
    let window = &bytes[..bytes.len().min(TEXT_WINDOW)];
    let controls = window
        .iter()
        .filter(|&&b| b < 0x20 && !(0x09..=0x0D).contains(&b) && b != 0x1b || b == 0x7f)
        .count();
    if controls > 3 && controls * 50 > window.len() {
        return Err(format!(
            "not text: {controls} of the first {} bytes are control characters",
            window.len()
        ));
    }
    Ok(text)
}
