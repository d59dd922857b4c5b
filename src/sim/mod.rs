//! Simulated models behind a real HTTP server.
//!
//! Simulated models behind a real HTTP server. A model is a file (a dialect, a textual form or none,
//! quirks); it reads the conversation and the tools of a request and nothing else.
//!
//! - `model`, `expected`, `fleet`: the files and what they may say
//! - `pace`: how fast its streams come
//! - `quirks`: the ways to misbehave, as data
//! - `brain`: what a model says, before its server spells it
//! - `thinking`: whether it reasons on a request
//! - `rules`: what its provider refuses, and in which words
//! - `official`: what a provider's own service does around its model
//! - `routes`: further ways in which a server offers a model
//! - `output`: whether the server refuses what its model wrote
//! - `draw`: chance that can be repeated
//! - `seal`: what the server issued, verifiable without memory
//! - `issue`, `IdStyle`: which ids a provider gives to what it issues
//! - [`Sim`]: the server

#[cfg(test)]
mod behaviour;
pub(crate) mod brain;
mod draw;
mod expected;
mod fleet;
mod ids;
mod issue;
mod model;
mod official;
mod output;
mod pace;
pub(crate) mod quirks;
mod routes;
pub(crate) mod rules;
pub(crate) mod seal;
mod server;
mod thinking;

pub(crate) use draw::Draw;

pub use fleet::Fleet;

pub(crate) use ids::{IdStyle, Reasoned};
pub use model::Provenance;
pub(crate) use model::{ModelFile, NativeTools, RulesId, Thinking, ThinkingWhen};
pub(crate) use pace::Pace;

pub(crate) use server::{
    ARRIVALS_PATH, Arrival, ArrivalPage, Clock, Delivery, REPEAT_SLOWLY, RecordedAnswer,
    RecordedAnswers, RecordedHead, WATCHERS_PATH, WHERE_SERVED, served_at,
};
pub use server::{Options, Running, Sim};
pub(crate) use thinking::{dialect_switch, is_thinking, thinking_switch};
