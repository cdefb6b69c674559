//! Reading request bodies: bounded as they arrive, decompressed where they say so, without a copy where they come in
//! one piece.

use std::io::Read;

use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use hyper::header::{self, HeaderMap};
use serving::Admitted;
use tokio::time::timeout;

use crate::limits::{BODY_BYTES_GUESS, DISCARD_BYTES_MAX, DISCARD_TIME_MAX};

/// Why a body was not read.
#[derive(Debug)]
pub enum BodyError {
    /// It is larger than the limit.
    TooLarge,
    /// The bodies of other requests take all the room.
    NoRoom,
    /// It is marked as compressed, but is not.
    Gzip(String),
    /// It is compressed in a way this server does not know.
    Coding(String),
    /// The connection failed.
    Broken(String),
}

/// Reads a whole body of at most `limit` bytes, compressed and decompressed.
pub async fn read_body(
    body: &mut Incoming,
    headers: &HeaderMap,
    admitted: &mut Admitted,
    limit: usize,
) -> Result<Bytes, BodyError> {
    let gzip = is_gzip(headers)?;
    let announced = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    if announced.is_some_and(|bytes| bytes > limit) {
        return Err(BodyError::TooLarge);
    }
    admitted.grow_to(announced.unwrap_or(BODY_BYTES_GUESS)).map_err(|_| BodyError::NoRoom)?;
    let received = receive(body, announced, admitted, limit).await?;
    if !gzip {
        return Ok(received);
    }
    let compressed = received.len();
    let inflated = inflate(&received, limit)?;
    admitted.grow_to(compressed + inflated.len()).map_err(|_| BodyError::NoRoom)?;
    Ok(Bytes::from(inflated))
}

async fn receive(
    body: &mut Incoming,
    announced: Option<usize>,
    admitted: &mut Admitted,
    limit: usize,
) -> Result<Bytes, BodyError> {
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if body.is_end_stream() && first.len() <= limit {
        return Ok(first);
    }
    let mut whole = Vec::with_capacity(announced.unwrap_or(BODY_BYTES_GUESS).max(first.len()));
    whole.extend_from_slice(&first);
    while let Some(piece) = next(body).await? {
        let bytes = whole.len() + piece.len();
        if bytes > limit {
            return Err(BodyError::TooLarge);
        }
        admitted.grow_to(bytes).map_err(|_| BodyError::NoRoom)?;
        whole.extend_from_slice(&piece);
    }
    if whole.len() > limit { Err(BodyError::TooLarge) } else { Ok(Bytes::from(whole)) }
}

/// The next piece of data; `None` at the end.
async fn next(body: &mut Incoming) -> Result<Option<Bytes>, BodyError> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| BodyError::Broken(error.to_string()))?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

fn is_gzip(headers: &HeaderMap) -> Result<bool, BodyError> {
    let Some(coding) = headers.get(header::CONTENT_ENCODING) else { return Ok(false) };
    let coding = coding.to_str().unwrap_or("?").trim();
    if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
        Ok(true)
    } else if coding.is_empty() || coding.eq_ignore_ascii_case("identity") {
        Ok(false)
    } else {
        Err(BodyError::Coding(coding.to_owned()))
    }
}

fn inflate(compressed: &[u8], limit: usize) -> Result<Vec<u8>, BodyError> {
    let mut inflated = Vec::with_capacity(compressed.len().saturating_mul(4).min(limit));
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoder = MultiGzDecoder::new(compressed).take(bound);
    decoder.read_to_end(&mut inflated).map_err(|error| BodyError::Gzip(error.to_string()))?;
    if inflated.len() > limit { Err(BodyError::TooLarge) } else { Ok(inflated) }
}

/// Reads what is left of a body and throws it away. False where that would take too much or too long; the connection
/// cannot be used any more then. A client that waits for leave to send is not given it.
pub async fn discard(body: &mut Incoming, headers: &HeaderMap) -> bool {
    if body.is_end_stream() {
        return true;
    }
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if headers.contains_key(header::EXPECT) || announced > DISCARD_BYTES_MAX {
        return false;
    }
    let all = async {
        let mut bytes = 0;
        loop {
            match next(body).await {
                Ok(Some(piece)) => bytes += piece.len(),
                Ok(None) => return true,
                Err(_) => return false,
            }
            if bytes > DISCARD_BYTES_MAX {
                return false;
            }
        }
    };
    timeout(DISCARD_TIME_MAX, all).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn decompression_is_bounded() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&vec![b'x'; 1_000_000]).unwrap();
        let bomb = encoder.finish().unwrap();
        assert!(matches!(inflate(&bomb, 999_999), Err(BodyError::TooLarge)));
        assert_eq!(inflate(&bomb, 1_000_000).unwrap().len(), 1_000_000);
        assert!(matches!(inflate(b"no gzip", 100), Err(BodyError::Gzip(_))));
    }
}
