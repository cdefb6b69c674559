//! Which edges of a vertex were written, by direction and label, and whether its lists are used: one word, so that a
//! write need not take the vertex's lock nor come near its lists. Whoever looks at the lists next takes the marks,
//! under the lock.

use std::sync::atomic::{AtomicU64, Ordering};

use graph_model::LabelId;

/// Labels of one direction that have a bit of their own; larger ones share the last bit.
const OWN: u32 = 30;

/// The bits of one direction.
const ONE_WAY: u64 = (1 << (OWN + 1)) - 1;

/// That the lists were used since the last sweep.
const USED: u64 = 1 << 63;

/// The bit of a label in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(u64);

impl Mark {
    pub(crate) fn of(outgoing: bool, label: LabelId) -> Self {
        Self(1 << (label.0.min(OWN) + if outgoing { 0 } else { OWN + 1 }))
    }
}

/// Marks that were taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written(u64);

impl Written {
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of one direction.
    pub(crate) fn of(self, outgoing: bool) -> WrittenLabels {
        WrittenLabels(if outgoing { self.0 & ONE_WAY } else { self.0 >> (OWN + 1) })
    }
}

/// Marks of one direction that were taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenLabels(u64);

impl WrittenLabels {
    /// Whether edges of a label may have been written.
    pub(crate) fn has(self, label: LabelId) -> bool {
        self.0 & (1 << label.0.min(OWN)) != 0
    }

    /// Labels with bits of their own of which edges were written.
    pub(crate) fn own(self) -> impl Iterator<Item = LabelId> {
        (0..OWN).map(LabelId).filter(move |label| self.has(*label))
    }

    /// The largest label that no other shares its bit with, if edges of one beyond it may have been written.
    pub(crate) fn known_to(self) -> Option<LabelId> {
        self.has(LabelId(OWN)).then_some(LabelId(OWN - 1))
    }
}

/// The marks of one vertex.
///
/// A writer first registers with its counter ([`crate::stripes`]), then sets a mark. Who keeps a list takes the marks
/// first, then looks at the counter, all under the vertex's lock: a writer whose mark was taken is seen there, and the
/// mark of any other stays for the next one. Both need one order of all these steps, hence `SeqCst`.
#[derive(Default)]
pub(crate) struct Marks(AtomicU64);

impl Marks {
    pub(crate) fn set(&self, mark: Mark) {
        if self.0.load(Ordering::SeqCst) & mark.0 == 0 {
            self.0.fetch_or(mark.0, Ordering::SeqCst);
        }
    }

    /// Takes the marks of writes.
    pub(crate) fn take(&self) -> Written {
        let written = self.0.load(Ordering::SeqCst) & !USED != 0;
        Written(if written { self.0.fetch_and(USED, Ordering::SeqCst) & !USED } else { 0 })
    }

    /// Notes that the lists are used.
    pub(crate) fn set_used(&self) {
        if self.0.load(Ordering::Relaxed) & USED == 0 {
            self.0.fetch_or(USED, Ordering::Relaxed);
        }
    }

    /// Whether they were used since this was asked last.
    pub(crate) fn take_used(&self) -> bool {
        self.0.fetch_and(!USED, Ordering::Relaxed) & USED != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_bits_of_their_own_as_far_as_there_are_any() {
        let marks = Marks::default();
        for (outgoing, label) in [(true, 3), (false, 29), (true, 40)] {
            marks.set(Mark::of(outgoing, LabelId(label)));
        }
        marks.set_used();
        let written = marks.take();
        let all = |outgoing| (0..64).filter(move |label| written.of(outgoing).has(LabelId(*label)));
        assert!(all(true).eq([3].into_iter().chain(30..64)));
        assert!(all(false).eq([29]));
        assert!(written.of(true).own().eq([LabelId(3)]) && written.of(true).known_to() == Some(LabelId(29)));
        assert!(written.of(false).own().eq([LabelId(29)]) && written.of(false).known_to().is_none());
        assert!(marks.take().is_empty() && marks.take_used() && !marks.take_used());
    }
}
