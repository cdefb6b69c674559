//! Compiles RocksDB from the source in the crate `librocksdb-sys`, a few dozen files at a time ("unity build"), into a
//! cache that every profile, checkout and target folder of the machine shares. The crate's own build script compiles
//! each file by itself, for each profile, and takes four times as long: docs/decisions/0037-rocksdb-as-units.md.
//!
//! `.cargo/config.toml` sets `ROCKSDB_LIB_DIR` to [`OURS`], which makes `librocksdb-sys` compile nothing and ask the
//! linker for a library named `rocksdb`; this script says where that is. The library is not opened before the last
//! link, so cargo compiles it alongside the Rust crates. A `ROCKSDB_LIB_DIR` of the environment wins, and so does
//! `ROCKSDB_COMPILE=1`, with which `librocksdb-sys` compiles as it would without this script.

use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// The value of `ROCKSDB_LIB_DIR` with which RocksDB is compiled here.
const OURS: &str = "compiled-by-kv-rocksdb";

/// Source files of one compiler run. Larger units parse fewer headers again, but need more memory and leave a core
/// idle at the end.
const UNIT_FILES: usize = 24;

/// Source files that nothing here needs, by the beginnings of their names: databases and caches of other kinds,
/// pessimistic and optimistic transactions, backups, tools and tests. RocksDB's C interface has functions that use
/// them; nobody calls those functions, so the linker discards them before it looks for what they use. A file that is
/// needed after all is an undefined symbol in the last link, which names it.
const UNUSED: &[&str] = &[
    "tools/",
    "utilities/agg_merge/",
    "utilities/backup/",
    "utilities/blob_db/",
    "utilities/cache_dump_load",
    "utilities/cassandra/",
    "utilities/convenience/",
    "utilities/copy_engine/",
    "utilities/debug.cc",
    "utilities/env_mirror.cc",
    "utilities/fault_injection",
    "utilities/leveldb_options/",
    "utilities/memory/",
    "utilities/option_change_migration/",
    "utilities/options/",
    "utilities/persistent_cache/",
    "utilities/secondary_index/",
    "utilities/simulator_cache/",
    "utilities/sorted_run_builder/",
    "utilities/transactions/lock/",
    "utilities/transactions/optimistic",
    "utilities/transactions/pessimistic",
    "utilities/transactions/transaction_db_mutex",
    "utilities/transactions/write_",
    "utilities/types_util.cc",
];

/// Source files that only checkpoints need, in a library of their own: the large one stays as it was compiled.
const OF_CHECKPOINTS: &[&str] = &["utilities/copy_engine/copy_engine.cc"];

/// As RocksDB's own makefiles have it for a release, in every profile of cargo: tests need a quick database, too.
const OPT_LEVEL: u32 = 2;

/// Compiler flags for features of the processor that rustc may use, as `librocksdb-sys` passes them on.
const X86_FEATURES: &[(&str, &str)] = &[
    ("sse4.1", "-msse4.1"),
    ("sse4.2", "-msse4.2"),
    ("avx2", "-mavx2"),
    ("bmi1", "-mbmi"),
    ("lzcnt", "-mlzcnt"),
    ("pclmulqdq", "-mpclmul"),
];

fn main() -> Result<(), Box<dyn Error>> {
    tell("rerun-if-changed=build.rs");
    for name in ["ROCKSDB_LIB_DIR", "ROCKSDB_COMPILE", "CXX"] {
        tell(&format!("rerun-if-env-changed={name}"));
    }
    let compiles_itself = env::var("ROCKSDB_COMPILE").is_ok_and(|v| v == "1" || v.eq_ignore_ascii_case("true"));
    if compiles_itself || env::var("ROCKSDB_LIB_DIR").as_deref() != Ok(OURS) {
        return Ok(());
    }
    if env::var("CARGO_CFG_TARGET_OS")? != "linux" {
        return Err("RocksDB is compiled here for Linux only; set ROCKSDB_COMPILE=1 and build again".into());
    }
    let crate_folder = PathBuf::from(env::var("DEP_ROCKSDB_CARGO_MANIFEST_DIR")?);
    let large = (library(&crate_folder, "rocksdb", &units(&crate_folder)?)?, "rocksdb");
    let small = library(&crate_folder, "rocksdb_checkpoints", &[unit(&crate_folder, OF_CHECKPOINTS)?])?;
    for (folder, name) in [large, (small, "rocksdb_checkpoints")] {
        tell(&format!("rerun-if-changed={}", folder.join(format!("lib{name}.a")).display()));
        tell(&format!("rustc-link-search=native={}", folder.display()));
    }
    // Each of the two needs the other: all of this one is linked, whichever comes first.
    tell("rustc-link-lib=static:+whole-archive,-bundle=rocksdb_checkpoints");
    Ok(())
}

/// Says something to cargo.
fn tell(what: &str) {
    println!("cargo:{what}");
}

/// The folder with a library of these units, which is compiled unless the cache has it.
fn library(crate_folder: &Path, name: &str, units: &[String]) -> Result<PathBuf, Box<dyn Error>> {
    let mut compiler = compiler(crate_folder)?;
    let cache = cache()?;
    let folder = cache.join(key(crate_folder, units, &compiler)?);
    let file = format!("lib{name}.a");
    if folder.join(&file).is_file() {
        return Ok(folder);
    }

    let work = PathBuf::from(env::var("OUT_DIR")?);
    for (n, unit) in units.iter().enumerate() {
        let file = work.join(format!("{name}{n}.cc"));
        fs::write(&file, unit)?;
        compiler.file(file);
    }
    if name == "rocksdb" {
        compiler.file(crate_folder.join("build_version.cc"));
    }
    compiler.out_dir(&work);
    compiler.try_compile(name).map_err(|e| format!("{e}\nTo compile RocksDB file by file: ROCKSDB_COMPILE=1"))?;

    // Complete or not there: another build may compile the same at this moment, and the first of the two is kept.
    let new = cache.join(format!("new-{name}-{}", process::id()));
    fs::create_dir_all(&new)?;
    fs::copy(work.join(&file), new.join(&file))?;
    if fs::rename(&new, &folder).is_err() {
        fs::remove_dir_all(&new)?;
    }
    for entry in fs::read_dir(&work)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(folder)
}

/// Where compiled libraries are kept: in `RHIZOME_CACHE`, where the scripts of this repository keep all they compile.
fn cache() -> Result<PathBuf, Box<dyn Error>> {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = set("RHIZOME_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|f| f.join("rhizome")))
        .or_else(|| set("HOME").map(|f| f.join(".cache/rhizome")))
        .ok_or("neither RHIZOME_CACHE nor HOME is set: there is no place for the compiled RocksDB")?;
    Ok(cache.join("rocksdb"))
}

/// The text of each unit: one line for each of its source files.
fn units(crate_folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let list = crate_folder.join("rocksdb_lib_sources.txt");
    let list = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    // The crate's folder has its own build_version.cc, with the version filled in.
    let is_used =
        |file: &&str| *file != "util/build_version.cc" && !UNUSED.iter().any(|unused| file.starts_with(unused));
    let files: Vec<&str> = list.split_whitespace().filter(is_used).collect();
    files.chunks(UNIT_FILES).map(|files| unit(crate_folder, files)).collect()
}

/// The text of a unit.
fn unit(crate_folder: &Path, files: &[&str]) -> Result<String, Box<dyn Error>> {
    let mut unit = String::new();
    for file in files {
        writeln!(unit, "#include \"{}/rocksdb/{file}\"", crate_folder.display())?;
    }
    Ok(unit)
}

/// The compiler with the flags that `librocksdb-sys` gives it.
fn compiler(crate_folder: &Path) -> Result<cc::Build, Box<dyn Error>> {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++20").opt_level(OPT_LEVEL).debug(false).warnings(false).cargo_metadata(false);
    build.include(crate_folder.join("rocksdb/include")).include(crate_folder.join("rocksdb")).include(crate_folder);
    build.include(env::var("DEP_LZ4_INCLUDE")?).include(env::var("DEP_ZSTD_INCLUDE")?);
    // Compiled by librocksdb-sys itself; only stores of other programs are compressed with it (`foreign.rs`).
    build.include(crate_folder.join("snappy"));
    build.define("LZ4", "1").define("SNAPPY", "1").define("ZSTD", "1");
    build.flag("-include").flag("cstdint").flag("-w");
    for name in [
        "NDEBUG",
        "HAVE_ALIGNED_NEW",
        "HAVE_UINT128_EXTENSION",
        "OS_LINUX",
        "ROCKSDB_PLATFORM_POSIX",
        "ROCKSDB_LIB_IO_POSIX",
        "ROCKSDB_SCHED_GETCPU_PRESENT",
        "ROCKSDB_AUXV_GETAUXVAL_PRESENT",
        "ROCKSDB_FALLOCATE_PRESENT",
        "ROCKSDB_RANGESYNC_PRESENT",
    ] {
        build.define(name, None);
    }

    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |name: &str| features.split(',').any(|f| f == name);
    // rustc's `-C target-cpu`, with or without a space.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let processor = flags.split('\u{1f}').find_map(|f| f.trim_start_matches("-C").strip_prefix("target-cpu="));
    match (env::var("CARGO_CFG_TARGET_ARCH")?.as_str(), processor) {
        ("x86_64", processor) => {
            if let Some(processor) = processor {
                build.flag_if_supported(format!("-march={processor}"));
            }
            for (_, flag) in X86_FEATURES.iter().filter(|(feature, _)| has(feature)) {
                build.flag(flag);
            }
        }
        ("aarch64", Some(processor)) => {
            build.flag_if_supported(format!("-mcpu={processor}"));
        }
        ("aarch64", None) if has("crc") && has("aes") => {
            build.flag_if_supported("-march=armv8-a+crc+aes+crypto");
        }
        _ => {}
    }
    Ok(build)
}

/// A name for what the library is made from: version, files, flags and compiler.
fn key(crate_folder: &Path, units: &[String], compiler: &cc::Build) -> Result<String, Box<dyn Error>> {
    let tool = compiler.try_get_compiler()?;
    let version = process::Command::new(tool.path()).arg("--version").output()?.stdout;
    // Without folders, which differ from one target folder to the next: they name headers of the crates themselves.
    let folder = crate_folder.display().to_string();
    let units: Vec<String> = units.iter().map(|unit| unit.replace(&folder, "")).collect();
    let flags: Vec<_> = tool.args().iter().filter(|arg| !Path::new(arg).is_absolute()).collect();
    let mut hasher = DefaultHasher::new();
    (units, tool.path(), flags, version, env::var("TARGET")?).hash(&mut hasher);
    let name = crate_folder.file_name().ok_or("librocksdb-sys is in no folder")?.to_string_lossy();
    Ok(format!("{name}-{:016x}", hasher.finish()))
}
