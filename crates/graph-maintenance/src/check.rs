//! Verifying all index entries against all elements, and repairing what differs.
//!
//! Both directions are read without locks. What looks wrong is looked at again with its elements locked, since a writer
//! may have been at work, and only then reported, and repaired where that is asked for.

use std::collections::BTreeSet;

use graph_access::Budget;
use graph_model::{ElementId, LabelId};
use graph_schema::{Catalogue, IndexLabel, IndexType, Status};
use graph_store::parts::{
    Entry, Locks, Mask, Refusal, Stored, WriteUnit, add_entries, element_id_text, is_expired, needs_label_index,
    stored_element, stored_elements, values_in_row,
};
use graph_store::{Graph, StoreError, Wait, now_ms};
use key_codec::{index_key, key, tables};
use kv::{Entry as Row, Keys, TableId, WriteBatch};

use crate::limits;
use crate::progress::Progress;
use crate::steps::{for_each_reported_step, for_each_step, in_steps};

/// What can be wrong with an index entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IndexFault {
    /// It leads to an element that is gone or has other values.
    Stale,
    /// An element has none although it should.
    Missing,
    /// It belongs to an index label that does not exist. (What is left of one that is not kept is no fault: it is
    /// deleted before the index label is rebuilt, or with it.)
    Orphaned,
    /// Two elements have the values of a unique index label. Repairing leaves it: one of them must be changed.
    Duplicate,
    /// It cannot be read.
    Damaged,
}

impl IndexFault {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Stale, Self::Missing, Self::Orphaned, Self::Duplicate, Self::Damaged];

    /// The kind in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Missing => "missing",
            Self::Orphaned => "orphaned",
            Self::Duplicate => "duplicate",
            Self::Damaged => "damaged",
        }
    }
}

/// What a check has found, so far or in the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Index entries read.
    pub entries: u64,
    /// Elements read.
    pub elements: u64,
    /// How many of each fault, in the order of [`IndexFault::ALL`].
    pub faults: [u64; 5],
    /// How many of them were repaired.
    pub repaired: u64,
    /// The first faults in words, at most [`limits::INDEX_FAULTS_SHOWN_MAX`].
    pub examples: Vec<String>,
}

impl IndexReport {
    /// How many faults there are of a kind.
    #[must_use]
    pub fn count(&self, fault: IndexFault) -> u64 {
        IndexFault::ALL.iter().zip(self.faults).filter(|(kind, _)| **kind == fault).map(|(_, count)| count).sum()
    }

    /// How many faults there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.faults.iter().sum()
    }

    fn add(&mut self, fault: IndexFault, repaired: bool, text: impl FnOnce() -> String) {
        for (kind, count) in IndexFault::ALL.iter().zip(&mut self.faults) {
            *count += u64::from(*kind == fault);
        }
        self.repaired += u64::from(repaired);
        if self.examples.len() < limits::INDEX_FAULTS_SHOWN_MAX {
            self.examples.push(format!("{}: {}", fault.name(), text()));
        }
    }
}

/// A check at work.
struct Check<'a> {
    graph: &'a Graph,
    repair: bool,
    budget: &'a Budget,
    report: IndexReport,
    progress: &'a mut dyn FnMut(&IndexReport),
}

/// An entry and the element it leads to.
struct Lead {
    entry: Entry,
    element: ElementId,
}

/// Compares every index entry with its element and every element with its index entries, and repairs what differs
/// where `repair` says so. `progress` is called now and then with what was found so far. Writers may be at work
/// meanwhile.
///
/// # Errors
/// Those of storage; [`StoreError::GraphCleared`]; those of the budget.
pub fn check_indexes(
    graph: &Graph,
    repair: bool,
    budget: &Budget,
    progress: &mut dyn FnMut(&IndexReport),
) -> Result<IndexReport, StoreError> {
    let mut check = Check { graph, repair, budget, report: IndexReport::default(), progress };
    for table in [tables::INDEX_EQUAL, tables::INDEX_RANGE, tables::INDEX_UNIQUE] {
        check.entries(table)?;
    }
    check.elements()?;
    graph.unless_cleared(check.report)
}

/// Repairs the entries of an index label while it is in use: deletes those that do not belong, then puts those that are
/// missing.
pub(crate) fn repair(graph: &Graph, index: &IndexLabel, work: &dyn Progress) -> Result<(), StoreError> {
    let (budget, mut silent) = (Budget::unlimited(), |_: &IndexReport| {});
    let report = IndexReport::default();
    let mut check = Check { graph, repair: true, budget: &budget, report, progress: &mut silent };
    let mut prefix = Vec::new();
    index_key::index_partition(&mut prefix, graph.number(), index.id);
    check.entries_in(tables::of_index(index.index_type), &prefix, &mut || work.check())?;
    for_each_reported_step(graph, &graph.catalogue(), index, work, &mut |elements| check.step(elements))
}

impl Check<'_> {
    /// Looks at every entry of a table.
    fn entries(&mut self, table: TableId) -> Result<(), StoreError> {
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, self.graph.number());
        self.entries_in(table, &prefix, &mut || Ok(()))
    }

    /// Looks at every entry of a table whose key begins with `prefix`; `may_go_on` is asked between steps.
    fn entries_in(
        &mut self,
        table: TableId,
        prefix: &[u8],
        may_go_on: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let graph = self.graph;
        let catalogue = graph.catalogue();
        let mut cursor = graph.engine().scan_partitions(table, prefix, None)?;
        let mut leads = Vec::new();
        while let Some(row) = cursor.next()? {
            self.report.entries += 1;
            match lead(&catalogue, table, row) {
                Ok(lead) => leads.push(lead),
                Err(fault) => self.lost(fault, &catalogue, &Entry::of_key(table, row.key))?,
            }
            if leads.len() >= limits::INDEX_ELEMENTS_PER_STEP {
                self.leads(&std::mem::take(&mut leads))?;
                may_go_on()?;
            }
        }
        self.leads(&leads)
    }

    /// An entry that leads nowhere.
    fn lost(&mut self, fault: IndexFault, catalogue: &Catalogue, entry: &Entry) -> Result<(), StoreError> {
        let index = index_key::read_index(entry.key().as_bytes()).ok();
        let name = index.and_then(|index| catalogue.index_label(index)).map(|index| index.name.clone());
        let current = self.graph.catalogue();
        let is_there = |id: LabelId| catalogue.index_label(id).is_some() || current.index_label(id).is_some();
        if fault == IndexFault::Orphaned && index.is_some_and(is_there) {
            return Ok(());
        }
        if self.repair {
            let mut batch = WriteBatch::new();
            batch.delete_key(entry.table, entry.key());
            self.graph.engine().commit(batch)?;
        }
        self.report.add(fault, self.repair, || match (name, index) {
            (Some(name), _) => format!("an entry of index label '{name}'"),
            (None, Some(index)) => format!("an entry of index label number {}", index.0),
            (None, None) => "an entry of no index label".to_owned(),
        });
        Ok(())
    }

    /// Compares entries with the elements they lead to.
    fn leads(&mut self, leads: &[Lead]) -> Result<(), StoreError> {
        self.budget.check()?;
        let catalogue = self.graph.catalogue();
        let ids: Vec<ElementId> = leads.iter().map(|lead| lead.element.clone()).collect();
        let stored = stored_elements(self.graph, &ids)?;
        for (lead, stored) in leads.iter().zip(stored) {
            if !self.fits(&catalogue, &lead.entry, stored.as_ref()) {
                self.suspect_lead(lead)?;
            }
        }
        (self.progress)(&self.report);
        Ok(())
    }

    /// Whether a stored element has an entry, in an index label that is kept.
    fn fits(&self, catalogue: &Catalogue, entry: &Entry, stored: Option<&Stored>) -> bool {
        let index = index_key::read_index(entry.key().as_bytes()).ok().and_then(|id| catalogue.index_label(id));
        let Some((index, stored)) = index.zip(stored) else { return false };
        let mut entries = BTreeSet::new();
        if catalogue.is_over(index, stored.base()) {
            add_entries(&mut entries, self.graph.number(), index, stored.element(), stored.properties());
        }
        entries.contains(entry)
    }

    /// Looks again at an entry that seems to be stale.
    fn suspect_lead(&mut self, lead: &Lead) -> Result<(), StoreError> {
        let exclusive = Mask::of_element(&lead.element).union(Mask::of_bytes(lead.entry.key().as_bytes()));
        let stale = WriteUnit::lock(self.graph, Wait::Allowed, Locks::exclusive(exclusive), |mut unit| {
            let holder = holder_of(self.graph, &lead.entry)?;
            let stored = stored_element(self.graph, &lead.element)?;
            if holder.is_none_or(|holder| holder.is_some_and(|holder| holder != lead.element))
                || self.fits(unit.catalogue(), &lead.entry, stored.as_ref())
            {
                return Ok(None);
            }
            let index = index_key::read_index(lead.entry.key().as_bytes()).ok();
            if index.and_then(|index| unit.catalogue().index_label(index)).is_none_or(|index| !index.is_kept()) {
                return Ok(None);
            }
            let text = describe(unit.catalogue(), &lead.entry, &lead.element);
            if self.repair {
                unit.batch.delete_key(lead.entry.table, lead.entry.key());
                unit.submit().wait()?;
            }
            Ok(Some(text))
        })?;
        if let Some(text) = stale {
            self.report.add(IndexFault::Stale, self.repair, || text);
        }
        Ok(())
    }

    /// Looks at every element of every label.
    fn elements(&mut self) -> Result<(), StoreError> {
        let graph = self.graph;
        let catalogue = graph.catalogue();
        let mut prefix = Vec::new();
        key::graph_prefix(&mut prefix, graph.number());
        let mut cursor = graph.engine().scan_partitions(tables::VERTEX, &prefix, None)?;
        let has_vertex_entries = catalogue
            .vertex_labels()
            .any(|label| needs_label_index(&catalogue, label.id) || !catalogue.indexes_over(true, label.id).is_empty());
        if has_vertex_entries {
            in_steps(&mut |ids| self.step(ids), || {
                let row = cursor.next()?;
                Ok(row.map(|row| key::read_vertex_key(row.key)).transpose()?.map(ElementId::Vertex))
            })?;
        }
        for label in catalogue.edge_labels().filter(|label| !catalogue.indexes_over(false, label.id).is_empty()) {
            for_each_step(graph, &catalogue, false, label.id, &mut |ids| self.step(ids))?;
        }
        Ok(())
    }

    fn step(&mut self, ids: &[ElementId]) -> Result<(), StoreError> {
        self.budget.check()?;
        let catalogue = self.graph.catalogue();
        for stored in stored_elements(self.graph, ids)?.iter().flatten() {
            self.report.elements += 1;
            let entries = self.expected(&catalogue, stored);
            if !entries.is_empty() && !self.missing(stored, &entries)?.is_empty() {
                self.suspect_element(&stored.id())?;
            }
        }
        (self.progress)(&self.report);
        Ok(())
    }

    /// The entries an element must have: those of index labels that are built, and of the label index.
    fn expected(&self, catalogue: &Catalogue, stored: &Stored) -> BTreeSet<Entry> {
        let (on_vertices, base) = stored.base();
        let expired = is_expired(stored.expires_at_ms(), now_ms());
        let mut entries = BTreeSet::new();
        let built = |index: &&std::sync::Arc<IndexLabel>| {
            index.status == Status::Created && index.complete && !(expired && index.index_type == IndexType::Unique)
        };
        for index in catalogue.indexes_over(on_vertices, base).iter().filter(built) {
            add_entries(&mut entries, self.graph.number(), index, stored.element(), stored.properties());
        }
        if let Stored::Vertex(vertex) = stored
            && needs_label_index(catalogue, vertex.label)
        {
            let mut bytes = Vec::new();
            key::label_index_partition(&mut bytes, self.graph.number(), vertex.label);
            let partition_len = bytes.len();
            key::label_index_row(&mut bytes, &vertex.id);
            entries.insert(Entry::of_key(tables::LABEL_INDEX, kv::Key::new(&bytes, partition_len)));
        }
        entries
    }

    /// Those of the entries that are not there, or lead to another element.
    fn missing(&self, stored: &Stored, entries: &BTreeSet<Entry>) -> Result<Vec<Missing>, StoreError> {
        let mut missing = Vec::new();
        for table in [tables::INDEX_EQUAL, tables::INDEX_RANGE, tables::INDEX_UNIQUE, tables::LABEL_INDEX] {
            let of_table: Vec<&Entry> = entries.iter().filter(|entry| entry.table == table).collect();
            if of_table.is_empty() {
                continue;
            }
            let mut keys = Keys::new();
            for entry in &of_table {
                let key = entry.key();
                keys.push(|b| b.extend_from_slice(key.partition()), |b| b.extend_from_slice(key.row()));
            }
            self.graph.engine().multi_get(table, &keys, &mut |at, found| {
                let holder = found.map(|bytes| index_key::read_element(bytes).ok());
                let is_there = match &holder {
                    Some(holder) if table == tables::INDEX_UNIQUE => *holder == Some(stored.id()),
                    holder => holder.is_some(),
                };
                if let Some(entry) = of_table.get(at).filter(|_| !is_there) {
                    missing.push(Missing { entry: (*entry).clone(), holder: holder.flatten() });
                }
            })?;
        }
        Ok(missing)
    }

    /// Looks again at an element that seems to lack entries: with it locked, and of unique indexes its places and their
    /// holders.
    fn suspect_element(&mut self, id: &ElementId) -> Result<(), StoreError> {
        let stripes = Locks::exclusive(Mask::of_element(id));
        for (fault, text) in WriteUnit::lock(self.graph, Wait::Allowed, stripes, |unit| self.lacks(id, unit))? {
            self.report.add(fault, self.repair && fault == IndexFault::Missing, || text);
        }
        Ok(())
    }

    /// What an element lacks, repaired where that is asked for.
    fn lacks(&self, id: &ElementId, mut unit: WriteUnit<'_>) -> Result<Vec<(IndexFault, String)>, Refusal> {
        let graph = self.graph;
        let Some(stored) = stored_element(graph, id)? else { return Ok(Vec::new()) };
        let missing = self.missing(&stored, &self.expected(unit.catalogue(), &stored))?;
        unit.check_held(missing.iter().fold(Mask::default(), |mask, missing| mask.union(missing.stripes())))?;
        let mut found = Vec::new();
        for Missing { entry, holder } in missing {
            let other = match holder {
                Some(other) => stored_element(graph, &other)?,
                None => None,
            };
            let live = other.filter(|other| !is_expired(other.expires_at_ms(), now_ms()));
            let text = describe(unit.catalogue(), &entry, id);
            if let Some(other) = live.filter(|other| self.fits(unit.catalogue(), &entry, Some(other))) {
                let holder = element_id_text(unit.catalogue(), other.element());
                found.push((IndexFault::Duplicate, format!("{text}, and {holder}")));
                continue;
            }
            found.push((IndexFault::Missing, text));
            let mut value = Vec::new();
            if entry.table == tables::INDEX_UNIQUE {
                index_key::put_element(&mut value, id.as_ref());
            }
            unit.batch.put_key(entry.table, entry.key(), &value);
        }
        if self.repair {
            unit.submit().wait()?;
        }
        Ok(found)
    }
}

/// An entry that is not there; of a unique index, who is there instead.
struct Missing {
    entry: Entry,
    holder: Option<ElementId>,
}

impl Missing {
    /// Stripes needed to put it in addition to those of its element: others can have a place in a unique index.
    fn stripes(&self) -> Mask {
        if self.entry.table != tables::INDEX_UNIQUE {
            return Mask::default();
        }
        let holder = self.holder.as_ref().map(Mask::of_element).unwrap_or_default();
        holder.union(Mask::of_bytes(self.entry.key().as_bytes()))
    }
}

/// Where a row leads, or why nowhere.
fn lead(catalogue: &Catalogue, table: TableId, row: Row<'_>) -> Result<Lead, IndexFault> {
    let index = index_key::read_index(row.key.as_bytes()).map_err(|_| IndexFault::Damaged)?;
    let index = catalogue.index_label(index).filter(|index| index.is_kept()).ok_or(IndexFault::Orphaned)?;
    let element = if table == tables::INDEX_UNIQUE {
        index_key::read_element(row.value)
    } else {
        index_key::read_row(row.key.row(), values_in_row(index))
    };
    Ok(Lead { entry: Entry::of_key(table, row.key), element: element.map_err(|_| IndexFault::Damaged)? })
}

fn describe(catalogue: &Catalogue, entry: &Entry, element: &ElementId) -> String {
    let element = element_id_text(catalogue, element.as_ref());
    if entry.table == tables::LABEL_INDEX {
        return format!("{element} in its label index");
    }
    let index = index_key::read_index(entry.key().as_bytes()).ok().and_then(|id| catalogue.index_label(id));
    format!("{element} in index label '{}'", index.map_or("?", |index| index.name.as_str()))
}

/// Whether an entry is there; where it is one of a unique index, also the element that holds the place.
fn holder_of(graph: &Graph, entry: &Entry) -> Result<Option<Option<ElementId>>, StoreError> {
    let mut found = None;
    graph.engine().get(entry.table, entry.key(), &mut |value| found = Some(index_key::read_element(value).ok()))?;
    Ok(found)
}
