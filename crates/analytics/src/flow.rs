//! The most that can flow from one vertex to another.

use std::collections::VecDeque;

use crate::csr::Csr;
use crate::run::Run;
use crate::{AnalyticsError, Result, Vertex};

/// The greatest flow between two vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// How much flows.
    pub value: f64,
    /// What flows along edges that have any: source, target, amount.
    pub edges: Vec<(Vertex, Vertex, f64)>,
    /// Which vertices are on the source's side of a least cut.
    pub source_side: Vec<bool>,
}

/// An edge of the residual graph; its reverse is next to it.
struct Arc {
    to: Vertex,
    left: f64,
}

/// The arcs of each vertex.
struct Rows {
    /// Where those of each vertex begin; one more for the end.
    starts: Vec<usize>,
    arcs: Vec<u32>,
}

impl Rows {
    fn new(size: usize, arcs: &[Arc]) -> Self {
        // An arc begins where its reverse ends.
        let from = |arc: usize| arcs[arc ^ 1].to as usize;
        let mut starts = vec![0; size + 1];
        (0..arcs.len()).for_each(|arc| starts[from(arc)] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Filled from behind, so that each start is where it should be in the end.
        let mut rows = vec![0; arcs.len()];
        for arc in (0..arcs.len()).rev() {
            let place = &mut starts[from(arc)];
            *place -= 1;
            rows[*place] = arc as u32;
        }
        Self { starts, arcs: rows }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, vertex: usize) -> &[u32] {
        &self.arcs[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

/// The greatest flow from `source` to `target`, the weights of `out` being what edges can carry (Dinic 1970).
///
/// # Errors
/// [`AnalyticsError::NoVertex`], [`AnalyticsError::Weight`], [`AnalyticsError::Parameter`] where both are the same,
/// [`AnalyticsError::Stopped`].
pub fn max_flow(out: &Csr, source: Vertex, target: Vertex, run: &Run<'_>) -> Result<Flow> {
    out.check_vertices([&source, &target])?;
    out.check_weights("max flow")?;
    if source == target {
        return Err(AnalyticsError::parameter("source and target of a flow must differ"));
    }
    let size = out.vertices();
    if out.edges() > u32::MAX as usize / 2 {
        return Err(AnalyticsError::parameter("max flow takes at most 2^31 edges"));
    }
    let mut arcs: Vec<Arc> = Vec::with_capacity(2 * out.edges());
    for (from, to, weight) in out.iter() {
        arcs.push(Arc { to, left: weight });
        arcs.push(Arc { to: from, left: 0.0 });
    }
    let rows = Rows::new(size, &arcs);
    let (mut value, mut rounds) = (0.0, 0);
    loop {
        let levels = levels(&arcs, &rows, source, run)?;
        if levels[target as usize] == u32::MAX {
            let source_side = levels.into_iter().map(|level| level != u32::MAX).collect();
            let carried = |(at, edge): (usize, (Vertex, Vertex, f64))| (edge.0, edge.1, arcs[2 * at + 1].left);
            let edges = out.iter().enumerate().map(carried).filter(|(_, _, amount)| *amount > 0.0).collect();
            return Ok(Flow { value, edges, source_side });
        }
        value += blocking(&mut arcs, &rows, &levels, (source, target), run)?;
        rounds += 1;
        run.step("rounds", rounds, 0)?;
    }
}

fn levels(arcs: &[Arc], rows: &Rows, source: Vertex, run: &Run<'_>) -> Result<Vec<u32>> {
    let mut levels = vec![u32::MAX; rows.len()];
    levels[source as usize] = 0;
    let (mut queue, mut steps) = (VecDeque::from([source]), 0);
    while let Some(vertex) = queue.pop_front() {
        for arc in rows.of(vertex as usize) {
            run.tick(&mut steps)?;
            let arc = &arcs[*arc as usize];
            if arc.left > 0.0 && levels[arc.to as usize] == u32::MAX {
                levels[arc.to as usize] = levels[vertex as usize] + 1;
                queue.push_back(arc.to);
            }
        }
    }
    Ok(levels)
}

/// Sends what can be sent along ways that go up one level with each edge.
fn blocking(
    arcs: &mut [Arc],
    rows: &Rows,
    levels: &[u32],
    (source, target): (Vertex, Vertex),
    run: &Run<'_>,
) -> Result<f64> {
    let mut next = vec![0; rows.len()];
    let (mut way, mut sent, mut steps): (Vec<u32>, f64, usize) = (Vec::new(), 0.0, 0);
    loop {
        run.tick(&mut steps)?;
        let last = way.last().map_or(source, |arc| arcs[*arc as usize].to);
        if last == target {
            let amount = way.iter().map(|arc| arcs[*arc as usize].left).fold(f64::INFINITY, f64::min);
            for arc in &way {
                arcs[*arc as usize].left -= amount;
                arcs[*arc as usize ^ 1].left += amount;
            }
            sent += amount;
            // Back to before the first edge that is full now.
            let full = way.iter().position(|arc| arcs[*arc as usize].left <= 0.0).unwrap_or_default();
            way.truncate(full);
            continue;
        }
        let at = last as usize;
        match rows.of(at).get(next[at]) {
            Some(number) => {
                let arc = &arcs[*number as usize];
                if arc.left > 0.0 && levels[arc.to as usize] == levels[at].saturating_add(1) {
                    way.push(*number);
                } else {
                    next[at] += 1;
                }
            }
            None => match way.pop() {
                // A dead end: whoever led here tries its next edge.
                Some(arc) => next[arcs[arc as usize ^ 1].to as usize] += 1,
                None => return Ok(sent),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_known_network_carries_what_it_should() {
        // Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, figure 26.1.
        let edges = [
            (0, 1, 16.0),
            (0, 2, 13.0),
            (1, 3, 12.0),
            (2, 1, 4.0),
            (2, 4, 14.0),
            (3, 2, 9.0),
            (3, 5, 20.0),
            (4, 3, 7.0),
            (4, 5, 4.0),
        ];
        let out = Csr::from_edges(6, &edges, true).unwrap();
        assert_eq!(max_flow(&out, 0, 5, &Run::alone()).unwrap().value, 23.0);
        assert!(max_flow(&out, 0, 0, &Run::alone()).is_err());
    }

    proptest! {
        #[test]
        fn flow_is_kept_and_equals_the_cut(edges in prop::collection::vec((0..9_u32, 0..9_u32, 0..9_u32), 0..40)) {
            let edges: Vec<_> = edges.into_iter().map(|(a, b, weight)| (a, b, f64::from(weight))).collect();
            let out = Csr::from_edges(9, &edges, true).unwrap();
            let flow = max_flow(&out, 0, 8, &Run::alone()).unwrap();
            let side = |vertex: u32| flow.source_side[vertex as usize];
            let cut: f64 = edges.iter().filter(|(a, b, _)| side(*a) && !side(*b)).map(|it| it.2).sum();
            prop_assert_eq!(flow.value, cut);
            for vertex in 1..8 {
                let into: f64 = flow.edges.iter().filter(|it| it.1 == vertex).map(|it| it.2).sum();
                let out: f64 = flow.edges.iter().filter(|it| it.0 == vertex).map(|it| it.2).sum();
                prop_assert_eq!(into, out);
            }
        }
    }
}
