//! Which targets are probed, and where are they?
//!
//! - [`presets`](self): the providers that are known by name, as data
//! - [`config`](self), [`config_error`](self): `toolprobe.toml`, and where it is wrong
//! - [`duration`](self), [`extra_body`](self), [`choice`](self): what users write in it
//! - [`entry`](self): one target as written
//! - [`target`](self), [`access`](self), [`key`](self): presets and entries made into what is probed
//! - [`credentials`](self): what every request carries beside its body
//! - [`discover`](self), [`hearing`](self): which dialect an endpoint speaks
//! - [`offered`](self): which models it lists
//! - [`template`](self), [`template_file`](self), [`inspect`](self): the chat template, and what else
//!   a server tells of itself
//! - [`connect`](self), [`session`](self), [`cost`](self): from a target to its profile, and at what
//!   cost
//! - [`fleet`](self), [`record`](self): all targets, some at a time, and what is kept of it
//! - [`resume`](self): what of a run that was broken off still stands
//! - [`freshness`](self): whether a target needs probing
//! - [`confirm`](self): whether a suspected regression is still there
//! - [`rejudge`](self): from recorded exchanges to the same results
//! - [`transcript`](self), [`transcribe`](self): the file of a recording, and how it is made
//! - [`replay`](self), [`streams`](self): whether a recording still shows what it showed
//! - [`assess`](self): what the evidence of a run shows by the rules of today
//! - [`behind`](self), [`reach`](self), [`sighting`](self): which simulated models an adapter leads to,
//!   whether it does, and what it lets through
//! - [`simulated`](self): the targets where there is no configuration

mod access;
mod assess;
mod behind;
mod choice;
mod config;
mod config_error;
mod confirm;
mod connect;
mod cost;
mod credentials;
mod discover;
mod duration;
mod entry;
mod extra_body;
mod fleet;
mod freshness;
mod hearing;
mod inspect;
mod key;
mod offered;
mod presets;
mod reach;
mod record;
mod rejudge;
mod replay;
mod resume;
mod session;
mod sighting;
mod simulated;
mod streams;
mod target;
mod template;
mod template_file;
#[cfg(test)]
mod testing;
mod transcribe;
mod transcript;

pub use access::{Access, KeyHeader};
pub use assess::{AssessError, Assessed, assess};
pub use behind::{Behind, BehindError, behind};
pub use choice::DialectChoice;
pub use config::{Config, ConfigFile, Defaults, Limits, STARTER, Timeouts};
pub use config_error::ConfigError;
pub use confirm::{Confirmed, Suspect, confirm, confirm_all};
pub use connect::{ConnectError, Connection, Lines, connect};
pub use cost::foreseen;
pub use credentials::{Credentials, MissingKey};
pub use discover::{DiscoverError, Discovery, discover};
pub use duration::{NotASpan, Span};
pub use entry::{TargetEntry, VariantEntry};
pub use extra_body::{ExtraBody, NotAnObject};
pub use fleet::{Job, Overseer, visit_all};
pub use freshness::freshness;
pub use hearing::{Heard, Rank};
pub use inspect::{Inspection, inspect};
pub use key::KeyFrom;
pub use offered::offered_models;
pub use presets::{Hosting, Preset, PresetEndpoint, PresetError, PresetKey, Variable, presets};
pub use reach::{NotReached, reached};
pub use record::{Over, Record, open_question};
pub use rejudge::{Recorded, RejudgeError, Rejudged, rejudge, verdicts};
pub use replay::{Problem, Replayed, StreamPlace, StreamProblem, replay, replay_by};
pub use resume::{ResumeError, Resumed};
pub use session::{Plan, Probed, SessionError, probe_target};
pub use sighting::seen;
pub use simulated::{simulated, simulated_fleet};
pub use target::{Endpoint, Env, Target, TargetError, resolve, resolve_endpoint};
pub use template::Template;
pub use template_file::{TemplateFileError, read_template};
pub use transcribe::{Origin, TranscribeError, transcribe};
pub use transcript::{Asked, Said, SaidBody, SaidFrame, TRANSCRIPT_VERSION, Take, Transcript};
