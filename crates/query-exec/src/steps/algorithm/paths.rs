//! `shortestPath()`: all shortest paths from each vertex that comes in (Dijkstra's algorithm).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use query_plan::{Pipeline, ShortestPath};
use query_value::{Path, Value};
use rustc_hash::FxHashMap;

use super::network::{Edges, Numbers, edge_of, other_end, too_many};
use crate::by::ByEval;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::pipe::Pipe;
use crate::traverser::Traverser;
use crate::{semantics, storage};

/// An edge as a search follows it.
#[derive(Clone)]
struct Link {
    to: u32,
    distance: f64,
    edge: Option<Value>,
}

/// How a vertex was reached.
struct Reached {
    distance: f64,
    from: Vec<(u32, Option<Value>)>,
}

pub(super) struct Search<'g> {
    edges: Edges<'g>,
    target: Option<Pipe<'g>>,
    distance: Option<ByEval<'g>>,
    distance_max: f64,
    includes_edges: bool,
    sources: VecDeque<Traverser>,
    vertices: Vec<Value>,
    numbers: Numbers,
    /// The edges of each vertex, once they were read.
    links: Vec<Option<Arc<[Link]>>>,
    /// Whether each vertex is a target, once that is known.
    targets: Vec<Option<bool>>,
    held: u64,
}

impl<'g> Search<'g> {
    pub(super) fn new(options: &ShortestPath, edges: &Pipeline, build: Build<'g>) -> Result<Self> {
        Ok(Self {
            edges: Edges::new(edges, build)?,
            target: options.target.as_ref().map(|target| Pipe::new(target, build)).transpose()?,
            distance: options.distance.as_ref().map(|distance| ByEval::new(distance, build)).transpose()?,
            distance_max: options.distance_max.unwrap_or(f64::INFINITY),
            includes_edges: options.includes_edges,
            sources: VecDeque::new(),
            vertices: Vec::new(),
            numbers: Numbers::default(),
            links: Vec::new(),
            targets: Vec::new(),
            held: 0,
        })
    }

    fn hold(&mut self, cx: &mut Cx<'g>, rows: usize) -> Result<()> {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        self.held = self.held.saturating_add(rows);
        cx.hold(rows)
    }

    fn number(&mut self, cx: &mut Cx<'g>, vertex: &Value) -> Result<Option<u32>> {
        let Some(id) = storage::vertex_id(vertex) else { return Ok(None) };
        if let Some(number) = self.numbers.get(&id) {
            return Ok(Some(*number));
        }
        self.hold(cx, 3)?;
        let number = u32::try_from(self.vertices.len()).map_err(|_| too_many())?;
        self.numbers.insert(id, number);
        self.vertices.push(vertex.clone());
        self.links.push(None);
        self.targets.push(None);
        Ok(Some(number))
    }

    /// Reads the edges of those vertices of which they are not known yet.
    fn load(&mut self, cx: &mut Cx<'g>, some: &[u32]) -> Result<()> {
        let is_unknown = |number: &&u32| self.links.get(at(**number)).is_some_and(Option::is_none);
        let unknown: Vec<u32> = some.iter().filter(is_unknown).copied().collect();
        let owners: Vec<Value> = unknown.iter().filter_map(|number| self.vertices.get(at(*number)).cloned()).collect();
        let mut found: Vec<(usize, Traverser)> = Vec::new();
        self.edges.read(cx, &owners, |cx, owner, edge| {
            cx.hold(1)?;
            found.push((owner, edge));
            Ok(())
        })?;
        cx.release(u64::try_from(found.len()).unwrap_or(u64::MAX));
        let mut links: Vec<Vec<Link>> = owners.iter().map(|_| Vec::new()).collect();
        for (owner, edge) in found {
            let own = edge_of(&edge.value)?;
            let to = other_end(&own, owners.get(owner).and_then(Value::element_id));
            let Some(to) = self.number(cx, &to)? else { continue };
            let distance = match &mut self.distance {
                None => 1.0,
                Some(by) => {
                    by.get(cx, &edge)?.as_ref().and_then(semantics::as_f64).filter(|d| *d >= 0.0).ok_or_else(|| {
                        ExecError::evaluation("shortestPath() needs a distance of each edge: a number, not negative")
                    })?
                }
            };
            let edge = self.includes_edges.then_some(edge.value);
            if let Some(links) = links.get_mut(owner) {
                links.push(Link { to, distance, edge });
            }
        }
        for (number, links) in unknown.into_iter().zip(links) {
            self.hold(cx, links.len())?;
            if let Some(own) = self.links.get_mut(at(number)) {
                *own = Some(links.into());
            }
        }
        Ok(())
    }

    fn is_target(&mut self, cx: &mut Cx<'g>, number: u32) -> Result<bool> {
        let Some(pipe) = &mut self.target else { return Ok(true) };
        if let Some(Some(known)) = self.targets.get(at(number)) {
            return Ok(*known);
        }
        let vertex = self.vertices.get(at(number)).cloned().unwrap_or_default();
        let is_target = pipe.first(cx, cx.fresh(vertex))?.is_some();
        if let Some(own) = self.targets.get_mut(at(number)) {
            *own = Some(is_target);
        }
        Ok(is_target)
    }

    /// All vertices within reach of a source, in the order in which they were reached.
    fn reach(&mut self, cx: &mut Cx<'g>, source: u32) -> Result<(Vec<u32>, FxHashMap<u32, Reached>)> {
        let mut reached = FxHashMap::default();
        reached.insert(source, Reached { distance: 0.0, from: Vec::new() });
        // Distances are not negative, so that their bits are in their order.
        let mut heap = BinaryHeap::from([Reverse((0.0_f64.to_bits(), source))]);
        let mut done: FxHashMap<u32, ()> = FxHashMap::default();
        let mut order = Vec::new();
        let mut ready: Vec<u32> = Vec::new();
        while let Some(Reverse((bits, first))) = heap.pop() {
            // Those at one distance are read together.
            ready.clear();
            ready.push(first);
            while let Some(Reverse((_, next))) = heap.peek().filter(|Reverse((other, _))| *other == bits).copied() {
                heap.pop();
                ready.push(next);
            }
            ready.retain(|vertex| done.insert(*vertex, ()).is_none());
            self.load(cx, &ready)?;
            let distance = f64::from_bits(bits);
            for vertex in &ready {
                order.push(*vertex);
                let links = self.links.get(at(*vertex)).cloned().flatten();
                let links = links.as_deref().unwrap_or_default();
                cx.tick(u64::try_from(links.len()).unwrap_or(u64::MAX))?;
                for link in links {
                    let further = distance + link.distance;
                    if further > self.distance_max || link.to == *vertex {
                        continue;
                    }
                    let is_new = reached.get(&link.to).is_none_or(|known: &Reached| further < known.distance);
                    if is_new {
                        cx.may_hold(u64::try_from(reached.len()).unwrap_or(u64::MAX))?;
                        reached.insert(link.to, Reached { distance: further, from: Vec::new() });
                        heap.push(Reverse((further.to_bits(), link.to)));
                    }
                    let Some(known) = reached.get_mut(&link.to) else { continue };
                    let is_known = || known.from.iter().any(|(from, _)| from == vertex);
                    if known.distance.total_cmp(&further).is_eq() && (self.includes_edges || !is_known()) {
                        known.from.push((*vertex, link.edge.clone()));
                    }
                }
            }
        }
        Ok((order, reached))
    }

    /// All paths from a source to its targets.
    fn paths(&mut self, cx: &mut Cx<'g>, outer: &Traverser, out: &mut Vec<Traverser>) -> Result<()> {
        let Some(source) = self.number(cx, &outer.value)? else { return Ok(()) };
        let (order, reached) = self.reach(cx, source)?;
        for target in order {
            if self.is_target(cx, target)? {
                self.back(cx, outer, (source, target), &reached, out)?;
            }
        }
        Ok(())
    }

    /// All ways back from a target to the source: a walk in depth, with the way so far and what is left to try.
    fn back(
        &self,
        cx: &mut Cx<'g>,
        outer: &Traverser,
        (source, target): (u32, u32),
        reached: &FxHashMap<u32, Reached>,
        out: &mut Vec<Traverser>,
    ) -> Result<()> {
        let mut way: Vec<(u32, Option<Value>)> = vec![(target, None)];
        let mut tried: Vec<usize> = vec![0];
        let mut rows = 0_u64;
        while let (Some((last, _)), Some(next)) = (way.last(), tried.last_mut()) {
            let last = *last;
            if last == source {
                rows += 1 + u64::try_from(way.len() / 2).unwrap_or(u64::MAX);
                cx.may_hold(rows.saturating_add(u64::try_from(out.len()).unwrap_or(u64::MAX)))?;
                out.push(outer.with(self.path(&way)));
                way.pop();
                tried.pop();
                continue;
            }
            let from = reached.get(&last).map(|known| known.from.as_slice()).unwrap_or_default();
            let step = from.get(*next);
            *next += 1;
            cx.tick(1)?;
            match step {
                // Edges of distance 0 may lead in a circle.
                Some((vertex, _)) if way.iter().any(|(own, _)| own == vertex) => {}
                Some(step) => {
                    way.push(step.clone());
                    tried.push(0);
                }
                None => {
                    way.pop();
                    tried.pop();
                }
            }
        }
        Ok(())
    }

    /// A way back as a path; each vertex comes with the edge that leads on from it.
    fn path(&self, way: &[(u32, Option<Value>)]) -> Value {
        let mut path = Path::default();
        for (vertex, edge) in way.iter().rev() {
            path.push(self.vertices.get(at(*vertex)).cloned().unwrap_or_default(), Vec::new());
            if let Some(edge) = edge {
                path.push(edge.clone(), Vec::new());
            }
        }
        Value::from(path)
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl<'g> Stage<'g> for Search<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        for traverser in input.iter() {
            if !matches!(traverser.value, Value::Vertex(_)) {
                let kind = traverser.value.kind();
                return Err(ExecError::evaluation(format!("shortestPath() takes vertices, found {kind}")));
            }
        }
        self.hold(cx, input.len())?;
        self.sources.extend(input.drain(..));
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        match self.sources.pop_front() {
            Some(source) => {
                self.paths(cx, &source, out)?;
                Ok(true)
            }
            None => {
                cx.release(self.held);
                self.reset();
                Ok(false)
            }
        }
    }

    fn reset(&mut self) {
        self.held = 0;
        self.sources.clear();
        self.vertices.clear();
        self.numbers.clear();
        self.links.clear();
        self.targets.clear();
    }
}
