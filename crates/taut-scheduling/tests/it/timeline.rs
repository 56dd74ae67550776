//! Timelines as pictures and traces.

use std::collections::BTreeMap;

use serde_json::Value;
use taut_scheduling::{Options, Strategy, Task, TaskSet, Timeline, analyze, may_miss, simulate};

fn timeline() -> Timeline {
    let tasks = vec![
        Task::new("fast <&\"", 5_000, 2_000),
        Task::new("slow", 7_000, 4_000),
    ];
    let set = TaskSet::from_tasks(tasks);
    simulate(&set, &Options::new(Strategy::RateMonotonic), None)
        .unwrap()
        .timeline
}

#[test]
fn a_simulation_shows_who_has_the_processor_when() {
    let timeline = timeline();
    let first: Vec<_> = timeline.slices[..4]
        .iter()
        .map(|slice| (slice.task, slice.start_ns, slice.end_ns))
        .collect();
    // The slow task misses its deadline at 7,000.
    assert_eq!(
        first,
        [
            (0, 0, 2_000),
            (1, 2_000, 5_000),
            (0, 5_000, 7_000),
            (1, 7_000, 8_000)
        ]
    );
    assert_eq!(timeline.end_ns, 70_000);
    assert!(timeline.misses() >= 1);
}

#[test]
fn a_picture_has_a_box_for_each_slice_and_arrows_for_each_job() {
    let timeline = timeline();
    let svg = timeline.to_svg();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<title>").count(), timeline.slices.len());
    let due = timeline
        .jobs
        .iter()
        .filter(|job| job.deadline_ns <= timeline.end_ns);
    assert_eq!(
        svg.matches("<path").count(),
        timeline.jobs.len() + due.count()
    );
    assert!(svg.contains("fast &lt;&amp;&quot;") && svg.contains("#cc3311"));
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
}

#[test]
fn a_trace_has_an_event_for_each_slice_release_and_miss() {
    let timeline = timeline();
    let json = timeline.to_trace_json();
    assert_eq!(json.matches("\"ph\":\"X\"").count(), timeline.slices.len());
    assert_eq!(json.matches("\"release\"").count(), timeline.jobs.len());
    assert_eq!(
        json.matches("\"deadline missed\"").count(),
        timeline.misses()
    );
    assert!(json.contains("\"ts\":2.000,\"dur\":3.000") && json.contains("fast <&\\\""));
    assert_eq!(json.matches('{').count(), json.matches('}').count());
}

#[test]
fn a_trace_is_what_perfetto_opens() {
    // Only what ends with the hyperperiod, so that the expected trace can be read.
    let tasks = vec![
        Task::new("fast", 5_000, 2_000),
        Task::new("slow", 10_000, 5_000),
    ];
    let set = TaskSet::from_tasks(tasks);
    let options = Options::new(Strategy::RateMonotonic);
    let json = simulate(&set, &options, Some(10_000))
        .unwrap()
        .timeline
        .to_trace_json();
    let expected = include_str!("../data/trace.json");
    assert!(json == expected, "the trace should be\n{json}");

    let trace: Value = serde_json::from_str(&timeline().to_trace_json()).unwrap();
    assert_eq!(trace["displayTimeUnit"], "ns");
    let mut busy: BTreeMap<u64, f64> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().unwrap() {
        let (number, text) = (
            |name: &str| event[name].as_f64(),
            |name: &str| event[name].as_str(),
        );
        let thread = event["tid"].as_u64().unwrap();
        assert_eq!(event["pid"], 1);
        assert!(text("name").is_some(), "{event}");
        match text("ph").unwrap() {
            "M" => assert!(event["args"]["name"].is_string()),
            "i" => assert!(number("ts").is_some() && text("s") == Some("t"), "{event}"),
            "X" => {
                let (start, length) = (number("ts").unwrap(), number("dur").unwrap());
                // Slices of a thread follow each other: viewers would nest them otherwise.
                let end = busy.entry(thread).or_default();
                assert!(start >= *end && length > 0.0, "{event}");
                *end = start + length;
                assert!(event["args"]["job"].is_u64() && event["args"]["is_last"].is_boolean());
            }
            other => panic!("no event of a trace: {other}"),
        }
    }
    assert_eq!(busy.len(), 2);
}

#[test]
fn what_may_miss_is_what_the_analysis_names_and_what_is_late_because_of_it() {
    let tasks = vec![
        Task::new("fast", 5_000, 2_000),
        Task::new("slow", 7_000, 4_000),
    ];
    let set = TaskSet::from_tasks(tasks);
    let named = |strategy| {
        let options = Options::new(strategy);
        let analysis = analyze(&set, &options).unwrap();
        let operations = may_miss(&set, &analysis, &options).unwrap();
        operations
            .into_iter()
            .map(|handle| handle.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(named(Strategy::RateMonotonic), [1]);
    assert!(named(Strategy::EarliestDeadlineFirst).is_empty());

    let tasks = vec![
        Task::new("fast", 5_000, 3_000),
        Task::new("slow", 7_000, 4_000),
    ];
    let set = TaskSet::from_tasks(tasks);
    let options = Options::new(Strategy::EarliestDeadlineFirst);
    let analysis = analyze(&set, &options).unwrap();
    assert_eq!(may_miss(&set, &analysis, &options).unwrap().len(), 2);
}

#[test]
fn a_part_of_a_timeline_begins_at_nothing() {
    let part = timeline().between(6_000, 12_000);
    let slices: Vec<_> = part
        .slices
        .iter()
        .map(|it| (it.task, it.start_ns, it.end_ns))
        .collect();
    // The fast job that was released at 5,000 is there, and what runs on from 10,000.
    let expected = [
        (0, 0, 1_000),
        (1, 1_000, 2_000),
        (1, 2_000, 4_000),
        (0, 4_000, 6_000),
    ];
    assert_eq!(slices, expected);
    let releases: Vec<_> = part
        .jobs
        .iter()
        .map(|job| (job.task, job.release_ns))
        .collect();
    assert_eq!(releases, [(1, 0), (0, 0), (1, 1_000), (0, 4_000)]);
    assert_eq!(part.end_ns, 6_000);
    assert!(
        part.slices
            .iter()
            .all(|slice| part.jobs[slice.job].task == slice.task)
    );
}
