//! The vertices whose edges one batch writes, collected so that they are looked up together.

use graph_model::VertexIdRef;

use crate::marks::Mark;

/// See the module.
#[derive(Default)]
pub(crate) struct Touched {
    entries: Vec<Entry>,
    /// The texts of ids, one after the other.
    texts: Vec<u8>,
}

struct Entry {
    hash: u64,
    owner: Owner,
    mark: Mark,
}

enum Owner {
    Number(i64),
    Uuid(u128),
    /// Where its text begins, and its length.
    Text(usize, usize),
}

impl Touched {
    pub(crate) fn push(&mut self, hash: u64, owner: VertexIdRef<'_>, mark: Mark) {
        let owner = match owner {
            VertexIdRef::Number(number) => Owner::Number(number),
            VertexIdRef::Uuid(bits) => Owner::Uuid(bits),
            VertexIdRef::String(text) => {
                let start = self.texts.len();
                self.texts.extend_from_slice(text);
                Owner::Text(start, text.len())
            }
        };
        self.entries.push(Entry { hash, owner, mark });
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// One of them: the hash of the vertex's id, the id, and what is written.
    pub(crate) fn get(&self, at: usize) -> Option<(u64, VertexIdRef<'_>, Mark)> {
        let Entry { hash, owner, mark } = self.entries.get(at)?;
        let owner = match owner {
            Owner::Number(number) => VertexIdRef::Number(*number),
            Owner::Uuid(bits) => VertexIdRef::Uuid(*bits),
            Owner::Text(start, len) => VertexIdRef::String(self.texts.get(*start..*start + *len)?),
        };
        Some((*hash, owner, *mark))
    }

    /// All of them, in the order in which they were written.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, VertexIdRef<'_>, Mark)> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}
