//! Metrics for Prometheus.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use retold_index::Index;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    route: String,
}

/// Bucket bounds of time histograms, in seconds.
const SECONDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

#[derive(Clone)]
pub(crate) struct Metrics {
    registry: Arc<Registry>,
    requests: Family<Answered, Counter>,
    seconds: Family<Route, Histogram>,
    in_flight: Gauge,
    connections: Gauge,
    pages_added: Counter,
    commits: Counter,
    commit_seconds: Histogram,
    pages: Gauge,
    memory: Gauge,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("retold");
        let requests = Family::default();
        registry.register("requests", "Requests that were answered", requests.clone());
        let seconds =
            Family::new_with_constructor((|| Histogram::new(SECONDS)) as fn() -> Histogram);
        registry.register_with_unit(
            "request",
            "Time until the answer",
            Unit::Seconds,
            seconds.clone(),
        );
        let in_flight = Gauge::default();
        registry.register(
            "requests_in_flight",
            "Requests that are being answered",
            in_flight.clone(),
        );
        let connections = Gauge::default();
        registry.register("connections", "Open connections", connections.clone());
        let pages_added = Counter::default();
        registry.register("pages_committed", "Pages in commits", pages_added.clone());
        let commits = Counter::default();
        registry.register("commits", "Commits of pages", commits.clone());
        let commit_seconds = Histogram::new(SECONDS);
        registry.register_with_unit(
            "commit",
            "Time of a commit",
            Unit::Seconds,
            commit_seconds.clone(),
        );
        let pages = Gauge::default();
        registry.register("pages", "Pages that are in the index", pages.clone());
        let memory = Gauge::default();
        registry.register_with_unit(
            "memory",
            "Memory that the process has",
            Unit::Bytes,
            memory.clone(),
        );
        Metrics {
            registry: Arc::new(registry),
            requests,
            seconds,
            in_flight,
            connections,
            pages_added,
            commits,
            commit_seconds,
            pages,
            memory,
        }
    }
}

impl Metrics {
    /// Counts a request until the returned value is dropped.
    pub(crate) fn begin(&self) -> GaugeGuard {
        GaugeGuard::new(&self.in_flight)
    }

    /// Counts a connection until the returned value is dropped.
    pub(crate) fn connected(&self) -> GaugeGuard {
        GaugeGuard::new(&self.connections)
    }

    pub(crate) fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let route = route.to_owned();
        self.seconds
            .get_or_create(&Route {
                route: route.clone(),
            })
            .observe(took.as_secs_f64());
        let answered = Answered {
            method: method.to_owned(),
            route,
            status,
        };
        self.requests.get_or_create(&answered).inc();
    }

    pub(crate) fn committed(&self, pages: usize, took: Duration) {
        self.pages_added.inc_by(pages as u64);
        self.commits.inc();
        self.commit_seconds.observe(took.as_secs_f64());
    }

    pub(crate) fn text(&self, index: &Index) -> String {
        self.pages.set(index.len() as i64);
        self.memory
            .set(retold::internal::resident_memory().unwrap_or_default() as i64);
        let mut text = String::new();
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Increments a gauge while it exists.
#[derive(Debug)]
pub(crate) struct GaugeGuard(Gauge);

impl GaugeGuard {
    fn new(gauge: &Gauge) -> GaugeGuard {
        gauge.inc();
        GaugeGuard(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
