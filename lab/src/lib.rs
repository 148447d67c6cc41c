//! Methods compared and tuned on labelled sets.
