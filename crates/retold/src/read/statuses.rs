//! The HTTP statuses whose responses are pages.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The HTTP statuses whose responses count as pages: a comma-separated list, or `any`.
///
/// ```
/// use retold::read::Statuses;
/// let statuses: Statuses = "200,203".parse().unwrap();
/// assert!(statuses.has(203) && !statuses.has(404));
/// assert_eq!(statuses.to_string(), "200,203");
/// assert!("any".parse::<Statuses>().unwrap().has(404));
/// assert!("OK".parse::<Statuses>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Statuses(Option<Vec<u16>>);

impl Default for Statuses {
    /// Only 200: error pages are similar on all sites and tell no story.
    fn default() -> Statuses {
        Statuses(Some(vec![200]))
    }
}

impl Statuses {
    /// Every status.
    pub fn any() -> Statuses {
        Statuses(None)
    }

    /// Whether a response of that status may be a page.
    pub fn has(&self, status: u16) -> bool {
        self.0.as_ref().is_none_or(|list| list.contains(&status))
    }
}

impl FromStr for Statuses {
    type Err = String;

    fn from_str(text: &str) -> Result<Statuses, String> {
        if text == "any" {
            return Ok(Statuses::any());
        }
        let status = |part: &str| {
            let number = part.trim().parse().ok();
            number.filter(|status| (100..1000).contains(status)).ok_or_else(|| {
                format!("`{text}`: comma-separated HTTP statuses are expected, as in 200,203, or `any`")
            })
        };
        let list: Result<Vec<u16>, String> = text.split(',').map(status).collect();
        Ok(Statuses(Some(list?)))
    }
}

impl TryFrom<String> for Statuses {
    type Error = String;

    fn try_from(text: String) -> Result<Statuses, String> {
        text.parse()
    }
}

impl From<Statuses> for String {
    fn from(statuses: Statuses) -> String {
        statuses.to_string()
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => to.write_str("any"),
            Some(list) => {
                let list: Vec<String> = list.iter().map(u16::to_string).collect();
                to.write_str(&list.join(","))
            }
        }
    }
}
