//! Bytes to and from a connection, with bounds on waiting.

use std::future::Future;
use std::io;
use std::pin::pin;

use tls::Stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio::time::timeout;

use crate::inbox::Inbox;
use crate::limits::WRITE_STALL_TIME_MAX;

/// Why work for a client is given up.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The client wants to begin anew.
    Reset,
    /// The client is gone.
    Gone(io::Error),
}

pub(crate) fn gone() -> io::Error {
    io::Error::from(io::ErrorKind::UnexpectedEof)
}

/// Appends what comes next; the end of the connection is an error.
pub(crate) async fn read_some(from: &mut ReadHalf<Stream>, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 1_024];
    match from.read(&mut buffer).await? {
        0 => Err(gone()),
        count => {
            bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
            Ok(())
        }
    }
}

/// Writes all bytes.
pub(crate) async fn write_all(to: &mut WriteHalf<Stream>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match progress(to.write(bytes)).await? {
            0 => return Err(gone()),
            written => bytes = bytes.get(written..).unwrap_or_default(),
        }
    }
    progress(to.flush()).await
}

/// Awaits that the client takes something.
async fn progress<T>(writing: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(WRITE_STALL_TIME_MAX, writing).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}

/// Writes all bytes, and reads meanwhile: a client may send much before it reads.
pub(crate) async fn write_reading(
    (reader, writer): (&mut ReadHalf<Stream>, &mut WriteHalf<Stream>),
    inbox: &mut Inbox,
    bytes: &[u8],
) -> io::Result<()> {
    let mut writing = pin!(write_all(writer, bytes));
    loop {
        tokio::select! {
            biased;
            written = &mut writing => return written,
            read = inbox.read(reader), if inbox.has_room() => {
                if !read? {
                    return Err(gone());
                }
            }
        }
    }
}

/// Awaits work, and reads meanwhile, so that it can be given up.
pub(crate) async fn work_reading<T>(
    reader: &mut ReadHalf<Stream>,
    inbox: &mut Inbox,
    work: impl Future<Output = T>,
) -> Result<T, Stop> {
    let mut work = pin!(work);
    loop {
        if inbox.has_reset() {
            return Err(Stop::Reset);
        }
        tokio::select! {
            biased;
            done = &mut work => return Ok(done),
            read = inbox.read(reader), if inbox.has_room() => match read {
                Ok(true) => {}
                Ok(false) => return Err(Stop::Gone(gone())),
                Err(error) => return Err(Stop::Gone(error)),
            }
        }
    }
}
