//! Bytes to and from a connection, with bounds on waiting.

use std::future::Future;
use std::io;
use std::pin::pin;

use tokio::net::TcpStream;
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
pub(crate) async fn read_some(stream: &TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    loop {
        stream.readable().await?;
        let mut buffer = [0; 1_024];
        match stream.try_read(&mut buffer) {
            Ok(0) => return Err(gone()),
            Ok(count) => {
                bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes all bytes.
pub(crate) async fn write_all(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = write_some(stream, bytes).await?;
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}

async fn write_some(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match stream.try_write(bytes) {
            Ok(0) => return Err(gone()),
            Ok(written) => return Ok(written),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let waited = timeout(WRITE_STALL_TIME_MAX, stream.writable()).await;
                waited.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Writes all bytes, and reads meanwhile: a client may send much before it reads.
pub(crate) async fn write_reading(stream: &TcpStream, inbox: &mut Inbox, bytes: &[u8]) -> io::Result<()> {
    let mut writing = pin!(write_all(stream, bytes));
    loop {
        tokio::select! {
            biased;
            written = &mut writing => return written,
            read = inbox.read(stream), if inbox.has_room() => {
                if !read? {
                    return Err(gone());
                }
            }
        }
    }
}

/// Awaits work, and reads meanwhile, so that it can be given up.
pub(crate) async fn work_reading<T>(
    stream: &TcpStream,
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
            read = inbox.read(stream), if inbox.has_room() => match read {
                Ok(true) => {}
                Ok(false) => return Err(Stop::Gone(gone())),
                Err(error) => return Err(Stop::Gone(error)),
            }
        }
    }
}
