//! Is the verdict right on endpoints that somebody else wrote, and is trouble never taken for one?
//!
//! The servers here are written by hand, byte by byte, and share nothing with the simulator.
//!
//! - `server`: a loopback server that answers each request with scripted bytes
//! - `mind`: a model that does as it is told, from the text of a conversation alone
//! - `chat`: how a chat server hears and speaks; `others`: how the other dialects do; `places`: all five
//! - `forced`: models that call only when told to; `limits`: replies that the token limit ended
//! - `modes`: endpoints that only stream, and suites that are asked in one way
//! - `parallel`: two calls and their results; `refusals`: accounts that run dry
//! - `plans`: what a plan makes of strangers and faults
//! - `trouble`: infrastructure; `strangers`: personalities; `wild`: single faults, and where they show

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on has failed"
)]

mod chat;
mod forced;
mod limits;
mod mind;
mod modes;
mod others;
mod parallel;
mod places;
mod plans;
mod refusals;
mod server;
mod strangers;
mod trouble;
mod wild;

use std::process::{Command, Stdio};

use serde_json::Value;

/// What probing said.
struct Verdict {
    code: Option<i32>,
    profile: Value,
    errors: String,
}

impl Verdict {
    /// The status and the reason of a result.
    fn result(&self, name: &str) -> (&str, &str) {
        let result = &self.profile["results"][name];
        (
            result["status"].as_str().unwrap_or_default(),
            result["reason"].as_str().unwrap_or_default(),
        )
    }

    /// Every status anywhere in the results.
    fn statuses(&self) -> Vec<String> {
        fn walk(value: &Value, out: &mut Vec<String>) {
            if let Value::Object(map) = value {
                out.extend(map.get("status").and_then(Value::as_str).map(str::to_owned));
                map.values().for_each(|inner| walk(inner, out));
            }
        }
        let mut out = Vec::new();
        walk(&self.profile["results"], &mut out);
        out
    }
}

/// Probes with the program itself.
async fn probe(url: &str, args: &[&str]) -> Verdict {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolprobe"));
    command.env_clear().args(["probe", url, "--model", "m", "--format", "json"]);
    command.arg("--no-keep").args(args);
    command.stdin(Stdio::null());
    let done = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    Verdict {
        code: done.status.code(),
        profile: serde_json::from_slice(&done.stdout).unwrap_or_default(),
        errors: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}
