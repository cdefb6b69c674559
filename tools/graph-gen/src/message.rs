//! Posts, photos, comments and likes.
//!
//! Messages are written as they are drawn and forgotten, except for the (at most 20) comments of the thread at hand,
//! which later comments may answer. A message whose date falls behind the end of the simulation is not written.

use crate::clock::Clock;
use crate::draw::{Draw, coprime_from, part, part_u32};
use crate::error::GenError;
use crate::files::{Table, Tables};
use crate::limits::{COMMENTS_MAX, DAY_MS, GAP_MS, LIKES_MAX};
use crate::member::{Member, present};
use crate::person::address_in;
use crate::text::Prose;
use crate::world::World;

/// Posts and photos that anybody likes, in 1,000.
const LIKED_POSTS: u32 = 140;
/// Comments that anybody likes, in 1,000.
const LIKED_COMMENTS: u32 = 48;
/// Of 1,000 comments after the first, those that answer a comment instead of the post; over all comments it is about
/// half.
const ANSWERS_TO_COMMENTS: u32 = 560;
/// Comments of a word or two, in 1,000.
const SHORT_COMMENTS: u32 = 600;
/// Messages sent from a foreign country, in 1,000.
const FROM_ABROAD: u32 = 20;

/// The forum in which a message is posted.
pub(crate) struct Setting<'a> {
    pub(crate) forum: u64,
    pub(crate) owner: u32,
    /// Sorted by the date they joined.
    pub(crate) members: &'a [Member],
}

/// A message that can be answered.
#[derive(Clone, Copy)]
struct Posted {
    id: u64,
    at_ms: u64,
}

/// Writes messages; numbers posts and comments together in the order of writing.
pub(crate) struct Messages<'a> {
    world: World<'a>,
    prose: Option<Prose>,
    next: u64,
    thread: Vec<Posted>,
    tags: Vec<u32>,
    text: Vec<u8>,
}

impl<'a> Messages<'a> {
    /// Nothing written yet; without `text`, contents are empty and lengths 0.
    pub(crate) fn new(world: World<'a>, text: bool) -> Messages<'a> {
        let prose = text.then(|| Prose::new(world.seed));
        Messages { world, prose, next: 0, thread: Vec::new(), tags: Vec::new(), text: Vec::new() }
    }

    fn next_id(&mut self, at_ms: u64) -> u64 {
        let id = Clock::id(at_ms, self.next);
        self.next += 1;
        id
    }

    /// A photo of the forum's owner, with likes.
    pub(crate) fn write_photo(
        &mut self,
        setting: &Setting<'_>,
        at_ms: u64,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let id = self.next_id(at_ms);
        let (country, ip) = self.sent_from(setting.owner, draw);
        let mut digits = itoa::Buffer::new();
        tables
            .row(Table::Post)
            .number(id)
            .texts(&["photo", digits.format(id), ".jpg"])
            .number(at_ms)
            .address(ip)
            .text(self.world.persons.get(setting.owner).browser_name())
            .text("")
            .text("")
            .number(0)
            .end()?;
        self.write_post_edges(setting, id, setting.owner, country, tables)?;
        self.write_likes(
            Table::PersonLikesPost,
            setting,
            Posted { id, at_ms },
            setting.owner,
            LIKED_POSTS,
            draw,
            tables,
        )
    }

    /// A text post about `tag` by `author`, with likes and comments.
    pub(crate) fn write_thread(
        &mut self,
        setting: &Setting<'_>,
        author: u32,
        at_ms: u64,
        tag: u32,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        if at_ms >= self.world.clock.end_ms {
            return Ok(());
        }
        let id = self.next_id(at_ms);
        let (country, ip) = self.sent_from(author, draw);
        let writer = self.world.persons.get(author);
        let languages = self.world.dictionary.country(writer.country).map_or(&[][..], |home| home.languages);
        let language = draw.of(languages).copied().unwrap_or("en");
        self.text.clear();
        if let Some(prose) = &self.prose {
            prose.post(id, tag_name(&self.world, tag), &mut self.text);
        }
        tables
            .row(Table::Post)
            .number(id)
            .text("")
            .number(at_ms)
            .address(ip)
            .text(writer.browser_name())
            .text(language)
            .bytes(&self.text)
            .number(self.text.len() as u64)
            .end()?;
        self.write_post_edges(setting, id, author, country, tables)?;
        let tags = draw.between(1, 5);
        self.write_tags(Table::PostHasTag, id, tag, tags, draw, tables)?;
        let post = Posted { id, at_ms };
        self.write_likes(Table::PersonLikesPost, setting, post, author, LIKED_POSTS, draw, tables)?;
        self.thread.clear();
        for _ in 0..draw.between(0, COMMENTS_MAX) {
            self.write_comment(setting, post, tag, draw, tables)?;
        }
        Ok(())
    }

    /// A comment on the post or on an earlier comment, within a day of it.
    fn write_comment(
        &mut self,
        setting: &Setting<'_>,
        post: Posted,
        tag: u32,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let answered = if draw.chance(ANSWERS_TO_COMMENTS) { draw.of(&self.thread).copied() } else { None };
        let (reply_table, parent) =
            answered.map_or((Table::CommentReplyOfPost, post), |comment| (Table::CommentReplyOfComment, comment));
        let at_ms = parent.at_ms + GAP_MS + part(DAY_MS - GAP_MS, draw.skewed());
        if at_ms >= self.world.clock.end_ms {
            return Ok(());
        }
        let author = present(setting.members, at_ms, draw).unwrap_or(setting.owner);
        let id = self.next_id(at_ms);
        let (country, ip) = self.sent_from(author, draw);
        let short = draw.chance(SHORT_COMMENTS);
        self.text.clear();
        match &self.prose {
            Some(prose) if short => self.text.extend_from_slice(prose.reply(id).as_bytes()),
            Some(prose) => prose.comment(id, tag_name(&self.world, tag), &mut self.text),
            None => {}
        }
        tables
            .row(Table::Comment)
            .number(id)
            .number(at_ms)
            .address(ip)
            .text(self.world.persons.get(author).browser_name())
            .bytes(&self.text)
            .number(self.text.len() as u64)
            .end()?;
        tables.pair(Table::CommentHasCreator, id, self.world.persons.id(author))?;
        tables.pair(Table::CommentIsLocatedIn, id, self.world.dictionary.country_place_id(country))?;
        tables.pair(reply_table, id, parent.id)?;
        if !short {
            let tags = draw.between(1, 5);
            self.write_tags(Table::CommentHasTag, id, tag, tags, draw, tables)?;
        }
        let comment = Posted { id, at_ms };
        self.thread.push(comment);
        self.write_likes(Table::PersonLikesComment, setting, comment, author, LIKED_COMMENTS, draw, tables)
    }

    fn write_post_edges(
        &self,
        setting: &Setting<'_>,
        id: u64,
        author: u32,
        country: u32,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        tables.pair(Table::PostHasCreator, id, self.world.persons.id(author))?;
        tables.pair(Table::PostIsLocatedIn, id, self.world.dictionary.country_place_id(country))?;
        tables.pair(Table::ForumContainerOf, setting.forum, id)
    }

    /// `count` different tags: the one of the thread, then others near it, which are of the same class or a related
    /// one.
    fn write_tags(
        &mut self,
        table: Table,
        id: u64,
        tag: u32,
        count: u32,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        self.tags.clear();
        self.tags.push(tag);
        let all = self.world.dictionary.tag_count();
        for _ in 1..count {
            let related = (tag + 1 + draw.below(12)) % all;
            if !self.tags.contains(&related) {
                self.tags.push(related);
            }
        }
        for &tag in &self.tags {
            tables.pair(table, id, u64::from(tag))?;
        }
        Ok(())
    }

    /// Likes by different members within seven days; most messages have none.
    #[expect(clippy::too_many_arguments, reason = "all of them differ between posts and comments")]
    fn write_likes(
        &self,
        table: Table,
        setting: &Setting<'_>,
        message: Posted,
        author: u32,
        liked_per_mille: u32,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        if !draw.chance(liked_per_mille) {
            return Ok(());
        }
        let last_ms = (message.at_ms + 7 * DAY_MS).min(self.world.clock.end_ms);
        let near = setting.members.partition_point(|member| member.joined_ms + 2 * GAP_MS < last_ms);
        let candidates = u32::try_from(near).unwrap_or(0);
        if candidates == 0 {
            return Ok(());
        }
        let count = (1 + part_u32(LIKES_MAX - 1, draw.very_skewed())).min(candidates);
        // Steps without a common divisor with the number of candidates visit nobody twice.
        let step = coprime_from(1 + draw.below(candidates), candidates);
        let mut at = draw.below(candidates);
        for _ in 0..count {
            at = (at + step) % candidates;
            let Some(member) = setting.members.get(at as usize).filter(|member| member.person != author) else {
                continue;
            };
            let first_ms = message.at_ms.max(member.joined_ms) + GAP_MS;
            if first_ms >= last_ms {
                continue;
            }
            let liked_ms = first_ms + part(last_ms - first_ms - 1, draw.skewed());
            tables.row(table).number(self.world.persons.id(member.person)).number(message.id).number(liked_ms).end()?;
        }
        Ok(())
    }

    /// Country and address a message comes from: nearly always the author's.
    fn sent_from(&self, author: u32, draw: &mut Draw) -> (u32, u32) {
        let person = self.world.persons.get(author);
        if draw.chance(FROM_ABROAD) {
            let dictionary = self.world.dictionary;
            let country = dictionary.country_of_population(draw.below(dictionary.population()));
            return (country, address_in(country, draw));
        }
        (person.country, person.ip)
    }
}

fn tag_name<'a>(world: &World<'a>, tag: u32) -> &'a str {
    world.dictionary.tags.get(tag as usize).map_or("", |tag| tag.name.as_str())
}
