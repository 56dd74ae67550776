//! Files that describe operations.

use taut_scheduling::{
    CallKind, Criticality, Description, Handle, Phasing, Preemption, Strategy, TaskSet, analyze,
};

#[test]
fn a_file_has_operations_options_and_places() {
    let text = r#"
strategy = "muf"
preemption = "between-operations"
phasing = "offsets"
context_switch = "5us"
quantum = "1ms"
priorities = { lowest = 10, highest = 30 }
limits = { max_jobs = 77 }

[[operation]]
name = "Radar::sweep"
wcet = "2ms"
period = "10ms"
deadline = "8ms"
offset = "1ms"
criticality = "very-high"
threads = 2
calls = ["Track::update", { operation = "Log::write", times = 3, oneway = true }]

[[operation]]
name = "Track::update"
wcet = "300us"
typical = "200us"

[[operation]]
name = "Log::write"
wcet = "50us"
"#;
    let description = Description::from_toml(text).unwrap();
    let options = &description.options;
    assert_eq!(options.strategy, Strategy::MaximumUrgencyFirst);
    assert_eq!(options.preemption, Preemption::BetweenOperations);
    assert_eq!(options.phasing, Phasing::Offsets);
    assert_eq!(
        (options.context_switch_ns, options.quantum_ns),
        (5_000, Some(1_000_000))
    );
    assert_eq!(
        (options.priorities.clone(), options.limits.max_jobs),
        (10..=30, 77)
    );
    let repository = &description.repository;
    let sweep = repository.lookup("Radar::sweep").unwrap();
    let info = &repository[sweep];
    assert_eq!(
        (info.worst_case_ns, info.period_ns),
        (2_000_000, Some(10_000_000))
    );
    assert_eq!(
        (info.deadline_ns, info.offset_ns),
        (Some(8_000_000), 1_000_000)
    );
    assert_eq!(
        (info.criticality, info.threads),
        (Criticality::VeryHigh, Some(2))
    );
    let calls: Vec<_> = info
        .dependencies
        .iter()
        .map(|one| (one.calls, one.kind))
        .collect();
    assert_eq!(calls, [(1, CallKind::TwoWay), (3, CallKind::OneWay)]);
    let update = repository.lookup("Track::update").unwrap();
    assert_eq!(repository[update].typical_ns, Some(200_000));
    assert_eq!(
        &text[description.places[update.0 as usize].clone()],
        "\"Track::update\""
    );
    assert_eq!(sweep, Handle(0));
}

#[test]
fn the_files_of_the_page_describe_feasible_schedules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scheduling.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks = test_tools::code_blocks(&page);
    let files: Vec<_> = blocks
        .iter()
        .filter(|block| block.language == "toml")
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let description = Description::from_toml(file.text).unwrap();
        let set = TaskSet::of(&description.repository, &description.options.limits).unwrap();
        assert!(analyze(&set, &description.options).unwrap().is_feasible());
    }
}

#[test]
fn faults_of_a_file_have_their_line_and_remedy() {
    for (text, line, part) in [
        (
            "strategy = \"fifo\"",
            1,
            "there is no strategy `fifo`; choose one of rms",
        ),
        ("\nstrategy = 7", 2, "invalid type"),
        ("phasing = \"some\"", 1, "neither `any` nor `offsets`"),
        (
            "priorities = { lowest = 3, highest = 2 }",
            1,
            "is above the highest",
        ),
        (
            "[[operation]]\nname = \"a\"\nperiode = \"1ms\"",
            3,
            "unknown field `periode`",
        ),
        (
            "[[operation]]\nname = \"a\"\nperiod = \"1\"",
            3,
            "has no unit",
        ),
        ("[[operation]]\nwcet = \"1ms\"", 1, "missing field `name`"),
        (
            "[[operation]]\nname = \"a\"\ncalls = [1]",
            3,
            "a call is the name",
        ),
        (
            "[[operation]]\nname = \"a\"\ncriticality = \"most\"",
            3,
            "no degree `most`",
        ),
        (
            "[[operation]]\nname = \"a\"\n[[operation]]\nname = \"a\"",
            4,
            "described twice",
        ),
        ("a = ", 1, ""),
    ] {
        let error = Description::from_toml(text).unwrap_err();
        assert!(error.message.contains(part), "{text}: {error}");
        assert_eq!(error.line, line, "{text}: {error}");
    }
    let long = "#".repeat((4 << 20) + 1);
    let error = Description::from_toml(&long).unwrap_err();
    assert!(error.message.contains("which is the limit"), "{error}");
}

#[test]
fn an_anomaly_is_shown_with_the_line_that_describes_its_operation() {
    let text = "[[operation]]\nname = \"é\"\nwcet = \"6ms\"\nperiod = \"5ms\"\n";
    let description = Description::from_toml(text).unwrap();
    let set = TaskSet::of(&description.repository, &description.options.limits).unwrap();
    let analysis = analyze(&set, &description.options).unwrap();
    let shown = description.render(&analysis.anomalies[0], "a.toml", text);
    let expected = "error[deadline-missed]: `é` misses its deadline of 5ms: the processor is asked \
                    for 120.0 %, and 1ms are missing in each of the task's periods\n \
                    --> a.toml:2:8\n  |\n2 | name = \"é\"\n  |        ^^^\n  \
                    = help: shorten what runs before it, or lengthen periods or deadlines\n";
    assert_eq!(shown, expected);
    let wrong = "strategy = \"fifo\"";
    let error = Description::from_toml(wrong)
        .unwrap_err()
        .render("b.toml", wrong);
    assert!(
        error.contains(" --> b.toml:1:12\n  |\n1 | strategy = \"fifo\"\n"),
        "{error}"
    );
}

#[test]
fn a_description_is_read_as_it_is_written() {
    let text = "\
strategy = \"muf\"
preemption = \"between-operations\"
phasing = \"offsets\"
context_switch = \"5us\"
quantum = \"100us\"
priorities = { lowest = 10, highest = 20 }

[[operation]]
name = \"Radar::sweep\"
period = \"10ms\"
wcet = \"2ms\"
typical = \"1.5ms\"
deadline = \"8ms\"
offset = \"1ms\"
jitter = \"100us\"
blocking = \"50us\"
criticality = \"high\"
importance = \"very-low\"
threads = 2
calls = [
    \"Store::update\",
    { operation = \"Log::write\", times = 2, oneway = true },
]

[[operation]]
name = \"Store::update\"
wcet = \"500us\"

[[operation]]
name = \"Log \\\"x\\\"\"
wcet = \"100us\"
";
    let description = Description::from_toml(text).unwrap();
    assert_eq!(description.to_toml(), text);
    // Handles follow the file, although the first operation calls what stands behind it.
    let names: Vec<_> = description
        .repository
        .iter()
        .map(|(_, info)| &info.entry_point[..])
        .collect();
    assert_eq!(
        names,
        ["Radar::sweep", "Store::update", "Log \"x\"", "Log::write"]
    );
    let plain = Description::default().to_toml();
    assert_eq!(
        plain,
        "strategy = \"rms\"\npriorities = { lowest = 1, highest = 99 }\n"
    );
}
