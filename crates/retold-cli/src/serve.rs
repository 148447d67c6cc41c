//! `retold serve`: an index as a service.

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use retold::{Error, Result};
use retold_index::Index;
use retold_server::{App, Options, Stop, serve};
use tokio::net::{TcpListener, TcpSocket};
use tracing_subscriber::fmt::time::SystemTime;

use crate::input::{bytes, positive};
use crate::secret::check_private;

/// Serves an index over HTTP
///
/// It answers with JSON over HTTP/1.1 and 2: /openapi.json describes the requests, / is a web page for people. Logs go to standard
/// error as lines of JSON. After SIGTERM or Ctrl-C, accepted requests are finished; a second signal ends the service at once.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  retold serve news
  retold serve news --listen 0.0.0.0:7700 --token-file tokens
  curl -H 'Content-Type: text/html' --data-binary @page.html http://127.0.0.1:7700/v1/query")]
pub struct Args {
    /// The folder of the index
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Address and port to listen on
    ///
    /// Port 0 takes a free port. Any address that is not a loopback address needs --token-file
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    /// Answer only; another process may write
    #[arg(long)]
    read_only: bool,
    /// Let agents add and remove pages over /mcp; otherwise they only ask
    #[cfg(feature = "mcp")]
    #[arg(long, conflicts_with = "read_only")]
    mcp_write: bool,
    /// Make snapshots of the index in FOLDER when asked to at /v1/snapshots
    #[arg(long, value_name = "FOLDER")]
    snapshots: Option<PathBuf>,
    /// Accept only requests with one of the tokens in FILE, one per line
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Without tokens: accept requests for this host name too (repeatable)
    ///
    /// Other names than localhost and loopback addresses, and requests from web pages of other sites, are refused
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Refuse larger bodies (suffix K, M or G)
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = bytes, help_heading = "Limits")]
    max_body: u64,
    /// Memory for bodies and what is made of them, at one time (suffix K, M or G); further requests get 503
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = bytes, help_heading = "Limits")]
    max_bodies: u64,
    /// Requests that are processed at one time; further requests get 503
    #[arg(long, value_name = "N", default_value = "64", value_parser = positive, help_heading = "Limits")]
    max_requests: usize,
    /// Connections that are open at one time; further connections are closed
    #[arg(long, value_name = "N", default_value = "16384", value_parser = positive, help_heading = "Limits")]
    max_connections: usize,
    /// Seconds that a client may take to send a request
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = positive, help_heading = "Limits")]
    read_timeout: usize,
    /// Seconds that the work on a request may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = positive, help_heading = "Limits")]
    work_timeout: usize,
    /// Log failures only, not every request
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut options = options(args)?;
    if !args.listen.ip().is_loopback() && options.tokens.is_empty() {
        return Err(Error::usage(format!(
            "--listen {}: other machines can connect there, so tokens are required: --token-file FILE",
            args.listen
        )));
    }
    log(args.quiet);
    options.max_connections = allow_connections(options.max_connections);
    let app = open(args, options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|e| Error::usage(format!("cannot start threads: {e}")))?;
    let index = Arc::clone(app.index());
    let stopped = runtime.block_on(listen(app, args.listen))?;
    tracing::info!(
        pages = index.len(),
        whole = stopped == Stop::Whole,
        "stopped"
    );
    // Work that was cut off is not waited for.
    runtime.shutdown_background();
    Ok(match stopped {
        Stop::Whole => ExitCode::SUCCESS,
        Stop::CutOff => ExitCode::from(1),
    })
}

/// Opens the index, for writing unless the service is read-only.
fn open(args: &Args, options: Options) -> Result<App> {
    if args.read_only {
        return Ok(App::reading(Index::open(&args.dir)?, options));
    }
    let builder = Index::builder(&args.dir).writer_name("retold serve");
    App::writing(builder.write()?, options)
}

/// Raises the limit of open files for this number of connections, and returns how many there can be. Warns if they are fewer.
fn allow_connections(wanted: usize) -> usize {
    let files = rlimit::increase_nofile_limit((wanted + OTHER_FILES) as u64);
    let most = files.map_or(wanted, |files| connections(wanted, files));
    if most < wanted {
        tracing::warn!(
            wanted,
            most,
            "fewer connections than --max-connections: the system allows no more open files"
        );
    }
    most
}

/// Files that are no connections: those of the index.
const OTHER_FILES: usize = 256;

/// The most connections if the process may have this number of open files: each connection is one. Further ones get 503, which is better than
/// no answer at all.
fn connections(wanted: usize, files: u64) -> usize {
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    let others = OTHER_FILES.min(files / 2);
    wanted.min(files - others).max(1)
}

fn options(args: &Args) -> Result<Options> {
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut options = Options::default();
    options.max_body = size(args.max_body);
    options.max_bodies = size(args.max_bodies.max(args.max_body));
    options.max_requests = args.max_requests;
    options.max_connections = args.max_connections;
    options.read_timeout = Duration::from_secs(args.read_timeout as u64);
    options.work_timeout = Duration::from_secs(args.work_timeout as u64);
    options.hosts.clone_from(&args.allow_host);
    options.snapshots.clone_from(&args.snapshots);
    #[cfg(feature = "mcp")]
    {
        options.mcp_write = args.mcp_write;
    }
    if let Some(path) = &args.token_file {
        options.tokens = tokens(path)?;
    }
    Ok(options)
}

fn tokens(path: &Path) -> Result<Vec<String>> {
    /// Shorter ones are guessed.
    const SHORTEST: usize = 16;
    check_private("--token-file", path)?;
    let text = std::fs::read_to_string(path).map_err(Error::io("cannot read", path))?;
    let tokens = text
        .lines()
        .map(str::trim)
        .filter(|token| !token.is_empty());
    let tokens: Vec<String> = tokens.map(str::to_owned).collect();
    if tokens.is_empty() || tokens.iter().any(|token| token.len() < SHORTEST) {
        return Err(Error::usage(format!(
            "--token-file {}: tokens of at least {SHORTEST} characters expected, one per line; `openssl rand -hex 32` makes one",
            path.display()
        )));
    }
    Ok(tokens)
}

pub(crate) fn log(quiet: bool) {
    let level = match quiet {
        true => tracing::Level::ERROR,
        false => tracing::Level::INFO,
    };
    let format = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_timer(SystemTime);
    let format = format
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_ansi(false);
    // It is set once; a second time cannot come.
    let _ = format.json().flatten_event(true).try_init();
}

async fn listen(app: App, address: SocketAddr) -> Result<Stop> {
    let failed = |e| Error::usage(format!("--listen {address}: {e}"));
    let listener = listener(address).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        address = %address,
        index = %app.index().folder().display(),
        pages = app.index().len(),
        "started"
    );
    let mut out = std::io::stdout();
    // Whoever started it may not listen.
    let _ = writeln!(out, "listening on http://{address}").and_then(|()| out.flush());
    if out.is_terminal() {
        let _ = writeln!(out, "Ctrl-C stops");
    }
    let (told, stopping) = tokio::sync::oneshot::channel();
    let stop = async {
        told_to_stop().await;
        // It is there as long as the service is.
        let _ = told.send(());
    };
    let at_once = async {
        let _ = stopping.await;
        told_to_stop().await;
    };
    tokio::select! {
        stopped = serve(app, listener, stop) => stopped,
        () = at_once => Ok(Stop::CutOff),
    }
}

/// A socket that listens.
fn listener(address: SocketAddr) -> std::io::Result<TcpListener> {
    /// Connections that wait to be accepted. The usual 128 overflow when hundreds of clients come at one moment; each of them
    /// would try again after a second only. The system may allow fewer.
    const WAITING: u32 = 4096;
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Windows, others could then take the address too.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

/// Ends at the next SIGTERM or Ctrl-C.
pub(crate) async fn told_to_stop() {
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

#[cfg(test)]
mod tests {
    use super::connections;

    #[test]
    fn connections_fit_the_files_that_may_be_open() {
        assert_eq!(connections(16_384, 20_000), 16_384);
        assert_eq!(connections(16_384, 1_024), 768);
        assert_eq!(connections(100, 64), 32);
        assert_eq!(connections(100, 0), 1);
    }
}
