//! Where regions end, asked of PD: the client knows it, but does not tell.

use std::path::Path;
use std::time::Duration;

use kv::KvError;
use prost::Message;
use tokio::sync::Mutex;
use tonic::codec::ProstCodec;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use crate::options::{TikvOptions, TikvTls};

/// The parts of PD's messages (`pdpb.proto`) that are needed here. Unknown fields are skipped.
mod messages {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct RequestHeader {
        #[prost(uint64, tag = "1")]
        pub(super) cluster_id: u64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct PdError {
        #[prost(string, tag = "2")]
        pub(super) message: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ResponseHeader {
        #[prost(uint64, tag = "1")]
        pub(super) cluster_id: u64,
        #[prost(message, optional, tag = "2")]
        pub(super) error: Option<PdError>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct GetMembersRequest {}

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Member {
        #[prost(string, repeated, tag = "4")]
        pub(super) client_urls: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct GetMembersResponse {
        #[prost(message, optional, tag = "1")]
        pub(super) header: Option<ResponseHeader>,
        #[prost(message, optional, tag = "3")]
        pub(super) leader: Option<Member>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ScanRegionsRequest {
        #[prost(message, optional, tag = "1")]
        pub(super) header: Option<RequestHeader>,
        #[prost(bytes = "vec", tag = "2")]
        pub(super) start_key: Vec<u8>,
        #[prost(int32, tag = "3")]
        pub(super) limit: i32,
        #[prost(bytes = "vec", tag = "4")]
        pub(super) end_key: Vec<u8>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Region {
        #[prost(bytes = "vec", tag = "3")]
        pub(super) end_key: Vec<u8>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ScanRegionsResponse {
        #[prost(message, optional, tag = "1")]
        pub(super) header: Option<ResponseHeader>,
        #[prost(message, repeated, tag = "2")]
        pub(super) region_metas: Vec<Region>,
    }
}

use messages::{
    GetMembersRequest, GetMembersResponse, RequestHeader, ResponseHeader, ScanRegionsRequest, ScanRegionsResponse,
};

/// Largest answer: some hundred regions with their keys.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// A way to PD's leader, made when it is needed and again after a failure.
pub(crate) struct Regions {
    endpoints: Vec<String>,
    tls: Option<ClientTlsConfig>,
    timeout: Duration,
    leader: Mutex<Option<Leader>>,
}

#[derive(Clone)]
struct Leader {
    channel: Channel,
    cluster_id: u64,
}

impl Regions {
    /// Reads the files for TLS; connects to nothing.
    pub(crate) fn new(options: &TikvOptions) -> Result<Self, KvError> {
        let tls = options.tls.as_ref().map(tls).transpose()?;
        Ok(Self {
            endpoints: options.pd_endpoints.clone(),
            tls,
            timeout: options.attempt_timeout,
            leader: Mutex::default(),
        })
    }

    /// Where the regions from `start` on end that begin before `end`, at most `limit` of them. Empty: behind every key.
    pub(crate) async fn ends(&self, start: &[u8], end: &[u8], limit: u32) -> Result<Vec<Vec<u8>>, Status> {
        let leader = self.leader().await?;
        let request = ScanRegionsRequest {
            header: Some(RequestHeader { cluster_id: leader.cluster_id }),
            start_key: comparable(start),
            limit: i32::try_from(limit).unwrap_or(i32::MAX),
            end_key: comparable(end),
        };
        let answer = self.call::<_, ScanRegionsResponse>(leader.channel, "/pdpb.PD/ScanRegions", request).await;
        let failure = match answer {
            Ok(answer) => match refused(answer.header.as_ref()) {
                None => return Ok(answer.region_metas.iter().map(|region| plain(&region.end_key)).collect()),
                Some(status) => status,
            },
            Err(status) => status,
        };
        // PD may have another leader by now.
        *self.leader.lock().await = None;
        Err(failure)
    }

    async fn leader(&self) -> Result<Leader, Status> {
        let mut known = self.leader.lock().await;
        if let Some(leader) = &*known {
            return Ok(leader.clone());
        }
        let mut last = Status::unavailable("no PD endpoint");
        for endpoint in &self.endpoints {
            match self.find_leader(endpoint).await {
                Ok(leader) => {
                    *known = Some(leader.clone());
                    return Ok(leader);
                }
                Err(status) => last = status,
            }
        }
        Err(last)
    }

    async fn find_leader(&self, endpoint: &str) -> Result<Leader, Status> {
        let channel = self.connect(endpoint).await?;
        let members: GetMembersResponse = self.call(channel, "/pdpb.PD/GetMembers", GetMembersRequest {}).await?;
        let cluster_id = members.header.map(|header| header.cluster_id).unwrap_or_default();
        let mut last = Status::unavailable("PD has no leader");
        for url in members.leader.iter().flat_map(|leader| &leader.client_urls) {
            match self.connect(url).await {
                Ok(channel) => return Ok(Leader { channel, cluster_id }),
                Err(status) => last = status,
            }
        }
        Err(last)
    }

    async fn connect(&self, address: &str) -> Result<Channel, Status> {
        let bare = address.trim_start_matches("http://").trim_start_matches("https://");
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let failed = |error: tonic::transport::Error| Status::unavailable(format!("PD at {address}: {error}"));
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{bare}")).map_err(failed)?;
        if let Some(tls) = &self.tls {
            endpoint = endpoint.tls_config(tls.clone()).map_err(failed)?;
        }
        endpoint.connect_timeout(self.timeout).timeout(self.timeout).connect().await.map_err(failed)
    }

    async fn call<Q, A>(&self, channel: Channel, path: &'static str, request: Q) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut client = tonic::client::Grpc::new(channel).max_decoding_message_size(ANSWER_BYTES_MAX);
        client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let codec = ProstCodec::<Q, A>::default();
        let answer = client.unary(Request::new(request), PathAndQuery::from_static(path), codec).await?;
        Ok(answer.into_inner())
    }
}

fn refused(header: Option<&ResponseHeader>) -> Option<Status> {
    let error = header?.error.as_ref()?;
    Some(Status::unavailable(format!("PD: {}", error.message)))
}

fn tls(files: &TikvTls) -> Result<ClientTlsConfig, KvError> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| KvError::Io {
            action: "reading a file for TLS",
            detail: format!("{}: {error}", path.display()),
        })
    };
    let identity = Identity::from_pem(read(&files.certificate)?, read(&files.key)?);
    Ok(ClientTlsConfig::new().ca_certificate(Certificate::from_pem(read(&files.ca)?)).identity(identity))
}

/// Bytes of a group in the form in which stores compare keys.
const GROUP: usize = 8;

/// A key in the form in which regions have it: groups of eight bytes, filled up with zeros, each followed by a mark
/// that is 0xFF for a full group and one less for every byte filled up. The last group is never full.
fn comparable(key: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity((key.len() / GROUP + 1) * (GROUP + 1));
    let mut chunks = key.chunks_exact(GROUP);
    for chunk in &mut chunks {
        out.extend_from_slice(chunk);
        out.push(u8::MAX);
    }
    let rest = chunks.remainder();
    let filled = GROUP - rest.len();
    out.extend_from_slice(rest);
    out.resize(out.len() + filled, 0);
    out.push(u8::MAX - u8::try_from(filled).unwrap_or_default());
    out
}

/// The key of a comparable form. Regions may be cut anywhere in it, so what is no form of a key ends where it stops
/// being one.
fn plain(comparable: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(comparable.len());
    for group in comparable.chunks(GROUP + 1) {
        match group.split_last() {
            Some((&u8::MAX, bytes)) if bytes.len() == GROUP => out.extend_from_slice(bytes),
            Some((mark, bytes)) if bytes.len() == GROUP => {
                let length = GROUP.saturating_sub(usize::from(u8::MAX - mark));
                out.extend_from_slice(bytes.get(..length).unwrap_or_default());
                break;
            }
            _ => {
                out.extend_from_slice(group);
                break;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparable_forms_are_those_of_tikv_and_keep_the_order() {
        assert_eq!(comparable(b""), [0, 0, 0, 0, 0, 0, 0, 0, 247]);
        assert_eq!(comparable(&[1, 2, 3]), [1, 2, 3, 0, 0, 0, 0, 0, 250]);
        assert_eq!(comparable(&[1, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 3, 4, 5, 6, 7, 8, 255, 0, 0, 0, 0, 0, 0, 0, 0, 247]);
        let keys: [&[u8]; 7] = [b"", b"\0", b"\0\0", b"a", b"a\0", b"aaaaaaaa", b"aaaaaaaa\0"];
        for (lower, higher) in keys.iter().zip(&keys[1..]) {
            assert!(comparable(lower) < comparable(higher), "{lower:?} {higher:?}");
        }
        for key in keys {
            assert_eq!(plain(&comparable(key)), key);
        }
    }

    #[test]
    fn what_is_no_form_of_a_key_is_taken_as_far_as_it_goes() {
        assert_eq!(plain(b""), b"");
        assert_eq!(plain(b"abc"), b"abc");
        assert_eq!(plain(&[1, 2, 3, 4, 5, 6, 7, 8, 0]), b"");
    }
}
