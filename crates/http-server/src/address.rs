//! Addresses: a path split into raw segments, each decoded once when it is used.

use std::borrow::Cow;
use std::ops::Range;

use hyper::Uri;
use percent_encoding::percent_decode_str;
use smallvec::SmallVec;

use crate::limits::SEGMENTS_MAX;

/// Why a text of an address has no value.
#[derive(Debug, thiserror::Error)]
pub enum NotDecoded {
    /// A percent sign that begins no code.
    #[error("'{0}' in the address has a '%' without two hexadecimal digits after it; write a percent sign as %25")]
    Percent(String),
    /// Bytes that are not UTF-8.
    #[error("'{0}' in the address is not UTF-8 after its percent-encoding is taken out")]
    Utf8(String),
}

/// The path of a request and where its segments are.
#[derive(Clone, Debug)]
pub struct Address {
    uri: Uri,
    segments: SmallVec<[Range<usize>; SEGMENTS_MAX]>,
}

impl Address {
    /// Splits the path at `/`. A trailing slash counts for nothing. Of a path with more segments than any known one,
    /// [`SEGMENTS_MAX`] are kept, so that it stays unknown.
    pub fn new(uri: Uri) -> Self {
        let path = uri.path();
        let mut segments = SmallVec::new();
        let mut start = 1;
        for part in path.get(1..).unwrap_or_default().split('/') {
            let end = start + part.len();
            if segments.len() == SEGMENTS_MAX {
                break;
            }
            segments.push(start..end);
            start = end + 1;
        }
        if segments.last().is_some_and(Range::is_empty) {
            segments.pop();
        }
        Self { uri, segments }
    }

    /// How many segments there are.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// True for the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// A segment as it was sent; empty beyond the last.
    pub fn raw(&self, at: usize) -> &str {
        self.segments.get(at).and_then(|range| self.uri.path().get(range.clone())).unwrap_or_default()
    }

    /// A segment with its percent-encoding taken out.
    pub fn decoded(&self, at: usize) -> Result<Cow<'_, str>, NotDecoded> {
        decode(self.raw(at))
    }

    /// The path as it was sent.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The query as it was sent.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }
}

/// Takes the percent-encoding out of a text.
pub fn decode(raw: &str) -> Result<Cow<'_, str>, NotDecoded> {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    if raw.split('%').skip(1).any(|rest| !rest.as_bytes().get(..2).is_some_and(hex)) {
        return Err(NotDecoded::Percent(raw.to_owned()));
    }
    percent_decode_str(raw).decode_utf8().map_err(|_| NotDecoded::Utf8(raw.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(uri: &str) -> Address {
        Address::new(uri.parse().unwrap())
    }

    #[test]
    fn segments_are_split_before_they_are_decoded() {
        let address = address("/graphs/g/graph/vertices/%22a%2Fb%25%3E%3F%22/?x=1");
        assert_eq!(address.len(), 5);
        assert_eq!(address.raw(3), "vertices");
        assert_eq!(address.decoded(4).unwrap(), "\"a/b%>?\"");
        assert_eq!(address.query(), "x=1");
    }

    #[test]
    fn decoding_happens_once() {
        assert_eq!(address("/%2525").decoded(0).unwrap(), "%25");
        assert!(address("/%FF").decoded(0).is_err());
        for broken in ["/%zz", "/a%", "/a%2", "/%é9"] {
            assert!(address(broken).decoded(0).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_root_has_no_segments() {
        assert_eq!(address("/").len(), 0);
        assert_eq!(address("/?a").len(), 0);
        assert_eq!(address(&format!("/{}", "a/".repeat(50))).len(), SEGMENTS_MAX);
    }
}
