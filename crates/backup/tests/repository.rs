//! Repositories as their users see them: what was backed up is what is restored, whatever happens on the way.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code")]

mod faulty;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use backup::limits::CHUNK_BYTES;
use backup::{BackupError, CreateOptions, Created, Depth, Keep, Repository, Secret, Source, Target, unwatched};
use faulty::Faulty;
use futures::TryStreamExt as _;
use object_store::memory::InMemory;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use proptest::prelude::*;
use tempfile::TempDir;

type Files = BTreeMap<String, Vec<u8>>;

/// Bytes that do not repeat.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect()
}

fn sample() -> Files {
    Files::from([
        ("000012.sst".to_owned(), noise(1, usize::try_from(CHUNK_BYTES).unwrap() + 1234)),
        ("000013.sst".to_owned(), noise(2, 70_000)),
        ("000014.log".to_owned(), Vec::new()),
        ("CURRENT".to_owned(), b"MANIFEST-000005\n".to_vec()),
        ("MANIFEST-000005".to_owned(), noise(3, 999)),
    ])
}

fn write(folder: &Path, files: &Files) {
    fs::create_dir_all(folder).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if files.get(&name).is_none_or(|content| *content != fs::read(&path).unwrap()) {
            fs::remove_file(path).unwrap();
        }
    }
    for (name, content) in files {
        if !folder.join(name).exists() {
            fs::write(folder.join(name), content).unwrap();
        }
    }
}

fn read(folder: &Path) -> Files {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap())
        })
        .collect()
}

struct Place {
    root: TempDir,
    secret: Option<Secret>,
}

impl Place {
    fn new(encrypted: bool) -> Self {
        let root = tempfile::tempdir().unwrap();
        let secret = encrypted.then(|| {
            let path = root.path().join("key");
            fs::write(&path, noise(99, 32)).unwrap();
            Secret::key_file(&path).unwrap()
        });
        Self { root, secret }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn open(&self) -> Repository {
        let target = Target::open(&self.path("repository").display().to_string(), true).unwrap();
        Repository::open_or_make(target, self.secret.as_ref()).unwrap()
    }

    fn create(&self, files: &Files) -> Created {
        write(&self.path("source"), files);
        create(&self.open(), &self.path("source")).unwrap()
    }

    fn restore(&self, id: &str) -> Result<Files, BackupError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let folder = self.path(&format!("restored-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let repository = self.open();
        repository.restore(&repository.find(id)?, &folder, &unwatched)?;
        Ok(read(&folder))
    }

    /// All objects, as paths.
    fn objects(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path("repository")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { found.push(path) }
            }
        }
        found.sort();
        found
    }
}

fn create(repository: &Repository, folder: &Path) -> Result<Created, BackupError> {
    let graphs = ["hugegraph".to_owned()];
    let source = Source {
        folder,
        engine: "rocksdb",
        store_format: 2,
        sequence: 7,
        graphs: &graphs,
        program: "test 1",
        log: None,
    };
    repository.create(&source, CreateOptions::default(), &unwatched)
}

#[test]
fn what_was_backed_up_is_restored() {
    for encrypted in [false, true] {
        let place = Place::new(encrypted);
        let first = place.create(&sample());
        assert_eq!(first.manifest.bytes(), sample().values().map(|it| it.len() as u64).sum::<u64>());
        let mut changed = sample();
        changed.remove("000013.sst");
        changed.insert("000015.sst".to_owned(), noise(5, 12_345));
        let second = place.create(&changed);
        assert_eq!(place.restore(&first.manifest.id).unwrap(), sample());
        assert_eq!(place.restore(&second.manifest.id).unwrap(), changed);
        assert_eq!(place.restore("latest").unwrap(), changed);
        assert!(matches!(place.restore("nosuch"), Err(BackupError::NoBackup { .. })));
        let listed: Vec<String> = place.open().list().unwrap().into_iter().map(|it| it.id).collect();
        assert!(listed.contains(&first.manifest.id) && listed.contains(&second.manifest.id) && listed.len() == 2);
        let verified = place.open().verify(None, Depth::Content, &unwatched).unwrap();
        assert_eq!((verified.backups, verified.problems_total), (2, 0), "{:?}", verified.problems);
        assert!(!place.objects().iter().any(|path| path.display().to_string().contains("/locks/")));
        let shown = place.objects().iter().any(|path| {
            let content = fs::read(path).unwrap();
            content.windows(15).any(|part| part == b"MANIFEST-000005")
        });
        assert_eq!(shown, !encrypted, "with a key, not even names of files can be seen");
    }
}

#[test]
fn an_unchanged_store_costs_less_than_a_hundredth_and_is_not_read() {
    let place = Place::new(false);
    let first = place.create(&sample());
    assert!(first.manifest.new_bytes >= CHUNK_BYTES && first.read_bytes >= CHUNK_BYTES);
    let second = place.create(&sample());
    assert_eq!((second.manifest.new_bytes, second.read_bytes), (0, 0));
    // The same content under other names, as after a restore.
    let moved: Files = sample().into_iter().map(|(name, content)| (format!("x{name}"), content)).collect();
    let third = place.create(&moved);
    assert_eq!(third.manifest.new_bytes, 0);
    assert!(third.read_bytes >= CHUNK_BYTES);
}

#[test]
fn a_file_of_the_same_name_and_length_is_read_when_it_was_changed() {
    let place = Place::new(false);
    place.create(&sample());
    let mut changed = sample();
    changed.get_mut("000013.sst").unwrap()[5] ^= 1;
    let second = place.create(&changed);
    assert!(second.read_bytes > 0);
    assert_eq!(place.restore("latest").unwrap(), changed);
}

#[test]
fn any_flipped_bit_and_any_missing_object_is_found_and_not_restored() {
    for encrypted in [false, true] {
        let place = Place::new(encrypted);
        let id = place.create(&sample()).manifest.id;
        for object in place.objects() {
            let name = object.strip_prefix(place.path("repository")).unwrap().display().to_string();
            let whole = fs::read(&object).unwrap();
            for at in [0, 3, whole.len() / 2, whole.len() - 1] {
                let mut changed = whole.clone();
                changed[at] ^= 1 << (at % 8);
                fs::write(&object, &changed).unwrap();
                assert_damage(&place, &id, &name);
            }
            fs::write(&object, &whole[..whole.len() - 1]).unwrap();
            assert_damage(&place, &id, &name);
            fs::remove_file(&object).unwrap();
            if name.starts_with("chunks") {
                assert_damage(&place, &id, &name);
            } else {
                // A backup without its manifest is none, and no repository is one without its description.
                assert!(place.restore_as_is(&id).is_err(), "{name}");
            }
            fs::write(&object, &whole).unwrap();
        }
        assert_eq!(place.restore(&id).unwrap(), sample(), "all is well again");
    }
}

impl Place {
    fn restore_as_is(&self, id: &str) -> Result<(), BackupError> {
        let target = Target::open(&self.path("repository").display().to_string(), false)?;
        let repository = Repository::open(target, self.secret.as_ref())?;
        let folder = self.path("never");
        let _ = fs::remove_dir_all(&folder);
        repository.restore(&repository.find(id)?, &folder, &unwatched).map(drop)
    }
}

/// Verification names the object, and the restored folder cannot be taken for a store.
fn assert_damage(place: &Place, id: &str, object: &str) {
    let refusal = place.restore_as_is(id).unwrap_err();
    assert!(refusal.is_damage(), "{object}: {refusal}");
    let folder = place.path("never");
    if object.starts_with("chunks") {
        assert!(folder.join(kv::UNFINISHED_FILE).exists(), "{object}: the folder is marked");
        let target = Target::open(&place.path("repository").display().to_string(), false).unwrap();
        let repository = Repository::open(target, place.secret.as_ref()).unwrap();
        let found = repository.verify(None, Depth::Content, &unwatched).unwrap();
        assert_eq!(found.problems.iter().map(|it| it.object.as_str()).collect::<Vec<_>>(), [object]);
        assert_eq!(found.problems[0].backups, [id.to_owned()]);
        let again = repository.restore(&repository.find(id).unwrap(), &folder, &unwatched).unwrap_err();
        assert!(again.to_string().contains("delete the folder"), "{again}");
    } else if object.starts_with("backups") {
        let target = Target::open(&place.path("repository").display().to_string(), false).unwrap();
        let repository = Repository::open(target, place.secret.as_ref()).unwrap();
        let found = repository.verify(None, Depth::Content, &unwatched).unwrap();
        assert_eq!(found.problems.iter().map(|it| it.object.as_str()).collect::<Vec<_>>(), [object]);
        let pruned = repository.prune(&Keep { last: 1, ..Keep::default() }, false);
        assert!(pruned.unwrap_err().is_damage(), "what a backup needs is not known, so nothing is removed");
    }
}

#[test]
fn a_folder_with_anything_in_it_is_not_restored_into() {
    let place = Place::new(false);
    place.create(&sample());
    let repository = place.open();
    let newest = repository.find("latest").unwrap();
    let folder = place.path("used");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("thesis.tex"), "precious").unwrap();
    let refusal = repository.restore(&newest, &folder, &unwatched).unwrap_err();
    assert!(matches!(&refusal, BackupError::Folder { .. }) && refusal.to_string().contains("thesis.tex"), "{refusal}");
    assert_eq!(read(&folder).len(), 1);
    fs::remove_file(folder.join("thesis.tex")).unwrap();
    repository.restore(&newest, &folder, &unwatched).unwrap();
    assert_eq!(read(&folder), sample());
}

#[test]
fn a_cancelled_backup_is_none_and_a_cancelled_restore_no_store() {
    let place = Place::new(false);
    write(&place.path("source"), &sample());
    let repository = place.open();
    let graphs = [];
    let folder = place.path("source");
    let source = Source {
        folder: &folder,
        engine: "rocksdb",
        store_format: 2,
        sequence: 7,
        graphs: &graphs,
        program: "t",
        log: None,
    };
    let stop = |progress: backup::Progress| progress.bytes_done == 0;
    let outcome = repository.create(&source, CreateOptions::default(), &stop);
    assert!(matches!(outcome, Err(BackupError::Cancelled)));
    assert!(repository.list().unwrap().is_empty());
    create(&repository, &folder).unwrap();
    let newest = repository.find("latest").unwrap();
    let outcome = repository.restore(&newest, &place.path("half"), &stop);
    assert!(matches!(outcome, Err(BackupError::Cancelled)));
    assert!(place.path("half").join(kv::UNFINISHED_FILE).exists());
    assert!(!place.path("half").join("CURRENT").exists(), "the file without which nothing opens is the last");
}

#[test]
fn places_with_other_things_and_wrong_keys_are_refused() {
    let place = Place::new(true);
    place.create(&sample());
    let open = |secret: Option<&Secret>| {
        let target = Target::open(&place.path("repository").display().to_string(), false).unwrap();
        Repository::open_or_make(target, secret).map(drop)
    };
    let other = place.path("other-key");
    fs::write(&other, noise(98, 32)).unwrap();
    for wrong in [None, Some(Secret::key_file(&other).unwrap())] {
        assert!(matches!(open(wrong.as_ref()), Err(BackupError::Key { .. })), "{wrong:?}");
    }
    open(place.secret.as_ref()).unwrap();
    let strangers = place.path("strangers");
    fs::create_dir(&strangers).unwrap();
    fs::write(strangers.join("thesis.tex"), "precious").unwrap();
    let target = Target::open(&strangers.display().to_string(), true).unwrap();
    let refusal = Repository::open_or_make(target, None).err().unwrap();
    assert!(matches!(&refusal, BackupError::NotARepository { object, .. } if object == "thesis.tex"), "{refusal}");
}

#[test]
fn a_removal_waits_for_nobody_and_a_backup_for_a_removal() {
    let place = Place::new(false);
    place.create(&sample());
    let repository = place.open();
    let keep = Keep { last: 1, ..Keep::default() };
    write(&place.path("source"), &Files::from([("a.sst".to_owned(), noise(8, 100_000))]));
    let graphs = [];
    let folder = place.path("source");
    let source = Source {
        folder: &folder,
        engine: "rocksdb",
        store_format: 2,
        sequence: 7,
        graphs: &graphs,
        program: "t",
        log: None,
    };
    // In the middle of a backup nothing may be removed, or what it counts on could be gone.
    let refused = AtomicU64::new(0);
    let watch = |_: backup::Progress| {
        if let Err(BackupError::Busy { holder }) = repository.prune(&keep, false) {
            assert!(holder.contains("backup create"), "{holder}");
            refused.fetch_add(1, Ordering::Relaxed);
        }
        true
    };
    repository.create(&source, CreateOptions::default(), &watch).unwrap();
    assert!(refused.into_inner() > 0);
    repository.prune(&keep, false).unwrap();
    assert_eq!(place.restore("latest").unwrap().len(), 1);
}

#[test]
fn a_backup_whose_maker_was_taken_for_gone_does_not_count() {
    let place = Place::new(false);
    let id = place.create(&sample()).manifest.id;
    let repository = place.open();
    let fence = place.path("repository/fenced");
    fs::create_dir_all(&fence).unwrap();
    // Complete: it was committed before, and counts once that is settled.
    fs::write(fence.join(&id), "{}").unwrap();
    assert!(repository.list().unwrap().is_empty());
    repository.prune(&Keep { last: 1, ..Keep::default() }, false).unwrap();
    assert_eq!(place.restore(&id).unwrap(), sample());
    // Not complete: committed after, by somebody who stood still while his chunks were removed.
    fs::write(fence.join(&id), "{}").unwrap();
    let chunk = place.objects().into_iter().find(|path| path.display().to_string().contains("/chunks/")).unwrap();
    fs::remove_file(chunk).unwrap();
    repository.prune(&Keep { last: 1, ..Keep::default() }, false).unwrap();
    assert!(repository.list().unwrap().is_empty());
    assert!(repository.verify(None, Depth::Content, &unwatched).unwrap().problems.is_empty());
}

#[test]
fn a_place_that_fails_often_leaves_whole_backups_only() {
    let memory = Arc::new(InMemory::new());
    let source = tempfile::tempdir().unwrap();
    write(source.path(), &Files::from([("a.sst".to_owned(), noise(1, 30_000)), ("b".to_owned(), noise(2, 500))]));
    let reliable = || Repository::open_or_make(Target::of(Arc::clone(&memory) as _).unwrap(), None).unwrap();
    reliable();
    let (mut made, mut failed) = (0, 0);
    for seed in 0..12 {
        // Three of ten requests fail; half of these have been carried out all the same. Beyond a third of the rounds
        // the place fails for good after some requests.
        let dead_after = if seed % 3 == 0 { 3 + 4 * seed } else { u64::MAX };
        let faulty = Arc::new(Faulty::new(Arc::clone(&memory), seed, 30, dead_after));
        let target = Target::of(faulty).unwrap();
        match Repository::open(target, None).and_then(|repository| create(&repository, source.path())) {
            Ok(_) => made += 1,
            Err(_) => failed += 1,
        }
        // What died left its lock, and this process lives.
        forget_locks(&memory);
        let repository = reliable();
        let found = repository.verify(None, Depth::Content, &unwatched).unwrap();
        assert_eq!(found.problems, [], "round {seed}");
        assert!(found.backups >= made, "round {seed}: what was reported as made is there");
        for backup in repository.list().unwrap() {
            let folder = tempfile::tempdir().unwrap();
            repository.restore(&backup.manifest.unwrap(), folder.path(), &unwatched).unwrap();
            assert_eq!(read(folder.path()), read(source.path()));
        }
        repository.prune(&Keep { last: 2, ..Keep::default() }, false).unwrap();
        made = made.min(2);
    }
    assert!(failed > 0, "the place did fail");
}

fn forget_locks(memory: &InMemory) {
    futures::executor::block_on(async {
        let locks: Vec<_> = memory.list(Some(&"locks".into())).try_collect().await.unwrap();
        for lock in locks {
            memory.delete(&lock.location).await.unwrap();
        }
    });
}

/// What happens to a repository.
#[derive(Clone, Debug)]
enum Step {
    /// A file appears or changes.
    Put {
        name: u8,
        seed: u64,
        length: usize,
    },
    /// A file goes.
    Remove {
        name: u8,
    },
    Create,
    /// All but the newest are removed.
    Prune {
        last: usize,
    },
    /// A backup is cancelled after some calls.
    Cut {
        after: u64,
    },
    /// Junk of an interrupted write.
    Junk,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u8..6, 0_u64..12, 0_usize..3000)
            .prop_map(|(name, seed, length)| Step::Put { name, seed, length }),
        1 => (0_u8..6).prop_map(|name| Step::Remove { name }),
        4 => Just(Step::Create),
        2 => (1_usize..4).prop_map(|last| Step::Prune { last }),
        1 => (0_u64..6).prop_map(|after| Step::Cut { after }),
        1 => Just(Step::Junk),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_repository_equals_a_list_of_maps(steps in steps(), encrypted: bool) {
        let place = Place::new(encrypted);
        let repository = place.open();
        let (mut files, mut model) = (Files::new(), Vec::<(String, Files)>::new());
        let source = place.path("source");
        for step in steps {
            write(&source, &files);
            match step {
                Step::Put { name, seed, length } => drop(files.insert(format!("{name}.sst"), noise(seed, length))),
                Step::Remove { name } => drop(files.remove(&format!("{name}.sst"))),
                Step::Create => {
                    let made = create(&repository, &source).unwrap();
                    model.push((made.manifest.id, files.clone()));
                }
                Step::Prune { last } => {
                    let pruned = repository.prune(&Keep { last, ..Keep::default() }, false).unwrap();
                    // Those of the same millisecond have no order.
                    prop_assert_eq!(pruned.kept.len(), model.len().min(last));
                    model.retain(|(id, _)| pruned.kept.contains(id));
                }
                Step::Cut { after } => {
                    let calls = AtomicU64::new(0);
                    let watch = |_: backup::Progress| calls.fetch_add(1, Ordering::Relaxed) < after;
                    let graphs = [];
                    let from = Source {
                        folder: &source, engine: "rocksdb", store_format: 2, sequence: 0, graphs: &graphs,
                        program: "t", log: None,
                    };
                    if let Ok(made) = repository.create(&from, CreateOptions::default(), &watch) {
                        model.push((made.manifest.id, files.clone()));
                    }
                }
                Step::Junk => {
                    let folder = place.path("repository/chunks/ab");
                    fs::create_dir_all(&folder).unwrap();
                    fs::write(folder.join("abcd#3"), "half").unwrap();
                }
            }
        }
        let mut listed: Vec<String> = repository.list().unwrap().into_iter().map(|it| it.id).collect();
        let mut expected: Vec<String> = model.iter().map(|(id, _)| id.clone()).collect();
        listed.sort();
        expected.sort();
        prop_assert_eq!(listed, expected);
        let found = repository.verify(None, Depth::Content, &unwatched).unwrap();
        prop_assert_eq!(found.problems_total, 0);
        for (id, expected) in &model {
            prop_assert_eq!(&place.restore(id).unwrap(), expected);
        }
        if !model.is_empty() {
            repository.prune(&Keep { last: model.len(), ..Keep::default() }, false).unwrap();
            let needed = repository.verify(None, Depth::Content, &unwatched).unwrap().chunks;
            let stored = place.objects().iter().filter(|path| path.display().to_string().contains("/chunks/")).count();
            prop_assert_eq!(stored, needed, "nothing is left that no backup needs");
        }
    }
}
