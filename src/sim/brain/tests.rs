//! Does a well-behaved model read a conversation as a model would?
