//! Slows down who guesses passwords, without locking anybody out: after a few failures from one place the next attempt
//! has to wait, twice as long each time, up to half a minute.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::identity::ADMIN;
use crate::limits;

/// Where attempts come from: a network of the size that one household or company has, and the user that is tried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    network: Option<IpAddr>,
    user: Option<String>,
}

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    /// Until when attempts have to wait.
    until: Instant,
}

/// The failures of late, by place.
#[derive(Default)]
pub(crate) struct Throttle(Mutex<HashMap<Place, Failures>>);

impl Throttle {
    /// For how many seconds an attempt has to wait; `None`: it may be made.
    pub(crate) fn wait(&self, user: &str, from: Option<IpAddr>, now: Instant) -> Option<u64> {
        let failures = self.0.lock();
        let longest =
            places(user, from).into_iter().filter_map(|place| failures.get(&place)).map(|seen| seen.until).max();
        let wait = longest?.checked_duration_since(now).filter(|wait| !wait.is_zero())?;
        Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }

    /// Notes a failure.
    pub(crate) fn failed(&self, user: &str, from: Option<IpAddr>, now: Instant) {
        let is_own_admin = user == ADMIN && from.is_some_and(|from| from.is_loopback());
        let longest = if is_own_admin { limits::ADMIN_DELAY_MAX } else { limits::DELAY_MAX };
        let mut failures = self.0.lock();
        for place in places(user, from) {
            if failures.len() >= limits::PLACES_MAX && !failures.contains_key(&place) {
                failures.retain(|_, seen| seen.until + limits::DELAY_MAX > now);
                if failures.len() >= limits::PLACES_MAX {
                    // So many places at one time are an attack on this list; hashing is bounded all the same.
                    failures.clear();
                }
            }
            // Of an address alone there may be many users behind one.
            let free = if place.user.is_some() { limits::FAILURES_FREE } else { limits::FAILURES_FREE * 10 };
            let seen = failures.entry(place).or_insert(Failures { count: 0, until: now });
            if seen.until + limits::DELAY_MAX * 10 < now {
                seen.count = 0;
            }
            seen.count = seen.count.saturating_add(1);
            seen.until = now + delay(seen.count, free).min(longest);
        }
    }

    /// Forgets the failures of a user from somewhere: it has logged in.
    pub(crate) fn succeeded(&self, user: &str, from: Option<IpAddr>) {
        let mut failures = self.0.lock();
        if !failures.is_empty() {
            for place in places(user, from) {
                failures.remove(&place);
            }
        }
    }
}

fn delay(count: u32, free: u32) -> Duration {
    match count.checked_sub(free) {
        None => Duration::ZERO,
        Some(over) => Duration::from_secs(1 << over.min(5)).min(limits::DELAY_MAX),
    }
}

/// What an attempt counts for. Whoever is on the machine itself can read its memory, and must be able to log in whoever
/// else tries.
fn places(user: &str, from: Option<IpAddr>) -> Vec<Place> {
    let network = from.map(network);
    let of_user = Place { network, user: Some(user.to_owned()) };
    match from {
        Some(from) if from.is_loopback() => vec![of_user],
        _ => vec![of_user, Place { network, user: None }],
    }
}

/// The first 24 bits of an IPv4 address, the first 64 of another one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4((u32::from(address) & 0xffff_ff00).into()),
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) & (u128::MAX << 64)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn delays_grow_and_end_and_meet_nobody_else() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let here = from("10.1.2.3");
        for _ in 0..limits::FAILURES_FREE - 1 {
            throttle.failed("bob", here, start);
            assert_eq!(throttle.wait("bob", here, start), None);
        }
        for expected in [1, 2, 4, 8, 16, 30, 30] {
            throttle.failed("bob", here, start);
            assert_eq!(throttle.wait("bob", here, start), Some(expected));
        }
        assert_eq!(throttle.wait("bob", from("10.1.2.99"), start), Some(30), "the same network");
        assert_eq!(throttle.wait("bob", from("10.1.3.3"), start), None, "another network");
        assert_eq!(throttle.wait("alice", here, start), None);
        assert_eq!(throttle.wait("bob", here, start + Duration::from_secs(30)), None);
        throttle.succeeded("bob", here);
        assert_eq!(throttle.wait("bob", here, start), None);
    }

    #[test]
    fn an_address_that_tries_many_users_waits_for_all() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        for user in 0..limits::FAILURES_FREE * 10 {
            throttle.failed(&user.to_string(), from("10.1.2.3"), start);
            throttle.failed(&user.to_string(), from("127.0.0.1"), start);
        }
        assert!(throttle.wait("new", from("10.1.2.3"), start).is_some());
        assert_eq!(throttle.wait("admin", from("127.0.0.1"), start), None);
    }

    #[test]
    fn the_administrator_is_not_kept_out_of_the_machine_itself() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for place in ["127.0.0.1", "10.1.2.3"] {
            for _ in 0..1_000 {
                throttle.failed(ADMIN, from(place), now);
                throttle.failed("bob", from(place), now);
            }
        }
        assert_eq!(
            (throttle.wait(ADMIN, from("127.0.0.1"), now), throttle.wait("bob", from("127.0.0.1"), now)),
            (Some(1), Some(30))
        );
        assert_eq!(throttle.wait(ADMIN, from("10.1.2.3"), now), Some(30));
    }

    #[test]
    fn the_list_is_bounded() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for user in 0..limits::PLACES_MAX + 10 {
            throttle.failed(&user.to_string(), from("127.0.0.1"), now);
        }
        assert!(throttle.0.lock().len() <= limits::PLACES_MAX);
    }
}
