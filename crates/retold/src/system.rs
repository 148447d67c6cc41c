//! Memory and CPU time of this process, and positioned file reads.

use std::fs::File;
use std::time::Duration;

use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Memory of the machine in bytes, or of the container if it has less.
pub fn machine_memory() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    // Zero where `/proc` is not mounted, as in a bare chroot; sysinfo then panics when asked for a container's limit.
    let all = Some(system.total_memory()).filter(|&bytes| bytes > 0)?;
    let container = system.cgroup_limits().map(|limits| limits.total_memory);
    Some(container.map_or(all, |limit| all.min(limit))).filter(|&bytes| bytes > 0)
}

/// Memory used by the process in bytes, if the system reports it.
pub fn resident_memory() -> Option<u64> {
    let kind = ProcessRefreshKind::nothing().with_memory();
    this_process(kind, Process::memory)
}

/// Peak memory of the process in bytes, on Linux.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// CPU time of all threads so far, to a hundredth of a second, if the system reports it.
pub fn cpu_time() -> Option<Duration> {
    let kind = ProcessRefreshKind::nothing().with_cpu();
    this_process(kind, Process::accumulated_cpu_time).map(Duration::from_millis)
}

/// Queries the system about this process.
fn this_process<T>(kind: ProcessRefreshKind, ask: impl Fn(&Process) -> T) -> Option<T> {
    let this = Pid::from_u32(std::process::id());
    let mut system = System::new();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[this]), false, kind);
    system.process(this).map(ask)
}

/// Reads `bytes` from a position in a file, safely beside other readers and writers.
///
/// Errors: those of reading; `UnexpectedEof` if the file ends before.
#[cfg(unix)]
pub fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads `bytes` from a position in a file, safely beside other readers and writers.
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
    fn the_system_tells_of_this_process() {
        let memory = vec![1u8; 32 << 20];
        let (resident, peak) = (
            resident_memory().unwrap(),
            peak_memory().unwrap_or(u64::MAX),
        );
        assert!(
            resident > 32 << 20 && resident <= peak + (1 << 20),
            "{resident} {peak}"
        );
        assert!(machine_memory().unwrap() > resident);
        drop(memory);
        let before = cpu_time().unwrap();
        let mut sum = 0u64;
        while cpu_time().unwrap() < before + Duration::from_millis(20) {
            sum = std::hint::black_box((0..100_000u64).fold(sum, u64::wrapping_add));
        }
    }
}
