//! Algorithms over the whole graph: ranks, clusters, components, shortest paths. They run in this process, in memory
//! that counts towards that of the query.

mod network;
mod paths;
mod spread;

use std::collections::VecDeque;

use query_plan::{Algorithm, AlgorithmKind, Text};
use query_value::Value;

use self::network::Network;
use self::paths::Search;
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::traverser::Traverser;

pub(super) fn stage<'g>(algorithm: &Algorithm, build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    if let AlgorithmKind::ShortestPath(options) = &algorithm.kind {
        return Ok(Box::new(Search::new(options, &algorithm.edges, build)?));
    }
    Ok(Box::new(AlgorithmStage { algorithm: algorithm.clone(), build, kept: Vec::new() }))
}

/// Refuses what is no vertex.
fn check(kind: &AlgorithmKind, traverser: &Traverser) -> Result<()> {
    if matches!(traverser.value, Value::Vertex(_)) {
        return Ok(());
    }
    Err(ExecError::evaluation(format!("{}() takes vertices, found {}", kind.name(), traverser.value.kind())))
}

/// Computes a property of each vertex once all have come in.
struct AlgorithmStage<'g> {
    algorithm: Algorithm,
    build: Build<'g>,
    kept: Vec<Traverser>,
}

impl<'g> AlgorithmStage<'g> {
    /// How often each vertex came in; none: what comes in is all vertices.
    fn counts(&self, network: &Network) -> Option<Vec<f64>> {
        if self.algorithm.is_whole {
            return None;
        }
        let mut counts = vec![0.0; network.len()];
        for traverser in &self.kept {
            if let Some(count) = network.number(&traverser.value).and_then(|at| counts.get_mut(at)) {
                #[expect(clippy::cast_precision_loss, reason = "counts are used as weights")]
                let bulk = traverser.bulk as f64;
                *count += bulk;
            }
        }
        Some(counts)
    }

    fn compute(&self, cx: &mut Cx<'g>) -> Result<()> {
        let network = Network::load(cx, &self.algorithm, self.build)?;
        let counts = self.counts(&network);
        let (property, values) = match &self.algorithm.kind {
            AlgorithmKind::PageRank { alpha, times, property } => {
                let ranks = spread::page_rank(cx, &network, *alpha, *times, counts)?;
                (property, ranks.into_iter().map(Value::Double).collect())
            }
            AlgorithmKind::PeerPressure { times, property } => {
                (property, spread::peer_pressure(cx, &network, *times, counts)?)
            }
            AlgorithmKind::ConnectedComponent { property } => (property, spread::components(cx, &network)?),
            AlgorithmKind::ShortestPath(_) => return Ok(()),
        };
        set(cx, &network, property, values)?;
        network.release(cx);
        Ok(())
    }
}

/// Makes values a property of the vertices, for the rest of the query.
fn set(cx: &mut Cx<'_>, network: &Network, property: &Text, values: Vec<Value>) -> Result<()> {
    cx.hold(u64::try_from(values.len()).unwrap_or(u64::MAX))?;
    for (vertex, value) in network.vertices().iter().zip(values) {
        let Some(id) = vertex.element_id() else { continue };
        let properties: &mut Vec<(Text, Value)> = cx.computed.entry(id.clone()).or_default();
        properties.retain(|(key, _)| key != property);
        properties.push((property.clone(), value));
    }
    Ok(())
}

impl<'g> Stage<'g> for AlgorithmStage<'g> {
    fn process(&mut self, cx: &mut Cx<'g>, input: &mut VecDeque<Traverser>, _: &mut Vec<Traverser>) -> Result<()> {
        input.iter().try_for_each(|traverser| check(&self.algorithm.kind, traverser))?;
        cx.hold(u64::try_from(input.len()).unwrap_or(u64::MAX))?;
        self.kept.extend(input.drain(..));
        Ok(())
    }

    fn finish(&mut self, cx: &mut Cx<'g>, out: &mut Vec<Traverser>) -> Result<bool> {
        if !self.kept.is_empty() {
            self.compute(cx)?;
            cx.release(u64::try_from(self.kept.len()).unwrap_or(u64::MAX));
            out.append(&mut self.kept);
        }
        Ok(false)
    }

    fn reset(&mut self) {
        self.kept.clear();
    }
}
