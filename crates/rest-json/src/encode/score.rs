//! Writing scores of vertices: similar vertices and ranks.

use graph_model::VertexId;

use super::element::write_vertex_id;
use super::traverser::{key_text, write_scores};
use crate::text::{Object, push_array, push_double};

/// A vertex similar to another one.
#[derive(Clone, Copy, Debug)]
pub struct SimilarView<'a> {
    /// The vertex.
    pub id: &'a VertexId,
    /// How similar it is.
    pub score: f64,
    /// The neighbours both have, where they are shown.
    pub intermediaries: &'a [VertexId],
}

/// Appends an object with the similar vertices of each vertex.
pub fn write_similars<'a>(
    out: &mut Vec<u8>,
    similars: impl IntoIterator<Item = (&'a VertexId, impl IntoIterator<Item = SimilarView<'a>>)>,
) {
    let mut object = Object::open(out);
    for (id, similars) in similars {
        push_array(object.field(&key_text(id)), similars, |out, similar| {
            let mut object = Object::open(out);
            write_vertex_id(object.field("id"), similar.id);
            push_double(object.field("score"), similar.score);
            push_array(object.field("intermediaries"), similar.intermediaries, write_vertex_id);
            object.close();
        });
    }
    object.close();
}

/// Appends an array with an object of scores for each layer.
pub fn write_score_layers<'a>(
    out: &mut Vec<u8>,
    layers: impl IntoIterator<Item = impl IntoIterator<Item = (&'a VertexId, f64)>>,
) {
    push_array(out, layers, |out, layer| write_scores(out, layer));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_by_vertex() {
        let (ann, seven) = (VertexId::String("1:ann".into()), VertexId::Number(7));
        let mut out = Vec::new();
        let similar = SimilarView { id: &seven, score: 0.5, intermediaries: std::slice::from_ref(&ann) };
        write_similars(&mut out, [(&ann, vec![similar]), (&seven, vec![])]);
        let expected = r#"{"1:ann":[{"id":7,"score":0.5,"intermediaries":["1:ann"]}],"7":[]}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        let mut out = Vec::new();
        write_score_layers(&mut out, [vec![(&seven, 1.0)], vec![]]);
        assert_eq!(String::from_utf8(out).unwrap(), r#"[{"7":1.0},{}]"#);
    }
}
