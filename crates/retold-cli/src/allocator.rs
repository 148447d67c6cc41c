//! What memory the program's allocator keeps.

use libc::{M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, mallopt};

/// Freed blocks of at least this number of bytes go back to the system at once, and at most this much free memory stays at the
/// end of a heap.
const BLOCK: i32 = 2 << 20;
const FREE: i32 = 4 << 20;

/// Keeps glibc from holding on to what was freed: by itself it raises both sizes to those of blocks that were freed, up to 32 and
/// 64 MB for each heap (mallopt(3)), which is as much as `--memory` leaves beside pages where it is tight.
#[expect(unsafe_code, reason = "mallopt has no safe form")]
pub(crate) fn gives_back() {
    // SAFETY: these are parameters of mallopt(3), which takes no pointers; no other thread runs yet.
    unsafe {
        mallopt(M_MMAP_THRESHOLD, BLOCK);
        mallopt(M_TRIM_THRESHOLD, FREE);
    }
}
