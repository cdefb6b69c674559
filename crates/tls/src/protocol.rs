//! Protocols over TLS.

/// What is spoken over TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1, which clients may ask for by name (ALPN, RFC 7301).
    Http,
    /// Bolt, which has no such name.
    Bolt,
}
