//! How likely an edge between two vertices is, by their neighbours in a plain graph.

use crate::csr::Csr;
use crate::truss::common;
use crate::{Result, Vertex};

/// A score for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkScore {
    /// How many neighbours they share.
    CommonNeighbours,
    /// The neighbours they share, each counting 1 / ln(its neighbours) (Adamic, Adar 2003).
    AdamicAdar,
    /// The neighbours they share, each counting 1 / its neighbours (Zhou, Lu, Zhang 2009).
    ResourceAllocation,
    /// The product of how many neighbours they have (Barabasi, Albert 1999).
    PreferentialAttachment,
    /// How many neighbours they have together.
    TotalNeighbours,
    /// The neighbours they share, of those they have together.
    Jaccard,
}

impl LinkScore {
    /// By its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "common_neighbours" | "common_neighbors" => Self::CommonNeighbours,
            "adamic_adar" => Self::AdamicAdar,
            "resource_allocation" => Self::ResourceAllocation,
            "preferential_attachment" => Self::PreferentialAttachment,
            "total_neighbours" | "total_neighbors" => Self::TotalNeighbours,
            "jaccard" => Self::Jaccard,
            _ => return None,
        })
    }
}

/// The score of two vertices of a plain graph.
///
/// # Errors
/// [`crate::AnalyticsError::NoVertex`].
#[expect(clippy::cast_precision_loss, reason = "a score")]
pub fn link_score(plain: &Csr, a: Vertex, b: Vertex, score: LinkScore) -> Result<f64> {
    plain.check_vertices([&a, &b])?;
    let degree = |vertex: Vertex| plain.degree(vertex as usize) as f64;
    let shared = || common(plain, a, b);
    Ok(match score {
        LinkScore::CommonNeighbours => shared().count() as f64,
        LinkScore::AdamicAdar => shared().map(degree).filter(|own| *own > 1.0).map(|own| 1.0 / own.ln()).sum(),
        LinkScore::ResourceAllocation => shared().map(|own| 1.0 / degree(own)).sum(),
        LinkScore::PreferentialAttachment => degree(a) * degree(b),
        LinkScore::TotalNeighbours => degree(a) + degree(b) - shared().count() as f64,
        LinkScore::Jaccard => {
            let (both, all) = (shared().count() as f64, degree(a) + degree(b));
            if all > 0.0 { both / (all - both) } else { 0.0 }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::run::Run;

    #[test]
    fn scores_are_those_of_the_neighbours() {
        let run = Run::alone();
        let edges = [(0, 2, 1.0), (0, 3, 1.0), (1, 2, 1.0), (1, 3, 1.0), (3, 4, 1.0), (1, 4, 1.0)];
        let plain = Graph::from_edges(5, &edges, false, &run).unwrap().plain(&run).unwrap();
        let of = |name| link_score(&plain, 0, 1, LinkScore::named(name).unwrap()).unwrap();
        assert_eq!(of("common_neighbours"), 2.0);
        assert_eq!(of("adamic_adar"), 1.0 / 2.0_f64.ln() + 1.0 / 3.0_f64.ln());
        assert_eq!(of("resource_allocation"), 0.5 + 1.0 / 3.0);
        assert_eq!((of("preferential_attachment"), of("total_neighbors"), of("jaccard")), (6.0, 3.0, 2.0 / 3.0));
        assert!(link_score(&plain, 0, 5, LinkScore::Jaccard).is_err());
    }
}
