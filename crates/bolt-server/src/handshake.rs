//! The beginning of a connection.

use std::io;

use bolt_codec::{Negotiated, Opening, PROPOSALS_BYTES, Version, choice, manifest, negotiate, opening};
use tls::Stream;
use tokio::io::{ReadHalf, WriteHalf};

use crate::stream::{read_some, write_all};

/// Bytes of the answer to a client's choice that are taken at once: HELLO comes right behind it.
const BEGINNING_BYTES_MAX: usize = 64 * 1024;

/// Agrees on a version. Gives it with what has come behind the handshake; none where the connection is no Bolt, or no
/// version fits, which the client has been told.
pub(crate) async fn agree(
    (reader, writer): (&mut ReadHalf<Stream>, &mut WriteHalf<Stream>),
    http_address: &str,
) -> io::Result<Option<(Version, Vec<u8>)>> {
    let mut bytes = Vec::with_capacity(256);
    while bytes.len() < 4 {
        read_some(reader, &mut bytes).await?;
    }
    let Some(first) = bytes.first_chunk::<4>() else { return Ok(None) };
    match opening(*first) {
        Opening::Bolt => {}
        Opening::Http => {
            write_all(writer, http_answer(http_address).as_bytes()).await?;
            return Ok(None);
        }
        Opening::Tls => {
            tracing::debug!(
                "a client wants TLS, which is not switched on: use bolt:// or neo4j://, or set tls.certificate"
            );
            return Ok(None);
        }
        Opening::Unknown => return Ok(None),
    }
    while bytes.len() < PROPOSALS_BYTES {
        read_some(reader, &mut bytes).await?;
    }
    let Some(proposals) = bytes.get(4..).and_then(|rest| rest.first_chunk::<16>()) else { return Ok(None) };
    let negotiated = negotiate(proposals);
    bytes.drain(..PROPOSALS_BYTES);
    match negotiated {
        Negotiated::Version(version) => {
            write_all(writer, &bolt_codec::answer(Some(version))).await?;
            Ok(Some((version, bytes)))
        }
        Negotiated::Nothing => {
            write_all(writer, &bolt_codec::answer(None)).await?;
            Ok(None)
        }
        Negotiated::Manifest => {
            write_all(writer, &manifest()).await?;
            loop {
                match choice(&bytes) {
                    Ok(Some((version, taken))) => {
                        bytes.drain(..taken);
                        return Ok(Some((version, bytes)));
                    }
                    Ok(None) if bytes.len() < BEGINNING_BYTES_MAX => read_some(reader, &mut bytes).await?,
                    Ok(None) => return Ok(None),
                    Err(error) => {
                        tracing::debug!(%error, "a client's choice of a version");
                        return Ok(None);
                    }
                }
            }
        }
    }
}

/// What a browser is told that opens the port.
fn http_answer(http_address: &str) -> String {
    let body = format!("This port speaks Bolt, the protocol of Neo4j's drivers. HTTP is at {http_address}.\n");
    format!(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}
