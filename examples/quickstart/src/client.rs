//! The client: a reference, calls, and an object of its own.

use std::error::Error;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use taut::Orb;

use crate::latency;
use crate::weather::service::HistoryError;
use crate::weather::{Observation, Observer, ObserverSkeleton, Service, ServiceRef, Sky};

/// An object that the server calls.
struct Watch(Mutex<Sender<Observation>>);

impl Observer for Watch {
    fn observed(&self, latest: &Observation) -> taut::Result<()> {
        if let Ok(sender) = self.0.lock() {
            // Nobody listens any more: the client is done.
            let _ = sender.send(latest.clone());
        }
        Ok(())
    }
}

pub(crate) fn run(orb: &Orb, reference: &str, raw: Option<&str>) -> Result<(), Box<dyn Error>> {
    latency::pin_to_the_last_cpu();
    let service: ServiceRef = orb.string_to_object(reference)?.narrow()?;
    println!("The client, process {}, calls it:", std::process::id());

    // An object of ours, whose reference is passed as an argument.
    let (sender, observed) = channel();
    let poa = orb.root_poa()?;
    let watch = poa.activate(ObserverSkeleton::new(Watch(Mutex::new(sender))))?;
    poa.manager().activate()?;
    service.watch(Some(&watch))?;
    println!("  watch(observer)");

    for (station, celsius, conditions) in [
        ("Zugspitze", -11.5, Sky::Snow),
        ("Kraków", 4.0, Sky::Cloudy),
        ("Kraków", 5.5, Sky::Rain),
        ("東京", 17.25, Sky::Clear),
    ] {
        let station = station.to_owned();
        service.report(&Observation {
            station,
            celsius,
            conditions,
        })?;
        let seen = observed.recv_timeout(Duration::from_secs(10))?;
        println!(
            "  report({})\n    and the server called back: observed({})",
            show(&seen),
            show(&seen)
        );
    }

    let history = service.history("Kraków", 10)?;
    let history: Vec<String> = history.iter().map(show).collect();
    println!("  history(\"Kraków\") = [{}]", history.join(", "));
    match service.history("Atlantis", 10) {
        Err(HistoryError::UnknownStation(unknown)) => println!(
            "  history(\"Atlantis\") raised UnknownStation {{ station: {:?}, known: {} }}",
            unknown.station,
            unknown.known.join(", ")
        ),
        outcome => return Err(format!("history(\"Atlantis\") = {outcome:?}").into()),
    }
    let extremes = service.extremes()?;
    println!(
        "  extremes() = {}, coldest {}, difference {} °C",
        show(&extremes.result),
        show(&extremes.coldest),
        extremes.difference
    );
    println!("  count = {}\n", service.count()?);

    if let Some(raw) = raw {
        latency::compare(&service, raw)?;
    }
    orb.shutdown(true)?;
    Ok(())
}

fn show(observation: &Observation) -> String {
    let Observation {
        station,
        celsius,
        conditions,
    } = observation;
    format!("{station} {celsius} °C {conditions:?}")
}
