/// The schedule, as it was computed when the program was built.
pub static SCHEDULE: ::taut_scheduling::Schedule = ::taut_scheduling::Schedule::from_parts(
    ::taut_scheduling::Strategy::MaximumUrgencyFirst,
    &[
        ::taut_scheduling::Entry {
            name: ::std::borrow::Cow::Borrowed("M::I0::op0"),
            priority: 99,
            level: 0,
            subpriority: 1,
            period_ns: 1000000,
            deadline_ns: 1000000,
            total_ns: 20,
            criticality: ::taut_scheduling::Criticality::High,
            importance: ::taut_scheduling::Importance::VeryLow,
            is_released: true,
        },
        ::taut_scheduling::Entry {
            name: ::std::borrow::Cow::Borrowed("M::Helper::help0"),
            priority: 99,
            level: 0,
            subpriority: 0,
            period_ns: 1000000,
            deadline_ns: 1000000,
            total_ns: 5,
            criticality: ::taut_scheduling::Criticality::Medium,
            importance: ::taut_scheduling::Importance::Medium,
            is_released: false,
        },
        ::taut_scheduling::Entry {
            name: ::std::borrow::Cow::Borrowed("M::I1::op1"),
            priority: 98,
            level: 1,
            subpriority: 1,
            period_ns: 2000000,
            deadline_ns: 2000000,
            total_ns: 20,
            criticality: ::taut_scheduling::Criticality::Medium,
            importance: ::taut_scheduling::Importance::Low,
            is_released: true,
        },
        ::taut_scheduling::Entry {
            name: ::std::borrow::Cow::Borrowed("M::Helper::help1"),
            priority: 98,
            level: 1,
            subpriority: 0,
            period_ns: 2000000,
            deadline_ns: 2000000,
            total_ns: 5,
            criticality: ::taut_scheduling::Criticality::Medium,
            importance: ::taut_scheduling::Importance::Medium,
            is_released: false,
        },
    ],
    &[3, 2],
    &[0, 2, 4294967295, 3, 1, 4294967295, 4294967295, 4294967295],
);

/// The handle of each operation.
pub mod handles {
    /// The handle of `M::I0::op0`.
    pub const M_I0_OP0: ::taut_scheduling::Handle = ::taut_scheduling::Handle(0);
    /// The handle of `M::Helper::help0`.
    pub const M_HELPER_HELP0: ::taut_scheduling::Handle = ::taut_scheduling::Handle(1);
    /// The handle of `M::I1::op1`.
    pub const M_I1_OP1: ::taut_scheduling::Handle = ::taut_scheduling::Handle(2);
    /// The handle of `M::Helper::help1`.
    pub const M_HELPER_HELP1: ::taut_scheduling::Handle = ::taut_scheduling::Handle(3);
}
