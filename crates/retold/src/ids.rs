//! Typed indexes, so that a page's rank cannot be confused with its place in the input.

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
            /// The number of the item at a place in a list. Lists are shorter than 2³².
            pub fn new(place: usize) -> $name {
                $name(u32::try_from(place).expect("fewer than 2^32 of a kind"))
            }

            /// The place in a list.
            pub fn at(self) -> usize {
                self.0 as usize
            }

            /// The numbers of the first `count` items.
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
    /// A page, by the order of ids. Pairs and clusters use ranks, so that they do not depend on the reading order.
    Rank
}
number! {
    /// A sketch in a store ([`crate::sketch::Sketches`]), by the order of first occurrence.
    SketchNo
}
number! {
    /// A pruned sketch, from which noise was deleted, by the order of first occurrence.
    PrunedNo
}

number! {
    /// An exact group: pages with one text and one pruned sketch, which get the same verdicts. The join finds pairs of groups.
    GroupNo
}
