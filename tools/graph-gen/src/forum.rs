//! Forums: each person's wall, albums and groups, with members, tags and, through [`crate::message`], everything posted
//! there.
//!
//! One person's forums are written at a time; only the members of the forum at hand are in memory. Start at
//! [`Forums::write_of`].

use crate::clock::Clock;
use crate::draw::{Draw, Stream, part, part_u32};
use crate::error::GenError;
use crate::files::{Table, Tables};
use crate::flash_mob::FlashMobs;
use crate::limits::{BLOCK, DAY_MS, GAP_MS, GROUP_MEMBERS_MAX, HOUR_MS, MONTH_MS, PHOTOS_MAX, SECOND_MS};
use crate::member::{Member, present};
use crate::message::{Messages, Setting};
use crate::world::World;

/// One forum being written.
struct Forum {
    id: u64,
    owner: u32,
    created_ms: u64,
}

impl Forum {
    fn setting<'s>(&self, members: &'s [Member]) -> Setting<'s> {
        Setting { forum: self.id, owner: self.owner, members }
    }
}

/// Writes forums; numbers them in the order of writing.
pub(crate) struct Forums<'a> {
    world: World<'a>,
    messages: Messages<'a>,
    mobs: FlashMobs,
    next: u64,
    members: Vec<Member>,
    interests: Vec<u32>,
}

impl<'a> Forums<'a> {
    /// Nothing written yet.
    pub(crate) fn new(world: World<'a>, text: bool) -> Forums<'a> {
        Forums {
            world,
            messages: Messages::new(world, text),
            mobs: FlashMobs::new(world.seed, world.clock, world.dictionary.tag_count()),
            next: 0,
            members: Vec::new(),
            interests: Vec::new(),
        }
    }

    /// Writes all forums of a person.
    pub(crate) fn write_of(&mut self, owner: u32, tables: &mut Tables<'_>) -> Result<(), GenError> {
        let mut draw = Draw::new(self.world.seed, Stream::Forums, u64::from(owner));
        let mut interests = std::mem::take(&mut self.interests);
        self.world.persons.interests(owner, &mut interests);
        self.interests = interests;
        let wall_ms = self.world.persons.get(owner).created_ms + GAP_MS;
        self.write_wall(owner, wall_ms, &mut draw, tables)?;
        let left_ms = self.world.clock.end_ms.saturating_sub(wall_ms);
        let months = u32::try_from(left_ms / MONTH_MS).unwrap_or(0);
        let albums = draw.between(0, months);
        for nth in 0..u64::from(albums) {
            // One album in each of `albums` equal slices of the person's time, so their numbers follow their dates.
            let slice = left_ms / u64::from(albums);
            let created_ms = wall_ms + nth * slice + draw.below_u64(slice);
            self.write_album(owner, nth, created_ms, &mut draw, tables)?;
        }
        if draw.chance(50) {
            for _ in 0..draw.between(1, 4) {
                let created_ms = wall_ms + draw.below_u64(left_ms);
                self.write_group(owner, created_ms, &mut draw, tables)?;
            }
        }
        Ok(())
    }

    fn write_wall(
        &mut self,
        owner: u32,
        created_ms: u64,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let (first, last) = self.world.persons.get(owner).name(self.world.dictionary);
        let forum = self.start(owner, created_ms, &["Wall of ", first, " ", last], tables)?;
        self.members.clear();
        for &friend in self.world.friends.of(owner) {
            self.join(&forum, friend, HOUR_MS, draw);
        }
        self.write_members(&forum, tables)?;
        for &tag in &self.interests {
            tables.pair(Table::ForumHasTag, forum.id, u64::from(tag))?;
        }
        let posts = draw.between(0, u32::try_from(self.members.len()).unwrap_or(0));
        for _ in 0..posts {
            let Some(&interest) = draw.of(&self.interests) else { break };
            let some_time_ms = self.some_time_after(created_ms, draw);
            let mob = if draw.chance(100) { self.mobs.join(created_ms + GAP_MS, draw) } else { None };
            let (tag, at_ms) = mob.unwrap_or((interest, some_time_ms));
            let author = if draw.chance(500) { owner } else { self.member_at(owner, at_ms, draw) };
            self.messages.write_thread(&forum.setting(&self.members), author, at_ms, tag, draw, tables)?;
        }
        Ok(())
    }

    fn write_album(
        &mut self,
        owner: u32,
        nth: u64,
        created_ms: u64,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let (first, last) = self.world.persons.get(owner).name(self.world.dictionary);
        let mut digits = itoa::Buffer::new();
        let forum = self.start(owner, created_ms, &["Album ", digits.format(nth), " of ", first, " ", last], tables)?;
        self.members.clear();
        for &friend in self.world.friends.of(owner) {
            if draw.chance(700) {
                self.join(&forum, friend, DAY_MS, draw);
            }
        }
        self.write_members(&forum, tables)?;
        if let Some(&tag) = draw.of(&self.interests) {
            tables.pair(Table::ForumHasTag, forum.id, u64::from(tag))?;
        }
        for photo in 0..u64::from(draw.between(1, PHOTOS_MAX)) {
            let at_ms = created_ms + GAP_MS + photo * SECOND_MS;
            if at_ms < self.world.clock.end_ms {
                self.messages.write_photo(&forum.setting(&self.members), at_ms, draw, tables)?;
            }
        }
        Ok(())
    }

    fn write_group(
        &mut self,
        owner: u32,
        created_ms: u64,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let World { dictionary, persons, friends, .. } = self.world;
        let Some(&tag) = draw.of(&self.interests) else { return Ok(()) };
        let tag_name = dictionary.tags.get(tag as usize).map_or("", |tag| tag.name.as_str());
        let city = dictionary.cities.get(persons.get(owner).city as usize).map_or("", |city| city.name.as_str());
        let forum = self.start(owner, created_ms, &["Group for ", tag_name, " in ", city], tables)?;
        self.members.clear();
        // Strangers come from the owner's block of ids.
        let block = u32::try_from(BLOCK).unwrap_or(u32::MAX);
        let block_start = owner / block * block;
        let block_len = (persons.len() - block_start).min(block);
        let size = draw.between(2, GROUP_MEMBERS_MAX).min(block_len / 2);
        for _ in 0..size {
            let stranger = block_start + draw.below(block_len);
            let person = match draw.of(friends.of(owner)) {
                Some(&friend) if draw.chance(300) => friend,
                _ => stranger,
            };
            if person != owner && !self.members.iter().any(|member| member.person == person) {
                self.join(&forum, person, MONTH_MS, draw);
            }
        }
        self.write_members(&forum, tables)?;
        tables.pair(Table::ForumHasTag, forum.id, u64::from(tag))?;
        let members = u32::try_from(self.members.len()).unwrap_or(0);
        for _ in 0..part_u32(members, draw.fraction()) / 2 {
            let at_ms = self.some_time_after(created_ms, draw);
            let author = self.member_at(owner, at_ms, draw);
            self.messages.write_thread(&forum.setting(&self.members), author, at_ms, tag, draw, tables)?;
        }
        Ok(())
    }

    /// Numbers the forum and writes it and its moderator.
    fn start(
        &mut self,
        owner: u32,
        created_ms: u64,
        title: &[&str],
        tables: &mut Tables<'_>,
    ) -> Result<Forum, GenError> {
        let id = Clock::id(created_ms, self.next);
        self.next += 1;
        tables.row(Table::Forum).number(id).texts(title).number(created_ms).end()?;
        tables.pair(Table::ForumHasModerator, id, self.world.persons.id(owner))?;
        Ok(Forum { id, owner, created_ms })
    }

    /// A person joins up to `within_ms` after it could, if the simulation lasts that long. Friends join after they met
    /// the owner.
    fn join(&mut self, forum: &Forum, person: u32, within_ms: u64, draw: &mut Draw) {
        let World { persons, friends, clock, .. } = self.world;
        let known_ms = if friends.of(forum.owner).binary_search(&person).is_ok() {
            friends.since_ms(forum.owner, person, persons, clock)
        } else {
            persons.get(person).created_ms
        };
        let joined_ms = forum.created_ms.max(known_ms) + GAP_MS + draw.below_u64(within_ms);
        if joined_ms < clock.end_ms {
            self.members.push(Member { person, joined_ms });
        }
    }

    /// Sorts the members by the date they joined and writes them.
    fn write_members(&mut self, forum: &Forum, tables: &mut Tables<'_>) -> Result<(), GenError> {
        self.members.sort_unstable_by_key(|member| (member.joined_ms, member.person));
        for member in &self.members {
            let person = self.world.persons.id(member.person);
            tables.row(Table::ForumHasMember).number(forum.id).number(person).number(member.joined_ms).end()?;
        }
        Ok(())
    }

    fn some_time_after(&self, created_ms: u64, draw: &mut Draw) -> u64 {
        let from = created_ms + GAP_MS;
        from + part(self.world.clock.end_ms.saturating_sub(from), draw.fraction())
    }

    /// A random member at that time, or else the owner.
    fn member_at(&self, owner: u32, at_ms: u64, draw: &mut Draw) -> u32 {
        present(&self.members, at_ms, draw).unwrap_or(owner)
    }
}
