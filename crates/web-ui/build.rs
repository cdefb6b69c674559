//! Writes the table of the explorer's files as Rust, from the folder that `scripts/web.sh` fills (`web/dist`) or that
//! `RHIZOME_WEB_DIST` names. It runs no program and asks no network: without the folder the table is empty, unless
//! `RHIZOME_WEB=require` makes that an error.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=RHIZOME_WEB");
    println!("cargo::rerun-if-env-changed=RHIZOME_WEB_DIST");
    let manifest_dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let given = env::var_os("RHIZOME_WEB_DIST").filter(|folder| !folder.is_empty());
    let folder = match &given {
        Some(folder) => PathBuf::from(folder),
        None => manifest_dir.join("../../web/dist"),
    };
    // A folder that is missing would have this run every time.
    if folder.exists() {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let manifest = folder.join("manifest.json");
    let table = match fs::read_to_string(&manifest) {
        Ok(text) => table(&folder.canonicalize()?, &text)?,
        Err(error) => {
            if given.is_some() || env::var("RHIZOME_WEB").is_ok_and(|wanted| wanted == "require") {
                let path = manifest.display();
                return Err(format!("the explorer is not built ({path}: {error}); run scripts/web.sh first").into());
            }
            "&[]".to_owned()
        }
    };
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("files.rs"), table)?;
    Ok(())
}

/// The files of a manifest (`web/scripts/compress.js`) as an expression.
fn table(folder: &Path, manifest: &str) -> Result<String, Box<dyn Error>> {
    let files: Vec<Value> = serde_json::from_str(manifest)?;
    let mut table = "&[\n".to_owned();
    for file in &files {
        let text = |name: &str| file.get(name).and_then(Value::as_str).ok_or(format!("manifest.json: no '{name}'"));
        let (path, content_type, digest) = (text("path")?, text("type")?, text("sha256")?);
        let include = |ending: &str| format!("include_bytes!({:?})", folder.join(format!("{path}{ending}")));
        let content = if file.get("br").is_some() {
            format!("compressed: Some(({}, {})), plain: &[]", include(".br"), include(".gz"))
        } else {
            format!("compressed: None, plain: {}", include(""))
        };
        let tag = digest.get(..32).ok_or("manifest.json: a 'sha256' is too short")?;
        writeln!(table, "File {{ path: {path:?}, content_type: {content_type:?}, tag: {tag:?}, {content} }},")?;
    }
    table.push(']');
    Ok(table)
}
