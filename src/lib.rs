//! toolprobe measures how an LLM endpoint really does tool calling.
//!
//! The layers, from the bottom up (an arrow in `CONTRIBUTING.md` for each allowed dependency):
//!
//! - [`ir`]: the one representation every provider format becomes
//! - [`wire`]: bytes to frames (SSE, NDJSON, JSON arrays)
//! - [`dialect`]: frames and bodies to `ir` and back, for five provider protocols
//! - [`textcall`]: which calls are in a text
//! - [`prompted`]: teaching a model to call in text
//! - [`telemetry`]: what happened turn by turn, and the seven numbers that sum it up
//! - [`tools`]: the probe tools and the registry that validates and runs them
//! - [`transport`]: HTTP with limits, retries and an evidence record per exchange
//! - [`conversation`]: one turn against an endpoint
//! - [`probe`]: what is asked and how the answer is judged
//! - [`profile`]: what is known of an endpoint, and how it follows from trials
//! - [`adapt`]: what follows from a profile: corrections, rewriting, tiers, settings of other programs
//! - [`store`]: what is kept on disk: runs, evidence, snapshots, history
//! - [`regress`]: what changed, is it real, and does it matter
//! - [`sim`]: simulated models behind a real HTTP server
//! - `audit`: what an adapter does to each field of a request
//! - [`target`]: what is probed, how it is reached, what it says of itself
//! - [`campaign`]: many targets: order, limits, resume, confirmation, both sides of an adapter
//! - [`replay`]: transcripts: recording, replaying, judging again
//! - [`cli`]: the command line

pub mod adapt;
mod audit;
pub mod campaign;
pub mod cli;
pub mod conversation;
mod cores;
pub mod dialect;
pub mod ir;
pub mod probe;
pub mod profile;
pub mod prompted;
pub mod regress;
pub mod replay;
pub mod report;
mod secret;
pub mod sim;
pub mod store;
mod suggest;
pub mod target;
pub mod telemetry;
pub mod textcall;
pub mod tools;
pub mod transport;
pub mod wire;

/// The Rust examples of the documentation compile and hold.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;
