//! Messages that have come and are not answered yet.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bolt_codec::{CodecError, Dechunker, is_reset};
use serving::note_arrival;
use tls::Stream;
use tokio::io::{AsyncRead as _, ReadBuf, ReadHalf};

use crate::limits::{LOGON_BYTES_MAX, MESSAGES_AHEAD_MAX, READ_BYTES};

/// Puts messages together from a connection's bytes.
pub(crate) struct Inbox {
    dechunker: Dechunker,
    messages: VecDeque<Vec<u8>>,
    /// Bytes of the messages.
    bytes: usize,
    bytes_max: usize,
    /// Messages among them that end whatever is going on.
    resets: usize,
    /// Why nothing more can be read.
    broken: Option<CodecError>,
}

impl Inbox {
    /// `bytes_max` bounds one message, and with it what is read ahead.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            dechunker: Dechunker::new(LOGON_BYTES_MAX.min(bytes_max)),
            messages: VecDeque::new(),
            bytes: 0,
            bytes_max,
            resets: 0,
            broken: None,
        }
    }

    /// A user is known: messages may be large.
    pub(crate) fn trust(&mut self) {
        self.dechunker.limit(self.bytes_max);
    }

    /// Takes bytes that came with something else.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Self { dechunker, messages, bytes: held, resets, .. } = self;
        let fed = dechunker.feed(bytes, |message| {
            *held += message.len();
            *resets += usize::from(is_reset(&message));
            messages.push_back(message);
        });
        if let Err(error) = fed {
            self.broken = Some(error);
        }
    }

    /// Whether more should be read: while much waits, the client waits too.
    pub(crate) fn has_room(&self) -> bool {
        self.broken.is_none() && self.messages.len() < MESSAGES_AHEAD_MAX && self.bytes <= self.bytes_max
    }

    /// Reads what the client sends next. False at the end of the connection. Safe to be dropped before it is done.
    pub(crate) async fn read(&mut self, from: &mut ReadHalf<Stream>) -> io::Result<bool> {
        poll_fn(|context| self.poll_read(from, context)).await
    }

    /// Connections that wait hold no buffer.
    fn poll_read(&mut self, from: &mut ReadHalf<Stream>, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let mut room = [MaybeUninit::uninit(); READ_BYTES];
        let mut buffer = ReadBuf::uninit(&mut room);
        ready!(Pin::new(from).poll_read(context, &mut buffer))?;
        note_arrival();
        self.feed(buffer.filled());
        Poll::Ready(Ok(!buffer.filled().is_empty()))
    }

    /// The next message.
    pub(crate) fn pop(&mut self) -> Option<Vec<u8>> {
        let message = self.messages.pop_front()?;
        self.bytes -= message.len();
        Some(message)
    }

    /// The next message, which stays.
    pub(crate) fn peek(&self) -> Option<&[u8]> {
        self.messages.front().map(Vec::as_slice)
    }

    /// Whether a message has come that ends whatever is going on, and is not answered yet.
    pub(crate) fn has_reset(&self) -> bool {
        self.resets > 0
    }

    /// Such a message is answered.
    pub(crate) fn reset_answered(&mut self) {
        self.resets = self.resets.saturating_sub(1);
    }

    /// Why nothing more can be read.
    pub(crate) fn broken(&self) -> Option<&CodecError> {
        self.broken.as_ref()
    }

    /// Bytes held.
    pub(crate) fn held_bytes(&self) -> usize {
        self.bytes + self.dechunker.held_bytes()
    }
}
