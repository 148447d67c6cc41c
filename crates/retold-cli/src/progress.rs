//! Progress on a terminal, and Ctrl-C.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use indicatif::{BinaryBytes, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use retold::{Error, Result, Stage, Watch};

use crate::lang;
use crate::say::tell;

/// A bar for the stage at work, on standard error if that is a terminal.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    stop: Arc<AtomicBool>,
    /// Bytes in temporary files, if what the run uses is shown.
    on_disk: Option<Arc<AtomicU64>>,
    /// The stage at work, and when it began.
    stage: Mutex<Option<(&'static str, Instant)>>,
}

impl Progress {
    /// Starts to watch: for Ctrl-C, and for stages to show.
    pub fn start(quiet: bool) -> Result<Progress> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        ctrlc::set_handler(move || on_signal(&flag))
            .map_err(|e| Error::usage(format!("cannot listen for Ctrl-C: {e}")))?;
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Ok(Progress {
            bar: ProgressBar::with_draw_target(Some(0), target),
            quiet,
            stop,
            on_disk: None,
            stage: Mutex::default(),
        })
    }

    /// Shows how much memory and how much of the disk the run uses, too; without a terminal, a line at the end of each stage.
    pub fn with_usage(mut self, on_disk: &Arc<AtomicU64>) -> Progress {
        self.on_disk = Some(Arc::clone(on_disk));
        self
    }

    /// Does work that can be watched, and takes the bar away when it has ended, well or not.
    pub fn during<T>(quiet: bool, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T> {
        let progress = Progress::start(quiet)?;
        let result = work(&progress);
        progress.finish();
        result
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.say_stage(None);
        self.bar.finish_and_clear();
    }

    /// Another stage begins, or none: says of the last one what it took, if no bar does.
    fn say_stage(&self, next: Option<&'static str>) {
        let Ok(mut stage) = self.stage.lock() else {
            return;
        };
        let last = std::mem::replace(&mut *stage, next.map(|next| (next, Instant::now())));
        if let (Some((name, start)), Some(on_disk)) = (last, &self.on_disk)
            && self.bar.is_hidden()
        {
            let seconds = start.elapsed().as_secs_f64();
            tell(format!("{name}: {seconds:.1} s, {}", usage(on_disk)));
        }
    }

    /// A bar of this look.
    fn style(&self, template: &str) -> Option<ProgressStyle> {
        let Some(on_disk) = &self.on_disk else {
            return ProgressStyle::with_template(template).ok();
        };
        let on_disk = Arc::clone(on_disk);
        let uses = move |_: &ProgressState, to: &mut dyn Write| {
            // What cannot be shown is left out.
            let _ = to.write_str(&usage(&on_disk));
        };
        let style = ProgressStyle::with_template(&format!("{template}, {{uses}}")).ok()?;
        Some(style.with_key("uses", uses))
    }
}

/// What the run uses now.
fn usage(on_disk: &AtomicU64) -> String {
    let memory = retold::internal::resident_memory().unwrap_or_default();
    let files = on_disk.load(Ordering::Relaxed);
    format!(
        "{} of memory, {} in temporary files",
        BinaryBytes(memory),
        BinaryBytes(files)
    )
}

impl Watch for Progress {
    fn begin(&self, stage: &'static str, total: u64) {
        let template = match (stage, total) {
            (_, 0) => "{spinner} {msg} {elapsed}",
            (stage, _) if stage == Stage::Read.name() => {
                "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left"
            }
            _ => "{msg} {wide_bar} {human_pos}/{human_len}, {eta} left",
        };
        self.say_stage(Some(stage));
        if let Some(style) = self.style(template) {
            self.bar.set_style(style);
        }
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_message(lang::message(stage));
    }

    fn part(&self, name: &str) {
        self.bar.set_message(name.to_owned());
        if !self.quiet && self.bar.is_hidden() {
            tell(name);
        }
    }

    fn advance(&self, by: u64) {
        self.bar.inc(by);
    }

    fn warn(&self, message: &str) {
        if !self.quiet {
            self.bar.suspend(|| tell(message));
        }
    }

    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[expect(
    clippy::exit,
    reason = "whoever presses Ctrl-C twice does not want to wait for the run to tidy up"
)]
fn on_signal(stop: &AtomicBool) {
    if stop.swap(true, Ordering::Relaxed) {
        std::process::exit(130);
    }
}
