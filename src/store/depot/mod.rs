//! The depot: runs, snapshots and history in object storage, for machines that share no folder.
//!
//! ```text
//! <prefix>/runs/<run>/…        the files of a run; its manifest comes last, and with it the run is there
//! <prefix>/runs/<run>/claim    who publishes it: two runs of the same second do not share a name
//! <prefix>/snapshots.json      all snapshots in one object, so that they change together
//! <prefix>/history.csv, metrics.csv
//! ```
//!
//! A run is written to a local folder as always, and published when it is over. Nothing is overwritten
//! blindly: an object is created only where there is none, and changed only as it was read, so that of two
//! writers none loses what the other wrote.
//!
//! - `runs`, `shared`: publishing and fetching runs; snapshots and history
//! - `s3`: the objects of an S3-compatible service, with the feature `object-store`

mod runs;
#[cfg(feature = "object-store")]
mod s3;
mod shared;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use futures_util::future::BoxFuture;

use super::StoreError;
pub(crate) use shared::FetchedSnapshots;

/// Objects by their keys, each with a version that another version never has.
///
/// Implemented by S3-compatible services. A put that fails may have been done all the same; whoever tries it again
/// finds that out by what is there.
pub(crate) trait Objects: Send + Sync {
    /// An object; `None` where there is none.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Object>, DepotError>>;

    /// The keys that begin with these words and a slash.
    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<Vec<String>, DepotError>>;

    /// Writes an object, if it is as `expected` says.
    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        expected: Expected,
    ) -> BoxFuture<'a, Result<Put, DepotError>>;
}

/// What an object holds, and in which version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) bytes: Vec<u8>,
    pub(crate) version: String,
}

/// What must be there for an object to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    Nothing,
    Version(String),
}

/// What came of a put.
#[cfg_attr(
    not(any(test, feature = "object-store")),
    expect(dead_code, reason = "only services know what came of it")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    Written,
    /// Something else is there than was expected.
    Refused,
}

/// Why the depot cannot be used.
#[cfg_attr(
    not(feature = "object-store"),
    expect(dead_code, reason = "what only services say, where there are none")
)]
#[derive(Debug, thiserror::Error)]
pub(crate) enum DepotError {
    /// The address is not one of object storage.
    #[error("'{0}' is not a place in object storage, such as s3://bucket/prefix")]
    NotAnAddress(String),
    /// This program has no object storage.
    #[cfg(not(feature = "object-store"))]
    #[error(
        "this toolprobe was built without object storage; `cargo install toolprobe --features \
         object-store` builds one that has it"
    )]
    NotBuilt,
    /// The keys would be readable on their way.
    #[error("credentials would be sent to {0} over plain HTTP; use https in AWS_ENDPOINT_URL")]
    PlainHttp(String),
    /// The settings of the service are wrong.
    #[error("object storage cannot be set up: {0}")]
    Setup(String),
    /// The service refused, or cannot be reached.
    #[error("cannot {action} {key} in object storage: {problem}")]
    Service {
        /// What was tried.
        action: &'static str,
        /// On which object.
        key: String,
        /// What the service said.
        problem: String,
    },
    /// Others write all the time.
    #[error("{key} in object storage was changed by others again and again; try it once more")]
    Contended {
        /// The object.
        key: String,
    },
    /// Somebody changed the snapshots meanwhile.
    #[error(
        "the snapshots in object storage were changed by somebody else meanwhile; nothing was \
         written: run `toolprobe accept` again"
    )]
    SnapshotsChanged,
    /// What an object holds is not what its key says.
    #[error("{key} in object storage cannot be read: {problem}")]
    Malformed {
        /// The object.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// No such run is published.
    #[error("no run {0} in object storage")]
    NoSuchRun(String),
    /// The local side failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A place in object storage: `s3://bucket/prefix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DepotAddress {
    bucket: String,
    /// Without slashes at its ends; may be empty.
    prefix: String,
}

impl FromStr for DepotAddress {
    type Err = DepotError;

    fn from_str(text: &str) -> Result<Self, DepotError> {
        let rest = text.strip_prefix("s3://").unwrap_or_default();
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if bucket.is_empty() || !bucket.chars().all(is_name) || prefix.contains(['?', '#']) {
            return Err(DepotError::NotAnAddress(text.to_owned()));
        }
        let prefix = prefix.trim_matches('/').to_owned();
        Ok(Self { bucket: bucket.to_owned(), prefix })
    }
}

/// Runs, snapshots and history in object storage.
pub(crate) struct Depot {
    objects: Box<dyn Objects>,
}

impl Depot {
    /// Opens a place in object storage, with the credentials of the usual `AWS_…` variables.
    #[cfg(feature = "object-store")]
    pub(crate) fn open(
        address: &DepotAddress,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, DepotError> {
        Ok(Self { objects: Box::new(s3::S3Objects::open(address, env)?) })
    }

    /// There is no object storage in this program.
    #[cfg(not(feature = "object-store"))]
    pub(crate) fn open(
        address: &DepotAddress,
        _env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, DepotError> {
        let DepotAddress { bucket: _, prefix: _ } = address;
        Err(DepotError::NotBuilt)
    }
}
