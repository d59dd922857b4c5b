//! The field audit: what an adapter does to each field of a request.
//!
//! A catalogue says which fields there are and what a faithful translation of each looks like in the
//! other dialects. A request with one of them is sent through the adapter, and the body that arrived
//! upstream is compared with the body that left.
//!
//! - `catalogue`: the fields, as data in `probes/fields`
//! - `place`: paths such as `tools[0].function.strict` in a body
//! - `question`: the request that carries a field
//! - `fate`: what became of a field
//! - `report`: what an audit found

mod catalogue;
mod fate;
mod place;
mod question;
mod report;

#[cfg(test)]
pub(crate) use catalogue::Concern;
pub(crate) use catalogue::{Catalogue, Field, FieldFile};
pub(crate) use fate::{Fate, FateKind, Passage, fate_of, find_added};
pub(crate) use question::{baseline, question};
pub(crate) use report::{AUDIT_VERSION, AuditReport, FieldRow, ModelAudit};
