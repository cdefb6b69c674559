//! The tree of tag classes and, for each leaf, the patterns that make its tag names.
//!
//! Placeholders: `{a}` adjective, `{n}` noun, `{f}` first name, `{l}` last name, `{t}` city, `{c}` country.

/// Inner classes as (name, parent); a parent stands before its children.
#[rustfmt::skip]
pub(super) const INNER_CLASSES: &[(&str, &str)] = &[
    ("Thing", ""), ("Agent", "Thing"), ("Person", "Agent"), ("Artist", "Person"), ("Athlete", "Person"), ("Politician", "Person"),
    ("Organisation", "Agent"), ("Work", "Thing"), ("MusicalWork", "Work"), ("WrittenWork", "Work"), ("Place", "Thing"),
    ("NaturalPlace", "Place"), ("ArchitecturalStructure", "Place"), ("Species", "Thing"), ("Animal", "Species"), ("Plant", "Species"),
    ("Event", "Thing"), ("Food", "Thing"), ("Technology", "Thing"), ("Activity", "Thing"),
];

/// One leaf: name, parent, number of tags, pattern of names.
pub(super) type LeafRow = (&'static str, &'static str, u32, &'static str);

/// Leaf classes; the tags of one class have neighbouring ids, so near ids are related tags.
#[rustfmt::skip]
pub(super) const LEAF_CLASSES: &[LeafRow] = &[
    ("MusicalArtist", "Artist", 60, "{f} {l}"),
    ("Band", "Organisation", 45, "The {a} {n}s"),
    ("Album", "MusicalWork", 45, "{a} {n}"),
    ("Song", "MusicalWork", 60, "{n} of the {a} {n}"),
    ("Composer", "Artist", 25, "{f} {l}"),
    ("Actor", "Artist", 45, "{f} {l}"),
    ("Film", "Work", 50, "The {a} {n}"),
    ("TelevisionShow", "Work", 35, "{n} and {n}"),
    ("Comedian", "Artist", 18, "{f} {l}"),
    ("Writer", "Artist", 45, "{f} {l}"),
    ("Novel", "WrittenWork", 40, "The {n} and the {n}"),
    ("Play", "WrittenWork", 18, "A {n} for {f}"),
    ("Newspaper", "WrittenWork", 25, "{t} Times"),
    ("Magazine", "WrittenWork", 18, "{n} Monthly"),
    ("Painter", "Artist", 25, "{f} {l}"),
    ("Museum", "ArchitecturalStructure", 25, "{t} Museum"),
    ("Philosopher", "Person", 20, "{f} {l}"),
    ("Scientist", "Person", 35, "{f} {l}"),
    ("Monarch", "Politician", 25, "{f} of {c}"),
    ("President", "Politician", 35, "{f} {l}"),
    ("PrimeMinister", "Politician", 30, "{f} {l}"),
    ("PoliticalParty", "Organisation", 30, "{c} {n} Party"),
    ("Election", "Event", 25, "{c} General Election"),
    ("Battle", "Event", 30, "Battle of {t}"),
    ("MilitaryPerson", "Person", 20, "{f} {l}"),
    ("SoccerPlayer", "Athlete", 50, "{f} {l}"),
    ("SoccerClub", "Organisation", 45, "{t} United"),
    ("TennisPlayer", "Athlete", 30, "{f} {l}"),
    ("Cyclist", "Athlete", 20, "{f} {l}"),
    ("Swimmer", "Athlete", 18, "{f} {l}"),
    ("ChessPlayer", "Athlete", 15, "{f} {l}"),
    ("BasketballTeam", "Organisation", 25, "{t} {n}s"),
    ("SportsEvent", "Event", 25, "{t} Open"),
    ("Festival", "Event", 30, "{t} {n} Festival"),
    ("Mountain", "NaturalPlace", 25, "Mount {l}"),
    ("River", "NaturalPlace", 25, "{a} River"),
    ("Lake", "NaturalPlace", 25, "Lake {l}"),
    ("Isle", "NaturalPlace", 25, "{n} Island"),
    ("Bridge", "ArchitecturalStructure", 20, "{t} Bridge"),
    ("Tower", "ArchitecturalStructure", 15, "{t} Tower"),
    ("Park", "Place", 20, "{a} {n} Park"),
    ("Bird", "Animal", 25, "{a} Warbler"),
    ("Mammal", "Animal", 20, "{a} Marten"),
    ("Fish", "Animal", 15, "{a} Perch"),
    ("Flower", "Plant", 20, "{a} Orchid"),
    ("Tree", "Plant", 15, "{a} Cedar"),
    ("Dish", "Food", 25, "{c} Stew"),
    ("Drink", "Food", 15, "{a} {n} Ale"),
    ("VideoGame", "Technology", 35, "{n} Quest {a}"),
    ("Software", "Technology", 25, "{n}Desk"),
    ("Spacecraft", "Technology", 15, "{a} Probe"),
    ("Hobby", "Activity", 15, "{n} Collecting"),
];
