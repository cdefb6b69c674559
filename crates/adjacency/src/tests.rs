//! The cache against a plain map: with every order of writes and reads, bounded memory, and writers at work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use graph_model::{Direction, LabelId, VertexId};
use parking_lot::RwLock;
use proptest::prelude::*;

use crate::limits::SHARDS;
use crate::{Cache, Found, NumberLists, Pool, State, Table, Unsure, Wanted};

/// Two of them share a mark.
const LABELS: [LabelId; 3] = [LabelId(1), LabelId(33), LabelId(40)];

/// What is stored: neighbours by vertex, direction and label.
type Model = BTreeMap<(i64, bool, u32), Vec<i64>>;

/// Reads lists of a vertex that are not known and offers them to the table.
fn fill(table: &Table, model: &Model, owner: i64, wanted: Wanted<'_>) {
    let number = table.number(&VertexId::Number(owner)).unwrap();
    let Some(ticket) = table.ticket(number) else { return };
    let labels = wanted.labels.unwrap_or(&LABELS);
    for outgoing in wanted.directions() {
        let mut unread = Vec::new();
        table.unread(number, *outgoing, labels, wanted.most(), &mut unread);
        let mut found = Found::new();
        for label in unread {
            let list = model.get(&(owner, *outgoing, label.0)).map_or(&[][..], Vec::as_slice);
            for other in list.iter().take(wanted.most()) {
                found.push(table.number(&VertexId::Number(*other)).unwrap());
            }
            found.end_segment(label, if list.len() > wanted.most() { State::Prefix } else { State::Whole });
        }
        table.publish(number, *outgoing, ticket, &found, wanted.labels.is_none().then_some(&LABELS[..]));
    }
}

fn cached(table: &Table, owner: i64, wanted: Wanted<'_>) -> Option<Vec<i64>> {
    let mut lists = NumberLists::default();
    table.at_hand(&[table.number(&VertexId::Number(owner)).unwrap()], wanted, LABELS[2], &mut lists);
    assert_eq!(lists.ends.len(), 1);
    let id = |number: &u32| match table.id(*number) {
        Some(VertexId::Number(id)) => *id,
        _ => i64::MIN,
    };
    lists.missed.is_empty().then(|| lists.numbers.iter().map(id).collect())
}

fn expected(model: &Model, owner: i64, wanted: Wanted<'_>) -> Vec<i64> {
    let labels = wanted.labels.unwrap_or(&LABELS);
    let lists = wanted.directions().iter().flat_map(|out| labels.iter().map(|label| (owner, *out, label.0)));
    lists.filter_map(|key| model.get(&key)).flatten().copied().take(wanted.most()).collect()
}

#[derive(Clone, Debug)]
enum Action {
    Write(i64, bool, usize, Vec<i64>),
    /// To all vertices in one batch.
    WriteAll(bool, usize, Vec<i64>),
    Read(i64, Direction, Option<Vec<usize>>, Option<u64>),
    Clear,
}

fn action() -> impl Strategy<Value = Action> {
    let direction = prop_oneof![Just(Direction::Out), Just(Direction::In), Just(Direction::Both)];
    let labels = prop::option::of(prop::sample::subsequence(vec![0, 1, 2], 1..3));
    prop_oneof![
        4 => (0..6i64, any::<bool>(), 0..3usize, prop::collection::vec(0..40i64, 0..6))
            .prop_map(|(owner, out, label, list)| Action::Write(owner, out, label, list)),
        1 => (any::<bool>(), 0..3usize, prop::collection::vec(0..40i64, 0..3))
            .prop_map(|(out, label, list)| Action::WriteAll(out, label, list)),
        8 => (0..6i64, direction, labels, prop::option::of(0..5u64))
            .prop_map(|(owner, direction, labels, limit)| Action::Read(owner, direction, labels, limit)),
        1 => Just(Action::Clear),
    ]
}

proptest! {
    #[test]
    fn lists_are_as_stored(actions in prop::collection::vec(action(), 0..80), kib in 1usize..64) {
        let pool = Arc::new(Pool::new(kib << 10));
        let cache = Cache::new(Arc::clone(&pool), false);
        let mut model = Model::new();
        let mut held = Vec::new();
        for action in actions {
            match action {
                Action::Write(owner, out, label, list) => {
                    let mut writing = cache.writing();
                    if let Some(writing) = &mut writing {
                        writing.touch((&VertexId::Number(owner)).into(), out, LABELS[label]);
                    }
                    let write = writing.and_then(|writing| writing.registered());
                    if let (Some(_), Some(table)) = (&write, cache.table(0, || true)) {
                        let all = Wanted { direction: Direction::Both, labels: None, limit: None };
                        fill(&table, &model, owner, all);
                        prop_assert!(table.ticket(table.number(&VertexId::Number(owner)).unwrap()).is_none());
                    }
                    model.insert((owner, out, LABELS[label].0), list);
                }
                Action::WriteAll(out, label, list) => {
                    let mut writing = cache.writing();
                    if let Some(writing) = &mut writing {
                        for owner in 0..i64::try_from(2 * SHARDS).unwrap() {
                            writing.touch((&VertexId::Number(owner)).into(), out, LABELS[label]);
                        }
                    }
                    drop(writing.and_then(|writing| writing.registered()));
                    (0..6).for_each(|owner| drop(model.insert((owner, out, LABELS[label].0), list.clone())));
                }
                Action::Read(owner, direction, labels, limit) => {
                    let Some(table) = cache.table(0, || true) else { continue };
                    let labels = labels.map(|labels| labels.iter().map(|at| LABELS[*at]).collect::<Vec<_>>());
                    let wanted = Wanted { direction, labels: labels.as_deref(), limit };
                    for _ in 0..2 {
                        if let Some(found) = cached(&table, owner, wanted) {
                            prop_assert_eq!(found, expected(&model, owner, wanted));
                        }
                        fill(&table, &model, owner, wanted);
                    }
                    if kib > 60 {
                        prop_assert!(cached(&table, owner, wanted).is_some(), "there is room for it");
                    }
                    held.push(table);
                }
                Action::Clear => {
                    cache.clear();
                    for table in held.drain(..) {
                        let all = Wanted { direction: Direction::Both, labels: None, limit: None };
                        prop_assert_eq!(cached(&table, 1, all), None);
                    }
                }
            }
        }
        drop(held);
        cache.turn_off();
        prop_assert!(cache.table(0, || true).is_none() && cache.writing().is_none());
        prop_assert_eq!(pool.figures().bytes, 0, "everything is given back");
    }
}

#[test]
fn memory_stays_within_the_pool() {
    let pool = Arc::new(Pool::new(1 << 20));
    let caches = [Cache::new(Arc::clone(&pool), false), Cache::new(Arc::clone(&pool), false)];
    let wanted = Wanted { direction: Direction::Out, labels: Some(&LABELS[..1]), limit: None };
    for round in 0..20_000i64 {
        let table = caches[usize::from(round % 3 == 0)].table(0, || true).unwrap();
        let owner = round % 5_000;
        let model = Model::from([((owner, true, 1), (0..50).map(|at| (owner + at) % 7_000).collect())]);
        fill(&table, &model, owner, wanted);
        // Numbers are given without asking the pool; the table is given up afterwards.
        assert!(pool.figures().bytes < 9 << 17, "{:?} in round {round}", pool.figures());
    }
    let figures = pool.figures();
    assert!(figures.evicted > 0 && figures.bytes > 1 << 18, "{figures:?}");
}

#[test]
fn large_tables_are_given_up() {
    let pool = Arc::new(Pool::new(1 << 20));
    let cache = Cache::new(Arc::clone(&pool), false);
    let first = cache.table(0, || true).unwrap();
    for number in 0..10_000 {
        first.number(&VertexId::Number(number)).unwrap();
    }
    let second = cache.table(0, || true).unwrap();
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((first.len(), second.len()), (10_000, 0), "numbers given stay valid");
    assert_eq!(first.id(9), Some(&VertexId::Number(9)));
}

#[test]
fn the_first_walk_waits_for_writes_that_are_not_registered() {
    let cache = Cache::new(Arc::new(Pool::new(1 << 20)), false);
    assert!(cache.writing().is_none());
    assert!(cache.table(0, || false).is_none() && cache.writing().is_none(), "as before where nobody has waited");
    let mut settled = false;
    let table = cache.table(0, || {
        settled = true;
        assert!(cache.writing().is_some(), "from before the wait on all are registered");
        assert!(cache.table(0, || unreachable!("once")).is_none(), "others read rows meanwhile");
        true
    });
    assert!(settled && table.is_some() && cache.table(0, || unreachable!("once")).is_some());
    let off = Cache::new(Arc::new(Pool::new(0)), false);
    assert!(off.table(0, || unreachable!("never")).is_none() && off.writing().is_none());
}

/// Seconds a longer run takes, by the environment; else a fraction of one.
fn run_time() -> std::time::Duration {
    let seconds = std::env::var("RHIZOME_LONG_TEST_SECONDS").ok().and_then(|text| text.parse().ok());
    seconds.map_or(std::time::Duration::from_millis(400), std::time::Duration::from_secs)
}

#[test]
fn no_reader_sees_a_list_older_than_a_write_that_has_ended() {
    const VERTICES: i64 = 8;
    // The list of a vertex is the one number of its version, as another vertex.
    let stored: Vec<AtomicU32> = (0..VERTICES).map(|_| AtomicU32::new(0)).collect();
    let acknowledged: Vec<AtomicU32> = (0..VERTICES).map(|_| AtomicU32::new(0)).collect();
    let locks: Vec<RwLock<()>> = (0..VERTICES).map(|_| RwLock::new(())).collect();
    let pool = Arc::new(Pool::new(256 << 10));
    let cache = Cache::new(pool, false);
    let stop = AtomicBool::new(false);
    let (checked, hits) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let (stored, acknowledged, locks, cache, stop) = (&stored, &acknowledged, &locks, &cache, &stop);
            scope.spawn(move || {
                for round in 0u32.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let at = usize::try_from((round * 7 + writer * 3) % 8).unwrap();
                    let _held = locks[at].write();
                    let mut writing = cache.writing();
                    if let Some(writing) = &mut writing {
                        writing.touch((&VertexId::Number(i64::try_from(at).unwrap())).into(), true, LABELS[0]);
                    }
                    let write = writing.and_then(|writing| writing.registered());
                    // Versions repeat, so that the table does not fill up with their numbers.
                    let version = stored[at].fetch_add(1, Ordering::SeqCst) + 1;
                    drop(write);
                    acknowledged[at].store(version, Ordering::SeqCst);
                    if round % 64 == 0 {
                        std::thread::yield_now();
                    }
                    if round % 4_096 == 0 {
                        cache.clear();
                    }
                }
            });
        }
        for reader in 0..2 {
            let (stored, acknowledged, locks, cache, stop) = (&stored, &acknowledged, &locks, &cache, &stop);
            let (checked, hits) = (&checked, &hits);
            scope.spawn(move || {
                let settle = || {
                    locks.iter().for_each(|lock| drop(lock.write()));
                    true
                };
                for round in reader.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let at = usize::try_from(round % VERTICES).unwrap();
                    let Some(table) = cache.table(0, settle) else { continue };
                    let number = table.number(&VertexId::Number(round % VERTICES)).unwrap();
                    let least = acknowledged[at].load(Ordering::SeqCst);
                    let mut lists = NumberLists::default();
                    let wanted = Wanted { direction: Direction::Out, labels: Some(&LABELS[..1]), limit: None };
                    table.at_hand(&[number], wanted, LABELS[2], &mut lists);
                    if let [version] = lists.numbers[..] {
                        hits.fetch_add(1, Ordering::Relaxed);
                        assert!(version >= least, "vertex {at} had version {least}, and the list {version}");
                    }
                    if let Some(ticket) = table.ticket(number) {
                        let mut found = Found::new();
                        found.push(stored[at].load(Ordering::SeqCst));
                        found.end_segment(LABELS[0], State::Whole);
                        std::hint::spin_loop();
                        table.publish(number, true, ticket, &found, None);
                    }
                    checked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(run_time());
        stop.store(true, Ordering::Relaxed);
    });
    let (checked, hits) = (checked.into_inner(), hits.into_inner());
    assert!(hits > 100 && checked > hits / 2, "{hits} of {checked} reads found a list");
}

#[test]
fn members_of_a_label_are_kept_until_one_of_them_is_written() {
    let pool = Arc::new(Pool::new(1 << 20));
    let cache = Cache::new(Arc::clone(&pool), false);
    let table = cache.table(0, || true).unwrap();
    let (one, other) = (LABELS[0], LABELS[1]);
    let kept = || [one, other].map(|label| table.members(label).map(|members| members.to_vec()));
    let fill = || {
        let ticket = table.ticket_of_members().unwrap();
        table.publish_members(one, ticket, &[1, 2]);
        table.publish_members(other, ticket, &[3]);
    };
    let write = |label| {
        let mut writing = cache.writing().unwrap();
        writing.touch_rows(label);
        writing.registered().unwrap()
    };
    assert_eq!(kept(), [None, None]);
    let before = pool.figures().bytes;
    fill();
    assert_eq!(kept(), [Some(vec![1, 2]), Some(vec![3])]);
    assert!(pool.figures().bytes > before);
    let ticket = table.ticket_of_members().unwrap();
    let under_way = write(Some(one));
    assert_eq!(kept(), [None, Some(vec![3])]);
    assert!(table.ticket_of_members().is_none(), "a write is under way");
    table.publish_members(one, ticket, &[1, 2]);
    drop(under_way);
    table.publish_members(one, ticket, &[1, 2]);
    assert_eq!(kept(), [None, Some(vec![3])], "what was read before a write is not kept after it");
    fill();
    drop(write(None));
    assert_eq!((kept(), pool.figures().bytes), ([None, None], before), "nobody knows of which label it was");
    fill();
    cache.clear();
    assert_eq!(kept(), [None, None]);
    assert!(table.ticket_of_members().is_none());
}

/// Reads the neighbours of vertices as walks do: out of the table, or else into it.
fn walk(table: &Table, vertices: std::ops::Range<i64>, list: &[u32]) {
    for vertex in vertices {
        let Some(number) = table.number(&VertexId::Number(vertex)) else { return };
        let mut lists = NumberLists::default();
        let wanted = Wanted { direction: Direction::Out, labels: Some(&LABELS[..1]), limit: None };
        table.at_hand(&[number], wanted, LABELS[2], &mut lists);
        if lists.missed.is_empty() {
            continue;
        }
        table.count_asked(0, 1);
        let mut found = Found::new();
        list.iter().for_each(|number| found.push(*number));
        found.end_segment(LABELS[0], State::Whole);
        if let Some(ticket) = table.ticket(number) {
            table.publish(number, true, ticket, &found, None);
        }
    }
}

/// Requests without a table before one has it again.
fn without_table(cache: &Cache) -> usize {
    (0..).take_while(|_| cache.table(0, || true).is_none()).count()
}

#[test]
fn after_a_table_that_was_too_small_there_is_none_for_a_while() {
    let cache = Cache::new(Arc::new(Pool::new(64 << 10)), false);
    let mut requests = 0;
    for factor in [2, 4, 8] {
        while let Some(table) = cache.table(0, || true) {
            walk(&table, requests * 100..requests * 100 + 100, &[1, 2, 3]);
            requests += 1;
        }
        // The last request was the first without one.
        assert_eq!(without_table(&cache) + 1, usize::try_from(requests).unwrap() * factor);
        // That one has got the next table.
        requests = 1;
    }
    // Walks that stay where they were lose nothing by a new table.
    cache.clear();
    for round in 0..2_000 {
        let table = cache.table(0, || true).expect("it is of use");
        walk(&table, 0..20, &[1]);
        walk(&table, round..round + 5, &[1]);
    }
}

#[test]
fn lists_that_only_make_room_for_each_other_are_given_up() {
    let cache = Cache::new(Arc::new(Pool::new(64 << 10)), false);
    let long = vec![7; 1_000];
    let mut requests = 0;
    while let Some(table) = cache.table(0, || true) {
        walk(&table, 0..40, &long);
        requests += 1;
        assert!(requests < 1_000, "forty lists do not fit, so each has made room before it is asked for again");
    }
    assert!(without_table(&cache) > 0);
    cache.clear();
    for _ in 0..1_000 {
        let table = cache.table(0, || true).expect("it is of use");
        walk(&table, 0..2, &long);
        walk(&table, 0..2, &long);
        walk(&table, 0..40, &[7]);
    }
}

#[test]
fn what_was_kept_in_one_period_is_not_used_in_another() {
    let cache = Cache::new(Arc::new(Pool::new(1 << 20)), false);
    let first = cache.table(1, || true).unwrap();
    let number = first.number(&VertexId::Number(1)).unwrap();
    assert!(first.ticket(number).is_some() && cache.labels(1, false).is_some() && cache.labels(2, false).is_none());
    let second = cache.table(2, || true).unwrap();
    assert!(second.is_empty() && cache.labels(1, false).is_none());
    assert!(first.ticket(number).is_none(), "who still has it reads rows");
}

#[test]
fn a_write_that_may_take_effect_later_stays_registered() {
    let cache = Cache::new(Arc::new(Pool::new(1 << 20)), false);
    let table = cache.table(0, || true).unwrap();
    let id = VertexId::Number(1);
    let number = table.number(&id).unwrap();
    let write = || {
        let mut writing = cache.writing().unwrap();
        writing.touch((&id).into(), true, LABELS[0]);
        Unsure::of(writing.registered().unwrap())
    };
    write().end();
    assert!(table.ticket(number).is_some());
    drop(write());
    assert!(table.ticket(number).is_none());
    write().end();
    assert!(table.ticket(number).is_none(), "nor does a later one end it");
    for _ in 0..2 {
        drop(write());
        drop(write());
        cache.end_doubts();
        assert!(table.ticket(number).is_none(), "the last one failed only now");
        drop(write());
        cache.end_doubts();
        assert!(table.ticket(number).is_none(), "so did this one");
        cache.end_doubts();
        assert!(table.ticket(number).is_some());
    }
}

#[test]
fn members_make_room_for_lists() {
    let pool = Arc::new(Pool::new(256 << 10));
    let cache = Cache::new(Arc::clone(&pool), false);
    let table = cache.table(0, || true).unwrap();
    let numbers: Vec<u32> = (0..u32::try_from(table.members_max()).unwrap()).collect();
    table.publish_members(LABELS[0], table.ticket_of_members().unwrap(), &numbers);
    assert!(table.members(LABELS[0]).is_some());
    let model: Model = (0..200).map(|owner| ((owner, true, LABELS[0].0), (0..400).collect())).collect();
    let wanted = Wanted { direction: Direction::Out, labels: None, limit: None };
    for _ in 0..4 {
        (0..200).for_each(|owner| fill(&table, &model, owner, wanted));
    }
    assert!(table.members(LABELS[0]).is_none(), "they were not used for long");
    let figures = pool.figures();
    assert!(figures.bytes <= pool.limit() && figures.evicted > 0, "{figures:?}");
}

#[test]
fn ends_of_edges_get_numbers_where_reading_them_costs_a_round_and_there_is_room() {
    let cache = Cache::new(Arc::new(Pool::new(256 << 10)), true);
    let ids: Vec<VertexId> = (0..1_000).map(VertexId::Number).collect();
    assert!(cache.labels(0, false).is_none(), "nobody has walked");
    for _ in 0..2 {
        for id in &ids {
            let labels = cache.labels(0, true).unwrap();
            if let Err(unread) = labels.get(id) {
                labels.keep([(unread, LABELS[0])].into_iter());
            }
        }
    }
    let (near, far) = (cache.labels(0, false).unwrap(), cache.labels(0, true).unwrap());
    assert_eq!(near.get(&ids[0]).ok(), Some(LABELS[0]));
    assert!(far.get(&ids[999]).is_err(), "the rest is left to walks");
    let numbers = cache.table(0, || unreachable!("it registers from the start")).unwrap().len();
    assert!((100..900).contains(&numbers), "{numbers}");
}
