//! One file of the explorer, and in which coding it is sent.

use std::io::Read as _;

use bytes::Bytes;
use flate2::read::GzDecoder;
use http_server::accepts_coding;
use hyper::header::HeaderMap;

/// The files that the build found.
pub(crate) static EMBEDDED: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file and what is said of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    /// Its name below `/ui/`.
    pub(crate) path: &'static str,
    pub(crate) content_type: &'static str,
    /// A part of the SHA-256 of its content, in hexadecimal.
    pub(crate) tag: &'static str,
    /// Its content in brotli and in gzip. What gets smaller by compression is only kept compressed: nearly all browsers
    /// take that, and the others cost a decompression.
    pub(crate) compressed: Option<(&'static [u8], &'static [u8])>,
    /// Its content, where it is not kept compressed.
    pub(crate) plain: &'static [u8],
}

/// A coding of an answer's body ([RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
    Brotli,
}

impl Coding {
    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    /// What tells the tags of one file's codings apart.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Gzip => "-gzip",
            Self::Brotli => "-br",
        }
    }
}

impl File {
    /// The smallest coding that the client takes.
    pub(crate) fn choose(&self, headers: &HeaderMap) -> Coding {
        match self.compressed {
            Some(_) if accepts_coding(headers, "br") => Coding::Brotli,
            Some(_) if accepts_coding(headers, "gzip") => Coding::Gzip,
            _ => Coding::Identity,
        }
    }

    /// The content in a coding that [`File::choose`] gave.
    pub(crate) fn bytes(&self, coding: Coding) -> Bytes {
        let Some((br, gzip)) = self.compressed else { return Bytes::from_static(self.plain) };
        match coding {
            Coding::Brotli => Bytes::from_static(br),
            Coding::Gzip => Bytes::from_static(gzip),
            Coding::Identity => {
                let mut bytes = Vec::with_capacity(gzip.len() * 4);
                // The build made it, so this cannot fail; if it does, the client is shown less.
                let read = GzDecoder::new(gzip).read_to_end(&mut bytes);
                debug_assert!(read.is_ok(), "{} is not gzip", self.path);
                Bytes::from(bytes)
            }
        }
    }
}
