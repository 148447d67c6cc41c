//! What adding a page does to an index.

/// The effect of adding a page, or the effect it would have.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// There was no such page.
    New,
    /// It replaced the page with its id, or with its address.
    Replaced,
    /// The same page was already there.
    Unchanged,
    /// A version of its address was already there that is newer, or says much more; only in an index made with `same_url`.
    Older,
}

impl Status {
    /// The name as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Replaced => "replaced",
            Status::Unchanged => "unchanged",
            Status::Older => "older",
        }
    }

    /// Whether the page is stored.
    pub(crate) fn is_stored(self) -> bool {
        matches!(self, Status::New | Status::Replaced)
    }
}
