//! The metrics of calls.

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};

use crate::conventions::{
    CLIENT_DURATION, CLIENT_EXCEPTIONS, CORBA, ERROR_TYPE, RPC_METHOD, RPC_SYSTEM_NAME,
    SERVER_DURATION, SERVER_EXCEPTIONS,
};

/// Upper bounds of a histogram's buckets, in seconds: those of the conventions, and shorter
/// ones, for a call within a machine takes some 20 µs.
const BOUNDARIES: [f64; 21] = [
    0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025,
    0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0,
];

/// The instruments of one side.
#[derive(Debug)]
pub(crate) struct Instruments {
    duration: Histogram<f64>,
    exceptions: Counter<u64>,
}

impl Instruments {
    /// Those of the calls that an ORB makes.
    pub(crate) fn of_client(meter: &Meter) -> Self {
        Self::new(
            meter,
            (CLIENT_DURATION, CLIENT_EXCEPTIONS),
            "calls that an ORB has made",
        )
    }

    /// Those of the requests that an ORB has received.
    pub(crate) fn of_server(meter: &Meter) -> Self {
        let of = "requests that an ORB has received";
        Self::new(meter, (SERVER_DURATION, SERVER_EXCEPTIONS), of)
    }

    fn new(meter: &Meter, (duration, exceptions): (&'static str, &'static str), of: &str) -> Self {
        Self {
            duration: meter
                .f64_histogram(duration)
                .with_unit("s")
                .with_description(format!("The duration of {of}"))
                .with_boundaries(BOUNDARIES.to_vec())
                .build(),
            exceptions: meter
                .u64_counter(exceptions)
                .with_unit("{exception}")
                .with_description(format!("The exceptions of {of}"))
                .build(),
        }
    }

    /// Records a call that has ended, with this `error.type` if it failed.
    pub(crate) fn record(&self, method: &str, seconds: f64, error: Option<&str>) {
        let method = KeyValue::new(RPC_METHOD, method.to_owned());
        let system = KeyValue::new(RPC_SYSTEM_NAME, CORBA);
        match error {
            None => self.duration.record(seconds, &[system, method]),
            Some(error) => {
                let error = KeyValue::new(ERROR_TYPE, error.to_owned());
                let attributes = [system, method, error];
                self.duration.record(seconds, &attributes);
                self.exceptions.add(1, &attributes);
            }
        }
    }
}
