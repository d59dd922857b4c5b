//! Objects of an S3-compatible service. The only file that knows its client, which brings a transport of its own.

use futures_util::stream::TryStreamExt as _;
use futures_util::{FutureExt as _, future::BoxFuture};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as Key;
use object_store::{
    Error, ObjectStore as _, ObjectStoreExt as _, PutMode, PutOptions, UpdateVersion,
};
use url::Url;

use super::{DepotAddress, DepotError, Expected, Object, Objects, Put};
use crate::secret::{Secret, remember};
use crate::transport::is_loopback;

/// The variables that are read, as other programs read them.
const VARIABLES: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_DEFAULT_REGION",
    "AWS_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// Of these, what must never be shown.
const SECRETS: &[&str] = &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/// A bucket, and a prefix in it.
pub(super) struct S3Objects {
    bucket: AmazonS3,
    /// The bucket's name.
    name: String,
    prefix: String,
}

impl S3Objects {
    pub(super) fn open(
        address: &DepotAddress,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, DepotError> {
        let setup = |problem: &dyn ToString| DepotError::Setup(problem.to_string());
        // Another one that was installed before does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = AmazonS3Builder::new().with_bucket_name(&address.bucket);
        for name in VARIABLES {
            let Some(value) = env(name).filter(|value| !value.is_empty()) else { continue };
            if SECRETS.contains(name) {
                remember(&Secret::new(value.clone()));
            }
            if name.starts_with("AWS_ENDPOINT_URL") {
                builder = builder.with_allow_http(is_allowed_in_the_clear(&value)?);
            }
            let key: AmazonS3ConfigKey =
                name.to_ascii_lowercase().parse().map_err(|error: Error| setup(&error))?;
            builder = builder.with_config(key, value);
        }
        let bucket = builder.build().map_err(|error| setup(&error))?;
        Ok(Self { bucket, name: address.bucket.clone(), prefix: address.prefix.clone() })
    }

    fn key(&self, key: &str) -> Key {
        let parts = self.prefix.split('/').chain(key.split('/'));
        parts.filter(|part| !part.is_empty()).collect()
    }

    fn failed(&self, action: &'static str, key: &str) -> impl FnOnce(Error) -> DepotError {
        move |error| {
            let problem = if is_of_bucket(&error) {
                format!("there is no bucket '{}'; make it, or name another one", self.name)
            } else {
                error.to_string()
            };
            DepotError::Service { action, key: key.to_owned(), problem }
        }
    }
}

/// Whether something is not there because its whole bucket is not.
fn is_of_bucket(error: &Error) -> bool {
    matches!(error, Error::NotFound { source, .. } if source.to_string().contains("NoSuchBucket"))
}

/// Whether an endpoint is asked over plain HTTP, which only this machine is.
fn is_allowed_in_the_clear(endpoint: &str) -> Result<bool, DepotError> {
    let url = Url::parse(endpoint)
        .map_err(|error| DepotError::Setup(format!("AWS_ENDPOINT_URL is not a URL: {error}")))?;
    if url.scheme() == "https" {
        return Ok(false);
    }
    if is_loopback(&url) {
        return Ok(true);
    }
    Err(DepotError::PlainHttp(url.host_str().unwrap_or_default().to_owned()))
}

impl Objects for S3Objects {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Object>, DepotError>> {
        async move {
            let got = match self.bucket.get(&self.key(key)).await {
                Err(error @ Error::NotFound { .. }) if !is_of_bucket(&error) => return Ok(None),
                got => got.map_err(self.failed("read", key))?,
            };
            let version = got.meta.e_tag.clone().unwrap_or_default();
            let bytes = got.bytes().await.map_err(self.failed("read", key))?.to_vec();
            Ok(Some(Object { bytes, version }))
        }
        .boxed()
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<Vec<String>, DepotError>> {
        async move {
            let (own, prefix) = (self.key(""), self.key(folder));
            let found = self.bucket.list(Some(&prefix)).try_collect::<Vec<_>>().await;
            let name = |key: &Key| {
                let parts = key.prefix_match(&own)?;
                Some(parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"))
            };
            let found = found.map_err(self.failed("list", folder))?;
            Ok(found.iter().filter_map(|object| name(&object.location)).collect())
        }
        .boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        expected: Expected,
    ) -> BoxFuture<'a, Result<Put, DepotError>> {
        async move {
            let mode = match expected {
                Expected::Nothing => PutMode::Create,
                Expected::Version(version) => {
                    PutMode::Update(UpdateVersion { e_tag: Some(version), version: None })
                }
            };
            let options = PutOptions { mode, ..PutOptions::default() };
            match self.bucket.put_opts(&self.key(key), bytes.into(), options).await {
                Ok(_) => Ok(Put::Written),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Put::Refused),
                Err(error) => Err(self.failed("write", key)(error)),
            }
        }
        .boxed()
    }
}
