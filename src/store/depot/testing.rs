//! Objects in memory, for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::task::yield_now;

use super::{Depot, DepotError, Expected, Object, Objects, Put};

/// Keeps to what the trait asks for. Others get their turn before every step.
#[derive(Debug, Clone, Default)]
pub(super) struct InMemory(Arc<Mutex<BTreeMap<String, Object>>>);

impl InMemory {
    pub(super) fn depot(&self) -> Depot {
        Depot { objects: Box::new(self.clone()) }
    }

    pub(super) fn objects(&self) -> BTreeMap<String, Object> {
        self.0.lock().unwrap().clone()
    }

    pub(super) fn remove(&self, key: &str) {
        self.0.lock().unwrap().remove(key).expect("there is such an object");
    }

    pub(super) fn insert(&self, key: &str, bytes: &[u8]) {
        let object = Object { bytes: bytes.to_vec(), version: "by hand".to_owned() };
        self.0.lock().unwrap().insert(key.to_owned(), object);
    }
}

impl Objects for InMemory {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Object>, DepotError>> {
        async move {
            yield_now().await;
            Ok(self.0.lock().unwrap().get(key).cloned())
        }
        .boxed()
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<Vec<String>, DepotError>> {
        let folder = format!("{folder}/");
        let objects = self.objects();
        std::future::ready(Ok(objects.into_keys().filter(|key| key.starts_with(&folder)).collect()))
            .boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        bytes: Vec<u8>,
        expected: Expected,
    ) -> BoxFuture<'a, Result<Put, DepotError>> {
        async move {
            yield_now().await;
            let mut objects = self.0.lock().unwrap();
            let version = objects.get(key).map(|object| object.version.clone());
            if version != expected_version(expected) {
                return Ok(Put::Refused);
            }
            let version = format!("{}-{}", objects.len(), version.unwrap_or_default());
            objects.insert(key.to_owned(), Object { bytes, version });
            Ok(Put::Written)
        }
        .boxed()
    }
}

fn expected_version(expected: Expected) -> Option<String> {
    match expected {
        Expected::Nothing => None,
        Expected::Version(version) => Some(version),
    }
}
