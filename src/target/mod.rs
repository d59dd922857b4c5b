//! Targets: what is probed, how it is reached, and what it says of itself.
//!
//! - `config`, `config_error`, `entry`: `toolprobe.toml`, and where it is wrong
//! - `duration`, `extra_body`, `choice`: values that users write in it
//! - `presets`: the providers that are known by name, as data
//! - `resolve`: presets and entries made into targets; `simulated`: the targets without a configuration
//! - `access`, `credentials`: dialects and URLs of an endpoint, and what every request carries
//! - `connect`: from a target to a connection
//! - `discover`, `dialect_answer`: which dialect an endpoint speaks; `offered`: which models it lists
//! - `inspect`, `template`: what a server tells of itself, and the chat template

mod access;
mod choice;
mod config;
mod config_error;
mod connect;
mod credentials;
mod dialect_answer;
mod discover;
mod duration;
mod entry;
mod extra_body;
mod inspect;
mod offered;
mod presets;
mod prices;
mod resolve;
mod simulated;
mod template;
#[cfg(test)]
mod testing;

pub(crate) use access::Access;
pub(crate) use choice::DialectChoice;
pub(crate) use config::{Bounds, Config, Limits, Timeouts};
pub use config::{ConfigFile, Defaults, STARTER};
pub use config_error::ConfigError;
pub use connect::{Connection, connect};
pub(crate) use connect::{Connector, MAX_TOKENS};
pub(crate) use credentials::{Credentials, KeyFrom, MissingKey, secrets_in_fields};

pub(crate) use discover::{DiscoverError, Discovery, GREETINGS, discover};
pub(crate) use duration::Span;
pub(crate) use entry::TargetEntry;
pub(crate) use extra_body::ExtraBody;
pub(crate) use inspect::{Inspection, inspect, questions};
pub(crate) use presets::{Hosting, Preset, presets};
pub(crate) use prices::Prices;
pub use resolve::Target;
pub(crate) use resolve::{Endpoint, Env, TargetError, resolve, resolve_endpoint};
pub(crate) use simulated::ADDRESS;
pub use simulated::{simulated, simulated_fleet};
pub(crate) use template::{Template, TemplateFileError, read_template};
