//! Ways on their way through the stages.

use std::collections::BTreeSet;

use adjacency::NumberLists;
use graph_access::NumberedRead;

use crate::host::{Give, Host};
use crate::limits::{NEIGHBOURS_MAX, OWNERS_FIRST, OWNERS_MAX, POOL_SHARE, POOLED_MAX};
use crate::pattern::{Hop, Pattern};
use crate::pool::{Pool, Ways};
use crate::stage::{Check, Ends, Stage, Walk};

/// Ways that a stage is working on.
#[derive(Debug)]
struct Level {
    stage: usize,
    ways: Ways,
    at: usize,
    bytes: u64,
}

/// A pattern that is being looked for.
#[derive(Debug)]
pub struct Join {
    width: usize,
    stages: Vec<Stage>,
    /// What waits for each stage.
    pools: Vec<Pool>,
    /// Bytes of the pools that are counted as held.
    held: u64,
    /// The one found last is carried on first, so that little is held.
    levels: Vec<Level>,
    lists: NumberLists,
    /// How many nodes are looked at together.
    chunk: usize,
}

impl Join {
    /// A join that has nothing to do yet.
    #[must_use]
    pub fn new(pattern: &Pattern) -> Self {
        let mut stages = stages_of(pattern);
        let live = live_before(pattern, &stages);
        for (at, stage) in stages.iter_mut().enumerate() {
            if let Some(walk) = &mut stage.walk {
                walk.is_counted = live.get(at + 1).is_some_and(|live| !live.contains(&walk.ends.to));
            }
        }
        // Columns that are filled by then and not asked for any more make ways agree.
        let mut filled: Vec<usize> = (0..pattern.width).collect();
        for stage in &stages {
            filled.retain(|column| stage.walk.as_ref().is_none_or(|walk| walk.ends.to != *column));
        }
        let mut pools = Vec::with_capacity(stages.len());
        for (at, stage) in stages.iter().enumerate() {
            let own = live.get(at).cloned().unwrap_or_default();
            let may_agree = filled.iter().any(|column| !own.contains(column));
            pools.push(Pool::new(own, pattern.is_gathered && may_agree));
            filled.extend(stage.walk.iter().filter(|walk| !walk.is_counted).map(|walk| walk.ends.to));
        }
        let (levels, lists) = (Vec::new(), NumberLists::default());
        Self { width: pattern.width, stages, pools, held: 0, levels, lists, chunk: OWNERS_FIRST }
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.levels.is_empty() && self.pools.iter().all(|pool| pool.len() == 0)
    }

    /// Forgets all that it was given, so that it can begin anew.
    pub fn clear<H: Host>(&mut self, host: &H) {
        self.pools.iter_mut().for_each(|pool| drop(pool.take()));
        let levels = self.levels.drain(..).map(|level| level.bytes).fold(0, u64::saturating_add);
        host.release(levels.saturating_add(std::mem::take(&mut self.held)));
    }

    /// How many ways wait at the start.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.pools.first().map_or(0, Pool::len)
    }

    /// Takes a way of choosing the known nodes: numbers of all columns, of which those that are not known do not
    /// matter.
    ///
    /// # Errors
    /// It holds too much.
    pub fn add<H: Host>(&mut self, host: &H, tuple: &[u32]) -> Result<(), H::Error> {
        if let Some(pool) = self.pools.first_mut() {
            pool.add(tuple, 1);
        }
        self.count(host)
    }

    /// Counts what the pools hold.
    fn count<H: Host>(&mut self, host: &H) -> Result<(), H::Error> {
        let bytes = self.pools.iter().map(Pool::bytes).fold(0, u64::saturating_add);
        if bytes > self.held {
            host.hold(bytes - self.held)?;
        } else {
            host.release(self.held - bytes);
        }
        self.held = bytes;
        Ok(())
    }

    /// Takes what waits for a stage up.
    fn take_up<H: Host>(&mut self, host: &H, stage: usize) -> Result<(), H::Error> {
        let Some(pool) = self.pools.get_mut(stage) else { return Ok(()) };
        let ways = pool.take();
        self.count(host)?;
        let bytes = ways.bytes();
        host.hold(bytes)?;
        self.levels.push(Level { stage, ways, at: 0, bytes });
        Ok(())
    }

    /// Carries some ways on, and hands on those that are complete, with how often they are found.
    ///
    /// # Errors
    /// Those of the graph, of time, of memory and of `give`.
    pub fn advance<H: Host>(
        &mut self,
        host: &H,
        graph: &dyn NumberedRead,
        give: &mut Give<'_, H::Error>,
    ) -> Result<(), H::Error> {
        let is_full = |pool: &Pool| pool.len() >= POOLED_MAX || pool.bytes() > host.left() / POOL_SHARE;
        let is_due = |pool: &Pool| pool.len() > 0 && (!pool.is_gathering() || is_full(pool));
        if let Some(stage) = self.pools.iter().rposition(is_due) {
            self.take_up(host, stage)?;
        } else if self.levels.is_empty()
            && let Some(stage) = self.pools.iter().position(|pool| pool.len() > 0)
        {
            self.take_up(host, stage)?;
        }
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        let end = level.ways.len().min(level.at.saturating_add(self.chunk));
        let (at, stage) = (level.at, level.stage);
        level.at = end;
        let (width, is_last) = (self.width, stage + 1 == self.stages.len());
        let numbers = level.ways.numbers.get(at * width..end * width).unwrap_or_default();
        let times = level.ways.times.get(at..end).unwrap_or_default();
        let Some(own) = self.stages.get_mut(stage) else { return Ok(()) };
        if is_last {
            own.carry_out(host, graph, (numbers, times, width), &mut self.lists, give)?;
        } else if let Some(pool) = self.pools.get_mut(stage + 1) {
            own.carry_out(host, graph, (numbers, times, width), &mut self.lists, &mut |tuple, times| {
                pool.add(tuple, times);
                Ok(())
            })?;
        }
        if end == level.ways.len() {
            let bytes = level.bytes;
            self.levels.pop();
            host.release(bytes);
        }
        self.count(host)?;
        // Nodes of high degree are taken fewer at once.
        if self.lists.numbers.len() > NEIGHBOURS_MAX {
            self.chunk = (self.chunk / 4).max(1);
        } else if self.lists.numbers.len() < NEIGHBOURS_MAX / 4 {
            self.chunk = (self.chunk * 2).min(OWNERS_MAX);
        }
        Ok(())
    }
}

fn ends_of(hop: &Hop) -> Ends {
    Ends { from: hop.from, to: hop.to, direction: hop.direction }
}

fn stages_of(pattern: &Pattern) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for hop in &pattern.hops {
        let others: Vec<Ends> = hop.others.iter().filter_map(|other| pattern.hops.get(*other)).map(ends_of).collect();
        let (ends, types) = (ends_of(hop), hop.types.clone());
        if !hop.is_into {
            let test = hop.test.map(|test| (test, crate::tested::Tested::default()));
            let (kind, unlike) = (hop.kind, Vec::new());
            let walk = Walk { ends, types, others, test, unlike, is_counted: false, kind };
            stages.push(Stage { walk: Some(walk), ..Stage::default() });
            continue;
        }
        if stages.is_empty() {
            stages.push(Stage::default());
        }
        // The node found by this stage changes with each way; the other one less often.
        let Some(stage) = stages.last_mut() else { continue };
        let newest = stage.walk.as_ref().map(|walk| walk.ends.to);
        let ends = if newest == Some(ends.from) && ends.from != ends.to { ends.reversed() } else { ends };
        stage.checks.push(Check::new(ends, types, others, hop.kind));
    }
    if stages.is_empty() {
        stages.push(Stage::default());
    }
    for (one, other) in &pattern.different {
        let found_at = |column: usize| {
            stages.iter().position(|stage| stage.walk.as_ref().is_some_and(|walk| walk.ends.to == column))
        };
        let place = found_at(*one).max(found_at(*other)).unwrap_or(0);
        let Some(stage) = stages.get_mut(place) else { continue };
        match &mut stage.walk {
            Some(walk) if walk.ends.to == *one && one != other => walk.unlike.push(*other),
            Some(walk) if walk.ends.to == *other && one != other => walk.unlike.push(*one),
            _ => stage.different.push((*one, *other)),
        }
    }
    stages
}

/// For each stage the columns that are filled before it and that it or a later one asks for, or that are asked for in
/// the end; the last ones are those of the end.
fn live_before(pattern: &Pattern, stages: &[Stage]) -> Vec<Vec<usize>> {
    let of = |ends: &Ends| [ends.from, ends.to];
    let mut asked: BTreeSet<usize> = pattern.wanted.iter().copied().collect();
    let mut live: Vec<Vec<usize>> = vec![asked.iter().copied().collect()];
    let mut found_later: BTreeSet<usize> = BTreeSet::new();
    for stage in stages.iter().rev() {
        if let Some(walk) = &stage.walk {
            asked.insert(walk.ends.from);
            asked.extend(walk.unlike.iter().copied());
            asked.extend(walk.others.iter().flat_map(of));
            found_later.insert(walk.ends.to);
        }
        for check in &stage.checks {
            asked.extend(of(&check.ends));
            asked.extend(check.others.iter().flat_map(of));
        }
        asked.extend(stage.different.iter().flat_map(|(one, other)| [*one, *other]));
        live.push(asked.difference(&found_later).copied().collect());
    }
    live.reverse();
    live
}

#[cfg(test)]
mod tests {
    use graph_model::Direction;

    use super::*;
    use crate::pattern::HopKind;

    fn hop(from: usize, to: usize, is_into: bool, others: Vec<usize>) -> Hop {
        let (direction, types, test, kind) = (Direction::Out, None, None, HopKind::Each);
        Hop { from, to, is_into, direction, types, others, test, kind }
    }

    #[test]
    fn a_column_is_asked_for_until_nothing_reads_it() {
        // 1 -> 2 -> 3 -> 1, then 3 -> 4; the second hop must differ from the first one.
        let hops = vec![
            hop(1, 2, false, vec![]),
            hop(2, 3, false, vec![0]),
            hop(3, 1, true, vec![]),
            hop(3, 4, false, vec![]),
        ];
        let pattern = Pattern { width: 5, hops, different: vec![(2, 4)], wanted: vec![4], is_gathered: true };
        let stages = stages_of(&pattern);
        assert_eq!(stages.len(), 3, "what closes belongs to the stage before");
        assert_eq!(live_before(&pattern, &stages), [vec![1], vec![1, 2], vec![2, 3], vec![4]]);
    }

    #[test]
    fn a_node_that_nothing_asks_for_is_counted() {
        let hops = vec![hop(1, 2, false, vec![]), hop(1, 3, false, vec![])];
        let pattern = Pattern { width: 4, hops, different: vec![], wanted: vec![3], is_gathered: true };
        let join = Join::new(&pattern);
        let counted: Vec<bool> =
            join.stages.iter().filter_map(|stage| stage.walk.as_ref()).map(|walk| walk.is_counted).collect();
        assert_eq!(counted, [true, false]);
    }
}
