//! Watchers: who reads the arrivals at the moment. Two gates at once would take the requests of one for
//! those of the other, so that each asks to be the only one, and says so again while it runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::Method;
use serde_json::json;
use tokio::time::Instant;

use super::answer::HttpAnswer;
use super::respond::IncomingRequest;

/// Where a watcher says that it watches, its name after a slash, and `/end` behind that when it is done.
pub(crate) const WATCHERS_PATH: &str = "/toolprobe/watchers";

/// How long a watcher counts that has not been heard of.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(10);

/// Those who watch, by when each was last heard of.
#[derive(Debug, Clone, Default)]
pub(super) struct Watchers(Arc<Mutex<BTreeMap<String, Instant>>>);

impl Watchers {
    /// Lets the first one watch and refuses all others with a 409; `None` for other requests.
    pub(super) fn answer(&self, incoming: &IncomingRequest<'_>) -> Option<HttpAnswer> {
        let name = incoming.path.strip_prefix(WATCHERS_PATH)?.strip_prefix('/')?;
        let (name, ends) = match name.strip_suffix("/end") {
            Some(name) => (name, true),
            None => (name, false),
        };
        if *incoming.method != Method::GET {
            return None;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        known.retain(|_, heard| now.duration_since(*heard) < FORGOTTEN_AFTER);
        if ends {
            known.remove(name);
        } else if known.is_empty() || known.contains_key(name) {
            known.insert(name.to_owned(), now);
        } else {
            return Some(HttpAnswer::json(
                409,
                &json!({"watchers": known.keys().collect::<Vec<_>>()}),
            ));
        }
        Some(HttpAnswer::json(200, &json!({})))
    }
}
