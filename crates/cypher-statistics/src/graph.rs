//! Figures of a graph, as they are asked for and gathered.

use std::sync::Arc;

use adjacency::{NumberLists, Wanted};
use cypher_plan::{Labels, Matching, NoStatistics, Statistics};
use cypher_value::Text;
use graph_access::{AccessError, EdgeRead, GraphRead, Lookup, drain};
use graph_model::{Direction, IdStrategy, LabelId, PropertyKeyId, VertexId};
use graph_schema::{Catalogue, IndexLabel, IndexType, LABEL_JOINT, Status};
use rustc_hash::FxHashMap;

use crate::figures::{Kept, Nodes};
use crate::limits::{COUNTED_MAX, COUNTED_REMOTE_MAX, LABELS_MAX, NEIGHBOURS_MAX, SAMPLE, SAMPLE_REMOTE};

/// Figures of a graph at hand.
pub struct GraphStatistics<'g> {
    graph: &'g dyn GraphRead,
    kept: &'g Kept,
}

impl<'g> GraphStatistics<'g> {
    /// Figures that are kept, and the others gathered through a reader of the graph.
    #[must_use]
    pub fn new(graph: &'g dyn GraphRead, kept: &'g Kept) -> Self {
        Self { graph, kept }
    }

    fn catalogue(&self) -> &Arc<Catalogue> {
        self.graph.catalogue()
    }

    /// The stored labels that an expression means; none where it is not known before the query runs.
    fn vertex_labels(&self, labels: Option<&Labels>) -> Option<Vec<LabelId>> {
        let is_auto = self.catalogue().is_auto();
        let mut meant = Vec::new();
        for label in self.catalogue().vertex_labels() {
            let own: Vec<&str> = if is_auto {
                label.name.split(LABEL_JOINT).filter(|name| !name.is_empty()).collect()
            } else {
                vec![label.name.as_str()]
            };
            if labels.map_or(Some(true), |labels| is_meant(labels, &own))? {
                meant.push(label.id);
            }
        }
        Some(meant)
    }

    /// The stored types that an expression means.
    fn types(&self, types: Option<&Labels>) -> Option<Option<Vec<LabelId>>> {
        let Some(types) = types else { return Some(None) };
        let catalogue = self.catalogue();
        let mut meant = Vec::new();
        for label in catalogue.edge_labels() {
            if catalogue.edge_labels_under(label.id).as_slice() != [label.id] {
                continue;
            }
            let parent = catalogue.edge_label(label.parent_or_self()).map(|parent| parent.name.as_str());
            if is_meant(types, &[label.name.as_str()])?
                || parent.map_or(Some(false), |name| is_meant(types, &[name]))?
            {
                meant.push(label.id);
            }
        }
        Some(Some(meant))
    }

    /// The nodes of a stored label, counted, and some of them.
    fn nodes_of(&self, label: LabelId) -> Option<Nodes> {
        self.kept.nodes(label, || {
            let (counted_max, sampled) =
                if self.graph.is_remote() { (COUNTED_REMOTE_MAX, SAMPLE_REMOTE) } else { (COUNTED_MAX, SAMPLE) };
            let lookup = Lookup {
                label: Some(label),
                properties: Some(Vec::new()),
                limit: Some(counted_max),
                ..Lookup::default()
            };
            let mut cursor = self.graph.find_vertices(lookup).ok()?;
            let (mut count, mut every, mut sample, mut last) = (0_usize, 1_usize, Vec::new(), None);
            drain(&mut *cursor, |vertex| {
                if count.is_multiple_of(every) {
                    if sample.len() == sampled * 2 {
                        // Every second one stays, and from here on so many fewer are taken.
                        let mut place = 0;
                        sample.retain(|_| {
                            place += 1;
                            place % 2 == 1
                        });
                        every *= 2;
                    }
                    if count.is_multiple_of(every) {
                        sample.push(vertex.id.clone());
                    }
                }
                count += 1;
                if count as u64 == counted_max {
                    last = Some(vertex.id);
                }
                Ok::<(), AccessError>(())
            })
            .ok()?;
            let estimate = |last| self.graph.estimated_vertex_count(label, counted_max, last);
            let known = self.graph.known_vertex_count(label).or_else(|| last.as_ref().and_then(estimate));
            let count = known.unwrap_or(count as u64);
            Some(Nodes { count: count as f64, sample: sample.into() })
        })
    }

    fn count_of(&self, labels: &[LabelId]) -> f64 {
        labels
            .iter()
            .map(|label| self.nodes_of(*label).map_or(NoStatistics.nodes(Some(&Labels::Any)), |own| own.count))
            .sum()
    }

    /// How many relationships of types the nodes of stored labels have.
    fn relationships_of(&self, labels: &[LabelId], direction: Direction, types: Option<&[LabelId]>) -> Option<f64> {
        let mut all = 0.0;
        for label in labels {
            let nodes = self.nodes_of(*label)?;
            let own = self.linked(&[*label], direction, types, None);
            if !own.as_ref().is_some_and(Vec::is_empty) {
                all += nodes.count * self.degree_of(*label, &nodes.sample, direction, own.as_deref())?;
            }
        }
        Some(all)
    }

    /// Those types whose relationships the schema lets lead from nodes of labels to nodes of others.
    fn linked(
        &self,
        from: &[LabelId],
        direction: Direction,
        types: Option<&[LabelId]>,
        to: Option<&[LabelId]>,
    ) -> Option<Vec<LabelId>> {
        let catalogue = self.catalogue();
        if catalogue.is_auto() {
            return types.map(<[LabelId]>::to_vec);
        }
        let fits =
            |source: LabelId, target: LabelId| from.contains(&source) && to.is_none_or(|to| to.contains(&target));
        let meant = catalogue.edge_labels().filter(|label| {
            types.is_none_or(|types| types.contains(&label.id))
                && label.link.is_some_and(|(source, target)| match direction {
                    Direction::Out => fits(source, target),
                    Direction::In => fits(target, source),
                    Direction::Both => fits(source, target) || fits(target, source),
                })
        });
        Some(meant.map(|label| label.id).collect())
    }

    /// The mean number of relationships of some nodes.
    fn degree_of(
        &self,
        label: LabelId,
        sample: &[VertexId],
        direction: Direction,
        types: Option<&[LabelId]>,
    ) -> Option<f64> {
        let way = match direction {
            Direction::Out => 0,
            Direction::In => 1,
            Direction::Both => 2,
        };
        self.kept.degree((label, way, types.map(<[_]>::to_vec)), || {
            if sample.is_empty() {
                return Some(0.0);
            }
            let labels = types;
            if let Some(graph) = self.graph.numbered() {
                let numbers: Vec<u32> = sample.iter().map_while(|id| graph.number(id)).collect();
                let mut lists = NumberLists { numbers_max: NEIGHBOURS_MAX, ..NumberLists::default() };
                graph.read(&numbers, Wanted { direction, labels, limit: None }, &mut lists).ok()?;
                return Some(lists.numbers.len() as f64 / lists.ends.len().max(1) as f64);
            }
            let owners: Vec<&VertexId> = sample.iter().collect();
            let limit = u64::try_from(NEIGHBOURS_MAX / owners.len().max(1)).unwrap_or(u64::MAX);
            let read = EdgeRead { direction, labels, limit: Some(limit), properties: false };
            let mut count = 0_usize;
            let mut cursor = self.graph.edges_of(&owners, read).ok()?;
            drain(&mut *cursor, |_| {
                count += 1;
                Ok::<(), AccessError>(())
            })
            .ok()?;
            Some(count as f64 / owners.len() as f64)
        })
    }

    /// The part of a label's nodes that has the same values as another one under some keys.
    fn share_of(&self, label: LabelId, nodes: &Nodes, keys: &[PropertyKeyId]) -> Option<f64> {
        self.kept.share((label, keys.to_vec()), || {
            let found = self.graph.vertices(&nodes.sample).ok()?;
            let mut values: FxHashMap<String, usize> = FxHashMap::default();
            let mut with_all = 0_usize;
            for vertex in found.into_iter().flatten() {
                let own: Option<Vec<_>> = keys.iter().map(|key| vertex.properties.get(*key)).collect();
                if let Some(own) = own {
                    *values.entry(format!("{own:?}")).or_insert(0) += 1;
                    with_all += 1;
                }
            }
            let pairs = (with_all * with_all.saturating_sub(1)) as f64;
            let same: usize = values.values().map(|count| count * (count - 1)).sum();
            let part = with_all as f64 / nodes.sample.len().max(1) as f64;
            Some(if pairs > 0.0 { part * same as f64 / pairs } else { 0.0 })
        })
    }

    /// Whether nodes of a label are found by values of some keys without looking at others; and whether that is one
    /// node at most.
    fn index_of(&self, label: LabelId, keys: &[PropertyKeyId]) -> Option<bool> {
        let catalogue = self.catalogue();
        let own = catalogue.vertex_label(label)?;
        if own.id_strategy == IdStrategy::PrimaryKey && own.primary_keys.iter().all(|key| keys.contains(key)) {
            return Some(true);
        }
        let all = catalogue.indexes_over(true, label).iter();
        let is_built = |index: &IndexLabel| index.status == Status::Created && (index.complete || !catalogue.is_auto());
        let serves = all.filter(|index| is_built(index) && index.fields.iter().all(|key| keys.contains(key)));
        let mut found = None;
        for index in serves {
            match index.index_type {
                IndexType::Unique => return Some(true),
                IndexType::Search => {}
                _ => found = Some(false),
            }
        }
        found
    }
}

/// Whether labels are those of an expression; none where it is computed.
fn is_meant(labels: &Labels, own: &[&str]) -> Option<bool> {
    Some(match labels {
        Labels::Name(name) => own.contains(&name.as_str()),
        Labels::Any => !own.is_empty(),
        Labels::Not(inner) => !is_meant(inner, own)?,
        Labels::And(all) => {
            all.iter().map(|one| is_meant(one, own)).collect::<Option<Vec<_>>>()?.iter().all(|fact| *fact)
        }
        Labels::Or(all) => {
            all.iter().map(|one| is_meant(one, own)).collect::<Option<Vec<_>>>()?.iter().any(|fact| *fact)
        }
        Labels::Dynamic(_) => return None,
    })
}

impl Statistics for GraphStatistics<'_> {
    fn nodes(&self, labels: Option<&Labels>) -> f64 {
        self.vertex_labels(labels).map_or_else(|| NoStatistics.nodes(labels), |labels| self.count_of(&labels))
    }

    fn degree(&self, from: Option<&Labels>, direction: Direction, types: Option<&Labels>, to: Option<&Labels>) -> f64 {
        let figure = || {
            let (sources, targets) = (self.vertex_labels(from)?, self.vertex_labels(to)?);
            let types = self.types(types)?;
            if types.as_ref().is_some_and(Vec::is_empty) || sources.is_empty() || targets.is_empty() {
                return Some(0.0);
            }
            if !self.catalogue().is_auto() {
                let (mut all, mut count) = (0.0, 0.0);
                for label in &sources {
                    let types = self.linked(&[*label], direction, types.as_deref(), Some(&targets))?;
                    if !types.is_empty() {
                        let nodes = self.nodes_of(*label)?;
                        all += nodes.count * self.degree_of(*label, &nodes.sample, direction, Some(&types))?;
                        count += nodes.count;
                    } else {
                        count += self.count_of(&[*label]);
                    }
                }
                return Some(all / f64::max(count, 1.0));
            }
            let count = self.count_of(&sources).max(1.0);
            let own = self.relationships_of(&sources, direction, types.as_deref())?;
            if to.is_none() || own == 0.0 {
                return Some(own / count);
            }
            let theirs = self.relationships_of(&targets, direction.reversed(), types.as_deref())?;
            let every = self.vertex_labels(None)?;
            let all = if every.len() <= LABELS_MAX {
                self.relationships_of(&every, direction, types.as_deref())?
            } else {
                0.0
            };
            Some(own * theirs / all.max(own).max(theirs).max(1.0) / count)
        };
        figure().unwrap_or_else(|| NoStatistics.degree(from, direction, types, to))
    }

    fn linkable(&self, direction: Direction, types: Option<&Labels>, to: Option<&Labels>) -> f64 {
        let figure = || {
            let (every, targets, types) = (self.vertex_labels(None)?, self.vertex_labels(to)?, self.types(types)?);
            let mut count = 0.0;
            for label in every {
                let own = self.linked(&[label], direction, types.as_deref(), Some(&targets));
                // In an auto graph that says nothing.
                if self.catalogue().is_auto() || own.is_none_or(|own| !own.is_empty()) {
                    count += self.count_of(&[label]);
                }
            }
            Some(count)
        };
        figure().unwrap_or_else(|| self.nodes(None))
    }

    fn matching(&self, labels: Option<&Labels>, keys: &[Text]) -> Matching {
        let figure = || {
            let catalogue = self.catalogue();
            let ids: Option<Vec<PropertyKeyId>> =
                keys.iter().map(|key| catalogue.shown_key_named(key).map(|key| key.id)).collect();
            let (mut found, mut read) = (0.0, 0.0);
            for label in self.vertex_labels(labels)? {
                let nodes = self.nodes_of(label)?;
                let Some(ids) = &ids else {
                    // No node has such a key.
                    read += if catalogue.is_auto() { nodes.count } else { 0.0 };
                    continue;
                };
                let index = self.index_of(label, ids);
                let own = match index {
                    Some(true) => nodes.count.min(1.0),
                    _ => (nodes.count * self.share_of(label, &nodes, ids)?).max(nodes.count.min(1.0)),
                };
                found += own;
                read += if index.is_some() { own } else { nodes.count };
            }
            Some(Matching { found, read })
        };
        figure().unwrap_or_else(|| NoStatistics.matching(labels, keys))
    }
}
