//! The type of results.

/// An error is one sentence for the user.
pub type Result<T> = std::result::Result<T, String>;
