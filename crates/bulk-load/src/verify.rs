//! Counting on the server, before and after a load.

use api_client::{Client, ClientError, ElementKind};

use crate::catalogue::Catalogue;
use crate::error::LoadError;
use crate::progress::LoadObserver;
use crate::summary::{Counted, LabelSummary};

/// What the server counted for one label.
type Count = Result<u64, String>;

/// Counts every label; a label that cannot be listed gives the reason.
pub(crate) async fn count(
    client: &Client,
    catalogue: &Catalogue,
    labels: &[LabelSummary],
    page_elements: u32,
    observer: &dyn LoadObserver,
) -> Result<Vec<Count>, LoadError> {
    let mut counts = Vec::with_capacity(labels.len());
    for one in labels {
        observer.counting(&one.label);
        let listed = match one.kind {
            ElementKind::Vertex => catalogue.vertex_label(&one.label).is_some_and(|label| label.enable_label_index),
            ElementKind::Edge => catalogue.edge_label(&one.label).is_some_and(|label| label.enable_label_index),
        };
        counts.push(if listed {
            match client.count(one.kind, &one.label, page_elements).await {
                Ok(count) => Ok(count),
                Err(error @ ClientError::Refused { .. }) => Err(error.to_string()),
                Err(source) => {
                    let doing = format!("cannot count the {} label \"{}\"", one.kind, one.label);
                    return Err(LoadError::Server { doing, source });
                }
            }
        } else {
            Err("the label has no label index (enable_label_index is false)".into())
        });
    }
    Ok(counts)
}

/// Puts both counts into the summaries.
pub(crate) fn compare(labels: &mut [LabelSummary], before: Vec<Count>, after: Vec<Count>) {
    for ((label, before), after) in labels.iter_mut().zip(before).zip(after) {
        label.counted = match (before, after) {
            (Ok(before), Ok(after)) => Counted::Counts { before, after },
            (Err(reason), _) | (_, Err(reason)) => Counted::Impossible(reason),
        };
    }
}
