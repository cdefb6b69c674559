//! Rows put together.

use std::sync::Arc;

use cypher_value::{Accumulator, Value, memory};
use rustc_hash::FxHashMap;

use super::feed::Feed;
use super::mend::{Read, load};
use super::rows::Waiting;
use crate::Result;
use crate::eval::Cx;
use crate::eval::{Operator, Source};
use crate::limits::BATCH;
use crate::row::Row;
use cypher_plan::{Aggregate, AggregateValue};

pub(super) struct Aggregating<'g> {
    input: Feed<'g>,
    aggregate: Arc<Aggregate>,
    read: Read,
    groups: Option<Waiting>,
}

impl<'g> Aggregating<'g> {
    pub(super) fn new(input: Source<'g>, aggregate: &Arc<Aggregate>) -> Self {
        let keys = aggregate.keys.iter().map(|(_, ex)| ex);
        let read = Read::of(keys.chain(aggregate.values.iter().flat_map(|value| &value.arguments)));
        Self { input: Feed::new(input), aggregate: Arc::clone(aggregate), read, groups: None }
    }

    fn start(values: &[AggregateValue]) -> Vec<Accumulator> {
        values.iter().map(|value| value.aggregate.start(value.is_distinct)).collect()
    }

    fn groups(&mut self, cx: &Cx<'_, 'g>) -> Result<Waiting> {
        let Aggregate { keys, values } = &*self.aggregate;
        let mut places: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
        let mut groups: Vec<(Vec<Value>, Vec<Accumulator>)> = Vec::new();
        if keys.is_empty() {
            groups.push((Vec::new(), Self::start(values)));
            places.insert(Vec::new(), 0);
        }
        let mut key = Vec::with_capacity(keys.len());
        let mut arguments = Vec::with_capacity(2);
        loop {
            let rows = self.input.rows(cx, BATCH)?;
            if rows.is_empty() {
                break;
            }
            load(cx, &rows, &self.read)?;
            for mut row in rows {
                key.clear();
                for (_, ex) in keys {
                    key.push(cx.eval(ex, &mut row)?);
                }
                let place = match places.get(&key) {
                    Some(place) => *place,
                    None => {
                        let bytes: usize = key.iter().map(memory).sum::<usize>() + 64 * (values.len() + 1);
                        cx.store.hold(u64::try_from(bytes).unwrap_or(u64::MAX))?;
                        groups.push((key.clone(), Self::start(values)));
                        places.insert(key.clone(), groups.len() - 1);
                        groups.len() - 1
                    }
                };
                let Some((_, accumulators)) = groups.get_mut(place) else { continue };
                for (value, accumulator) in values.iter().zip(accumulators) {
                    arguments.clear();
                    if value.arguments.is_empty() {
                        arguments.push(Value::Boolean(true));
                    }
                    for ex in &value.arguments {
                        arguments.push(cx.eval(ex, &mut row)?);
                    }
                    let bytes = accumulator.add(&arguments)?;
                    if bytes > 0 {
                        cx.store.hold(u64::try_from(bytes).unwrap_or(u64::MAX))?;
                    }
                }
            }
        }
        let width = keys.iter().map(|(slot, _)| *slot).chain(values.iter().map(|value| value.slot)).max();
        let rows = groups.into_iter().map(|(key, accumulators)| {
            let mut row = Row::empty(width.map_or(0, |width| width + 1));
            for ((slot, _), value) in keys.iter().zip(key) {
                row.set(*slot, value);
            }
            for (value, accumulator) in values.iter().zip(accumulators) {
                row.set(value.slot, accumulator.finish());
            }
            row
        });
        Ok(Waiting(rows.collect()))
    }
}

impl<'g> Operator<'g> for Aggregating<'g> {
    fn next(&mut self, cx: &Cx<'_, 'g>, out: &mut Vec<Row>) -> Result<bool> {
        if self.groups.is_none() {
            self.groups = Some(self.groups(cx)?);
        }
        Ok(self.groups.as_mut().is_some_and(|groups| groups.give(cx, out)))
    }
}
