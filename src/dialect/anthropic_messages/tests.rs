//! Does this dialect keep the laws, and what does it do at their edges?
