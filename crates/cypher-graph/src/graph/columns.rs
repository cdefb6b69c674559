//! Single values of nodes: kept in memory by the graph, so that nodes need not be read as a whole.

use std::sync::Arc;

use adjacency::ColumnOf;
use cypher_value::{Node, Text, Value};
use graph_access::NumberedRead;

use super::Store;
use super::known::{Known, Wanted};
use super::read::vertex_id;
use crate::Result;
use crate::error::Accessed;
use crate::limits::CACHED_MAX;

/// What a column says of a node.
enum Said<T> {
    /// Nothing: it is to be read.
    Unknown,
    Is(T),
}

impl Store<'_> {
    /// The graph by numbers, where the query only reads.
    fn numbered(&self) -> Option<&dyn NumberedRead> {
        self.reader()?.numbered()
    }

    /// Whether single values of nodes are kept in memory.
    #[must_use]
    pub fn has_columns(&self) -> bool {
        self.numbered().is_some()
    }

    /// The column of what is wanted; an inner none where the schema has no such property, an outer one where the graph
    /// has no columns.
    fn column(&self, numbered: &dyn NumberedRead, name: Option<&str>) -> Option<Option<Known>> {
        let make = |of| numbered.column(of).map(|column| Known { of, column });
        let Some(name) = name else {
            let mut labels = self.columns.labels.borrow_mut();
            if labels.is_none() {
                *labels = make(ColumnOf::Label);
            }
            return labels.clone().map(Some);
        };
        if let Some(known) = self.columns.named.borrow().get(name) {
            return Some(known.clone());
        }
        let key = self.catalogue().shown_key_named(name).map(|key| key.id);
        let known = match key {
            Some(key) => Some(make(ColumnOf::Property(key))?),
            None => None,
        };
        self.columns.named.borrow_mut().insert(name.into(), known.clone());
        Some(known)
    }

    /// What is in memory of a node; `read` makes something of the value.
    fn said<T>(&self, node: &Node, name: Option<&str>, read: impl Fn(Option<&graph_model::Value>) -> T) -> Said<T> {
        let Some(numbered) = self.numbered() else { return Said::Unknown };
        let Some(known) = self.column(numbered, name) else { return Said::Unknown };
        let Some(Known { of, column }) = known else { return Said::Is(read(None)) };
        let number = node.number.or_else(|| numbered.known_number(&vertex_id(&node.id)));
        let Some(number) = number else { return Said::Unknown };
        if let Some(said) = column.get(number, &read) {
            return Said::Is(said);
        }
        match self.columns.left.borrow().get(&(of, number)) {
            Some(value) => Said::Is(read(value.as_ref())),
            None => Said::Unknown,
        }
    }

    /// A property of a node as it is in memory; none where it is to be read.
    pub(super) fn property_in_memory(&self, node: &Node, name: &str) -> Result<Option<Value>> {
        let value = |value: Option<&graph_model::Value>| {
            value.map_or(Ok(Value::Null), |value| cypher_stored::value(value, true))
        };
        match self.said(node, Some(name), value) {
            Said::Unknown => Ok(None),
            Said::Is(value) => value.map(Some),
        }
    }

    /// The labels of a node as they are in memory; none where they are to be read.
    pub(super) fn labels_in_memory(&self, node: &Node) -> Option<Arc<[Text]>> {
        match self.said(node, None, |value| value.and_then(adjacency::label_of)) {
            Said::Unknown => None,
            Said::Is(label) => Some(label.map_or_else(|| Arc::from([]), |label| self.labels_of(label))),
        }
    }

    /// The columns of what is wanted of nodes; none where the graph has no columns.
    fn columns_of(&self, numbered: &dyn NumberedRead, wanted: &[Wanted]) -> Option<Vec<Known>> {
        let mut columns: Vec<Known> = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let name = match wanted {
                Wanted::Property(name) => Some(name.as_str()),
                Wanted::Labels => None,
            };
            columns.extend(self.column(numbered, name)?);
        }
        Some(columns)
    }

    /// Those of some nodes of which something is to be read; none where the graph has no columns.
    #[must_use]
    pub fn missing(&self, numbers: &[u32], wanted: &[Wanted]) -> Option<Vec<u32>> {
        let columns = self.columns_of(self.numbered()?, wanted)?;
        Some(numbers.iter().copied().filter(|number| self.is_missing(&columns, *number)).collect())
    }

    fn is_missing(&self, columns: &[Known], number: u32) -> bool {
        let left = self.columns.left.borrow();
        let is_missing =
            |own: &Known| own.column.get(number, |_| ()).is_none() && !left.contains_key(&(own.of, number));
        columns.iter().any(is_missing)
    }

    /// Reads values of nodes by their numbers, all at once.
    ///
    /// # Errors
    /// Those of reading.
    pub fn read_values(&self, numbers: &[u32], wanted: &[Wanted]) -> Result<()> {
        let Some(numbered) = self.numbered().filter(|_| !numbers.is_empty()) else { return Ok(()) };
        let Some(columns) = self.columns_of(numbered, wanted) else { return Ok(()) };
        self.count_read();
        let of: Vec<ColumnOf> = columns.iter().map(|known| known.of).collect();
        let mut left = self.columns.left.borrow_mut();
        if left.len() + numbers.len() > CACHED_MAX {
            left.clear();
        }
        let mut also = |place: usize, at: usize, value: Option<&graph_model::Value>| {
            if let (Some(number), Some(known)) = (numbers.get(place), columns.get(at))
                && known.column.get(*number, |_| ()).is_none()
            {
                left.insert((known.of, *number), value.cloned());
            }
        };
        numbered.fill(&of, numbers, &mut also).accessed()
    }

    /// Reads what is not known yet of nodes, all at once: single values where the graph keeps them, else whole nodes.
    ///
    /// # Errors
    /// Those of reading.
    pub fn load_values<'v>(&self, nodes: impl Iterator<Item = &'v Arc<Node>> + Clone, wanted: &[Wanted]) -> Result<()> {
        let Some(numbered) = self.numbered() else { return self.load_nodes(nodes) };
        let Some(columns) = self.columns_of(numbered, wanted) else { return self.load_nodes(nodes) };
        let mut numbers: Vec<u32> = Vec::new();
        for node in nodes.clone() {
            let number = node.number.or_else(|| numbered.number(&vertex_id(&node.id)));
            let Some(number) = number else { return self.load_nodes(nodes) };
            let is_whole = || {
                let whole = self.vertices.borrow();
                !whole.is_empty() && whole.contains_key(&vertex_id(&node.id))
            };
            if self.is_missing(&columns, number) && !is_whole() {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        self.read_values(&numbers, wanted)
    }
}
