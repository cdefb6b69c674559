//! The bytes of a connection, encrypted or not.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// A connection of a client, with TLS or without.
#[derive(Debug)]
pub struct Stream(Inner);

#[derive(Debug)]
enum Inner {
    Plain(TcpStream),
    Tls(Box<Encrypted>),
}

#[derive(Debug)]
struct Encrypted {
    stream: TlsStream<TcpStream>,
    /// A byte that was read to find out whether the client is still there.
    ahead: Option<u8>,
}

impl From<TcpStream> for Stream {
    fn from(stream: TcpStream) -> Self {
        Self(Inner::Plain(stream))
    }
}

impl Stream {
    pub(crate) fn encrypted(stream: TlsStream<TcpStream>) -> Self {
        Self(Inner::Tls(Box::new(Encrypted { stream, ahead: None })))
    }

    /// Whether it is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        matches!(self.0, Inner::Tls(_))
    }

    /// The address by which the client came.
    ///
    /// # Errors
    /// The system does not know it any more.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        match &self.0 {
            Inner::Plain(stream) => stream.local_addr(),
            Inner::Tls(encrypted) => encrypted.stream.get_ref().0.local_addr(),
        }
    }

    /// Whether the client has closed its side, without taking what it may have sent before. Pending: it is there, and
    /// the task is woken when something arrives.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn poll_left(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        match &mut self.0 {
            Inner::Plain(stream) => {
                let mut byte = [0];
                let peeked = ready!(stream.poll_peek(context, &mut ReadBuf::new(&mut byte)));
                Poll::Ready(peeked.map(|count| count == 0))
            }
            Inner::Tls(encrypted) => encrypted.poll_left(context),
        }
    }
}

impl Encrypted {
    fn poll_left(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        if self.ahead.is_some() {
            return Poll::Ready(Ok(false));
        }
        let mut byte = [0];
        let mut buffer = ReadBuf::new(&mut byte);
        match ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
            Ok(()) => {
                self.ahead = buffer.filled().first().copied();
                Poll::Ready(Ok(self.ahead.is_none()))
            }
            // Closed without the word that TLS has for that.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(Ok(true)),
            Err(error) => Poll::Ready(Err(error)),
        }
    }

    fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let Some(byte) = self.ahead.take() else { return Pin::new(&mut self.stream).poll_read(context, buffer) };
        buffer.put_slice(&[byte]);
        // What follows, if it is there. An error comes again when there is nothing before it.
        let _ = Pin::new(&mut self.stream).poll_read(context, buffer);
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Inner::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Inner::Tls(encrypted) => encrypted.poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().0 {
            Inner::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Inner::Tls(encrypted) => Pin::new(&mut encrypted.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().0 {
            Inner::Plain(stream) => Pin::new(stream).poll_write_vectored(context, bytes),
            Inner::Tls(encrypted) => Pin::new(&mut encrypted.stream).poll_write_vectored(context, bytes),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.0 {
            Inner::Plain(stream) => stream.is_write_vectored(),
            Inner::Tls(encrypted) => encrypted.stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Inner::Plain(stream) => Pin::new(stream).poll_flush(context),
            Inner::Tls(encrypted) => Pin::new(&mut encrypted.stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Inner::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Inner::Tls(encrypted) => Pin::new(&mut encrypted.stream).poll_shutdown(context),
        }
    }
}
