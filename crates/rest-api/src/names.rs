//! Names of HugeGraph's contract that do not change.

/// The one graph space there is.
pub(crate) use rest_errors::DEFAULT_SPACE;

/// The version of HugeGraph whose API this is.
pub(crate) const CORE_VERSION: &str = "1.7.0";

/// What records of events call the protocol.
pub(crate) const PROTOCOL: &str = "rest";
