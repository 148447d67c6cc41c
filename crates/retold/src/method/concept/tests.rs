//! The method as a whole, with figures worked out by hand.
