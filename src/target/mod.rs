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

pub use access::{Access, KeyHeader};
pub use choice::DialectChoice;
pub use config::{Bounds, Config, ConfigFile, Defaults, Limits, STARTER, Timeouts};
pub use config_error::ConfigError;
pub(crate) use connect::MAX_TOKENS;
pub use connect::{ConnectError, Connection, Connector, connect};
pub(crate) use credentials::secrets_in_fields;
pub use credentials::{Credentials, KeyFrom, MissingKey};
pub use dialect_answer::{DialectAnswer, Rank};
pub(crate) use discover::GREETINGS;
pub use discover::{DiscoverError, Discovery, discover};
pub use duration::{NotASpan, Span};
pub use entry::{TargetEntry, VariantEntry};
pub use extra_body::{ExtraBody, NotAnObject};
pub(crate) use inspect::questions;
pub use inspect::{Inspection, inspect};
pub use presets::{Hosting, Preset, PresetEndpoint, PresetError, PresetKey, Variable, presets};
pub use prices::{Prices, PricesError};
pub use resolve::{Endpoint, Env, Target, TargetError, resolve, resolve_endpoint};
pub(crate) use simulated::ADDRESS;
pub use simulated::{simulated, simulated_fleet};
pub use template::{Template, TemplateFileError, read_template};
