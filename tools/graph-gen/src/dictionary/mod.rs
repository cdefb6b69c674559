//! The static part of the network, composed at start from small word lists: places, organisations, tags, names.
//!
//! Not read from files and not random: the same lists give the same dictionary for every seed, so tags, places and
//! organisations mean the same in every generated network. Start at [`Dictionary::new`]. Countries are real; cities,
//! universities, companies, persons' names and tags are invented.

mod countries;
mod names;
mod tags;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use self::names::CULTURES;
use crate::draw::mix;

/// A country: place id = its position.
#[derive(Debug)]
pub(crate) struct Country {
    pub(crate) name: &'static str,
    /// Index into [`Dictionary::continents`].
    pub(crate) continent: usize,
    pub(crate) languages: &'static [&'static str],
    /// Population of this country and all before it, in millions.
    cumulative_population: u32,
    /// Positions in [`Dictionary::cities`] and in [`Dictionary::universities`], which has one entry per city.
    pub(crate) cities: Range<u32>,
    /// Positions in [`Dictionary::companies`].
    pub(crate) companies: Range<u32>,
    pub(crate) male: Vec<&'static str>,
    pub(crate) female: Vec<&'static str>,
    pub(crate) last: Vec<&'static str>,
}

/// A city: place id = number of countries + its position.
#[derive(Debug)]
pub(crate) struct City {
    pub(crate) name: String,
    /// Position of its country.
    pub(crate) country: u32,
}

/// A university or company and the position of its city or country.
#[derive(Debug)]
pub(crate) struct Organisation {
    pub(crate) name: String,
    pub(crate) place: u32,
}

/// A tag and the position of its class.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    pub(crate) class: u32,
}

/// A tag class and the position of its parent; the root has none.
#[derive(Debug)]
pub(crate) struct TagClass {
    pub(crate) name: &'static str,
    pub(crate) parent: Option<u32>,
}

/// Everything static. Ids in the files are positions here (see the `*_id` functions).
#[derive(Debug)]
pub(crate) struct Dictionary {
    pub(crate) continents: &'static [&'static str],
    pub(crate) countries: Vec<Country>,
    pub(crate) cities: Vec<City>,
    pub(crate) universities: Vec<Organisation>,
    pub(crate) companies: Vec<Organisation>,
    pub(crate) classes: Vec<TagClass>,
    pub(crate) tags: Vec<Tag>,
}

/// A list length or position as `u32`: all lists here have fewer than 2,000 entries.
fn position(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The `k`-th word of a list, counted round and round.
fn pick<'a>(list: &[&'a str], k: u64) -> &'a str {
    let len = list.len().max(1) as u64;
    usize::try_from(k % len).ok().and_then(|at| list.get(at)).copied().unwrap_or("")
}

impl Dictionary {
    /// Composes the dictionary.
    pub(crate) fn new() -> Dictionary {
        let mut dictionary = Dictionary {
            continents: &countries::CONTINENTS,
            countries: Vec::new(),
            cities: Vec::new(),
            universities: Vec::new(),
            companies: Vec::new(),
            classes: Vec::new(),
            tags: Vec::new(),
        };
        dictionary.add_countries();
        dictionary.add_tag_classes();
        dictionary.add_tags();
        dictionary
    }

    fn add_countries(&mut self) {
        let sectors: Vec<&str> = words::SECTORS.split(' ').collect();
        let mut cities_of_culture = [0_u64; CULTURES.len()];
        let mut population_sum = 0;
        for (at, &(name, population, languages, culture, continent)) in countries::COUNTRIES.iter().enumerate() {
            let (Some(culture_words), Some(used)) =
                (CULTURES.get(culture as usize), cities_of_culture.get_mut(culture as usize))
            else {
                continue;
            };
            population_sum += population;
            let heads: Vec<&str> = culture_words.city_heads.split(' ').collect();
            let tails: Vec<&str> = culture_words.city_tails.split(' ').collect();
            let cities_from = position(self.cities.len());
            let companies_from = position(self.companies.len());
            // About 600 cities in all: more where more people live, at least two.
            for k in 0..u64::from(2 + (population * 36 / 100).isqrt()) {
                let head = *used;
                let tail = *used / heads.len() as u64 + *used;
                *used += 1;
                let city = format!("{}{}", pick(&heads, head), pick(&tails, tail));
                let place = position(self.cities.len());
                let university = match k % 3 {
                    0 => format!("University_of_{city}"),
                    1 => format!("{city}_Institute_of_Technology"),
                    _ => format!("{city}_State_University"),
                };
                self.universities.push(Organisation { name: university, place });
                let company = if k == 0 { name } else { &city };
                // The last city has no company, so that there are about 500.
                if k + 1 < u64::from(2 + (population * 36 / 100).isqrt()) {
                    let sector = if k == 0 { "Airlines" } else { pick(&sectors, mix(k, head)) };
                    self.companies.push(Organisation { name: format!("{company}_{sector}"), place: position(at) });
                }
                self.cities.push(City { name: city, country: position(at) });
            }
            self.countries.push(Country {
                name,
                continent: continent as usize,
                languages,
                cumulative_population: population_sum,
                cities: cities_from..position(self.cities.len()),
                companies: companies_from..position(self.companies.len()),
                male: culture_words.male.split(' ').collect(),
                female: culture_words.female.split(' ').collect(),
                last: culture_words.last.split(' ').collect(),
            });
        }
    }

    fn add_tag_classes(&mut self) {
        let leaves = tags::LEAF_CLASSES.iter().map(|&(name, parent, _, _)| (name, parent));
        for (name, parent) in tags::INNER_CLASSES.iter().copied().chain(leaves) {
            let parent = self.classes.iter().position(|class| class.name == parent).map(position);
            self.classes.push(TagClass { name, parent });
        }
    }

    fn add_tags(&mut self) {
        let adjectives: Vec<&str> = words::ADJECTIVES.split(' ').collect();
        let nouns: Vec<&str> = words::NOUNS.split(' ').collect();
        let mut used: BTreeSet<String> = BTreeSet::new();
        for (leaf, &(_, _, quota, pattern)) in tags::LEAF_CLASSES.iter().enumerate() {
            let class = position(tags::INNER_CLASSES.len() + leaf);
            let (mut made, mut attempt) = (0, 0);
            while made < quota {
                let mut name = self.tag_name(pattern, mix(leaf as u64 + 1, attempt), &adjectives, &nouns);
                attempt += 1;
                if used.contains(&name) && attempt > u64::from(quota) * 20 {
                    name = format!("{name} {attempt}");
                }
                // Message text quotes tag names and is cut at bytes, so they are ASCII.
                if name.is_ascii() && used.insert(name.clone()) {
                    self.tags.push(Tag { name: name.replace(' ', "_"), class });
                    made += 1;
                }
            }
        }
    }

    /// One name after `pattern`; `draw` decides every word.
    fn tag_name(&self, pattern: &str, draw: u64, adjectives: &[&str], nouns: &[&str]) -> String {
        let mut name = String::new();
        let mut rest = pattern;
        let mut turn = 0;
        let country_at = usize::try_from(mix(draw, 99) % position(self.countries.len()).max(1) as u64).unwrap_or(0);
        while let Some((before, after)) = rest.split_once('{') {
            name.push_str(before);
            turn += 1;
            let k = mix(draw, turn) >> 8;
            let country = self.countries.get(country_at);
            match after.as_bytes().first() {
                Some(b'a') => name.push_str(pick(adjectives, k)),
                Some(b'n') => name.push_str(pick(nouns, k)),
                Some(b'f') => {
                    name.push_str(country.map_or("", |c| pick(if k & 1 == 0 { &c.male } else { &c.female }, k >> 1)));
                }
                Some(b'l') => name.push_str(country.map_or("", |c| pick(&c.last, k))),
                Some(b'c') => name.push_str(&country.map_or("", |c| c.name).replace('_', " ")),
                _ => {
                    let at = usize::try_from(k % (self.cities.len().max(1) as u64)).unwrap_or(0);
                    name.push_str(&self.cities.get(at).map_or("", |c| c.name.as_str()).replace('_', " "));
                }
            }
            rest = after.split_once('}').map_or("", |(_, tail)| tail);
        }
        name.push_str(rest);
        name
    }

    /// The country at a position (there always is one: positions come from this dictionary).
    pub(crate) fn country(&self, at: u32) -> Option<&Country> {
        self.countries.get(at as usize)
    }

    /// The country that holds person number `millions` when all are counted country after country.
    pub(crate) fn country_of_population(&self, millions: u32) -> u32 {
        position(self.countries.partition_point(|country| country.cumulative_population <= millions))
    }

    /// Population of all countries, in millions.
    pub(crate) fn population(&self) -> u32 {
        self.countries.last().map_or(0, |country| country.cumulative_population)
    }

    /// Number of tags.
    pub(crate) fn tag_count(&self) -> u32 {
        position(self.tags.len())
    }

    /// Place id of a country.
    pub(crate) fn country_place_id(&self, country: u32) -> u64 {
        u64::from(country)
    }

    /// Place id of a city.
    pub(crate) fn city_place_id(&self, city: u32) -> u64 {
        self.countries.len() as u64 + u64::from(city)
    }

    /// Place id of a continent.
    pub(crate) fn continent_place_id(&self, continent: usize) -> u64 {
        (self.countries.len() + self.cities.len() + continent) as u64
    }

    /// Organisation id of a company.
    pub(crate) fn company_id(&self, company: u32) -> u64 {
        u64::from(company)
    }

    /// Organisation id of a university.
    pub(crate) fn university_id(&self, university: u32) -> u64 {
        self.companies.len() as u64 + u64::from(university)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_static_part_has_the_documented_size() {
        let dictionary = Dictionary::new();
        assert!((105..=115).contains(&dictionary.countries.len()), "{}", dictionary.countries.len());
        assert!((500..=700).contains(&dictionary.cities.len()), "{}", dictionary.cities.len());
        assert!((400..=600).contains(&dictionary.companies.len()), "{}", dictionary.companies.len());
        assert!((1_300..=1_700).contains(&dictionary.tags.len()), "{}", dictionary.tags.len());
        assert!((65..=75).contains(&dictionary.classes.len()), "{}", dictionary.classes.len());
    }

    #[test]
    fn names_are_unique_and_safe_in_csv() {
        let dictionary = Dictionary::new();
        let mut tags = BTreeSet::new();
        for tag in &dictionary.tags {
            assert!(tag.name.is_ascii() && !tag.name.contains([' ', '|', ';', '"', '{', '}']), "{}", tag.name);
            assert!(tags.insert(&tag.name), "{} twice", tag.name);
        }
        for city in &dictionary.cities {
            assert!(!city.name.is_empty() && !city.name.contains(['|', ';', '"']), "{}", city.name);
        }
        let cities: BTreeSet<_> = dictionary.cities.iter().map(|city| (city.country, &city.name)).collect();
        assert_eq!(cities.len(), dictionary.cities.len());
    }

    #[test]
    fn tag_classes_form_one_tree() {
        let dictionary = Dictionary::new();
        for (at, class) in dictionary.classes.iter().enumerate() {
            match class.parent {
                Some(parent) => assert!((parent as usize) < at, "{}", class.name),
                None => assert_eq!(class.name, "Thing"),
            }
        }
    }

    #[test]
    fn every_country_has_places_to_study_and_work() {
        let dictionary = Dictionary::new();
        assert_eq!(dictionary.universities.len(), dictionary.cities.len());
        for country in &dictionary.countries {
            assert!(!country.cities.is_empty() && !country.companies.is_empty(), "{}", country.name);
            assert!(!country.languages.is_empty());
        }
        assert_eq!(dictionary.country_of_population(0), 0);
        assert_eq!(
            dictionary.country_of_population(dictionary.population() - 1) as usize,
            dictionary.countries.len() - 1
        );
    }
}
