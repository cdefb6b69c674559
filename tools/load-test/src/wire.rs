//! HTTP/1.1 as a client writes and reads it: heads of requests out, answers in, piece by piece as the bytes come.
//!
//! The tool often shares the processors with the server under test, and a client library costs more for a small request
//! than everything else a user does. This is what is left of one if each connection has one request at a time, and all
//! headers but the length are the same in all requests. It waits for nothing and touches no socket:
//! [`exchange`](crate::exchange) does.

use crate::limits::{ANSWER_BYTES_MAX, ANSWER_HEAD_BYTES_MAX, ANSWER_HEADERS_MAX};

/// Appends a request without its body. `headers` are whole lines, each with its line end.
pub(crate) fn write_head(out: &mut Vec<u8>, method: &str, path: &[u8], headers: &[u8], body_bytes: usize) {
    out.extend_from_slice(method.as_bytes());
    out.push(b' ');
    out.extend_from_slice(path);
    out.extend_from_slice(b" HTTP/1.1\r\n");
    out.extend_from_slice(headers);
    // A request that may have a body has to say that it has none.
    if body_bytes > 0 || matches!(method, "POST" | "PUT") {
        out.extend_from_slice(b"content-length: ");
        out.extend_from_slice(itoa::Buffer::new().format(body_bytes).as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"\r\n");
}

/// Whether a path is valid in the first line of a request.
pub(crate) fn is_path(path: &[u8]) -> bool {
    path.first() == Some(&b'/') && path.iter().all(|&byte| byte > b' ' && byte != 0x7F && byte != b'#')
}

/// What the head of an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnswerHead {
    pub(crate) status: u16,
    /// The body is packed.
    pub(crate) gzip: bool,
    /// The connection can be used for another request.
    pub(crate) keep_alive: bool,
    framing: Framing,
}

#[cfg(test)]
impl AnswerHead {
    pub(crate) fn of_test(status: u16, gzip: bool) -> Self {
        Self { status, gzip, keep_alive: true, framing: Framing::UntilClosed }
    }
}

/// Where a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// After a number of bytes.
    Length(usize),
    /// Where its pieces say so.
    Chunked,
    /// With the connection.
    UntilClosed,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More bytes are needed.
    Partial,
    /// It is there, as a whole.
    Whole,
    /// Its body is larger than [`ANSWER_BYTES_MAX`]; the rest is unread.
    TooLarge,
}

/// What is wrong with an answer that is none.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    /// The first lines are not a head of HTTP/1.
    #[error("the answer is not HTTP: {0}")]
    Head(String),
    /// It does not end.
    #[error("the head of the answer has more than {ANSWER_HEAD_BYTES_MAX} bytes")]
    HeadTooLong,
    /// It says how long it is in a way that cannot be understood.
    #[error("the answer's {0} cannot be understood")]
    Length(&'static str),
    /// The connection ended first.
    #[error("the connection was closed {0}")]
    Closed(&'static str),
}

/// One answer on its way in. Bytes are appended to [`AnswerReader::input`], then [`AnswerReader::advance`] looks at
/// them.
#[derive(Debug, Default)]
pub(crate) struct AnswerReader {
    /// What came and was not taken apart yet.
    pub(crate) input: Vec<u8>,
    head: Option<AnswerHead>,
    /// Where in `input` the next thing to look at begins.
    at: usize,
    /// The joined pieces of a chunked body.
    joined: Vec<u8>,
    /// The last piece of a chunked body has come; what follows are more headers.
    in_trailers: bool,
}

impl AnswerReader {
    /// Begins with the next answer. False if bytes are left over: then the server sent more than an answer.
    pub(crate) fn begin(&mut self) -> bool {
        let is_empty = self.input.len() == self.at + self.body_in_place();
        self.input.clear();
        self.joined.clear();
        self.head = None;
        self.at = 0;
        self.in_trailers = false;
        is_empty
    }

    /// The head, once it has come.
    pub(crate) fn head(&self) -> Option<AnswerHead> {
        self.head
    }

    /// The body, once all of it has come.
    pub(crate) fn body(&self) -> &[u8] {
        match self.head.map(|head| head.framing) {
            Some(Framing::Chunked) => &self.joined,
            _ => self.input.get(self.at..self.at + self.body_in_place()).unwrap_or_default(),
        }
    }

    /// Bytes of the body that are in `input`.
    fn body_in_place(&self) -> usize {
        match self.head.map(|head| head.framing) {
            Some(Framing::Length(length)) => length.min(self.input.len() - self.at),
            Some(Framing::UntilClosed) => self.input.len() - self.at,
            Some(Framing::Chunked) | None => 0,
        }
    }

    /// Looks at what has come. `closed`: nothing more will.
    pub(crate) fn advance(&mut self, closed: bool) -> Result<Progress, WireError> {
        let head = match self.head {
            Some(head) => head,
            None => match self.take_head(closed)? {
                Some(head) => head,
                None => return Ok(Progress::Partial),
            },
        };
        let there = self.input.len() - self.at;
        let progress = match head.framing {
            Framing::Length(length) if length > ANSWER_BYTES_MAX => Progress::TooLarge,
            Framing::Length(length) if there >= length => Progress::Whole,
            Framing::UntilClosed if there > ANSWER_BYTES_MAX => Progress::TooLarge,
            Framing::UntilClosed if closed => return Ok(Progress::Whole),
            Framing::Length(_) | Framing::UntilClosed => Progress::Partial,
            Framing::Chunked => self.take_chunks()?,
        };
        if closed && progress == Progress::Partial {
            return Err(WireError::Closed("before the answer was complete"));
        }
        Ok(progress)
    }

    /// Takes the head off the input, and interim ones before it.
    fn take_head(&mut self, closed: bool) -> Result<Option<AnswerHead>, WireError> {
        loop {
            let rest = self.input.get(self.at..).unwrap_or_default();
            match parse_head(rest)? {
                // "100 Continue" and its like say that the answer is still to come.
                Some((bytes, head)) if (100..200).contains(&head.status) => self.at += bytes,
                Some((bytes, head)) => {
                    self.at += bytes;
                    self.head = Some(head);
                    return Ok(Some(head));
                }
                None if closed => {
                    let when = if rest.is_empty() { "before an answer came" } else { "in the head of the answer" };
                    return Err(WireError::Closed(when));
                }
                None if rest.len() > ANSWER_HEAD_BYTES_MAX => return Err(WireError::HeadTooLong),
                None => return Ok(None),
            }
        }
    }

    /// Joins the pieces that are there.
    fn take_chunks(&mut self) -> Result<Progress, WireError> {
        while !self.in_trailers {
            let rest = self.input.get(self.at..).unwrap_or_default();
            let (line, size) = match httparse::parse_chunk_size(rest) {
                Ok(httparse::Status::Complete(found)) => found,
                Ok(httparse::Status::Partial) if rest.len() > ANSWER_HEAD_BYTES_MAX => {
                    return Err(WireError::HeadTooLong);
                }
                Ok(httparse::Status::Partial) => return Ok(self.shrink()),
                Err(_) => return Err(WireError::Length("transfer-encoding")),
            };
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            if size > ANSWER_BYTES_MAX - self.joined.len() {
                return Ok(Progress::TooLarge);
            }
            if size == 0 {
                self.at += line;
                self.in_trailers = true;
                break;
            }
            let Some(piece) = rest.get(line..line + size + 2) else { return Ok(self.shrink()) };
            let Some(piece) = piece.strip_suffix(b"\r\n") else { return Err(WireError::Length("transfer-encoding")) };
            self.joined.extend_from_slice(piece);
            self.at += line + size + 2;
        }
        let rest = self.input.get(self.at..).unwrap_or_default();
        let mut headers = [httparse::EMPTY_HEADER; ANSWER_HEADERS_MAX];
        match httparse::parse_headers(rest, &mut headers) {
            Ok(httparse::Status::Complete((bytes, _))) => {
                self.at += bytes;
                Ok(Progress::Whole)
            }
            Ok(httparse::Status::Partial) if rest.len() > ANSWER_HEAD_BYTES_MAX => Err(WireError::HeadTooLong),
            Ok(httparse::Status::Partial) => Ok(Progress::Partial),
            Err(error) => Err(WireError::Head(error.to_string())),
        }
    }

    /// Forgets what was taken apart, so that a long body in many pieces is not held twice.
    fn shrink(&mut self) -> Progress {
        self.input.drain(..self.at);
        self.at = 0;
        Progress::Partial
    }
}

/// The head at the begin of `bytes` and its length; `None` while it is not all there.
fn parse_head(bytes: &[u8]) -> Result<Option<(usize, AnswerHead)>, WireError> {
    let mut headers = [httparse::EMPTY_HEADER; ANSWER_HEADERS_MAX];
    let mut answer = httparse::Response::new(&mut headers);
    let length = match answer.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(WireError::Head(error.to_string())),
    };
    let status = answer.code.unwrap_or_default();
    let mut head =
        AnswerHead { status, gzip: false, keep_alive: answer.version == Some(1), framing: Framing::UntilClosed };
    let mut announced = None;
    let mut chunked = false;
    for header in answer.headers.iter() {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        if is("content-length") {
            let value = std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse::<usize>().ok());
            let value = value.ok_or(WireError::Length("content-length"))?;
            if announced.is_some_and(|before| before != value) {
                return Err(WireError::Length("content-length"));
            }
            announced = Some(value);
        } else if is("transfer-encoding") {
            chunked = names(header.value, "chunked");
            if !chunked {
                return Err(WireError::Length("transfer-encoding"));
            }
        } else if is("content-encoding") {
            head.gzip = names(header.value, "gzip");
        } else if is("connection") {
            if names(header.value, "close") {
                head.keep_alive = false;
            } else if names(header.value, "keep-alive") {
                head.keep_alive = true;
            }
        }
    }
    head.framing = match announced {
        _ if matches!(status, 204 | 304) || status < 200 => Framing::Length(0),
        _ if chunked => Framing::Chunked,
        Some(length) => Framing::Length(length),
        None => Framing::UntilClosed,
    };
    head.keep_alive &= head.framing != Framing::UntilClosed;
    Ok(Some((length, head)))
}

/// Whether a list of words has this one.
fn names(value: &[u8], word: &str) -> bool {
    value.split(|&byte| byte == b',').any(|item| item.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds an answer in pieces of a size; gives what it comes to.
    fn read(bytes: &[u8], step: usize, closes: bool) -> Result<(AnswerHead, Vec<u8>, bool), WireError> {
        let mut reader = AnswerReader::default();
        let mut pieces = bytes.chunks(step);
        loop {
            let piece = pieces.next();
            reader.input.extend_from_slice(piece.unwrap_or_default());
            match reader.advance(piece.is_none() && closes)? {
                Progress::Whole => {
                    let (head, body) = (reader.head().unwrap(), reader.body().to_vec());
                    reader.input.extend(pieces.flatten());
                    return Ok((head, body, reader.begin()));
                }
                Progress::TooLarge => return Err(WireError::Closed("as it is too large")),
                Progress::Partial => assert!(piece.is_some(), "no end"),
            }
        }
    }

    type Answer = (AnswerHead, Vec<u8>, bool);

    fn answers(text: &str, closes: bool) -> Vec<Result<Answer, WireError>> {
        (1..=text.len()).map(|step| read(text.as_bytes(), step, closes)).collect()
    }

    #[test]
    fn an_answer_is_the_same_however_it_comes() {
        let plain = "HTTP/1.1 201 Created\r\ncontent-type: x\r\ncontent-length: 5\r\n\r\nhello";
        let chunked = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n\
                       2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nEtag: z\r\n\r\n";
        let packed =
            "HTTP/1.1 201 X\r\nContent-Encoding: GZIP\r\nConnection: x, Close\r\nContent-Length: 5\r\n\r\nhello";
        for (text, gzip, keep_alive) in [(plain, false, true), (chunked, false, true), (packed, true, false)] {
            for answer in answers(text, false) {
                let (head, body, is_all) = answer.unwrap();
                assert_eq!((head.status, head.gzip, head.keep_alive), (201, gzip, keep_alive), "{text}");
                assert_eq!((body.as_slice(), is_all), (&b"hello"[..], true), "{text}");
            }
        }
    }

    #[test]
    fn without_a_length_it_ends_with_the_connection() {
        for answer in answers("HTTP/1.1 200 OK\r\n\r\nhello", true) {
            let (head, body, _) = answer.unwrap();
            assert_eq!((head.keep_alive, body.as_slice()), (false, &b"hello"[..]));
        }
        for answer in answers("HTTP/1.0 204 No Content\r\nconnection: keep-alive\r\n\r\n", false) {
            assert!(answer.unwrap().0.keep_alive);
        }
    }

    #[test]
    fn an_end_too_early_is_told() {
        for (text, when) in [
            ("", "before an answer came"),
            ("HTTP/1.1 200 OK\r\ncontent-le", "in the head of the answer"),
            ("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhello", "before the answer was complete"),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "before the answer was complete"),
        ] {
            assert_eq!(read(text.as_bytes(), 7, true).unwrap_err(), WireError::Closed(when), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for (text, words) in [
            ("SSH-2.0-OpenSSH\r\n\r\n", "not HTTP"),
            ("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "content-length"),
            ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "content-length"),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n", "transfer-encoding"),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n", "transfer-encoding"),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc", "transfer-encoding"),
            (&format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(ANSWER_HEAD_BYTES_MAX)), "more than"),
            (&format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", ANSWER_BYTES_MAX + 1), "too large"),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n", "too large"),
        ] {
            let error = read(text.as_bytes(), 1000, false).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        let (_, body, is_all) = read(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab", 1000, false).unwrap();
        assert_eq!((body.as_slice(), is_all), (&b"a"[..], false), "what follows an answer is noticed");
    }

    #[test]
    fn heads_say_how_long_the_body_is() {
        let head = |method, bytes| {
            let mut out = Vec::new();
            write_head(&mut out, method, b"/x", b"host: h\r\n", bytes);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(head("GET", 0), "GET /x HTTP/1.1\r\nhost: h\r\n\r\n");
        assert_eq!(head("POST", 12), "POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 12\r\n\r\n");
        assert!(head("PUT", 0).contains("content-length: 0"));
        assert!(is_path("/a?b=%20ü".as_bytes()));
        for wrong in ["", "a", "/a b", "/a\r\nx: y", "/a#b"] {
            assert!(!is_path(wrong.as_bytes()), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_comes_does_not_panic(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), step in 1_usize..50,
        ) {
            let mut with_head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
            with_head.extend_from_slice(&bytes);
            for bytes in [&bytes, &with_head] {
                let mut reader = AnswerReader::default();
                for piece in bytes.chunks(step) {
                    reader.input.extend_from_slice(piece);
                    if !matches!(reader.advance(false), Ok(Progress::Partial)) {
                        break;
                    }
                }
                let _ = reader.advance(true);
                let _ = (reader.body().len(), reader.begin());
            }
        }
    }
}
