//! Guards: the rules of the tree that no compiler checks.
//!
//! - `arrows`: which room uses which
//! - `effects`: which rooms open sockets, touch files, print, or ask for the time
//! - `layout`: headers, module maps, the size of folders
//! - `data`: provenance of fixtures, and no keys in committed files
//! - `source`: the production code of the tree, as the other guards read it

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a guard that cannot read the tree has failed"
)]

mod arrows;
mod data;
mod effects;
mod layout;
mod source;
