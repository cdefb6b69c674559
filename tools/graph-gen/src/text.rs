//! Message text: plain English words in no meaningful order, cut from one pool, about a tag.
//!
//! The text of a message depends only on (seed, message id) and its tag, so the same network with `text` switched off
//! differs in nothing else. All text is ASCII, without `|`, `;` or quotes.

use crate::dictionary::words::{PROSE, SHORT_REPLIES};
use crate::draw::{Draw, Stream, mix};
use crate::limits::TEXT_MAX;

/// Bytes of the pool: large enough that texts rarely repeat, small enough for the CPU's cache.
const POOL_BYTES: usize = 128 * 1024;

/// The pool of prose of one seed.
pub(crate) struct Prose {
    pool: Vec<u8>,
    seed: u64,
}

impl Prose {
    /// Writes the pool.
    pub(crate) fn new(seed: u64) -> Prose {
        let words: Vec<&str> = PROSE.split(' ').collect();
        let mut draw = Draw::new(seed, Stream::Prose, 0);
        let mut pool = Vec::with_capacity(POOL_BYTES + 256);
        while pool.len() < POOL_BYTES {
            let sentence_start = pool.len();
            for at in 0..draw.between(6, 14) {
                if at > 0 {
                    pool.push(b' ');
                }
                pool.extend_from_slice(draw.of(&words).copied().unwrap_or("word").as_bytes());
            }
            if let Some(first) = pool.get_mut(sentence_start) {
                first.make_ascii_uppercase();
            }
            pool.extend_from_slice(b". ");
        }
        Prose { pool, seed }
    }

    /// Puts the text of a post into `text`: 85 to 250 characters, most cut shorter, one in 1,000 of 700 to 2,000.
    pub(crate) fn post(&self, id: u64, tag: &str, text: &mut Vec<u8>) {
        let bits = mix(self.seed, id);
        let length = if bits.is_multiple_of(1_000) {
            700 + (bits >> 20) % 1_301
        } else {
            shortened(85 + (bits >> 20) % 166, bits >> 40)
        };
        self.about(bits, tag, length, text);
    }

    /// Puts the text of a comment into `text`: 75 to 185 characters, most cut shorter.
    pub(crate) fn comment(&self, id: u64, tag: &str, text: &mut Vec<u8>) {
        let bits = mix(self.seed, id);
        self.about(bits, tag, shortened(75 + (bits >> 20) % 111, bits >> 40), text);
    }

    /// A reply of a word or two.
    pub(crate) fn reply(&self, id: u64) -> &'static str {
        let at = mix(self.seed, id) % SHORT_REPLIES.len() as u64;
        usize::try_from(at).ok().and_then(|at| SHORT_REPLIES.get(at)).copied().unwrap_or("ok")
    }

    fn about(&self, bits: u64, tag: &str, length: u64, text: &mut Vec<u8>) {
        text.clear();
        text.extend_from_slice(b"About ");
        text.extend(tag.bytes().map(|byte| if byte == b'_' { b' ' } else { byte }));
        text.extend_from_slice(b", ");
        let length = usize::try_from(length).unwrap_or(TEXT_MAX).clamp(text.len(), TEXT_MAX);
        let from = usize::try_from(bits >> 8).unwrap_or(0) % (POOL_BYTES - TEXT_MAX);
        let missing = length - text.len();
        text.extend_from_slice(self.pool.get(from..from + missing).unwrap_or_default());
        while matches!(text.last(), Some(b' ' | b',')) {
            text.pop();
        }
    }
}

/// Four of five lengths are cut to a random part, at least a fifth.
fn shortened(length: u64, bits: u64) -> u64 {
    if bits.is_multiple_of(5) { length } else { length * (20 + (bits >> 3) % 80) / 100 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_short_clean_and_repeatable() {
        let prose = Prose::new(3);
        let (mut text, mut again) = (Vec::new(), Vec::new());
        for id in 0..5_000 {
            prose.post(id, "Silver_River", &mut text);
            assert!(text.starts_with(b"About Silver River") && text.len() <= TEXT_MAX);
            assert!(text.is_ascii() && !text.iter().any(|byte| b"|;\"\n".contains(byte)) && !text.ends_with(b" "));
            prose.post(id, "Silver_River", &mut again);
            assert_eq!(text, again);
        }
    }
}
