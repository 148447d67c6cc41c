//! Verification: checks on the texts what sketches estimate of a pair.
//!
//! 1. `partials`: a partial fingerprint is made while a page is sketched, so that most texts need not be read again.
//! 2. `fingerprints`: full fingerprints, completed from partial ones or made from texts that are read again (`texts`).
//! 3. `verification`: the verdict on a batch of pairs; `best_first` orders the candidates of one group by similarity.
//! 4. `ahead`: pairs of groups with short posting lists, family after family, before any page is decided.

mod ahead;
mod best_first;
mod fingerprints;
mod partials;
mod texts;
mod verification;

pub(crate) use ahead::{Ahead, Settled};
pub(crate) use best_first::BestFirst;
pub(crate) use partials::PartialFingerprints;
pub(crate) use texts::{Again, Reread};
pub use texts::{Take, TextSource};
pub(crate) use verification::{Verification, Verified};
