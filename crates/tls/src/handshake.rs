//! Handshakes.

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::limits::{HANDSHAKE_TIME_MAX, PLAIN_TEXT_BYTES_MAX, PLAIN_TEXT_TIME_MAX};
use crate::stream::Stream;
use crate::validity::ClientCertificate;

/// The first byte of a record in which a handshake begins (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// A connection after its handshake.
#[derive(Debug)]
pub struct Accepted {
    /// Its bytes.
    pub stream: Stream,
    /// The user that the client's certificate names, if it has shown one.
    pub certificate: Option<ClientCertificate>,
}

/// Why a connection did not get through the handshake.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// It was too slow.
    #[error("the TLS handshake was not done within {} s (HANDSHAKE_TIME_MAX)", HANDSHAKE_TIME_MAX.as_secs())]
    TimedOut,
    /// The client does not speak TLS.
    #[error("the client does not speak TLS")]
    PlainText,
    /// The handshake failed, or the connection.
    #[error("the TLS handshake failed: {0}")]
    Failed(#[from] io::Error),
}

/// Takes a connection through the handshake, with what is shown at this moment.
pub(crate) async fn accept(config: Arc<ServerConfig>, stream: TcpStream) -> Result<Accepted, HandshakeError> {
    timeout(HANDSHAKE_TIME_MAX, shake_hands(config, stream)).await.map_err(|_| HandshakeError::TimedOut)?
}

async fn shake_hands(config: Arc<ServerConfig>, stream: TcpStream) -> Result<Accepted, HandshakeError> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    if first != [HANDSHAKE] {
        if first[0].is_ascii_uppercase() {
            refuse_plain_text(stream).await?;
        }
        return Err(HandshakeError::PlainText);
    }
    let stream = TlsAcceptor::from(config).accept(stream).await?;
    let (_, session) = stream.get_ref();
    let shown = session.peer_certificates().and_then(|chain| chain.first());
    let certificate = shown.and_then(ClientCertificate::of);
    if shown.is_some() && certificate.is_none() {
        tracing::debug!("the certificate of a client names no user: its subject has not exactly one common name");
    }
    Ok(Accepted { stream: Stream::encrypted(stream), certificate })
}

/// Tells a client of HTTP what is wrong, and lets it read that.
async fn refuse_plain_text(mut stream: TcpStream) -> io::Result<()> {
    let body = "this port speaks TLS: use https://\n";
    let answer = format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    );
    let told = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        let mut room = [0; 1_024];
        let mut bytes = 0;
        while bytes < PLAIN_TEXT_BYTES_MAX {
            match stream.read(&mut room).await? {
                0 => break,
                count => bytes += count,
            }
        }
        Ok(())
    };
    timeout(PLAIN_TEXT_TIME_MAX, told).await.unwrap_or(Ok(()))
}
