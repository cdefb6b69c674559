//! Carrying out a plan: entries are read ahead in rounds, their elements fetched together, compared and given out one
//! by one.

use std::cell::OnceCell;
use std::marker::PhantomData;

use graph_model::{ElementId, LabelId, VertexId};
use graph_schema::{Conditions, Predicate};
use key_codec::key;
use kv::{Key, Keys};
use rustc_hash::FxHashSet;

use super::Element;
use super::access::{Access, Entries};
use super::plan::Plan;
use crate::read::page::Position;
use crate::read::progress::{Progress, Turn};
use crate::read::source::Source;
use crate::read::view::Moment;
use store_error::StoreError;

use crate::limits;

/// A position in an index; the other kind is a position among ids.
pub(super) const IN_INDEX: u8 = 0;
pub(super) const AMONG_IDS: u8 = 1;

/// How the elements of one label are found.
pub(super) struct Stage {
    pub(super) label: LabelId,
    pub(super) plan: Plan,
    /// What other indexes than the driver lead to, where that is little; read when the stage is.
    pub(super) narrowing: OnceCell<Vec<FxHashSet<ElementId>>>,
}

/// Which of the elements that are met are given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepted {
    /// Those of the label that meet all conditions.
    Exactly,
    /// Of an auto graph: those of the label.
    Candidates,
    /// Of an auto graph: those whose label is a set with that of the index.
    CandidatesOfSets,
}

/// A look-up at one moment.
pub(super) struct Found<'a, E> {
    pub(super) moment: Moment<'a>,
    pub(super) conditions: Conditions,
    pub(super) accepted: Accepted,
    pub(super) stages: Vec<Stage>,
    pub(super) kind: PhantomData<fn() -> E>,
}

impl Stage {
    /// The index that gives the order, and those that narrow it; none where ids are known.
    fn indexes(&self) -> (Option<&Access>, &[Access]) {
        match &self.plan {
            Plan::Ids(_) => (None, &[]),
            Plan::Indexes { driver, others } => (Some(driver), others),
        }
    }
}

/// The elements of a look-up from a position on.
pub(super) struct Walk<'f, E: Element> {
    found: &'f Found<'f, E>,
    /// The position of the stage that is walked.
    stage: usize,
    /// Where it begins.
    start: Option<Position>,
    /// How far it has come; `None` before its first round.
    at: Option<At<'f>>,
    /// Elements fetched and not yet given, and where they were met.
    elements: std::iter::Enumerate<std::vec::IntoIter<Option<E>>>,
    round: Round<E>,
}

/// What is left of a stage.
enum At<'f> {
    Ids(&'f [VertexId]),
    Entries(Entries<'f>),
    End,
}

impl<'f, E: Element> Walk<'f, E> {
    pub(super) fn new(found: &'f Found<'f, E>, stage: usize, start: Option<Position>) -> Self {
        let elements = Vec::new().into_iter().enumerate();
        Self { found, stage, start, at: None, elements, round: Round::new() }
    }

    /// Where the walk of a stage begins.
    fn begin(&mut self, stage: &'f Stage, progress: &mut Progress) -> Result<At<'f>, StoreError> {
        let start = self.start.take();
        match &stage.plan {
            Plan::Ids(ids) => {
                let first = match start {
                    Some(start) => {
                        let last = key::read_vertex_key(start.key())?;
                        ids.partition_point(|id| *id <= last)
                    }
                    None => 0,
                };
                Ok(At::Ids(ids.get(first..).unwrap_or_default()))
            }
            Plan::Indexes { driver, others } => {
                let mut narrowing = Vec::new();
                if stage.narrowing.get().is_none() {
                    for other in others {
                        if let Some(ids) = self.ids_of(other, progress)? {
                            let none = ids.is_empty();
                            narrowing.push(ids);
                            if none {
                                break;
                            }
                        }
                    }
                }
                if stage.narrowing.get_or_init(|| narrowing).iter().any(FxHashSet::is_empty) {
                    return Ok(At::End);
                }
                let after = start.as_ref().map(Position::key);
                Ok(At::Entries(driver.entries(&*self.found.moment.read, after)))
            }
        }
    }

    /// The elements an index leads to, where they are few.
    fn ids_of(&self, access: &Access, progress: &mut Progress) -> Result<Option<FxHashSet<ElementId>>, StoreError> {
        let mut ids = FxHashSet::default();
        let mut entries = access.entries(&*self.found.moment.read, None);
        loop {
            progress.row()?;
            let more = entries.next(|_, element| {
                ids.insert(element);
            })?;
            if !more {
                return Ok(Some(ids));
            }
            if ids.len() > limits::INTERSECT_IDS_MAX {
                return Ok(None);
            }
        }
    }

    /// Fetches the elements of the next round of a stage.
    fn fetch(&mut self, stage: &'f Stage, progress: &mut Progress) -> Result<(), StoreError> {
        let at = match self.at.take() {
            Some(at) => at,
            None => self.begin(stage, progress)?,
        };
        let (round, at) = match at {
            At::End => (Round::new(), At::End),
            At::Ids(ids) => self.round_of_ids(ids, progress)?,
            At::Entries(entries) => self.round_of_entries(stage, entries, progress)?,
        };
        self.at = Some(at);
        let elements = E::fetch(self.found.moment.graph, &*self.found.moment.read, &round.ids)?;
        (self.elements, self.round) = (elements.into_iter().enumerate(), round);
        Ok(())
    }

    fn round_of_ids(&self, ids: &'f [VertexId], progress: &mut Progress) -> Result<(Round<E>, At<'f>), StoreError> {
        let (some, rest) = ids.split_at_checked(limits::LIST_FETCH_VERTICES).unwrap_or((ids, &[]));
        let mut round = Round::new();
        for id in some {
            progress.row()?;
            if let Some(fetched) = E::id_of_vertex(id) {
                let number = self.found.moment.graph.number;
                round.ids.push(fetched);
                round.keys.push(|out| key::vertex_partition(out, number, id), |_| ());
            }
        }
        Ok((round, if rest.is_empty() { At::End } else { At::Ids(rest) }))
    }

    fn round_of_entries(
        &self,
        stage: &Stage,
        mut entries: Entries<'f>,
        progress: &mut Progress,
    ) -> Result<(Round<E>, At<'f>), StoreError> {
        let narrowing = stage.narrowing.get().map(Vec::as_slice).unwrap_or_default();
        let wanted = progress.wanted().min(limits::LIST_FETCH_VERTICES as u64);
        let mut round = Round::new();
        while (round.ids.len() as u64) < wanted {
            progress.row()?;
            let more = entries.next(|key, element| {
                if narrowing.iter().all(|ids| ids.contains(&element)) {
                    round.push(key, element);
                }
            })?;
            if !more {
                return Ok((round, At::End));
            }
        }
        Ok((round, At::Entries(entries)))
    }

    /// Whether an element meets all conditions. Words of a text are those of the search index.
    fn accepts(&self, stage: &Stage, element: &E) -> bool {
        match self.found.accepted {
            Accepted::Exactly => {}
            Accepted::Candidates => return element.label() == stage.label,
            // The index is over no others, but perhaps over some that came after the catalogue.
            Accepted::CandidatesOfSets => {
                return self.found.moment.catalogue.vertex_label(element.label()).is_some();
            }
        }
        let properties = element.properties();
        let (driver, others) = stage.indexes();
        element.label() == stage.label
            && self.found.conditions.iter().all(|condition| match condition.predicate {
                Predicate::TextContains(_) if !self.found.moment.catalogue.is_auto() => {
                    properties.get(condition.key).is_some()
                }
                _ => condition.matches(properties),
            })
            && driver.into_iter().chain(others).all(|access| access.has_token(element.reference(), properties))
    }
}

impl<E: Element> Source<E> for Walk<'_, E> {
    fn next(&mut self, progress: &mut Progress) -> Result<Option<E>, StoreError> {
        while let Some(stage) = self.found.stages.get(self.stage) {
            let (driver, _) = stage.indexes();
            while let Some((at, element)) = self.elements.next() {
                let (Some(element), Some(key)) = (element, self.round.keys.get(at)) else { continue };
                let (own, properties) = (element.reference(), element.properties());
                let was_met = driver.is_some_and(|driver| driver.was_met(key, own, properties));
                if was_met || !self.accepts(stage, &element) {
                    continue;
                }
                match progress.turn() {
                    Turn::Skip => continue,
                    Turn::Stop => return Ok(None),
                    Turn::Give => {}
                }
                let kind = if driver.is_some() { IN_INDEX } else { AMONG_IDS };
                progress.gave(kind, stage.label.0, key);
                return Ok(Some(element));
            }
            if matches!(self.at, Some(At::End)) {
                (self.at, self.stage) = (None, self.stage + 1);
            } else {
                self.fetch(stage, progress)?;
            }
        }
        Ok(None)
    }
}

/// Entries or ids read ahead: what to fetch, and the key where it was met.
struct Round<E: Element> {
    ids: Vec<E::Id>,
    keys: Keys,
}

impl<E: Element> Round<E> {
    fn new() -> Self {
        Self { ids: Vec::new(), keys: Keys::new() }
    }

    fn push(&mut self, key: Key<'_>, element: ElementId) {
        if let Some(id) = E::id_of(element) {
            self.ids.push(id);
            self.keys.push(|out| out.extend_from_slice(key.partition()), |out| out.extend_from_slice(key.row()));
        }
    }
}
