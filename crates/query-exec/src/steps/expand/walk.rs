//! Several hops at once: by numbers, so that no value is made of the vertices that are passed.

use std::collections::VecDeque;

use adjacency::{NumberLists, NumberMap, Wanted};
use query_plan::{Expand, Paths};
use query_value::Value;

use super::hop::Hop;
use super::numbers::read;
use crate::context::{Build, Cx, Stage};
use crate::error::Result;
use crate::traverser::Traverser;
use crate::{semantics, storage};

/// Vertices whose neighbours are read at once: their lists are held together.
const OWNERS_AT_ONCE: usize = 4096;

/// Hops one after the other.
pub(super) struct Walk<'g> {
    hops: Vec<Hop<'g>>,
}

/// Vertices by number, each once with how many traversers are at it.
#[derive(Default)]
struct Frontier {
    numbers: Vec<u32>,
    bulks: Vec<u64>,
    places: NumberMap,
}

impl Frontier {
    fn add(&mut self, number: u32, bulk: u64) -> Result<()> {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX - 1);
        let (place, is_new) = self.places.get_or_insert(number, next);
        if is_new {
            self.numbers.push(number);
            self.bulks.push(bulk);
        } else if let Some(known) = self.bulks.get_mut(place as usize) {
            semantics::add_bulk(known, bulk)?;
        }
        Ok(())
    }

    /// Adds a vertex that is not there.
    fn push(&mut self, number: u32) {
        self.numbers.push(number);
        self.bulks.push(1);
    }

    fn len(&self) -> u64 {
        u64::try_from(self.numbers.len()).unwrap_or(u64::MAX)
    }
}

impl<'g> Walk<'g> {
    pub(super) fn new(hops: &[Expand], build: Build<'g>) -> Result<Self> {
        Ok(Self { hops: hops.iter().map(|hop| Hop::new(hop, build)).collect::<Result<_>>()? })
    }

    /// Takes the whole input; false: it is left as it is, since its vertices have no numbers or its traversers carry
    /// more than their places.
    fn by_numbers(&mut self, cx: &mut Cx<'g>, input: &VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<bool> {
        if cx.is_lazy || !cx.is_bulked || cx.paths != Paths::None {
            return Ok(false);
        }
        let Some(mut frontier) = start(cx, input)? else { return Ok(false) };
        for hop in &mut self.hops {
            if frontier.numbers.is_empty() {
                break;
            }
            match follow(hop, cx, &frontier)? {
                Followed::To(next) => frontier = next,
                Followed::Counted(bulk) => {
                    if bulk > 0 {
                        out.push(Traverser { bulk, ..cx.fresh(Value::Null) });
                    }
                    return Ok(true);
                }
            }
        }
        let Some(graph) = cx.read().numbered() else { return Ok(false) };
        for (number, bulk) in frontier.numbers.iter().zip(&frontier.bulks) {
            let Some(id) = graph.id(*number) else { continue };
            out.push(Traverser { bulk: *bulk, ..cx.fresh(storage::vertex_ref(&cx.catalogue, id)) });
        }
        Ok(true)
    }
}

/// The vertices that a walk begins at; `None`: not by numbers.
fn start(cx: &Cx<'_>, input: &VecDeque<Traverser>) -> Result<Option<Frontier>> {
    let Some(graph) = cx.read().numbered() else { return Ok(None) };
    let mut frontier = Frontier::default();
    for traverser in input {
        if traverser.state.is_some() || !matches!(traverser.value, Value::Vertex(_)) {
            return Ok(None);
        }
        // What has no id of a vertex has no edges.
        let Some(id) = storage::vertex_id(&traverser.value) else { continue };
        let Some(number) = graph.number(&id) else { return Ok(None) };
        frontier.add(number, traverser.bulk)?;
    }
    Ok(Some(frontier))
}

/// Where a hop leads.
enum Followed {
    To(Frontier),
    Counted(u64),
}

fn follow<'g>(hop: &mut Hop<'g>, cx: &mut Cx<'g>, from: &Frontier) -> Result<Followed> {
    let (is_counted, is_distinct, direction) = (hop.expand.is_counted, hop.expand.is_distinct, hop.direction());
    if hop.labels(cx).is_some_and(<[_]>::is_empty) {
        return Ok(Followed::To(Frontier::default()));
    }
    let Hop { labels, numbers, .. } = hop;
    let wanted = Wanted { direction, labels: labels.as_ref().and_then(Option::as_deref), limit: None };
    let (mut next, mut count) = (Frontier::default(), 0_u64);
    let mut lists = NumberLists::default();
    for (owners, bulks) in from.numbers.chunks(OWNERS_AT_ONCE).zip(from.bulks.chunks(OWNERS_AT_ONCE)) {
        let Some(graph) = cx.read().numbered() else { break };
        read(cx, graph, owners, wanted, &mut lists)?;
        cx.tick(u64::try_from(lists.numbers.len()).unwrap_or(u64::MAX))?;
        for (found, bulk) in lists.iter().zip(bulks) {
            match (is_counted, is_distinct) {
                (true, true) => {
                    for number in found {
                        count += u64::from(numbers.count_number(cx, *number));
                    }
                }
                (true, false) => {
                    let found = u64::try_from(found.len()).unwrap_or(u64::MAX);
                    semantics::add_bulk(&mut count, semantics::times_bulk(*bulk, found)?)?;
                }
                (false, true) => found.iter().filter(|number| numbers.give_number(**number)).for_each(|number| {
                    next.push(*number);
                }),
                (false, false) => found.iter().try_for_each(|number| next.add(*number, *bulk))?,
            }
        }
        cx.may_hold(next.len())?;
    }
    Ok(if is_counted { Followed::Counted(count) } else { Followed::To(next) })
}

impl<'g> Stage<'g> for Walk<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, out: &mut Vec<Traverser>) -> Result<()> {
        if self.by_numbers(cx, input, out)? {
            input.clear();
            return Ok(());
        }
        let mut from = std::mem::take(input);
        let Some((last, before)) = self.hops.split_last_mut() else { return Ok(()) };
        for hop in before {
            let mut to = Vec::new();
            hop.process(cx, &mut from, &mut to)?;
            from = to.into();
        }
        last.process(cx, &mut from, out)
    }

    fn reset(&mut self) {
        self.hops.iter_mut().for_each(Stage::reset);
    }
}
