//! Both ends of an adapter during a run: the simulator behind it is found before, and what arrived there
//! is held against what was sent afterwards.

use std::sync::Arc;

use futures_util::future::join_all;
use url::Url;

use super::checks::Checks;
use super::passages::passages;
use super::upstream::{Upstream, UpstreamError, Watch};
use super::{Found, Pair};
use crate::ir::Digest;
use crate::regress::passage::PassageView;
use crate::sim::Arrival;
use crate::store::{Evidence, StoreError};
use crate::target::Connection;

/// Why the two ends could not be compared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BothEndsError {
    /// The simulator behind the adapter cannot be seen.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// The evidence cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The upstream's end of an adapter, watched during a run.
#[derive(Debug, Clone)]
pub(crate) struct BothEnds {
    upstream: Upstream,
    before: u64,
    nonce: String,
    streams: usize,
    watch: Arc<Watch>,
}

impl BothEnds {
    /// Finds the simulator behind the adapter: at the address that was given, or by asking one model
    /// after the other. The run's word makes its requests known again; so many streams are sent at
    /// once.
    pub(crate) async fn watch(
        pairs: &[Pair],
        given: Option<&Url>,
        run: &str,
        streams: usize,
    ) -> Result<Self, UpstreamError> {
        let nonce = format!("n{}", Digest::of(run).hex().get(..8).unwrap_or_default());
        let upstream = match given {
            Some(url) => Upstream::at(url.clone())?,
            None => find(pairs, &nonce).await?,
        };
        let watch = Arc::new(upstream.watch(&nonce).await?);
        let before = upstream.latest().await?;
        Ok(Self { upstream, before, nonce, streams, watch })
    }

    /// Lets another gate watch.
    pub(crate) async fn end(&self) {
        self.watch.end().await;
    }

    /// Sends the checks, and adds to each model's side what happened on the way.
    pub(crate) async fn compare(
        &self,
        pairs: &[Pair],
        found: &mut Found,
        evidence: &Evidence,
    ) -> Result<(), BothEndsError> {
        let checks = Checks::new(self.upstream.clone(), self.nonce.clone())?;
        let sent = join_all(pairs.iter().map(async |pair| {
            let name = &pair.through.target.name;
            let journal = evidence.begin(&format!("checks/{name}"));
            let mut noted = PassageView::default();
            let rich = checks.send_rich(pair, &journal).await;
            checks.check_pace(pair, &journal, &mut noted).await;
            (rich, noted, journal)
        }))
        .await;
        let arrivals = self.upstream.arrivals(self.before).await?;
        for (pair, (rich, noted, journal)) in pairs.iter().zip(sent) {
            let Some(side) = found.get_mut(&pair.through.target.name) else { continue };
            let mut exchanges = evidence.of_target(&pair.through.target.name)?;
            exchanges.extend(rich);
            let own = of_model(&arrivals, &pair.direct);
            let upstream = evidence.begin(&format!("upstream/{}", pair.through.target.name));
            let dialect = side.profile.dialect;
            side.passages = PassageView::of(&passages(dialect, exchanges, &own, &upstream));
            side.passages.take_notes(noted);
            upstream.close()?;
            journal.close()?;
        }
        self.check_once(&checks, pairs, found, evidence).await
    }

    /// What is asked of the adapter once, whatever stands behind it.
    async fn check_once(
        &self,
        checks: &Checks,
        pairs: &[Pair],
        found: &mut Found,
        evidence: &Evidence,
    ) -> Result<(), BothEndsError> {
        let Some(pair) = pairs.iter().find(|pair| found.contains_key(&pair.through.target.name))
        else {
            return Ok(());
        };
        let mut noted = PassageView::default();
        let journal = evidence.begin("checks/streams");
        checks.check_hang_up(pair, &mut noted).await?;
        checks.check_crowd(pair, self.streams, &journal, &mut noted).await;
        journal.close()?;
        if let Some(side) = found.get_mut(&pair.through.target.name) {
            side.passages.take_notes(noted);
        }
        Ok(())
    }
}

async fn find(pairs: &[Pair], nonce: &str) -> Result<Upstream, UpstreamError> {
    let mut problem = UpstreamError::NotTold("no model was asked".to_owned());
    for pair in pairs {
        let Some(access) = pair.through.target.endpoint.accesses.first() else { continue };
        match Upstream::find(&pair.through, access, nonce).await {
            Ok(upstream) => return Ok(upstream),
            Err(error) => problem = error,
        }
    }
    Err(problem)
}

/// The arrivals for the model that stands behind a pair.
fn of_model(arrivals: &[Arrival], direct: &Connection) -> Vec<Arrival> {
    let model = Some(direct.target.model.as_str());
    arrivals.iter().filter(|arrival| arrival.model.as_deref() == model).cloned().collect()
}
