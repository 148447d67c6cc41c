//! How fields of CSV and TSV are separated.

use std::fmt;
use std::str::FromStr;

use csv_core::{QuoteStyle, Reader, ReaderBuilder, Writer, WriterBuilder};
use serde::{Deserialize, Serialize};

/// The character between two fields: one ASCII character or the word `tab`.
///
/// ```
/// use retold::read::Delimiter;
/// assert_eq!("|".parse::<Delimiter>().unwrap().to_string(), "|");
/// assert_eq!("tab".parse::<Delimiter>(), "\t".parse());
/// assert!("::".parse::<Delimiter>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Delimiter(u8);

/// The character around fields that contain delimiters or line ends: one ASCII character or the word `none`.
///
/// ```
/// use retold::read::Quote;
/// assert_eq!(Quote::default().to_string(), "\"");
/// assert_eq!("none".parse::<Quote>().unwrap().to_string(), "none");
/// assert!("»".parse::<Quote>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Quote(Option<u8>);

/// The delimiter and quote of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dialect {
    pub delimiter: u8,
    pub quote: Quote,
}

impl Default for Quote {
    fn default() -> Quote {
        Quote(Some(b'"'))
    }
}

impl Delimiter {
    pub(crate) fn byte(self) -> u8 {
        self.0
    }
}

impl Dialect {
    pub fn reader(self) -> Reader {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(self.delimiter);
        match self.quote.0 {
            Some(quote) => builder.quote(quote),
            None => builder.quoting(false),
        };
        builder.build()
    }

    /// A field as it is written in a row. Without quotes, characters that would end the field become spaces.
    pub fn field(self, text: &str) -> Vec<u8> {
        let mut builder = WriterBuilder::new();
        builder.delimiter(self.delimiter);
        let Some(quote) = self.quote.0 else {
            let ends = |byte: &u8| matches!(*byte, b'\r' | b'\n') || *byte == self.delimiter;
            let bytes = text.bytes();
            return bytes
                .map(|byte| if ends(&byte) { b' ' } else { byte })
                .collect();
        };
        let mut writer: Writer = builder
            .quote(quote)
            .quote_style(QuoteStyle::Necessary)
            .build();
        // Quotes are doubled, and one is added on each side.
        let mut out = vec![0; 2 * text.len() + 2];
        let (_, _, mut length) = writer.field(text.as_bytes(), &mut out);
        length += writer.finish(&mut out[length..]).1;
        out.truncate(length);
        out
    }
}

/// The only character of `text`, if it can separate or enclose fields.
fn character(text: &str) -> Option<u8> {
    match *text.as_bytes() {
        [byte] if byte.is_ascii() && !matches!(byte, 0 | b'\r' | b'\n') => Some(byte),
        _ => None,
    }
}

impl FromStr for Delimiter {
    type Err = String;

    fn from_str(text: &str) -> Result<Delimiter, String> {
        match text {
            "tab" => Ok(Delimiter(b'\t')),
            _ => character(text).map(Delimiter).ok_or_else(|| {
                format!("`{text}`: one ASCII character is expected, as in ; or |, or `tab`")
            }),
        }
    }
}

impl FromStr for Quote {
    type Err = String;

    fn from_str(text: &str) -> Result<Quote, String> {
        match text {
            "none" => Ok(Quote(None)),
            _ => character(text)
                .map(|quote| Quote(Some(quote)))
                .ok_or_else(|| {
                    format!("`{text}`: one ASCII character is expected, as in ' or \", or `none`")
                }),
        }
    }
}

impl TryFrom<String> for Delimiter {
    type Error = String;

    fn try_from(text: String) -> Result<Delimiter, String> {
        text.parse()
    }
}

impl TryFrom<String> for Quote {
    type Error = String;

    fn try_from(text: String) -> Result<Quote, String> {
        text.parse()
    }
}

impl From<Delimiter> for String {
    fn from(delimiter: Delimiter) -> String {
        delimiter.to_string()
    }
}

impl From<Quote> for String {
    fn from(quote: Quote) -> String {
        quote.to_string()
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b'\t' => to.write_str("tab"),
            byte => write!(to, "{}", char::from(byte)),
        }
    }
}

impl fmt::Display for Quote {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => to.write_str("none"),
            Some(byte) => write!(to, "{}", char::from(byte)),
        }
    }
}
