//! What would the model say?

use crate::ir::{Part, Reply, Request, Stop, StopKind};
use crate::sim::draw::Draw;
use crate::sim::model::ModelFile;

/// The reply of this model to this request. Pure: it reads the conversation and the tools only.
///
/// Call ids are unique and legal everywhere (`call_` and 24 lower-case letters or digits); a server
/// whose ids look otherwise rewrites them.
pub fn answer(_request: &Request, model: &ModelFile, _draw: &Draw) -> Reply {
    let mut reply =
        Reply::new(vec![Part::Text("Hello.".to_owned())], Stop::unlabelled(StopKind::EndTurn));
    reply.model_echo = Some(model.name.clone());
    reply
}
