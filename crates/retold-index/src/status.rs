//! What adding a page does to an index.

/// What became of a page that was added, or would become of one that was only asked about.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Its id was not there.
    New,
    /// It took the place of a page of its id.
    Replaced,
    /// A page of its id was there and is the same.
    Unchanged,
}

impl Status {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Replaced => "replaced",
            Status::Unchanged => "unchanged",
        }
    }
}
