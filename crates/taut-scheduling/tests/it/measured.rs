//! Measured times, fed back.

use taut_scheduling::{AnomalyKind, CallKind, Description, Measurements, Repository};

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

const DESCRIPTION: &str = "\
# Times are estimates.
[[operation]]
name = \"M::a\" # the caller
period = \"10ms\"
wcet = \"2ms\"
calls = [{ operation = \"M::b\", times = 2 }]

[[operation]]
name = \"M::b\"
wcet = \"500us\" # measured once
typical = \"400us\"

[[operation]]
name = \"M::c\"
period = \"1s\"
wcet = \"1ms\"
";

#[test]
fn feeding_back_changes_times_and_nothing_else() {
    let measurements = Measurements::from_toml(
        "[measured]\n\"M::a\" = \"3ms\"\n\"M::b\" = \"600us\"\n\
         [typical]\n\"M::a\" = \"1ms\"\n\"M::b\" = \"250us\"\n",
    )
    .unwrap();
    let changed = measurements.feed_back(DESCRIPTION, 10).unwrap();
    let expected = DESCRIPTION
        .replace("# the caller\n", "# the caller\ntypical = \"500us\"\n")
        .replace("\"2ms\"", "\"1.98ms\"")
        .replace("\"500us\" # measured", "\"660us\" # measured")
        .replace("\"400us\"", "\"250us\"");
    assert_eq!(changed, expected);
    assert_eq!(measurements.feed_back(&changed, 10).unwrap(), changed);
    assert_eq!(
        Measurements::default().feed_back(DESCRIPTION, 10).unwrap(),
        DESCRIPTION
    );
    assert_eq!(measurements.feed_back("name = 1", 0).unwrap_err().line, 1);
}

#[test]
fn times_are_put_into_inline_tables_too() {
    let text = "operation = [{ name = \"a\", period = \"1s\", calls = [\"b\"] }, { name = \"b\" }]";
    let measurements = Measurements::from_toml("[measured]\na = \"3ms\"\nb = \"1ms\"").unwrap();
    let changed = measurements.feed_back(text, 0).unwrap();
    let repository = Description::from_toml(&changed).unwrap().repository;
    let times: Vec<_> = repository
        .iter()
        .map(|(_, info)| info.worst_case_ns)
        .collect();
    assert_eq!(times, [2_000_000, 1_000_000], "{changed}");
}
