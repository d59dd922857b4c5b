//! The lines of a journal, as they are written and read.
//!
//! An exchange is hashed as it is written: its `record` is the JSON that its digest is of, and the
//! times, which the digest does not cover, stand beside it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::ir::Digest;
use crate::secret::scrub_bytes;
use crate::transport::{Exchange, Measurements, RequestKey, SentRequest, Spent, Standing};

/// The version of the lines that this program writes.
pub(crate) const JOURNAL_VERSION: u32 = 1;

/// From this size on records are compressed.
const COMPRESSED_FROM: usize = 16 * 1024;

/// What a record may grow to when it is read: far beyond what transport lets into one.
const READ_LIMIT: u64 = 512 * 1024 * 1024;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line<'a> {
    /// The first: what the file is.
    #[serde(rename_all = "camelCase")]
    Begin { journal_version: u32, target: Cow<'a, str> },
    /// A request is about to be sent, and can cost this at most. It counts until it is settled.
    Reserved(Spent),
    /// What a request did cost for which this was reserved.
    Settled { reserved: Spent, used: Spent },
    /// An exchange that is over.
    #[serde(borrow)]
    Exchange(StoredExchange<'a>),
    /// A resumed run took the answer that begins there instead of asking again.
    Recalled(u64),
    /// Where each exchange begins, by its digest, and what was spent so far.
    Index { at: BTreeMap<String, u64>, spent: Spent },
    /// Where the line with the index begins.
    IndexAt(u64),
    /// A line of a newer version.
    #[serde(other)]
    Unknown,
}

/// An exchange as it is stored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoredExchange<'a> {
    pub(super) digest: Digest,
    answered: bool,
    times: Measurements,
    /// The JSON that the digest is of.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    record: Option<&'a RawValue>,
    /// The same, compressed by gzip and written as base64, where it is large.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    packed: Option<Cow<'a, str>>,
}

impl Line<'_> {
    /// The line with its end.
    pub(super) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// The line of an exchange, and its digest.
pub(super) fn exchange_line(
    exchange: &mut Exchange,
    standing: Standing,
) -> io::Result<(Digest, Vec<u8>)> {
    let (said, times) = exchange.split();
    let said = scrub_bytes(&said);
    let digest = Digest::of(&said);
    let packed = (said.len() >= COMPRESSED_FROM).then(|| pack(&said)).transpose()?;
    // Not written by serde, which would read the record once more to be sure that it is JSON.
    let mut line = Vec::with_capacity(packed.as_ref().map_or(said.len(), String::len) + 256);
    write!(line, "{{\"exchange\":{{\"digest\":\"{digest}\",")?;
    write!(line, "\"answered\":{},\"times\":", standing == Standing::Answered)?;
    serde_json::to_writer(&mut line, &times)?;
    if let Some(packed) = packed {
        write!(line, ",\"packed\":\"{packed}\"")?;
    } else {
        line.extend_from_slice(b",\"record\":");
        line.extend_from_slice(&said);
    }
    line.extend_from_slice(b"}}\n");
    Ok((digest, line))
}

impl StoredExchange<'_> {
    /// Whether a resumed run takes this answer.
    pub(super) fn is_answered(&self) -> bool {
        self.answered
    }

    /// The key of its request; `None` where it cannot be read.
    pub(super) fn key(&self) -> Option<RequestKey> {
        #[derive(Deserialize)]
        struct Request {
            request: SentRequest,
        }
        let said = self.read_said().ok()?;
        let read: Request = serde_json::from_slice(&said).ok()?;
        Some(RequestKey::of(&read.request))
    }

    /// The exchange; `None` where it is not what its digest says.
    pub(super) fn read(&self) -> Option<Exchange> {
        let said = self.read_said().ok()?;
        if Digest::of(&said) != self.digest {
            return None;
        }
        let mut exchange: Exchange = serde_json::from_slice(&said).ok()?;
        exchange.measure(&self.times);
        exchange.kept = Some(self.digest.clone());
        Some(exchange)
    }

    fn read_said(&self) -> io::Result<Cow<'_, [u8]>> {
        match (self.record, &self.packed) {
            (Some(record), _) => Ok(Cow::Borrowed(record.get().as_bytes())),
            (None, Some(packed)) => unpack(packed).map(Cow::Owned),
            (None, None) => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Without a time or a name in its header, so that equal records are equal bytes.
fn pack(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}

fn unpack(packed: &str) -> io::Result<Vec<u8>> {
    let bytes = STANDARD.decode(packed).map_err(io::Error::other)?;
    let mut out = Vec::new();
    GzDecoder::new(bytes.as_slice()).take(READ_LIMIT).read_to_end(&mut out)?;
    Ok(out)
}
