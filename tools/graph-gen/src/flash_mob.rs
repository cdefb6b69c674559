//! Flash mobs: five tags a month that many people write about within 72 hours.

use crate::clock::Clock;
use crate::draw::{Draw, Stream};
use crate::limits::{HOUR_MS, MONTH_MS, START_MS};

/// Events per month.
const EVENTS_PER_MONTH: u64 = 5;
/// Half the length of an event.
const HALF_MS: u32 = 36 * 3_600 * 1_000;

/// All events, by time.
pub(crate) struct FlashMobs {
    /// Peak time and tag.
    events: Vec<(u64, u32)>,
    end_ms: u64,
}

impl FlashMobs {
    /// Draws the events of the whole simulation.
    pub(crate) fn new(seed: u64, clock: Clock, tag_count: u32) -> FlashMobs {
        let mut draw = Draw::new(seed, Stream::FlashMobs, 0);
        let count = clock.span_ms() / MONTH_MS * EVENTS_PER_MONTH;
        let slice = MONTH_MS / EVENTS_PER_MONTH;
        let events =
            (0..count).map(|nth| (START_MS + nth * slice + draw.below_u64(slice), draw.below(tag_count))).collect();
        FlashMobs { events, end_ms: clock.end_ms }
    }

    /// Tag and time of a post in some event after `from_ms`; `None` if there is none or it would leave the simulated
    /// time.
    pub(crate) fn join(&self, from_ms: u64, draw: &mut Draw) -> Option<(u32, u64)> {
        let first = self.events.partition_point(|(peak_ms, _)| *peak_ms < from_ms + 36 * HOUR_MS);
        let &(peak_ms, tag) = draw.of(self.events.get(first..)?)?;
        // The sum of two equal draws is most often in the middle: the peak.
        let at_ms = peak_ms - u64::from(HALF_MS) + u64::from(draw.below(HALF_MS)) + u64::from(draw.below(HALF_MS));
        (at_ms < self.end_ms).then_some((tag, at_ms))
    }
}
