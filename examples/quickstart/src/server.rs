//! The server: a servant, an object, a reference.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Mutex, PoisonError};
use std::thread;

use taut::{Orb, Reference};

use crate::latency;
use crate::weather::service::{ExtremesReply, HistoryError};
use crate::weather::{
    Observation, Observations, Observer, ObserverRef, Service, ServiceSkeleton, UnknownStation,
};

/// The servant: any type that implements the trait of its interface.
#[derive(Default)]
struct Almanac {
    observations: Mutex<Observations>,
    observers: Mutex<Vec<ObserverRef>>,
}

impl Service for Almanac {
    fn count(&self) -> taut::Result<u32> {
        Ok(lock(&self.observations).len() as u32)
    }

    fn report(&self, latest: &Observation) -> taut::Result<()> {
        lock(&self.observations).push(latest.clone());
        // An observer that cannot be reached any more is dropped.
        lock(&self.observers).retain(|observer| observer.observed(latest).is_ok());
        Ok(())
    }

    fn history(&self, station: &str, at_most: u32) -> Result<Observations, HistoryError> {
        let observations = lock(&self.observations);
        let history: Observations = observations
            .iter()
            .rev()
            .filter(|observation| observation.station == station)
            .take(at_most as usize)
            .cloned()
            .collect();
        if history.is_empty() {
            let known: BTreeSet<_> = observations
                .iter()
                .map(|seen| seen.station.clone())
                .collect();
            return Err(UnknownStation {
                station: station.to_owned(),
                known: known.into_iter().collect(),
            }
            .into());
        }
        Ok(history)
    }

    fn watch(&self, watcher: Option<&ObserverRef>) -> taut::Result<()> {
        lock(&self.observers).extend(watcher.cloned());
        Ok(())
    }

    fn extremes(&self) -> taut::Result<ExtremesReply> {
        let observations = lock(&self.observations);
        let by_warmth = |a: &&Observation, b: &&Observation| a.celsius.total_cmp(&b.celsius);
        let warmest = observations
            .iter()
            .max_by(by_warmth)
            .cloned()
            .unwrap_or_default();
        let coldest = observations
            .iter()
            .min_by(by_warmth)
            .cloned()
            .unwrap_or_default();
        let difference = warmest.celsius - coldest.celsius;
        Ok(ExtremesReply {
            result: warmest,
            coldest,
            difference,
        })
    }

    fn ping(&self) -> taut::Result<()> {
        Ok(())
    }
}

/// Serves until standard input ends.
pub(crate) fn serve(orb: &Orb) -> Result<(), Box<dyn Error>> {
    latency::pin_to_the_last_cpu();
    let poa = orb.root_poa()?;
    let service = poa.activate(ServiceSkeleton::new(Almanac::default()))?;
    poa.manager().activate()?;
    println!("{}", orb.object_to_string(service.as_object()));

    // For comparison: the same exchange of octets without an ORB.
    println!("{}", latency::serve_raw()?);

    let waiting = orb.clone();
    thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        waiting.shutdown(true)
    });
    orb.run();
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
