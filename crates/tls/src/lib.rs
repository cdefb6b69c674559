//! TLS on the listeners of a server: which certificate it shows, and whose it accepts.
//!
//! What it is: [`Tls`], which reads certificate, key and CA from files, reads them again when they change, and takes
//! connections through the handshake; [`Stream`], the bytes of a connection, encrypted or not; and
//! [`ClientCertificate`], the user that a client's certificate names. What it is not: it speaks no protocol above TLS
//! and knows no users. The cryptography is that of `rustls` with `ring`, TLS 1.2 and 1.3.
//!
//! Invariants:
//! - Connections that are open are not touched by new files; files that cannot be used replace nothing.
//! - A handshake has a time limit, and a failed one costs its connection only.
//! - Only a certificate that the CA of the settings has signed names a user.
//!
//! Start reading at [`Tls`].

mod acceptor;
mod error;
mod files;
mod handshake;
pub mod limits;
mod protocol;
mod stream;
mod validity;

pub use acceptor::Tls;
pub use error::{Problem, TlsError};
pub use files::{Demand, Files};
pub use handshake::{Accepted, HandshakeError};
pub use protocol::Protocol;
pub use stream::Stream;
pub use validity::ClientCertificate;
