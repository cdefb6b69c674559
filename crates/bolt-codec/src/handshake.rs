//! The first bytes of a connection: which version is spoken.
//!
//! A client sends [`MAGIC`] and four proposals of four bytes, `00 range minor major`, in order of preference. Newer
//! ones propose the manifest first: then the server lists what it speaks, and the client chooses
//! (<https://neo4j.com/docs/bolt/current/bolt/handshake/>).

use crate::error::CodecError;
use crate::limits::VARINT_BYTES_MAX;
use crate::version::{SPOKEN, Version};

/// How a connection of Bolt begins.
pub const MAGIC: [u8; 4] = [0x60, 0x60, 0xB0, 0x17];

/// Bytes of the magic and the four proposals.
pub const PROPOSALS_BYTES: usize = 20;

/// The proposal of a manifest, version 1.
const MANIFEST: [u8; 4] = [0x00, 0x00, 0x01, 0xFF];

/// What a client's proposals come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negotiated {
    /// This version is spoken.
    Version(Version),
    /// The client wants to choose from a list.
    Manifest,
    /// Nothing fits.
    Nothing,
}

/// What a connection's first bytes are, which need not be Bolt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Bolt.
    Bolt,
    /// An HTTP request, perhaps for a WebSocket.
    Http,
    /// A TLS handshake.
    Tls,
    /// Something else.
    Unknown,
}

/// Tells what a connection is by its first four bytes.
#[must_use]
pub fn opening(bytes: [u8; 4]) -> Opening {
    match &bytes {
        b if *b == MAGIC => Opening::Bolt,
        b"GET " | b"POST" | b"HEAD" | b"PUT " | b"OPTI" | b"DELE" => Opening::Http,
        [0x16, 0x03, ..] => Opening::Tls,
        _ => Opening::Unknown,
    }
}

/// Chooses among the four proposals behind the magic.
#[must_use]
pub fn negotiate(proposals: &[u8; 16]) -> Negotiated {
    let (proposals, _) = proposals.as_chunks::<4>();
    for proposal in proposals {
        if *proposal == MANIFEST {
            return Negotiated::Manifest;
        }
        let [_, range, minor, major] = *proposal;
        let minors = (minor.saturating_sub(range)..=minor).rev();
        if let Some(version) = minors.map(|minor| Version::new(major, minor)).find(|version| version.is_spoken()) {
            return Negotiated::Version(version);
        }
    }
    Negotiated::Nothing
}

/// The answer that chooses a version.
#[must_use]
pub fn answer(version: Option<Version>) -> [u8; 4] {
    version.map_or([0; 4], |version| [0, 0, version.minor, version.major])
}

/// The answer that lists what is spoken. It has to be sent in one piece: some drivers fail otherwise.
#[must_use]
pub fn manifest() -> Vec<u8> {
    let mut out = MANIFEST.to_vec();
    write_varint(&mut out, SPOKEN.len() as u64);
    for (major, low, high) in SPOKEN.iter().rev() {
        out.extend([0, high - low, *high, *major]);
    }
    // No capabilities.
    out.push(0);
    out
}

/// Reads the client's choice from the list: the version and how many bytes it took; none where bytes are missing.
///
/// # Errors
/// A version that was not listed, or a number that does not end.
pub fn choice(bytes: &[u8]) -> Result<Option<(Version, usize)>, CodecError> {
    let Some(([zero, range, minor, major], rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let version = Version::new(*major, *minor);
    if *zero != 0 || *range != 0 || !version.is_spoken() {
        return Err(CodecError::value(format!("version {version}"), "a version of the manifest"));
    }
    Ok(varint_bytes(rest)?.map(|taken| (version, 4 + taken)))
}

/// How many bytes a number takes, low groups first; none where its end is missing.
fn varint_bytes(bytes: &[u8]) -> Result<Option<usize>, CodecError> {
    match bytes.iter().position(|byte| byte & 0x80 == 0) {
        Some(last) if last < VARINT_BYTES_MAX => Ok(Some(last + 1)),
        None if bytes.len() < VARINT_BYTES_MAX => Ok(None),
        _ => Err(CodecError::TooLarge { what: "bytes of a number", limit: "VARINT_BYTES_MAX", max: VARINT_BYTES_MAX }),
    }
}

fn write_varint(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            out.push(low & 0x7F);
            return;
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposals(all: [u32; 4]) -> [u8; 16] {
        let mut bytes = [0; 16];
        for (at, proposal) in all.into_iter().enumerate() {
            bytes[at * 4..at * 4 + 4].copy_from_slice(&proposal.to_be_bytes());
        }
        bytes
    }

    #[test]
    fn the_first_proposal_that_fits_is_taken() {
        let version = |major, minor| Negotiated::Version(Version::new(major, minor));
        for (all, expected) in [
            // What all released drivers of 2025 and 2026 send.
            ([0x0000_01FF, 0x0008_0805, 0x0002_0404, 3], Negotiated::Manifest),
            ([0x0008_0805, 0x0002_0404, 3, 0], version(5, 8)),
            // 5.5 is spoken by nobody.
            ([0x0005_0505, 0, 0, 0], version(5, 4)),
            ([0x0000_0505, 0x0000_0005, 0, 0], version(5, 0)),
            ([0x0002_0404, 0, 0, 0], version(4, 4)),
            ([0x0000_0304, 3, 2, 1], Negotiated::Nothing),
            ([6, 0x0000_0405, 0, 0], version(5, 4)),
        ] {
            assert_eq!(negotiate(&proposals(all)), expected, "{all:08x?}");
        }
        assert_eq!(answer(Some(Version::new(5, 8))), [0, 0, 8, 5]);
        assert_eq!(answer(None), [0; 4]);
    }

    #[test]
    fn the_manifest_is_the_one_that_drivers_know() {
        let expected = [0, 0, 1, 0xFF, 3, 0, 0, 4, 4, 0, 4, 4, 5, 0, 2, 8, 5, 0];
        assert_eq!(manifest(), expected);
    }

    #[test]
    fn a_choice_is_read_when_it_is_whole() {
        assert_eq!(choice(&[0, 0, 8, 5]).unwrap(), None);
        assert_eq!(choice(&[0, 0, 8, 5, 0, 9, 9]).unwrap(), Some((Version::new(5, 8), 5)));
        assert_eq!(choice(&[0, 0, 4, 4, 0x80, 0x01]).unwrap(), Some((Version::new(4, 4), 6)));
        assert!(choice(&[0, 0, 5, 5, 0]).is_err());
        assert!(choice(&[0, 0, 0, 6, 0]).is_err());
        let endless = [&[0, 0, 8, 5][..], &[0xFF; 10]].concat();
        assert!(choice(&endless).is_err());
        assert_eq!(choice(&endless[..10]).unwrap(), None);
    }

    #[test]
    fn other_protocols_are_recognized() {
        assert_eq!(opening(MAGIC), Opening::Bolt);
        assert_eq!(opening(*b"GET "), Opening::Http);
        assert_eq!(opening([0x16, 0x03, 0x01, 0x02]), Opening::Tls);
        assert_eq!(opening(*b"SSH-"), Opening::Unknown);
    }

    #[test]
    fn versions_are_listed_from_the_newest() {
        let all: Vec<String> = Version::spoken().map(|version| version.to_string()).collect();
        assert_eq!(all, ["5.8", "5.7", "5.6", "5.4", "5.3", "5.2", "5.1", "5.0", "4.4"]);
    }
}
