//! Catches panics in third-party code: one bad page must not end a run or print anything.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether the thread is inside [`caught`].
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The result of `work`; `None` if it panics. Such a panic prints nothing: the hook installed for that passes all other panics to the
/// previous hook.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let made = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(outer);
    made.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_and_the_next_one_is_told_again() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| -> u8 { panic!("not to be seen") }), None);
        assert_eq!(
            caught(|| caught(|| -> u8 { panic!("nor this") })),
            Some(None)
        );
        assert!(!QUIET.get());
    }
}
