//! Which nodes meet a test, as far as it is known.

use adjacency::NumberSet;

/// Nodes that were looked at, and those of them that meet a test.
#[derive(Debug, Default)]
pub struct Tested {
    looked_at: NumberSet,
    fitting: NumberSet,
    is_whole: bool,
}

impl Tested {
    /// Whether a node meets the test. It must have been looked at.
    #[must_use]
    pub fn holds(&self, number: u32) -> bool {
        self.fitting.contains(number)
    }

    /// Those of some nodes that must be looked at, each once; they count as looked at from here on.
    pub fn unknown(&mut self, numbers: &[u32]) -> Vec<u32> {
        if self.is_whole {
            return Vec::new();
        }
        numbers.iter().copied().filter(|number| self.looked_at.insert(*number)).collect()
    }

    /// A node meets the test.
    pub fn add(&mut self, number: u32) {
        self.fitting.insert(number);
    }

    /// How many nodes were looked at.
    #[must_use]
    pub fn looked_at(&self) -> usize {
        self.looked_at.len()
    }

    /// Whether no other node meets the test.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_whole
    }

    /// All nodes that meet the test were added: others need not be looked at.
    pub fn complete(&mut self) {
        self.is_whole = true;
    }
}
