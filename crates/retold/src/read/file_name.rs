//! File names as text: some in old archives are not UTF-8.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write;

/// A file name as text. If the name is not UTF-8, each invalid byte is written as in a URL (`%CE`) and `%` itself as `%25`, so that
/// different names stay different.
///
/// ```
/// # #[cfg(unix)] {
/// use std::os::unix::ffi::OsStrExt;
/// let name = std::ffi::OsStr::from_bytes(b"\xce\xc4 100%.txt");
/// assert_eq!(retold::read::spelled(name), "%CE%C4 100%25.txt");
/// # }
/// assert_eq!(retold::read::spelled("100%.txt".as_ref()), "100%.txt");
/// ```
pub fn spelled(name: &OsStr) -> Cow<'_, str> {
    if let Some(name) = name.to_str() {
        return Cow::Borrowed(name);
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Cow::Owned(text)
}
