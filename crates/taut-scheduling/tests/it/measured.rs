//! Measured times, fed back.

use taut_scheduling::{AnomalyKind, CallKind, Measurements, Repository};

#[test]
fn measured_times_replace_worst_cases() {
    let mut repository = Repository::default();
    let a = repository.describe("M::a");
    let b = repository.describe("M::b");
    repository[a].worst_case_ns = 1_000;
    repository[b].worst_case_ns = 500;
    repository.add_dependency(a, b, 2, CallKind::TwoWay);
    let mut measurements = Measurements::default();
    measurements.note("M::a", 1_500);
    measurements.note("M::a", 1_400);
    measurements.note("M::b", 600);
    measurements.note("x", 1);
    let text = measurements.to_toml();
    assert_eq!(Measurements::from_toml(&text).unwrap(), measurements);
    let anomalies = measurements.apply(&mut repository, 10);
    assert_eq!(repository[b].worst_case_ns, 660);
    assert_eq!(repository[a].worst_case_ns, 1_650 - 2 * 660);
    let kinds: Vec<_> = anomalies.iter().map(|anomaly| anomaly.kind).collect();
    let expected = [
        AnomalyKind::MeasuredUnknown,
        AnomalyKind::MeasuredBeyondWorstCase,
    ];
    assert_eq!(kinds, expected);
    assert!(
        anomalies[1].message.contains("`M::b` took 600ns"),
        "{anomalies:?}"
    );
}

#[test]
fn faults_of_a_file_have_their_line() {
    for (text, line) in [
        ("[measured]\na = \"1\"", 2),
        ("[measured]\na = 1", 2),
        ("x", 1),
    ] {
        assert_eq!(
            Measurements::from_toml(text).unwrap_err().line,
            line,
            "{text}"
        );
    }
}
