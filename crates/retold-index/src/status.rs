//! What adding a page does to an index.

/// The effect of adding a page, or the effect it would have.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// There was no page with its id.
    New,
    /// It replaced the page with its id.
    Replaced,
    /// The same page was already there.
    Unchanged,
}

impl Status {
    /// The name as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Replaced => "replaced",
            Status::Unchanged => "unchanged",
        }
    }
}
