//! Writes the eight static files: places, organisations, tags, tag classes and their edges.

use crate::dictionary::Dictionary;
use crate::error::GenError;
use crate::files::{Table, Tables};

/// Web addresses of a reserved domain: nothing is there.
const RESOURCE: &str = "http://example.org/resource/";
const CLASS: &str = "http://example.org/class/";

/// Writes everything static.
pub(crate) fn write(dictionary: &Dictionary, tables: &mut Tables<'_>) -> Result<(), GenError> {
    write_places(dictionary, tables)?;
    write_organisations(dictionary, tables)?;
    write_tags(dictionary, tables)
}

fn write_places(dictionary: &Dictionary, tables: &mut Tables<'_>) -> Result<(), GenError> {
    let mut place = |id: u64, name: &str, kind: &str| {
        tables.row(Table::Place).number(id).text(name).texts(&[RESOURCE, name]).text(kind).end()
    };
    for (at, country) in (0..).zip(&dictionary.countries) {
        place(dictionary.country_place_id(at), country.name, "country")?;
    }
    for (at, city) in (0..).zip(&dictionary.cities) {
        place(dictionary.city_place_id(at), &city.name, "city")?;
    }
    for (at, continent) in dictionary.continents.iter().enumerate() {
        place(dictionary.continent_place_id(at), continent, "continent")?;
    }
    for (at, country) in (0..).zip(&dictionary.countries) {
        let continent = dictionary.continent_place_id(country.continent);
        tables.pair(Table::PlaceIsPartOf, dictionary.country_place_id(at), continent)?;
    }
    for (at, city) in (0..).zip(&dictionary.cities) {
        tables.pair(Table::PlaceIsPartOf, dictionary.city_place_id(at), dictionary.country_place_id(city.country))?;
    }
    Ok(())
}

fn write_organisations(dictionary: &Dictionary, tables: &mut Tables<'_>) -> Result<(), GenError> {
    let mut organisation = |id: u64, kind: &str, name: &str, place: u64| {
        tables.row(Table::Organisation).number(id).text(kind).text(name).texts(&[RESOURCE, name]).end()?;
        tables.pair(Table::OrganisationIsLocatedIn, id, place)
    };
    for (at, company) in (0..).zip(&dictionary.companies) {
        let place = dictionary.country_place_id(company.place);
        organisation(dictionary.company_id(at), "company", &company.name, place)?;
    }
    for (at, university) in (0..).zip(&dictionary.universities) {
        let place = dictionary.city_place_id(university.place);
        organisation(dictionary.university_id(at), "university", &university.name, place)?;
    }
    Ok(())
}

fn write_tags(dictionary: &Dictionary, tables: &mut Tables<'_>) -> Result<(), GenError> {
    for (id, tag) in (0..).zip(&dictionary.tags) {
        tables.row(Table::Tag).number(id).text(&tag.name).texts(&[RESOURCE, &tag.name]).end()?;
        tables.pair(Table::TagHasType, id, u64::from(tag.class))?;
    }
    for (id, class) in (0..).zip(&dictionary.classes) {
        tables.row(Table::TagClass).number(id).text(class.name).texts(&[CLASS, class.name]).end()?;
        if let Some(parent) = class.parent {
            tables.pair(Table::TagClassIsSubclassOf, id, u64::from(parent))?;
        }
    }
    Ok(())
}
