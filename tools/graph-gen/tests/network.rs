//! Checks generated networks as a loader would see them: files, references, dates, sizes.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "test code")]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use graph_gen::{
    Content, GenError, PERSONS_MAX, SnbOptions, StreamedRow, Summary, YEARS_MAX, generate, mapping_json, schema_json,
    stream,
};

fn run(options: &SnbOptions) -> (tempfile::TempDir, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let summary = generate(options, folder.path(), &mut |_| {}).unwrap();
    (folder, summary)
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn rows(folder: &Path, stem: &str) -> Vec<Vec<String>> {
    let kind = if folder.join(format!("static/{stem}_0_0.csv")).exists() { "static" } else { "dynamic" };
    let text = read(folder, &format!("{kind}/{stem}_0_0.csv"));
    text.lines().skip(1).map(|line| line.split('|').map(str::to_owned).collect()).collect()
}

fn column(folder: &Path, stem: &str, name: &str) -> HashMap<String, u64> {
    let kind = if stem == "tag" { "static" } else { "dynamic" };
    let text = read(folder, &format!("{kind}/{stem}_0_0.csv"));
    let at = text.lines().next().unwrap().split('|').position(|column| column == name).unwrap();
    rows(folder, stem).into_iter().map(|row| (row[0].clone(), row[at].parse().unwrap())).collect()
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for part in ["static", "dynamic", "."] {
        for entry in fs::read_dir(folder.join(part)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn the_same_options_give_the_same_bytes() {
    let options = SnbOptions::new(60, 42);
    let (first, _) = run(&options);
    let (second, _) = run(&options);
    let (other, _) = run(&SnbOptions::new(60, 43));
    let first = contents(first.path());
    assert_eq!(first.len(), 31 + 3);
    assert!(first == contents(second.path()), "two runs differ");
    let other = contents(other.path());
    for (path, bytes) in &first {
        let is_data = path.starts_with("dynamic");
        assert_eq!(other[path] != *bytes, is_data, "{}", path.display());
    }
}

/// A change of any byte of the output must be a decision: update the number then.
#[test]
fn the_output_is_the_one_of_this_version() {
    let (folder, _) = run(&SnbOptions::new(50, 1));
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for (path, bytes) in contents(folder.path()) {
        if path.extension().is_some_and(|ending| ending == "csv") {
            for byte in bytes {
                sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    assert_eq!(format!("{sum:016x}"), "a199c999eaea02dc");
}

#[test]
fn streamed_rows_are_those_of_the_files() {
    for content in [Content::Everything, Content::IdsOnly] {
        let options = SnbOptions::new(30, 7).with_content(content);
        let (folder, written) = run(&options);
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut taker = |row: StreamedRow<'_>| {
            let text = files.entry(row.label.to_owned()).or_insert_with(|| row.columns.join("|") + "\n");
            text.push_str(std::str::from_utf8(row.line).unwrap());
            text.push('\n');
            assert_eq!(row.ends.is_some(), row.label.contains('_'), "{}", row.label);
            let mut fields = std::str::from_utf8(row.line).unwrap().split('|');
            let ids = [fields.next().unwrap(), fields.next().filter(|_| row.ends.is_some()).unwrap_or("0")];
            assert_eq!(row.ids.map(|id| id.to_string()), ids, "{}", row.label);
            true
        };
        let streamed = stream(&options, &mut taker, &mut |_| ()).unwrap();
        assert_eq!(streamed, written);
        for file in &written.files {
            let stem = file.path.split('/').next_back().unwrap().trim_end_matches("_0_0.csv");
            match files.get(stem) {
                Some(streamed) => assert_eq!(*streamed, read(folder.path(), &file.path), "{stem}"),
                None => assert_eq!(file.rows, 0, "{stem}"),
            }
        }
    }
}

/// Measuring the speed of a load in parts requires parts with the same amount of work.
#[test]
fn each_tenth_of_a_stream_is_the_same_work() {
    let options = SnbOptions::new(5_000, 1).with_content(Content::IdsOnly);
    let mut sources = Vec::new();
    let mut taker = |row: StreamedRow<'_>| {
        sources.push(row.ends.map(|(label, _)| (label, row.ids[0])));
        true
    };
    stream(&options, &mut taker, &mut |_| ()).unwrap();
    let vertices = |rows: &[Option<_>]| rows.iter().filter(|row| row.is_none()).count() * 1_000 / rows.len();
    // Of each thousand edges: how many vertices they begin at.
    let beginnings = |rows: &[Option<(&str, u64)>]| {
        let edges: Vec<_> = rows.iter().flatten().collect();
        edges.chunks(1_000).map(|edges| edges.iter().collect::<HashSet<_>>().len()).sum::<usize>() * 1_000 / edges.len()
    };
    for (parts, percent) in [(10, 10), (2, 3)] {
        let parts: Vec<_> = sources.chunks(sources.len().div_ceil(parts)).collect();
        for (what, all, parts) in [
            ("vertices", vertices(&sources), parts.iter().map(|rows| vertices(rows)).collect::<Vec<_>>()),
            ("beginnings", beginnings(&sources), parts.iter().map(|rows| beginnings(rows)).collect()),
        ] {
            assert!(parts.iter().all(|part| part.abs_diff(all) * 100 < all * percent), "{what}: {all}, {parts:?}");
        }
    }
}

#[test]
fn a_taker_can_stop() {
    let mut left = 10;
    let mut taker = |_: StreamedRow<'_>| {
        left -= 1;
        left > 0
    };
    let error = stream(&SnbOptions::new(30, 7), &mut taker, &mut |_| ()).unwrap_err();
    assert!(matches!(error, GenError::Stopped));
    assert_eq!(left, 0);
}

#[test]
fn the_summary_counts_the_lines_of_all_files() {
    for persons in [1, 2, 50] {
        let (folder, summary) = run(&SnbOptions::new(persons, 1));
        assert_eq!(summary.files.len(), 31);
        for file in &summary.files {
            let text = read(folder.path(), &file.path);
            assert!(text.ends_with('\n'));
            assert_eq!(text.lines().count() as u64, file.rows + 1, "{}", file.path);
            let columns = text.lines().next().unwrap().matches('|').count();
            assert!(text.lines().all(|line| line.matches('|').count() == columns), "{}", file.path);
        }
        assert_eq!(summary.vertices() + summary.edges(), summary.files.iter().map(|file| file.rows).sum::<u64>());
    }
}

#[test]
fn every_edge_ends_at_a_vertex_and_none_is_doubled() {
    for (persons, seed, years) in [(1, 7, 3), (2, u64::MAX, 1), (17, 0, 10), (300, 9, 3)] {
        let (folder, summary) = run(&SnbOptions::new(persons, seed).with_years(years));
        if persons == 300 {
            assert!(summary.files.iter().all(|file| file.rows > 0), "{summary:?}");
        }
        check_references(&folder);
    }
}

fn check_references(folder: &tempfile::TempDir) {
    let schema = schema_json(Content::Everything);
    let mut vertices: HashMap<String, HashSet<String>> = HashMap::new();
    for label in schema["vertexlabels"].as_array().unwrap() {
        let label = label["name"].as_str().unwrap();
        let list = rows(folder.path(), label);
        let ids: HashSet<String> = list.iter().map(|row| row[0].clone()).collect();
        assert_eq!(ids.len(), list.len(), "a {label} id twice");
        vertices.insert(label.to_owned(), ids);
    }
    assert!(vertices["post"].is_disjoint(&vertices["comment"]), "posts and comments share one id space");
    for label in schema["edgelabels"].as_array().unwrap() {
        let name = label["name"].as_str().unwrap();
        let ends = ["source_label", "target_label"].map(|end| &vertices[label[end].as_str().unwrap()]);
        let mut seen = HashSet::new();
        let list = rows(folder.path(), name);
        for row in list {
            assert!(ends[0].contains(&row[0]) && ends[1].contains(&row[1]), "{name}: {row:?}");
            assert!(seen.insert((row[0].clone(), row[1].clone())), "{name}: {row:?} twice");
        }
    }
}

#[test]
fn messages_and_forums_have_exactly_the_edges_the_model_asks_for() {
    let (folder, _) = run(&SnbOptions::new(200, 3));
    let sources = |stem: &str, at: usize| -> Vec<String> {
        let mut list: Vec<String> = rows(folder.path(), stem).into_iter().map(|mut row| row.swap_remove(at)).collect();
        list.sort();
        list
    };
    let ids = |stem: &str| sources(stem, 0);
    assert_eq!(sources("post_hasCreator_person", 0), ids("post"));
    assert_eq!(sources("post_isLocatedIn_place", 0), ids("post"));
    assert_eq!(sources("forum_containerOf_post", 1), ids("post"));
    assert_eq!(sources("comment_hasCreator_person", 0), ids("comment"));
    assert_eq!(sources("comment_isLocatedIn_place", 0), ids("comment"));
    assert_eq!(sources("forum_hasModerator_person", 0), ids("forum"));
    let mut replies = sources("comment_replyOf_post", 0);
    replies.extend(sources("comment_replyOf_comment", 0));
    replies.sort();
    assert_eq!(replies, ids("comment"));
    let with_interest: BTreeSet<String> = sources("person_hasInterest_tag", 0).into_iter().collect();
    assert_eq!(with_interest.into_iter().collect::<Vec<_>>(), ids("person"));
    for post in rows(folder.path(), "post") {
        assert_ne!(post[1].is_empty(), post[6].is_empty(), "either image or text: {post:?}");
        assert_eq!(post[6].chars().count().to_string(), post[7]);
    }
    for row in rows(folder.path(), "person_knows_person") {
        assert!(row[0].parse::<u64>().unwrap() < row[1].parse::<u64>().unwrap(), "stored once, smaller id first");
    }
}

#[test]
fn dates_follow_what_they_depend_on() {
    let (folder, _) = run(&SnbOptions::new(300, 11));
    let folder = folder.path();
    let mut made: HashMap<&str, HashMap<String, u64>> = HashMap::new();
    for label in ["person", "forum", "post", "comment"] {
        made.insert(label, column(folder, label, "creationDate"));
    }
    let (start, end) = (1_262_304_000_000, 1_356_998_400_000);
    for (label, dates) in &made {
        for (id, date) in dates {
            assert!((start..end).contains(date), "{label} {id} at {date}");
        }
    }
    for (stem, source, target) in [
        ("person_knows_person", "person", "person"),
        ("forum_hasMember_person", "forum", "person"),
        ("person_likes_post", "person", "post"),
        ("person_likes_comment", "person", "comment"),
    ] {
        for row in rows(folder, stem) {
            let date: u64 = row[2].parse().unwrap();
            assert!(date > made[source][&row[0]] && date > made[target][&row[1]] && date < end, "{stem}: {row:?}");
        }
    }
    for (stem, later, earlier) in [
        ("post_hasCreator_person", "post", "person"),
        ("comment_hasCreator_person", "comment", "person"),
        ("comment_replyOf_post", "comment", "post"),
        ("comment_replyOf_comment", "comment", "comment"),
        ("forum_hasModerator_person", "forum", "person"),
    ] {
        for row in rows(folder, stem) {
            assert!(made[later][&row[0]] > made[earlier][&row[1]], "{stem}: {row:?}");
        }
    }
    for row in rows(folder, "forum_containerOf_post") {
        assert!(made["post"][&row[1]] > made["forum"][&row[0]], "{row:?}");
    }
    // Ids grow with time, to the hour.
    for dates in made.values() {
        let mut list: Vec<(u64, u64)> =
            dates.iter().map(|(id, date)| (id.parse().unwrap(), date / 3_600_000)).collect();
        list.sort_unstable();
        assert!(list.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }
}

#[test]
fn sizes_follow_the_model() {
    let persons = 1_000_u64;
    let (folder, summary) = run(&SnbOptions::new(persons, 5).with_content(Content::WithoutText));
    let count = |stem: &str| {
        let ending = format!("/{stem}_0_0.csv");
        summary.files.iter().find(|file| file.path.ends_with(&ending)).unwrap().rows as f64
    };
    let per_person = |stem: &str| count(stem) / persons as f64;
    // Formula: 1000^(0.512 - 0.028 * 3) = 19.2 friends.
    let degree = 2.0 * per_person("person_knows_person");
    assert!((degree - 19.0).abs() / 19.0 < 0.2, "{degree}");
    for (stem, low, high) in [
        ("person_hasInterest_tag", 20.0, 27.0),
        ("person_studyAt_organisation", 0.74, 0.84),
        ("person_workAt_organisation", 1.8, 2.6),
        ("forum", 8.0, 11.5),
        ("post", 70.0, 120.0),
        ("comment", 60.0, 150.0),
    ] {
        assert!((low..high).contains(&per_person(stem)), "{stem}: {}", per_person(stem));
    }
    let to_comments = count("comment_replyOf_comment") / count("comment");
    assert!((0.45..0.57).contains(&to_comments), "{to_comments}");
    let mut replies: HashMap<String, u32> = HashMap::new();
    for row in rows(folder.path(), "comment_replyOf_post") {
        *replies.entry(row[1].clone()).or_default() += 1;
    }
    assert!(replies.values().all(|&replies| replies <= 20));
    assert!(rows(folder.path(), "comment").iter().all(|row| row[4].is_empty() && row[5] == "0"));
}

#[test]
fn text_changes_nothing_but_texts() {
    let (with, summary) = run(&SnbOptions::new(80, 2));
    let (without, other) = run(&SnbOptions::new(80, 2).with_content(Content::WithoutText));
    assert_eq!(summary, other);
    let (with, without) = (contents(with.path()), contents(without.path()));
    let changed: Vec<String> = with
        .iter()
        .filter(|(path, bytes)| without[*path] != **bytes)
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert_eq!(changed, ["dynamic/comment_0_0.csv", "dynamic/post_0_0.csv"]);
}

#[test]
fn options_out_of_range_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("network");
    for (options, expected) in [
        (SnbOptions::new(0, 1), "cannot generate 0 persons: give a number from 1 to 10000000"),
        (SnbOptions::new(PERSONS_MAX + 1, 1), "cannot generate 10000001 persons: give a number from 1 to 10000000"),
        (SnbOptions::new(5, 1).with_years(YEARS_MAX + 1), "cannot simulate 11 years: give a number from 1 to 10"),
    ] {
        let error = generate(&options, &out, &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!out.exists());
    }
}

#[test]
fn an_unusable_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taken");
    fs::write(&file, "").unwrap();
    let error = generate(&SnbOptions::new(5, 1), &file, &mut |_| {}).unwrap_err();
    assert!(matches!(&error, GenError::CreateFolder { path, .. } if path.starts_with(&file)), "{error}");
}

#[test]
fn progress_reaches_the_total_of_each_stage() {
    let folder = tempfile::tempdir().unwrap();
    let mut last = BTreeMap::new();
    let summary =
        generate(&SnbOptions::new(1_200, 1).with_content(Content::WithoutText), folder.path(), &mut |progress| {
            last.insert(progress.stage.to_string(), (progress.done, progress.total, progress.rows));
        })
        .unwrap();
    assert_eq!(last.len(), 2);
    assert!(last.values().all(|(done, total, _)| done == total), "{last:?}");
    assert_eq!(last["writing persons, forums and messages"].2, summary.vertices() + summary.edges());
}

/// The folder with optional data of others.
fn test_data() -> PathBuf {
    std::env::var_os("RHIZOME_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}

#[test]
fn headers_are_those_of_ldbc_snb_data() {
    let theirs = test_data().join("snb-interactive-v1-tiny/vanilla");
    if !theirs.is_dir() {
        eprintln!("skipped: {} is not there", theirs.display());
        return;
    }
    let (ours, summary) = run(&SnbOptions::new(10, 1));
    for file in &summary.files {
        let header = |folder: &Path| read(folder, &file.path).lines().next().unwrap().to_owned();
        assert_eq!(header(ours.path()), header(&theirs), "{}", file.path);
    }
}

#[test]
fn the_mapping_names_every_file_and_its_columns() {
    let (folder, summary) = run(&SnbOptions::new(10, 1));
    let written: serde_json::Value = serde_json::from_str(&read(folder.path(), "mapping.json")).unwrap();
    assert_eq!(written, mapping_json(Content::Everything));
    let schema: serde_json::Value = serde_json::from_str(&read(folder.path(), "schema.json")).unwrap();
    assert_eq!(schema, schema_json(Content::Everything));
    let mapped: BTreeSet<String> = written["structs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["input"]["path"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(mapped, summary.files.iter().map(|file| file.path.clone()).collect());
    for part in written["structs"].as_array().unwrap() {
        let header = read(folder.path(), part["input"]["path"].as_str().unwrap()).lines().next().unwrap().to_owned();
        let own: Vec<&str> = header.split('|').collect();
        if let Some(given) = part["input"]["header"].as_array() {
            assert_eq!(given.len(), own.len(), "{header}");
            let regex = part["input"]["skipped_line"]["regex"].as_str().unwrap();
            assert_eq!(regex.trim_matches(['^', '$']).replace('\\', ""), header);
        } else {
            assert_eq!(own.iter().collect::<BTreeSet<_>>().len(), own.len(), "{header} names a column twice");
        }
    }
}

#[test]
fn ids_only_is_the_same_network_without_properties() {
    let options = SnbOptions::new(40, 7);
    let (whole, summary) = run(&options);
    let (bare, other) = run(&options.with_content(Content::IdsOnly));
    assert_eq!(summary, other);
    for file in &summary.files {
        let ids = if file.is_vertex { 1 } else { 2 };
        let (whole, bare) = (read(whole.path(), &file.path), read(bare.path(), &file.path));
        let cut = |line: &str| line.split('|').take(ids).collect::<Vec<_>>().join("|");
        assert!(whole.lines().map(cut).eq(bare.lines().map(str::to_owned)), "{}", file.path);
    }
    let mapping: serde_json::Value = serde_json::from_str(&read(bare.path(), "mapping.json")).unwrap();
    assert_eq!(mapping, mapping_json(Content::IdsOnly));
}
