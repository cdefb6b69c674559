//! About how many vertices a label has, from the sizes of files: for plans, which need no more than that.

use graph_model::{IdStrategy, LabelId, VertexId};
use key_codec::{key, tables};

use crate::limits::{ESTIMATE_RUN_BYTES, ESTIMATE_RUNS_MIN};
use crate::read::view::View;

/// See [`graph_access::GraphRead::estimated_vertex_count`]. The whole label has as many times the vertices read as it
/// takes the bytes in files that these take. Rows not yet in a file count where they were read but not in the bytes: as
/// long as they lie all over the label, that changes little.
pub(crate) fn vertex_count(view: View<'_>, label: LabelId, read: u64, last: &VertexId) -> Option<u64> {
    let strategy = view.catalogue.vertex_label(label)?.id_strategy;
    let (mut prefix, mut reached) = (Vec::new(), Vec::new());
    let table = if strategy == IdStrategy::PrimaryKey {
        key::primary_key_vertices_prefix(&mut prefix, view.graph.number, label);
        key::vertex_partition(&mut reached, view.graph.number, last);
        tables::VERTEX
    } else {
        key::label_index_partition(&mut prefix, view.graph.number, label);
        reached.clone_from(&prefix);
        key::label_index_row(&mut reached, last);
        tables::LABEL_INDEX
    };
    let runs = view.graph.engine().split(table, &prefix, ESTIMATE_RUN_BYTES).ok()?;
    let before = runs.iter().skip(1).take_while(|run| run.start <= reached).count();
    if before < ESTIMATE_RUNS_MIN {
        return None;
    }
    let bytes = |runs: &[kv::Run]| runs.iter().map(|run| u128::from(run.bytes)).sum::<u128>();
    let count = u128::from(read) * bytes(&runs) / bytes(runs.get(..before)?).max(1);
    u64::try_from(count).ok().map(|count| count.max(read))
}
