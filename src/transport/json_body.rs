//! JSON bodies of requests: a value, and its text, which is written once.
//!
//! The same text is sent, counted, stored as evidence and hashed.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A JSON body. Clones share it.
#[derive(Clone)]
pub struct JsonBody(Arc<Written>);

struct Written {
    value: Value,
    text: OnceLock<Box<RawValue>>,
}

impl JsonBody {
    /// The body as it is sent.
    pub fn text(&self) -> &str {
        self.raw().get()
    }

    fn raw(&self) -> &RawValue {
        // Writing a value to memory does not fail.
        let write = || to_raw_value(&self.0.value).unwrap_or_else(|_| RawValue::NULL.to_owned());
        self.0.text.get_or_init(write)
    }
}

impl From<Value> for JsonBody {
    fn from(value: Value) -> Self {
        Self(Arc::new(Written { value, text: OnceLock::new() }))
    }
}

impl From<JsonBody> for Value {
    fn from(body: JsonBody) -> Self {
        Arc::try_unwrap(body.0).map_or_else(|shared| shared.value.clone(), |own| own.value)
    }
}

impl Deref for JsonBody {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.value
    }
}

/// The bytes as they are sent.
impl AsRef<[u8]> for JsonBody {
    fn as_ref(&self) -> &[u8] {
        self.text().as_bytes()
    }
}

impl PartialEq for JsonBody {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for JsonBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for JsonBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_is_written_as_its_value_is_and_reads_back() {
        let value = json!({"z": [1.10, "ä\n\"", null], "a": {"deep": [{}, []]}});
        let body = JsonBody::from(value.clone());
        assert_eq!(body.text(), value.to_string());
        let stored = serde_json::to_string(&[&body]).unwrap();
        assert_eq!(stored, format!("[{value}]"));
        let [read]: [JsonBody; 1] = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, body);
        assert_eq!(Value::from(read), value);
    }
}
