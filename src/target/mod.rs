//! What is probed, how it is reached, and what it says of itself.

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
mod key;
mod offered;
mod presets;
mod resolve;
mod simulated;
mod template;
mod template_file;
#[cfg(test)]
mod testing;

pub use access::{Access, KeyHeader};
pub use choice::DialectChoice;
pub use config::{Config, ConfigFile, Defaults, Limits, STARTER, Timeouts};
pub use config_error::ConfigError;
pub(crate) use connect::MAX_TOKENS;
pub use connect::{ConnectError, Connection, Connector, connect};
pub use credentials::{Credentials, MissingKey};
pub use dialect_answer::{DialectAnswer, Rank};
pub use discover::{DiscoverError, Discovery, discover};
pub use duration::{NotASpan, Span};
pub use entry::{TargetEntry, VariantEntry};
pub use extra_body::{ExtraBody, NotAnObject};
pub(crate) use inspect::questions;
pub use inspect::{Inspection, inspect};
pub use key::KeyFrom;
pub use presets::{Hosting, Preset, PresetEndpoint, PresetError, PresetKey, Variable, presets};
pub use resolve::{Endpoint, Env, Target, TargetError, resolve, resolve_endpoint};
pub(crate) use simulated::ADDRESS;
pub use simulated::{simulated, simulated_fleet};
pub use template::Template;
pub use template_file::{TemplateFileError, read_template};
