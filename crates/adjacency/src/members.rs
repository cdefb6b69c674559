//! Which vertices there are of a label, as numbers.

use std::sync::Arc;

use graph_model::LabelId;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

#[derive(Debug)]
struct Kept {
    numbers: Arc<[u32]>,
    /// Whether it was used since the last sweep.
    used: bool,
}

/// The vertices of labels, as far as they were read and no vertex of the label has been written since.
#[derive(Debug, Default)]
pub(crate) struct Members {
    of: Mutex<FxHashMap<LabelId, Kept>>,
}

/// Memory in bytes, with what the allocator and the map take.
fn bytes(numbers: &[u32]) -> usize {
    size_of_val(numbers) + 64
}

impl Members {
    pub(crate) fn get(&self, label: LabelId) -> Option<Arc<[u32]>> {
        let mut of = self.of.lock();
        let kept = of.get_mut(&label)?;
        kept.used = true;
        Some(Arc::clone(&kept.numbers))
    }

    /// Keeps them unless `is_valid` says that they may have changed. `count` is told the bytes before and after, as of
    /// the other calls, while nobody else changes anything: so nothing is counted as gone before it was counted.
    pub(crate) fn put(
        &self,
        label: LabelId,
        numbers: &[u32],
        is_valid: impl FnOnce() -> bool,
        count: impl FnOnce(usize, usize),
    ) {
        let mut of = self.of.lock();
        if is_valid() {
            let before = of.insert(label, Kept { numbers: numbers.into(), used: true });
            count(before.map_or(0, |kept| bytes(&kept.numbers)), bytes(numbers));
        }
    }

    /// Forgets those of a label, `None`: of all.
    pub(crate) fn forget(&self, label: Option<LabelId>, count: impl FnOnce(usize, usize)) {
        let mut of = self.of.lock();
        let freed = match label {
            Some(label) => of.remove(&label).map_or(0, |kept| bytes(&kept.numbers)),
            None => of.drain().map(|(_, kept)| bytes(&kept.numbers)).sum(),
        };
        count(freed, 0);
    }

    /// Forgets those that were not used since this was called last.
    pub(crate) fn evict(&self, count: impl FnOnce(usize, usize)) {
        let (mut of, mut freed) = (self.of.lock(), 0);
        of.retain(|_, kept| {
            let stays = std::mem::take(&mut kept.used);
            freed += if stays { 0 } else { bytes(&kept.numbers) };
            stays
        });
        count(freed, 0);
    }
}
