//! Test server, and the tests of the HTTP transport over it.

mod loopback;
pub(crate) mod scripted;
