//! A count of the bytes that parsing examines, so that a test can hold it against the input's length.
//!
//! Whatever goes through text of no fixed length charges it here. Outside tests this does nothing.

#[cfg(not(test))]
#[inline]
pub(crate) const fn charge(_bytes: usize) {}

#[cfg(test)]
pub(crate) use tests::charge;

#[cfg(test)]
mod tests;
