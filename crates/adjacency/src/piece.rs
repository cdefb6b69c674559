//! The neighbours of one vertex in one direction: one allocation.
//!
//! Words: the label up to which all labels are known; the number of segments; of each segment its label, its state and
//! where it ends; then the numbers. Segments are sorted by label. A label without a segment has no edges if it is not
//! beyond the first word, else it is not known.

use std::ops::Range;

use graph_model::LabelId;
use thin_vec::ThinVec;

use crate::marks::WrittenLabels;

/// Words before the segments.
const HEAD: usize = 2;
/// Words of a segment.
const SEGMENT: usize = 3;

/// What is known of the edges of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All of them are in the list.
    Whole,
    /// The list has the first ones; there may be more.
    Prefix,
    /// Nothing: they were written to.
    Unknown,
    /// They must be read as rows: they can expire, or are too many.
    Rows,
}

impl State {
    fn word(self) -> u32 {
        match self {
            Self::Whole => 0,
            Self::Prefix => 1,
            Self::Unknown => 2,
            Self::Rows => 3,
        }
    }

    fn of(word: u32) -> Self {
        match word {
            0 => Self::Whole,
            1 => Self::Prefix,
            3 => Self::Rows,
            _ => Self::Unknown,
        }
    }
}

/// What was read of a vertex in one direction, label by label.
#[derive(Clone, Debug, Default)]
pub struct Found {
    segments: Vec<(LabelId, State, Range<usize>)>,
    numbers: Vec<u32>,
}

impl Found {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes everything, keeps the room.
    pub fn clear(&mut self) {
        self.segments.clear();
        self.numbers.clear();
    }

    /// Whether there are no segments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Appends a neighbour to the segment that is not yet ended.
    pub fn push(&mut self, number: u32) {
        self.numbers.push(number);
    }

    /// Ends the segment of a label. In a state without a list its numbers are dropped.
    pub fn end_segment(&mut self, label: LabelId, state: State) {
        let start = self.segments.last().map_or(0, |(_, _, range)| range.end);
        if matches!(state, State::Unknown | State::Rows) {
            self.numbers.truncate(start);
        }
        self.segments.push((label, state, start..self.numbers.len()));
    }

    fn has(&self, label: LabelId) -> bool {
        self.segments.iter().any(|(of, ..)| *of == label)
    }

    fn iter(&self) -> impl Iterator<Item = (LabelId, State, &[u32])> {
        self.segments
            .iter()
            .map(|(label, state, range)| (*label, *state, self.numbers.get(range.clone()).unwrap_or_default()))
    }
}

/// Whether a piece answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It does.
    Done,
    /// A part must be read first.
    Missing,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    words: ThinVec<u32>,
}

fn at(words: &[u32], position: usize) -> u32 {
    words.get(position).copied().unwrap_or_default()
}

impl Piece {
    /// Memory in bytes, the allocator's part included.
    pub(crate) fn bytes(&self) -> usize {
        // Length and room are kept before the words.
        size_of_val(&*self.words) + 16 + 16
    }

    fn complete_to(&self) -> u32 {
        at(&self.words, 0)
    }

    fn count(&self) -> usize {
        at(&self.words, 1) as usize
    }

    fn segments(&self) -> impl Iterator<Item = (LabelId, State, &[u32])> {
        let (head, numbers) = self.words.split_at_checked(HEAD + SEGMENT * self.count()).unwrap_or_default();
        let mut start = 0;
        head.get(HEAD..).unwrap_or_default().chunks_exact(SEGMENT).map(move |segment| {
            let end = at(segment, 2) as usize;
            let list = numbers.get(start..end).unwrap_or_default();
            start = end;
            (LabelId(at(segment, 0)), State::of(at(segment, 1)), list)
        })
    }

    /// What is known of a label; `None`: nothing.
    fn of_label(&self, label: LabelId) -> Option<(State, &[u32])> {
        match self.segments().find(|(of, ..)| *of >= label) {
            Some((of, state, list)) if of == label => Some((state, list)),
            _ => (self.complete_to() >= label.0).then_some((State::Whole, &[])),
        }
    }

    /// Gives the neighbours along edges of some labels, label by label, `limit` at most, and lowers the limit by their
    /// number. If it does not know all of them, it may have given some.
    pub(crate) fn visit<'p>(
        &'p self,
        labels: Option<&[LabelId]>,
        last_label: LabelId,
        limit: &mut usize,
        mut visit: impl FnMut(LabelId, &'p [u32]),
    ) -> Outcome {
        let mut take = |label: LabelId, state: State, list: &'p [u32], limit: &mut usize| {
            let enough = match state {
                State::Whole => true,
                State::Prefix => list.len() >= *limit,
                State::Unknown | State::Rows => *limit == 0,
            };
            if enough {
                let list = list.get(..list.len().min(*limit)).unwrap_or_default();
                visit(label, list);
                *limit -= list.len();
            }
            enough
        };
        match labels {
            None => {
                if self.complete_to() < last_label.0 {
                    return Outcome::Missing;
                }
                for (label, state, list) in self.segments() {
                    if label <= last_label && !take(label, state, list, limit) {
                        return Outcome::Missing;
                    }
                }
            }
            Some(labels) => {
                for label in labels {
                    let known = self.of_label(*label).is_some_and(|(state, list)| take(*label, state, list, limit));
                    if !known && *limit > 0 {
                        return Outcome::Missing;
                    }
                }
            }
        }
        Outcome::Done
    }

    /// Those of some labels that are to be read for lists of at most `limit`. None that must be read as rows.
    pub(crate) fn unread(piece: Option<&Self>, labels: &[LabelId], limit: usize, unread: &mut Vec<LabelId>) {
        let known = |label: LabelId| match piece.and_then(|piece| piece.of_label(label)) {
            Some((State::Whole | State::Rows, _)) => true,
            Some((State::Prefix, list)) => list.len() >= limit,
            Some((State::Unknown, _)) | None => false,
        };
        unread.extend(labels.iter().filter(|label| !known(**label)));
    }

    /// With what was read. `all`: all labels there are, if with this all of them may be known.
    pub(crate) fn merged(old: Option<&Self>, found: &Found, all: Option<&[LabelId]>) -> Self {
        let known = |label: &LabelId| found.has(*label) || old.is_some_and(|old| old.of_label(*label).is_some());
        let complete_to = all
            .filter(|all| all.iter().all(known))
            .and_then(|all| all.iter().max())
            .map_or(0, |label| label.0)
            .max(old.map_or(0, Self::complete_to));
        let kept = old.into_iter().flat_map(Self::segments).filter(|(label, ..)| !found.has(*label));
        let mut segments: Vec<(LabelId, State, &[u32])> = kept.chain(found.iter()).collect();
        segments.retain(|(label, state, list)| *state != State::Whole || !list.is_empty() || label.0 > complete_to);
        segments.sort_by_key(|(label, ..)| *label);
        let numbers: usize = segments.iter().map(|(_, _, list)| list.len()).sum();
        let mut words = ThinVec::with_capacity(HEAD + SEGMENT * segments.len() + numbers);
        words.extend([complete_to, word(segments.len())]);
        let mut end = 0;
        for (label, state, list) in &segments {
            end += list.len();
            words.extend([label.0, state.word(), word(end)]);
        }
        segments.iter().for_each(|(_, _, list)| words.extend_from_slice(list));
        Self { words }
    }

    /// Notes that edges of some labels were written.
    pub(crate) fn forget(&mut self, written: WrittenLabels) {
        let places = HEAD + SEGMENT * self.count();
        let segments = self.words.get_mut(HEAD..places).unwrap_or_default().chunks_exact_mut(SEGMENT);
        for segment in segments {
            if let [of, state, _] = segment
                && written.has(LabelId(*of))
            {
                *state = State::Unknown.word();
            }
        }
        if let (Some(last), Some(complete_to)) = (written.known_to(), self.words.first_mut()) {
            *complete_to = last.0.min(*complete_to);
        }
        // Labels without a segment, which have no edges as far as it knew.
        let mut found = Found::new();
        let empty = |label: &LabelId| label.0 <= self.complete_to() && !self.segments().any(|(of, ..)| of == *label);
        for label in written.own().filter(empty) {
            found.end_segment(label, State::Unknown);
        }
        if !found.is_empty() {
            *self = Self::merged(Some(self), &found, None);
        }
    }
}

fn word(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::{Mark, Marks};

    fn found(segments: &[(u32, State, &[u32])]) -> Found {
        let mut found = Found::new();
        for (label, state, list) in segments {
            list.iter().for_each(|number| found.push(*number));
            found.end_segment(LabelId(*label), *state);
        }
        found
    }

    fn read(piece: &Piece, labels: Option<&[u32]>, limit: usize) -> Option<Vec<u32>> {
        let labels: Option<Vec<LabelId>> = labels.map(|labels| labels.iter().map(|label| LabelId(*label)).collect());
        let (mut out, mut left) = (Vec::new(), limit);
        let append = |_, list: &[u32]| out.extend_from_slice(list);
        let outcome = piece.visit(labels.as_deref(), LabelId(9), &mut left, append);
        (outcome == Outcome::Done).then_some(out)
    }

    fn unread(piece: &Piece, labels: &[u32], limit: usize) -> Vec<u32> {
        let labels: Vec<LabelId> = labels.iter().map(|label| LabelId(*label)).collect();
        let mut unread = Vec::new();
        Piece::unread(Some(piece), &labels, limit, &mut unread);
        unread.into_iter().map(|label| label.0).collect()
    }

    fn written(labels: &[u32]) -> WrittenLabels {
        let marks = Marks::default();
        labels.iter().for_each(|label| marks.set(Mark::of(true, LabelId(*label))));
        marks.take().of(true)
    }

    #[test]
    fn labels_that_share_a_mark_are_read_again_together() {
        let all: Vec<LabelId> = (1..=50).map(LabelId).collect();
        let mut read = Found::new();
        for label in &all {
            if [2, 40].contains(&label.0) {
                read.push(label.0);
            }
            read.end_segment(*label, State::Whole);
        }
        let mut piece = Piece::merged(None, &read, Some(&all));
        piece.forget(written(&[45]));
        let mut out = Vec::new();
        Piece::unread(Some(&piece), &all, usize::MAX, &mut out);
        assert_eq!(out, (30..=50).map(LabelId).collect::<Vec<_>>());
    }

    #[test]
    fn labels_become_known_one_by_one_and_all_together() {
        let mut piece = Piece::merged(None, &found(&[(3, State::Whole, &[7, 8]), (5, State::Whole, &[])]), None);
        assert_eq!(read(&piece, Some(&[3]), usize::MAX), Some(vec![7, 8]));
        assert_eq!(read(&piece, Some(&[3, 5]), 1), Some(vec![7]));
        assert_eq!(read(&piece, Some(&[3, 4]), usize::MAX), None);
        assert_eq!(read(&piece, Some(&[3, 4]), 2), Some(vec![7, 8]), "the limit is reached before");
        assert_eq!(read(&piece, None, usize::MAX), None);
        let all: Vec<LabelId> = (1..10).map(LabelId).collect();
        assert_eq!(unread(&piece, &[1, 2, 3, 4, 5], usize::MAX), [1, 2, 4]);
        let rest = found(&[(1, State::Whole, &[1]), (2, State::Whole, &[])]);
        let partly = Piece::merged(Some(&piece), &rest, Some(&all));
        assert_eq!(read(&partly, None, usize::MAX), None, "4 and 6 to 9 were not read");
        let rest = [1u32, 2, 4, 6, 7, 8, 9].map(|label| (label, State::Whole, if label == 9 { &[4][..] } else { &[] }));
        piece = Piece::merged(Some(&piece), &found(&rest), Some(&all));
        assert_eq!(read(&piece, None, usize::MAX), Some(vec![7, 8, 4]));
        assert_eq!(read(&piece, Some(&[4, 9, 3]), usize::MAX), Some(vec![4, 7, 8]));
        assert_eq!(piece.count(), 2, "empty labels take no room");
        piece.forget(written(&[3, 6]));
        assert_eq!((read(&piece, None, usize::MAX), unread(&piece, &[3, 6, 9], 1)), (None, vec![3, 6]));
        assert_eq!(read(&piece, Some(&[9, 5]), usize::MAX), Some(vec![4]));
        piece = Piece::merged(Some(&piece), &found(&[(3, State::Whole, &[]), (6, State::Whole, &[1])]), None);
        assert_eq!(read(&piece, None, usize::MAX), Some(vec![1, 4]));
        assert_eq!(unread(&piece, &[10], 1), [10]);
    }

    #[test]
    fn prefixes_serve_limits_and_rows_nothing() {
        let piece = Piece::merged(None, &found(&[(1, State::Prefix, &[5, 6]), (2, State::Rows, &[9])]), None);
        assert_eq!(read(&piece, Some(&[1]), 2), Some(vec![5, 6]));
        assert_eq!(read(&piece, Some(&[1]), 3), None);
        assert_eq!(read(&piece, Some(&[2]), 1), None);
        assert_eq!((unread(&piece, &[1, 2], 2), unread(&piece, &[1, 2], 3)), (vec![], vec![1]));
        let longer = Piece::merged(Some(&piece), &found(&[(1, State::Whole, &[5, 6, 7])]), None);
        assert_eq!(read(&longer, Some(&[1]), 9), Some(vec![5, 6, 7]));
    }
}
