//! Persons: the compact record kept in memory for each, and the rows that describe a person alone.
//!
//! Records are sorted by creation date, and ids follow that order. Interests are not kept: [`Persons::interests`] finds
//! them again from the person's own stream.

use crate::clock::Clock;
use crate::dictionary::words::{BROWSERS, EMAIL_DOMAINS};
use crate::dictionary::{Country, Dictionary};
use crate::draw::{Draw, Stream, mix, part_u32};
use crate::error::GenError;
use crate::files::{Table, Tables};
use crate::limits::{DAY_MS, INTERESTS_MAX, JOIN_PER_MILLE, START_MS, START_YEAR};

/// What later stages need of a person: 32 bytes.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub(crate) created_ms: u64,
    pub(crate) ip: u32,
    pub(crate) city: u32,
    pub(crate) country: u32,
    /// Where the person studied, if anywhere.
    pub(crate) university: Option<u16>,
    pub(crate) class_year: u16,
    pub(crate) main_interest: u16,
    pub(crate) first: u8,
    pub(crate) last: u8,
    pub(crate) browser: u8,
    female: bool,
}

impl Person {
    /// First and last name.
    pub(crate) fn name<'a>(&self, dictionary: &'a Dictionary) -> (&'a str, &'a str) {
        let Some(country) = dictionary.country(self.country) else { return ("", "") };
        let first = if self.female { &country.female } else { &country.male };
        let word = |list: &'a [&'static str], at: u8| list.get(usize::from(at)).copied().unwrap_or("");
        (word(first, self.first), word(&country.last, self.last))
    }

    /// Browser name.
    pub(crate) fn browser_name(&self) -> &'static str {
        BROWSERS.get(usize::from(self.browser)).map_or("", |(name, _)| name)
    }
}

/// All persons, by creation date.
pub(crate) struct Persons {
    list: Vec<Person>,
    seed: u64,
    tag_count: u32,
    country_count: u32,
}

fn small<T: TryFrom<u32> + Default>(n: u32) -> T {
    T::try_from(n).unwrap_or_default()
}

/// An address of the block of addresses of a country.
pub(crate) fn address_in(country: u32, draw: &mut Draw) -> u32 {
    ((1 + country * 2 % 220) << 24) | (draw.below(1 << 16) << 8) | draw.between(1, 254)
}

impl Persons {
    /// Generates `count` persons.
    pub(crate) fn new(seed: u64, count: u64, clock: Clock, dictionary: &Dictionary) -> Persons {
        let mut persons = Persons {
            list: Vec::with_capacity(usize::try_from(count).unwrap_or(0)),
            seed,
            tag_count: dictionary.tag_count(),
            country_count: u32::try_from(dictionary.countries.len()).unwrap_or(1),
        };
        let span = clock.span_ms() / 1_000 * JOIN_PER_MILLE;
        let mut interests = Vec::new();
        for index in 0..count {
            let mut draw = Draw::new(seed, Stream::Person, index);
            // One person in each of `count` equal slices of the time: already in order.
            let created_ms = START_MS + index * span / count + draw.below_u64(span / count);
            let country = dictionary.country_of_population(draw.below(dictionary.population()));
            let Some(home) = dictionary.country(country) else { continue };
            let city = home.cities.start + draw.below(home.cities.end - home.cities.start);
            let female = draw.chance(500);
            let first_names = if female { &home.female } else { &home.male };
            let university = draw.chance(790).then(|| university(home, dictionary, &mut draw));
            let mut person = Person {
                created_ms,
                ip: address_in(country, &mut draw),
                city,
                country,
                university: university.map(small),
                class_year: small(birth_year(seed, index) + draw.between(20, 24)),
                main_interest: 0,
                first: favourite(first_names, &mut draw),
                last: favourite(&home.last, &mut draw),
                browser: browser(&mut draw),
                female,
            };
            persons.fill_interests(index, country, &mut interests);
            person.main_interest = small(interests.first().copied().unwrap_or(0));
            persons.list.push(person);
        }
        persons
    }

    /// Number of persons.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// The person at a position.
    #[expect(clippy::indexing_slicing, reason = "positions are made from `len`, and persons are never removed")]
    pub(crate) fn get(&self, at: u32) -> &Person {
        &self.list[at as usize]
    }

    /// The person's id in the files.
    pub(crate) fn id(&self, at: u32) -> u64 {
        Clock::id(self.get(at).created_ms, u64::from(at))
    }

    /// Fills `tags` with the person's interests, the main one first.
    pub(crate) fn interests(&self, at: u32, tags: &mut Vec<u32>) {
        self.fill_interests(u64::from(at), self.get(at).country, tags);
    }

    fn fill_interests(&self, index: u64, country: u32, tags: &mut Vec<u32>) {
        tags.clear();
        let mut draw = Draw::new(self.seed, Stream::Interests, index);
        let wanted = 1 + part_u32(INTERESTS_MAX, draw.skewed());
        let home = self.tag_count / self.country_count.max(1) * country;
        while tags.len() < wanted as usize {
            // What is popular differs by country for one interest in two; some tags are popular everywhere.
            let from = if draw.chance(500) { home } else { 0 };
            let mut tag = (from + part_u32(self.tag_count, draw.skewed())) % self.tag_count;
            while tags.contains(&tag) {
                tag = (tag + 1) % self.tag_count;
            }
            tags.push(tag);
        }
    }

    /// Writes the rows about the person alone: person, place, interests, university, work.
    pub(crate) fn write(&self, at: u32, dictionary: &Dictionary, tables: &mut Tables<'_>) -> Result<(), GenError> {
        let person = self.get(at);
        let id = self.id(at);
        let Some(home) = dictionary.country(person.country) else { return Ok(()) };
        // Stream `Person` is used up by `new`; numbers above all persons are free for what is only written.
        let mut draw = Draw::new(self.seed, Stream::Person, u64::MAX - u64::from(at));
        self.write_person(at, id, home, dictionary, &mut draw, tables)?;
        tables.pair(Table::PersonIsLocatedIn, id, dictionary.city_place_id(person.city))?;
        let mut interests = Vec::new();
        self.interests(at, &mut interests);
        for tag in interests {
            tables.pair(Table::PersonHasInterest, id, u64::from(tag))?;
        }
        if let Some(university) = person.university {
            let university = dictionary.university_id(u32::from(university));
            tables
                .row(Table::PersonStudyAt)
                .number(id)
                .number(university)
                .number(u64::from(person.class_year))
                .end()?;
        }
        let companies = home.companies.end - home.companies.start;
        let jobs = (draw.between(0, 4) + u32::from(draw.chance(300))).min(companies);
        let first = draw.below(companies);
        for job in 0..jobs {
            let company = home.companies.start + (first + job) % companies;
            let from = (u32::from(person.class_year) + draw.below(4)).min(START_YEAR + 2);
            tables
                .row(Table::PersonWorkAt)
                .number(id)
                .number(dictionary.company_id(company))
                .number(u64::from(from))
                .end()?;
        }
        Ok(())
    }

    fn write_person(
        &self,
        at: u32,
        id: u64,
        home: &Country,
        dictionary: &Dictionary,
        draw: &mut Draw,
        tables: &mut Tables<'_>,
    ) -> Result<(), GenError> {
        let person = self.get(at);
        let (first, last) = person.name(dictionary);
        let born = birthday_ms(birth_year(self.seed, u64::from(at)), draw.below(365));
        let mut emails = String::new();
        let provider = draw.below(6) as usize;
        for nth in 0..draw.between(1, 4) as usize {
            if nth > 0 {
                emails.push(';');
            }
            let domain = EMAIL_DOMAINS.get((provider + nth) % EMAIL_DOMAINS.len()).copied().unwrap_or_default();
            emails.extend([first, itoa::Buffer::new().format(id), "@", domain]);
        }
        let mut languages = home.languages.join(";");
        if !home.languages.contains(&"en") && draw.chance(600) {
            languages.push_str(";en");
        }
        tables
            .row(Table::Person)
            .number(id)
            .text(first)
            .text(last)
            .text(if person.female { "female" } else { "male" })
            .number(born)
            .number(person.created_ms)
            .address(person.ip)
            .text(person.browser_name())
            .text(&languages)
            .text(&emails)
            .end()
    }
}

/// Position of a name; squaring the fraction makes the first names of a list the frequent ones.
fn favourite(names: &[&str], draw: &mut Draw) -> u8 {
    let u = draw.fraction();
    small(part_u32(u32::try_from(names.len()).unwrap_or(0), u * u))
}

/// Nine of ten study in their own country.
fn university(home: &Country, dictionary: &Dictionary, draw: &mut Draw) -> u32 {
    let all = u32::try_from(dictionary.universities.len()).unwrap_or(0);
    if draw.chance(900) { home.cities.start + draw.below(home.cities.end - home.cities.start) } else { draw.below(all) }
}

fn browser(draw: &mut Draw) -> u8 {
    let mut rest = draw.below(100);
    for (at, (_, share)) in (0_u8..).zip(BROWSERS) {
        if rest < share {
            return at;
        }
        rest -= share;
    }
    0
}

/// 1980 to 1990.
fn birth_year(seed: u64, index: u64) -> u32 {
    1980 + u32::try_from(mix(seed ^ 0xB1, index) % 11).unwrap_or(0)
}

/// Midnight (UTC) of a day of a year before 2010, in epoch milliseconds.
fn birthday_ms(year: u32, day: u32) -> u64 {
    let days: u64 = (1970..year).map(Clock::days_of_year).sum();
    (days + u64::from(day)) * DAY_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_documented_size() {
        assert_eq!(size_of::<Person>(), 32);
    }

    #[test]
    fn birthdays_are_days_of_the_year() {
        assert_eq!(birthday_ms(1970, 0), 0);
        // 1987-09-18, as in LDBC's data.
        assert_eq!(birthday_ms(1987, 260), 558_921_600_000);
    }

    #[test]
    fn interests_are_different_and_repeatable() {
        let dictionary = Dictionary::new();
        let persons = Persons::new(4, 200, Clock::new(3), &dictionary);
        let (mut tags, mut again) = (Vec::new(), Vec::new());
        for at in 0..200 {
            persons.interests(at, &mut tags);
            persons.interests(at, &mut again);
            assert_eq!(tags, again);
            assert_eq!(u32::from(persons.get(at).main_interest), tags[0]);
            assert!((1..=INTERESTS_MAX as usize).contains(&tags.len()));
            assert!(tags.iter().all(|&tag| tag < dictionary.tag_count()));
            tags.sort_unstable();
            assert!(tags.windows(2).all(|pair| pair[0] != pair[1]), "an interest twice");
        }
    }
}
