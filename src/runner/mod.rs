//! Which targets are probed, and where are they?
//!
//! - [`presets`](self): the providers that are known by name, as data
//! - [`config`](self), [`config_error`](self): `toolprobe.toml`, and where it is wrong
//! - [`duration`](self), [`extra_body`](self), [`choice`](self): what users write in it
//! - [`entry`](self): one target as written
//! - [`target`](self), [`access`](self), [`key`](self): presets and entries made into what is probed

mod access;
mod choice;
mod config;
mod config_error;
mod duration;
mod entry;
mod extra_body;
mod key;
mod presets;
mod target;

pub use access::{Access, KeyHeader};
pub use choice::DialectChoice;
pub use config::{Config, ConfigFile, Defaults, Limits, STARTER, Timeouts};
pub use config_error::ConfigError;
pub use duration::{NotASpan, Span};
pub use entry::{TargetEntry, VariantEntry};
pub use extra_body::{ExtraBody, NotAnObject};
pub use key::KeyFrom;
pub use presets::{Hosting, Preset, PresetEndpoint, PresetError, PresetKey, Variable, presets};
pub use target::{Endpoint, Env, Target, TargetError, resolve, resolve_endpoint};
