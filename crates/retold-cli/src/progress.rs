//! Progress on a terminal, and Ctrl-C.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use retold::watch::Watch;
use retold::{Error, Result};

/// A bar for the stage at work, on standard error if that is a terminal.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    stop: Arc<AtomicBool>,
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
        })
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Watch for Progress {
    fn begin(&self, stage: &'static str, total: u64) {
        let template = match (stage, total) {
            (_, 0) => "{spinner} {msg} {elapsed}",
            ("reading", _) => "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec}, {eta} left",
            _ => "{msg} {wide_bar} {human_pos}/{human_len}, {eta} left",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_message(stage);
    }

    fn part(&self, name: &str) {
        self.bar.set_message(name.to_owned());
        if !self.quiet && self.bar.is_hidden() {
            eprintln!("retold: {name}");
        }
    }

    fn advance(&self, by: u64) {
        self.bar.inc(by);
    }

    fn warn(&self, message: &str) {
        if !self.quiet {
            self.bar.suspend(|| eprintln!("retold: {message}"));
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
