//! Memory and CPU time of this process.

use std::fs::File;
use std::time::Duration;

/// Memory of the machine in bytes, if the system reports it.
pub fn memory() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemTotal:")
}

/// Memory that the process has in bytes, if the system reports it.
pub fn resident_memory() -> Option<u64> {
    kilobytes("/proc/self/status", "VmRSS:")
}

/// Peak memory of the process in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// The value of a line that begins with `name`, in bytes.
fn kilobytes(path: &str, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(path).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// CPU time of all threads so far, to a hundredth of a second, if the
/// system reports it.
pub fn cpu_time() -> Option<Duration> {
    ticks(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 14 and 15 of proc_pid_stat(5), in ticks of 1/100 s (`USER_HZ`, the same on all that Linux runs on). The
/// second field is the program's name in parentheses and may hold anything.
fn ticks(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (next()? + next()?)))
}

/// Fills `bytes` from a place in a file, wherever others read or write it at the same time.
///
/// Errors: those of reading; `UnexpectedEof` if the file ends before.
#[cfg(unix)]
pub fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fills `bytes` from a place in a file, wherever others read or write it at the same time.
///
/// Errors: those of reading; `UnexpectedEof` if the file ends before.
#[cfg(windows)]
pub fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    let mut read = 0;
    while read < bytes.len() {
        let place = at + read as u64;
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[read..], place)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            more => read += more,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_user_and_system_time() {
        let stat = "42 (a )b 7) R 1 42 42 0 -1 4194304 100 0 0 0 123 45 6 7 20 0 1 0 999 0 0";
        assert_eq!(ticks(stat), Some(Duration::from_millis(1680)));
        assert_eq!(ticks("nothing"), None);
    }
}
