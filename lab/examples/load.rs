//! Puts a bounded load on a service on this machine.
//!
//!     cargo run --release -p retold-lab --example load -- mixed ADDRESS PAGES.jsonl SECONDS CLIENTS [SKIP]
//!     cargo run --release -p retold-lab --example load -- add ADDRESS PAGES.jsonl COUNT [SKIP]
//!     cargo run --release -p retold-lab --example load -- idle ADDRESS CONNECTIONS SECONDS
//!
//! `mixed`: clients query single pages, one request after the other; one more client adds pages, a hundred at a time. `add`: adds pages, a
//! hundred at a time, with four concurrent requests. `idle`: opens connections without using them, while one client queries. Prints
//! requests per second and quantiles of their times. ADDRESS must be on this machine. Results are in `docs/lab/index.md`.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const BATCH: usize = 100;
const ASKED: usize = 20_000;

/// A client with a persistent connection.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Client(BufReader::new(stream)))
    }

    /// Sends a request; returns the status and the body of the answer.
    fn ask(&mut self, method: &str, path: &str, kind: &str, body: &[u8]) -> Result<(u16, Vec<u8>)> {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        let stream = self.0.get_mut();
        stream.write_all(&[head.as_bytes(), body].concat())?;
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err("the service has closed".into());
            }
            let lower = line.trim_end().to_ascii_lowercase();
            if let Some(rest) = lower.strip_prefix("http/1.1 ") {
                status = rest[..3].parse()?;
            } else if let Some(rest) = lower.strip_prefix("content-length: ") {
                length = rest.parse()?;
            } else if lower.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        Ok((status, answer))
    }
}

#[derive(Default)]
struct Times {
    took: Vec<Duration>,
    other: usize,
}

impl Times {
    fn print(&mut self, what: &str, all: Duration) {
        self.took.sort_unstable();
        let at = |share: f64| {
            let place = (self.took.len().saturating_sub(1) as f64 * share).round() as usize;
            self.took
                .get(place)
                .map_or(0.0, |took| took.as_secs_f64() * 1e3)
        };
        println!(
            "{what}: {} requests, {:.0}/s, p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, longest {:.1} ms; {} not answered with 200",
            self.took.len(),
            self.took.len() as f64 / all.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(0.999),
            at(1.0),
            self.other
        );
    }
}

fn address(text: &str) -> Result<SocketAddr> {
    let address: SocketAddr = text.parse()?;
    match address.ip().is_loopback() {
        true => Ok(address),
        false => Err("an address of this machine expected".into()),
    }
}

fn timed(
    client: &mut Client,
    path: &str,
    kind: &str,
    body: &[u8],
    times: &Mutex<Times>,
) -> Result<()> {
    let start = Instant::now();
    let (status, _) = client.ask("POST", path, kind, body)?;
    let took = start.elapsed();
    let mut times = times.lock().map_err(|_| "a thread has failed")?;
    match status {
        200 => times.took.push(took),
        _ => times.other += 1,
    }
    Ok(())
}

/// Memory of the service in MB, from its metrics.
fn memory(address: SocketAddr) -> Result<u64> {
    let (_, text) = Client::connect(address)?.ask("GET", "/metrics", "", &[])?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text
        .lines()
        .find(|line| line.starts_with("retold_memory_bytes "));
    let bytes: u64 = line
        .and_then(|line| line.split(' ').nth(1)?.parse().ok())
        .unwrap_or(0);
    Ok(bytes >> 20)
}

fn lines(path: &str, skip: usize) -> Result<impl Iterator<Item = String>> {
    let lines = BufReader::with_capacity(1 << 20, File::open(path)?).lines();
    Ok(lines.skip(skip).map_while(std::io::Result::ok))
}

fn mixed(
    address: SocketAddr,
    pages: &str,
    seconds: u64,
    clients: usize,
    skip: usize,
) -> Result<()> {
    // Queries use pages from the whole file; added pages follow `skip`.
    let asked: Vec<String> = lines(pages, 0)?.step_by(47).take(ASKED).collect();
    let new = Mutex::new(lines(pages, skip)?);
    let (finds, adds, next) = (
        Mutex::<Times>::default(),
        Mutex::<Times>::default(),
        AtomicUsize::new(0),
    );
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds);
    let watched = std::thread::scope(|scope| -> Result<Vec<u64>> {
        let mut threads = Vec::new();
        for _ in 0..clients {
            threads.push(scope.spawn(|| -> Result<()> {
                let mut client = Client::connect(address)?;
                while Instant::now() < end {
                    let page = &asked[next.fetch_add(1, Ordering::Relaxed) % asked.len()];
                    timed(
                        &mut client,
                        "/v1/query",
                        "application/json",
                        page.as_bytes(),
                        &finds,
                    )?;
                }
                Ok(())
            }));
        }
        threads.push(scope.spawn(|| -> Result<()> {
            let mut client = Client::connect(address)?;
            while Instant::now() < end {
                if !add_batch(&mut client, &new, &adds)? {
                    return Ok(());
                }
            }
            Ok(())
        }));
        let mut memories = Vec::new();
        while Instant::now() < end {
            memories.push(memory(address)?);
            std::thread::sleep(Duration::from_secs(seconds.div_ceil(10)));
        }
        for thread in threads {
            thread.join().map_err(|_| "a thread has failed")??;
        }
        Ok(memories)
    })?;
    let took = start.elapsed();
    let failed = "a thread has failed";
    finds.lock().map_err(|_| failed)?.print("match", took);
    adds.lock().map_err(|_| failed)?.print("add of 100", took);
    let watched: Vec<String> = watched.iter().map(ToString::to_string).collect();
    println!("memory over time, MB: {}", watched.join(" "));
    Ok(())
}

/// Adds the next batch of new pages; false if there are none left.
fn add_batch(
    client: &mut Client,
    new: &Mutex<impl Iterator<Item = String>>,
    adds: &Mutex<Times>,
) -> Result<bool> {
    let mut new = new.lock().map_err(|_| "a thread has failed")?;
    let batch: Vec<String> = new.by_ref().take(BATCH).collect();
    drop(new);
    if batch.is_empty() {
        return Ok(false);
    }
    let lines = batch.join("\n");
    timed(
        client,
        "/v1/pages",
        "application/x-ndjson",
        lines.as_bytes(),
        adds,
    )?;
    Ok(true)
}

fn add(address: SocketAddr, pages: &str, count: usize, skip: usize) -> Result<()> {
    let new = Mutex::new(lines(pages, skip)?.take(count));
    let adds = Mutex::<Times>::default();
    let start = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let worker = || -> Result<()> {
            let mut client = Client::connect(address)?;
            loop {
                if !add_batch(&mut client, &new, &adds)? {
                    return Ok(());
                }
            }
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(worker)).collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread has failed")??;
        }
        Ok(())
    })?;
    let took = start.elapsed();
    adds.lock()
        .map_err(|_| "a thread has failed")?
        .print("add of 100", took);
    println!(
        "{:.0} pages/s; memory {} MB",
        count as f64 / took.as_secs_f64(),
        memory(address)?
    );
    Ok(())
}

fn idle(address: SocketAddr, count: usize, seconds: u64) -> Result<()> {
    println!("memory before: {} MB", memory(address)?);
    let mut open = Vec::new();
    for _ in 0..count {
        open.push(TcpStream::connect(address)?);
    }
    println!(
        "{count} connections are open; memory {} MB",
        memory(address)?
    );
    let times = Mutex::<Times>::default();
    let (start, mut client) = (Instant::now(), Client::connect(address)?);
    while start.elapsed() < Duration::from_secs(seconds) {
        timed(
            &mut client,
            "/v1/query",
            "text/plain",
            b"Is anybody there?",
            &times,
        )?;
    }
    times
        .lock()
        .map_err(|_| "a thread has failed")?
        .print("match meanwhile", start.elapsed());
    let mut closed = 0;
    for stream in &mut open {
        stream.set_nonblocking(true)?;
        closed += usize::from(matches!(stream.read(&mut [0; 1]), Ok(0)));
    }
    println!(
        "{closed} were closed by the service; memory {} MB",
        memory(address)?
    );
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["mixed", at, pages, seconds, clients] => mixed(address(at)?, pages, seconds.parse()?, clients.parse()?, 0),
        ["mixed", at, pages, seconds, clients, skip] => {
            mixed(address(at)?, pages, seconds.parse()?, clients.parse()?, skip.parse()?)
        }
        ["add", at, pages, count] => add(address(at)?, pages, count.parse()?, 0),
        ["add", at, pages, count, skip] => add(address(at)?, pages, count.parse()?, skip.parse()?),
        ["idle", at, count, seconds] => idle(address(at)?, count.parse()?, seconds.parse()?),
        _ => Err("mixed ADDRESS PAGES SECONDS CLIENTS [SKIP] | add ADDRESS PAGES COUNT [SKIP] | idle ADDRESS CONNECTIONS SECONDS".into()),
    }
}
