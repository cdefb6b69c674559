//! Ids of edges, which the server makes.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters of an id that need no escape in a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// How the ids of prepared edges are made from those of their ends, learnt from an answer of the server: HugeGraph 1.5
/// and 1.7 write them differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IdTemplate {
    plain: Pieces,
    /// With everything escaped that a path cannot hold. Ids of the tool's vertices need no escape.
    in_path: Pieces,
}

/// What stands before, between and after the ids of the ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pieces {
    before: Vec<u8>,
    between: Vec<u8>,
    after: Vec<u8>,
}

impl IdTemplate {
    /// Takes an id apart that contains `source` and after it `target`.
    pub(crate) fn learn(id: &str, source: &str, target: &str) -> Option<Self> {
        let (before, rest) = id.split_once(source)?;
        let (between, after) = rest.rsplit_once(target)?;
        let plain = Pieces { before: before.into(), between: between.into(), after: after.into() };
        let escaped = |piece| utf8_percent_encode(piece, SEGMENT).to_string().into_bytes();
        let in_path = Pieces { before: escaped(before), between: escaped(between), after: escaped(after) };
        Some(Self { plain, in_path })
    }

    /// Appends the id of the edge between two vertices.
    pub(crate) fn render(
        &self,
        in_path: bool,
        out: &mut Vec<u8>,
        source: impl FnOnce(&mut Vec<u8>),
        target: impl FnOnce(&mut Vec<u8>),
    ) {
        let pieces = if in_path { &self.in_path } else { &self.plain };
        out.extend_from_slice(&pieces.before);
        source(out);
        out.extend_from_slice(&pieces.between);
        target(out);
        out.extend_from_slice(&pieces.after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_id_is_taken_apart() {
        let learnt = IdTemplate::learn("Sr1v1>2>2>>Sr1v12", "r1v1", "r1v12").unwrap();
        let mut out = Vec::new();
        learnt.render(false, &mut out, |out| out.extend_from_slice(b"a"), |out| out.extend_from_slice(b"b"));
        assert_eq!(&out[..], b"Sa>2>2>>Sb");
        assert_eq!(IdTemplate::learn("nothing", "a1", "b2"), None);
    }
}
