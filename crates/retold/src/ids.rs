//! Typed numbers for things, so that a page's rank cannot be confused with its place in the input.

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number of the thing at a place in a list. Lists are shorter than 2³².
            pub fn new(place: usize) -> $name {
                $name(u32::try_from(place).expect("fewer than 2^32 of a kind"))
            }

            /// The place in a list.
            pub fn at(self) -> usize {
                self.0 as usize
            }

            /// The numbers of the first `count` things.
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = $name> + ExactSizeIterator {
                (0..$name::new(count).0).map($name)
            }
        }
    };
}

number! {
    /// A page, by the order of files and of records in them.
    PageNo
}
number! {
    /// A page, by the order of ids. Pairs and clusters name pages by rank, so that they do not depend on the order of
    /// reading.
    Rank
}
number! {
    /// A sketch of a store ([`crate::sketch::Sketches`]), by the order in which sketches were first seen.
    SketchNo
}
number! {
    /// A pruned sketch: what is left of a sketch once its noise has been deleted, by the order in which they were first seen.
    PrunedNo
}

number! {
    /// An exact group: pages of one text and one pruned sketch, which are the same to every judge. The join finds pairs of groups.
    GroupNo
}
