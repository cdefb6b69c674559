//! What is read in a certificate itself (RFC 5280, section 4.1): how long it is valid, and which user it names. Its
//! signatures are looked at by `rustls`.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustls::pki_types::CertificateDer;
use yasna::models::ObjectIdentifier;
use yasna::tags::{TAG_GENERALIZEDTIME, TAG_IA5STRING, TAG_PRINTABLESTRING, TAG_UTF8STRING};
use yasna::{ASN1Result, BERReader, Tag, parse_der};

use crate::error::Problem;
use crate::limits::EXPIRY_WARNING_TIME;

/// The attribute of a name that is the common name (RFC 5280, appendix A.1).
const COMMON_NAME: [u64; 4] = [2, 5, 4, 3];

/// The user that the certificate of a client names. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate(Arc<str>);

impl ClientCertificate {
    /// The user: the common name (CN) of the certificate's subject.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.0
    }

    /// The user named by a certificate that has been verified. None where its subject has no common name, more than
    /// one, or one that is no text: whom it means is not clear then.
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        match &*Parts::read(certificate).ok()?.common_names {
            [Some(name)] if !name.is_empty() => Some(Self(name.as_str().into())),
            _ => None,
        }
    }
}

/// Checks that a certificate is valid at this moment. Gives its end.
pub(crate) fn check(certificate: &CertificateDer<'_>, now: SystemTime) -> Result<SystemTime, Problem> {
    let Parts { begin, end, .. } =
        Parts::read(certificate).map_err(|error| Problem::Certificate(format!("it is no X.509: {error}")))?;
    if now < begin.at {
        return Err(Problem::NotYet(begin.date));
    }
    if now > end.at {
        return Err(Problem::Expired(end.date));
    }
    if end.at < now + EXPIRY_WARNING_TIME {
        tracing::warn!("the certificate of this server expires on {}", end.date);
    }
    Ok(end.at)
}

struct Parts {
    begin: Moment,
    end: Moment,
    /// None for one that is no text.
    common_names: Vec<Option<String>>,
}

struct Moment {
    at: SystemTime,
    /// For people, in UTC.
    date: String,
}

impl Parts {
    fn read(certificate: &[u8]) -> ASN1Result<Self> {
        parse_der(certificate, |reader| {
            reader.read_sequence(|reader| {
                let parts = reader.next().read_sequence(|reader| {
                    reader
                        .read_optional(|version| version.read_tagged(Tag::context(0), |version| version.read_der()))?;
                    let (_serial, _algorithm) = (reader.next().read_der()?, reader.next().read_der()?);
                    let _issuer = reader.next().read_der()?;
                    let (begin, end) = reader.next().read_sequence(|reader| {
                        let begin = moment(reader.next())?;
                        Ok((begin, moment(reader.next())?))
                    })?;
                    let common_names = common_names(reader.next())?;
                    // The key and the extensions.
                    while reader.read_optional(|part| part.read_der())?.is_some() {}
                    Ok(Self { begin, end, common_names })
                })?;
                let (_algorithm, _signature) = (reader.next().read_der()?, reader.next().read_der()?);
                Ok(parts)
            })
        })
    }
}

fn moment(reader: BERReader<'_, '_>) -> ASN1Result<Moment> {
    let moment = if reader.lookahead_tag()? == TAG_GENERALIZEDTIME {
        *reader.read_generalized_time()?.datetime()
    } else {
        *reader.read_utctime()?.datetime()
    };
    let seconds = u64::try_from(moment.unix_timestamp()).unwrap_or_default();
    Ok(Moment { at: UNIX_EPOCH + Duration::from_secs(seconds), date: moment.date().to_string() })
}

/// The common names in a name, from the most general one to that of the subject itself.
fn common_names(reader: BERReader<'_, '_>) -> ASN1Result<Vec<Option<String>>> {
    let common_name = ObjectIdentifier::from_slice(&COMMON_NAME);
    let mut found = Vec::new();
    reader.read_sequence_of(|level| {
        level.read_set_of(|pair| {
            pair.read_sequence(|pair| {
                let is_common_name = pair.next().read_oid()? == common_name;
                let value = text(pair.next())?;
                if is_common_name {
                    found.push(value);
                }
                Ok(())
            })
        })
    })?;
    Ok(found)
}

fn text(reader: BERReader<'_, '_>) -> ASN1Result<Option<String>> {
    let tag = reader.lookahead_tag()?;
    if tag == TAG_UTF8STRING {
        reader.read_utf8string().map(Some)
    } else if tag == TAG_PRINTABLESTRING {
        reader.read_printable_string().map(Some)
    } else if tag == TAG_IA5STRING {
        reader.read_ia5_string().map(Some)
    } else {
        reader.read_der().map(|_| None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, DnValue, KeyPair};

    fn named(names: &[DnValue]) -> Option<ClientCertificate> {
        let mut about = CertificateParams::default();
        about.distinguished_name = rcgen::DistinguishedName::new();
        about.distinguished_name.push(DnType::OrganizationName, "an organization");
        for (at, name) in names.iter().enumerate() {
            // A name has one attribute of each kind here; another spelling of the same kind is another one.
            let kind = if at == 0 { DnType::CommonName } else { DnType::CustomDnType(COMMON_NAME.to_vec()) };
            about.distinguished_name.push(kind, name.clone());
        }
        let certificate = about.self_signed(&KeyPair::generate().unwrap()).unwrap();
        ClientCertificate::of(certificate.der())
    }

    #[test]
    fn exactly_one_common_name_that_is_a_text_names_a_user() {
        let text = |name: &str| DnValue::Utf8String(name.to_owned());
        assert_eq!(named(&[text("用户")]).unwrap().user(), "用户");
        let printable = DnValue::PrintableString("alice".try_into().unwrap());
        assert_eq!(named(&[printable]).unwrap().user(), "alice");
        assert_eq!(named(&[]), None);
        assert_eq!(named(&[text("")]), None);
        assert_eq!(named(&[text("alice"), text("admin")]), None);
        assert_eq!(named(&[DnValue::TeletexString("alice".try_into().unwrap())]), None);
    }

    #[test]
    fn broken_certificates_are_told() {
        for bytes in [&b""[..], b"\x30\x00", b"\x30\x80", &[0x30; 100]] {
            let checked = check(&CertificateDer::from(bytes), SystemTime::now());
            assert!(matches!(checked, Err(Problem::Certificate(_))), "{bytes:?}");
        }
    }
}
