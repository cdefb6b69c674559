//! `rhizome cert`: certificates to try TLS with, signed by a CA that is made for that.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};

/// The files of the CA.
const CA: &str = "ca.pem";
const CA_KEY: &str = "ca-key.pem";
/// The files of the server.
const SERVER: &str = "server.pem";
const SERVER_KEY: &str = "server-key.pem";

/// How long a CA is valid, in years.
const CA_YEARS: i16 = 10;
/// How long a certificate is valid, in days: programs refuse those that are valid for more than 398.
const CERTIFICATE_DAYS: i64 = 397;

#[derive(Args)]
pub(super) struct CertArguments {
    #[command(subcommand)]
    command: CertCommand,
}

#[derive(Subcommand)]
enum CertCommand {
    /// Make a CA and a certificate for a server on this machine, and print the settings for them. What is there of the
    /// CA is kept; the certificate is made anew, and a running server takes it over.
    Dev(DevArguments),
}

#[derive(Args)]
struct DevArguments {
    /// Folder for the files [default: rhizome-certificates].
    #[arg(long, value_name = "DIR", default_value = "rhizome-certificates", hide_default_value = true)]
    dir: PathBuf,
    /// A further name or address of the server, besides localhost, 127.0.0.1 and ::1; may be repeated.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Make a certificate for this user, who can log in with it, instead of one for the server.
    #[arg(long, value_name = "USER", conflicts_with = "host")]
    client: Option<String>,
}

pub(super) fn cert(arguments: &CertArguments) -> anyhow::Result<()> {
    let CertCommand::Dev(arguments) = &arguments.command;
    let folder = &arguments.dir;
    std::fs::create_dir_all(folder).with_context(|| format!("making the folder {}", folder.display()))?;
    let folder = std::path::absolute(folder)?;
    let issuer = issuer(&folder)?;
    match &arguments.client {
        Some(user) => client(&folder, &issuer, user),
        None => server(&folder, &issuer, &arguments.host),
    }
}

/// The CA, which is made where there is none.
fn issuer(folder: &Path) -> anyhow::Result<Issuer<'static, KeyPair>> {
    let mut about = CertificateParams::default();
    about.distinguished_name.push(DnType::CommonName, "Rhizome development CA");
    about.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    about.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    limit(&mut about, Span::new().years(CA_YEARS));
    let path = folder.join(CA_KEY);
    match std::fs::read_to_string(&path) {
        Ok(pem) => {
            let key = KeyPair::from_pem(&pem).with_context(|| format!("reading the key in {}", path.display()))?;
            if !folder.join(CA).exists() {
                bail!("there is {CA_KEY} but no {CA}: remove the one, or bring back the other");
            }
            Ok(Issuer::new(about, key))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = KeyPair::generate()?;
            let certificate = about.self_signed(&key)?;
            write(folder, CA, &certificate.pem())?;
            write(folder, CA_KEY, &key.serialize_pem())?;
            Ok(Issuer::new(about, key))
        }
        Err(error) => Err(error).with_context(|| format!("reading {}", path.display())),
    }
}

fn server(folder: &Path, issuer: &Issuer<'_, KeyPair>, hosts: &[String]) -> anyhow::Result<()> {
    let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let names: Vec<String> = own.into_iter().chain(hosts.iter().cloned()).collect();
    let about = CertificateParams::new(names).context("a name of the server cannot be in a certificate")?;
    sign(folder, issuer, (SERVER, SERVER_KEY), about, "localhost", ExtendedKeyUsagePurpose::ServerAuth)?;
    let path = |name: &str| folder.join(name).display().to_string();
    super::terminal::print(&format!(
        "[tls]\ncertificate = {:?}\nkey = {:?}\n\n# Clients need {} to trust the server: curl --cacert {} \
         https://localhost:8080/versions\n",
        path(SERVER),
        path(SERVER_KEY),
        CA,
        path(CA)
    ))
}

fn client(folder: &Path, issuer: &Issuer<'_, KeyPair>, user: &str) -> anyhow::Result<()> {
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '@');
    if user.is_empty() || user.starts_with('.') || !user.chars().all(is_plain) {
        bail!("--client {user}: the name is also that of a file; it may have letters, digits, '-', '_', '.' and '@'");
    }
    let (certificate, key) = (format!("client-{user}.pem"), format!("client-{user}-key.pem"));
    let about = CertificateParams::default();
    sign(folder, issuer, (&certificate, &key), about, user, ExtendedKeyUsagePurpose::ClientAuth)?;
    let path = |name: &str| folder.join(name).display().to_string();
    super::terminal::print(&format!(
        "[tls]\nclient_ca = {:?}\n\n# curl --cacert {} --cert {} --key {} https://localhost:8080/graphs\n",
        path(CA),
        path(CA),
        path(&certificate),
        path(&key)
    ))
}

/// Makes a key and a certificate for it, and writes both.
fn sign(
    folder: &Path,
    issuer: &Issuer<'_, KeyPair>,
    (certificate, key): (&str, &str),
    mut about: CertificateParams,
    name: &str,
    purpose: ExtendedKeyUsagePurpose,
) -> anyhow::Result<()> {
    about.distinguished_name.push(DnType::CommonName, name);
    about.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    about.extended_key_usages = vec![purpose];
    about.use_authority_key_identifier_extension = true;
    limit(&mut about, Span::new().days(CERTIFICATE_DAYS));
    let pair = KeyPair::generate()?;
    let signed = about.signed_by(&pair, issuer)?;
    write(folder, key, &pair.serialize_pem())?;
    write(folder, certificate, &signed.pem())
}

/// Has a certificate valid for a span of time. It begins a day before today, so that clocks that are late find it
/// valid.
fn limit(about: &mut CertificateParams, span: Span) {
    let begin = Timestamp::now().to_zoned(TimeZone::UTC).date().saturating_sub(Span::new().days(1));
    let moment = |date: Date| {
        let part = |number: i8| u8::try_from(number).unwrap_or(1);
        rcgen::date_time_ymd(i32::from(date.year()), part(date.month()), part(date.day()))
    };
    (about.not_before, about.not_after) = (moment(begin), moment(begin.saturating_add(span)));
}

/// Writes a file that nobody else may read, and puts it in the place of one of that name at once: a server that reads
/// meanwhile gets the one or the other.
fn write(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let (path, new) = (folder.join(name), folder.join(format!("{name}.new")));
    let written = || -> std::io::Result<()> {
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &path)
    };
    written().with_context(|| format!("writing {}", path.display()))
}
