//! The `-ORB` argument of each setting: Taut's name, and the names that other
//! ORBs have for the same.

use std::time::Duration;

use taut_cdr::{ByteOrder, CharCodeSet};
use taut_giop::Version;
use taut_giop::code_set::char_code_set_named;

use crate::priority::{Priority, SchedulingClass};
use crate::settings::{
    BidirectionalPolicy, CollocationStrategy, ConnectionSharing, DemultiplexingStrategy,
    FullBuffer, PenaltyPolicy, PredictabilityPolicy, PriorityMappingKind, RefusedOptions,
    ReverseDemultiplexing, Settings, SyncScope, TransportOrder, WaitStrategy, WithoutRights,
};
use crate::transport::{Address, ConnectionOptions, PeerNetwork};

/// The hint at further arguments in errors.
pub(super) const OTHERS: &str =
    ", and those of the settings, such as -ORBCallTimeout (docs/limits.md)";

/// The CPUs that the system knows in a set of them.
const MOST_CPUS: usize = 1_024;

/// The place of an argument in [`ARGUMENTS`] and its value, at most one of each setting, in
/// the order of these places: a later argument may change a part of what an earlier one
/// sets.
#[derive(Debug, Default)]
pub(super) struct SettingValues(Vec<(usize, String)>);

impl SettingValues {
    /// These values, and the weaker ones where there are none.
    pub(super) fn or(mut self, weaker: Self) -> Self {
        for (place, value) in weaker.0 {
            if self.of_same(place).is_none() {
                self.insert(place, value);
            }
        }
        self
    }

    /// Where the value of the setting is kept that this argument sets.
    fn of_same(&self, place: usize) -> Option<usize> {
        let setting = ARGUMENTS[place].setting;
        let mut values = self.0.iter();
        values.position(|(other, _)| ARGUMENTS[*other].setting == setting)
    }

    /// Takes the value of an argument, or says what to write; none if it is none of a
    /// setting.
    pub(super) fn take(&mut self, argument: &str, value: &str) -> Option<Result<(), &'static str>> {
        let place = find(argument)?;
        let (mut scratch, default) = (Settings::default(), Settings::default());
        let tried = (ARGUMENTS[place].treat)(&mut scratch, &default, Some(value));
        Some(tried.map(|_| {
            if let Some(before) = self.of_same(place) {
                self.0.remove(before);
            }
            self.insert(place, value.to_owned());
        }))
    }

    fn insert(&mut self, place: usize, value: String) {
        let before = self.0.partition_point(|(other, _)| *other < place);
        self.0.insert(before, (place, value));
    }

    /// The settings, changed as the values say where they are as by default.
    pub(super) fn applied_to(&self, explicit: Settings) -> Settings {
        let default = Settings::default();
        let (mut settings, mut explicit) = (explicit.clone(), explicit);
        for (place, value) in &self.0 {
            let treat = ARGUMENTS[*place].treat;
            if treat(&mut explicit, &default, None) == Ok(true) {
                // It was tried when it was taken.
                let _ = treat(&mut settings, &default, Some(value));
            }
        }
        settings
    }
}

/// The names of all arguments.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ARGUMENTS.iter().flat_map(SettingArgument::names)
}

/// Whether an argument is that of a setting.
pub(super) fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// The value of an argument that needs none, when none follows: `next` is the argument that
/// does.
pub(super) fn value_without(name: &str, next: Option<&String>) -> Option<&'static str> {
    let has_value = next.is_some_and(|next| switch(next).is_ok());
    (name == "-ORBgioplite" && !has_value).then_some("1")
}

/// An argument that sets a setting.
struct SettingArgument {
    /// As it is written, with a blank behind each name; the first is Taut's own.
    names: &'static str,
    /// The setting.
    setting: &'static str,
    /// Reads the value into the first settings, or says what to write. Without a value,
    /// tells whether both settings have it alike.
    treat: fn(&mut Settings, &Settings, Option<&str>) -> Result<bool, &'static str>,
}

impl SettingArgument {
    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.names.split_ascii_whitespace()
    }
}

/// The work of [`SettingArgument::treat`]. It is one function for each type of values, so
/// that what an argument adds to a program is little.
#[inline(never)]
fn treat<T: PartialEq>(
    field: &mut T,
    other: &T,
    text: Option<&str>,
    read: fn(&str) -> Read<T>,
) -> Read<bool> {
    match text {
        Some(text) => *field = read(text)?,
        None => return Ok(field == other),
    }
    Ok(true)
}

/// The argument with this name.
fn find(name: &str) -> Option<usize> {
    let has_name = |argument: &SettingArgument| argument.names().any(|known| known == name);
    ARGUMENTS.iter().position(has_name)
}

/// Makes the argument of one setting: its names, its place and how to read it.
macro_rules! argument {
    ([$($name:literal),+] $($field:ident).+ : $read:expr) => {
        SettingArgument {
            names: concat!($($name, " "),+),
            setting: stringify!($($field).+),
            treat: |one, other, text| {
                treat(&mut one.$($field).+, &other.$($field).+, text, $read)
            },
        }
    };
}

/// All of them, in the order of docs/limits.md.
const ARGUMENTS: &[SettingArgument] = &[
    SettingArgument {
        names: "-ORBMaxMessageSize -ORBgiopMaxMsgSize ",
        setting: "limits.framing.max_message_size",
        treat: |one, other, text| {
            let (framing, other) = (&mut one.limits.framing, &other.limits.framing);
            if let Some(text) = text {
                let size = number(text)?;
                framing.max_message_size = size;
                framing.max_reassembled_size = size;
                framing.max_partial_bytes = size.saturating_mul(2);
            }
            Ok(framing.max_message_size == other.max_message_size
                && framing.max_reassembled_size == other.max_reassembled_size)
        },
    },
    argument!(["-ORBMaxPartialMessages"] limits.framing.max_partial_messages: number),
    argument!(["-ORBMaxPartialBytes"] limits.framing.max_partial_bytes: number),
    argument!(["-ORBMaxEmptyFragments"] limits.framing.max_empty_fragments: number),
    argument!(["-ORBMaxServiceContexts"] limits.lists.max_service_contexts: number),
    argument!(["-ORBMaxServiceContextOctets"] limits.lists.max_service_context_octets: number),
    argument!(["-ORBMaxProfiles"] limits.lists.max_profiles: number),
    argument!(["-ORBMaxComponents"] limits.lists.max_components: number),
    argument!(["-ORBMaxTypeCodeNodes"] limits.type_codes.nodes: number_32),
    argument!(["-ORBMaxTypeCodeIndirections"] limits.type_codes.indirections: number_32),
    argument!(["-ORBMaxNameComponents"] limits.lists.max_name_components: number),
    argument!(["-ORBGiopVersion", "-ORBmaxGIOPVersion"] wire.giop_version: version),
    argument!(["-ORBgioplite"] wire.giop_lite: switch),
    argument!(["-ORBByteOrder"] wire.byte_order: byte_order),
    argument!(["-ORBNativeCharCodeSet", "-ORBnativeCharCodeSet"] wire.native_char_code_set: code_set),
    argument!(["-ORBCharCodeSets"] wire.char_code_sets: code_sets),
    argument!(["-ORBAssumeUTF16"] wire.assume_utf16: yes_or_no),
    argument!(["-ORBFragmentSize"] wire.fragment_size: number),
    argument!(["-ORBNestingLimit"] limits.nesting_limit: small_number),
    argument!(["-ORBMaxMemoryPerOctet"] limits.memory.per_octet: number),
    argument!(["-ORBMaxExtraMemory"] limits.memory.extra: number),
    argument!(["-ORBCyclicValues"] limits.cyclic_values: yes_or_no),
    argument!(["-ORBConnectTimeout"] client.connect_timeout: time),
    argument!(["-ORBclientConnectTimeOutPeriod"] client.connect_timeout: milliseconds),
    argument!(["-ORBMaxResolverThreads"] client.max_resolver_threads: number),
    argument!(["-ORBCallTimeout"] client.call_timeout: time_or_none),
    argument!(["-ORBclientCallTimeOutPeriod"] client.call_timeout: milliseconds_or_none),
    argument!(["-ORBWaitStrategy"] wire.wait_strategy: wait_strategy),
    argument!(["-ORBServerWaitStrategy"] server.wait_strategy: server_wait_strategy),
    argument!(["-ORBSpinTime"] wire.spin_time: time),
    argument!(["-ORBConnectionSharing"] client.connection_sharing: sharing),
    argument!(["-ORBTransportMuxStrategy"] client.connection_sharing: mux_strategy),
    argument!(["-ORBCollocation", "-ORBCollocationStrategy"] client.collocation: collocation),
    argument!(["-ORBBidirectional"] wire.bidirectional: both_or_normal),
    argument!(["-ORBofferBiDirectionalGIOP", "-ORBacceptBiDirectionalGIOP"]
        wire.bidirectional: one_for_both),
    argument!(["-ORBTransportOrder"] client.transport_order: transport_order),
    argument!(["-ORBSyncScope"] client.sync_scope: sync_scope),
    argument!(["-ORBMaxListenPoints"] server.max_listen_points: number),
    argument!(["-ORBMaxConnectionsPerEndpoint", "-ORBmaxGIOPConnectionPerServer"]
        client.max_connections_per_endpoint: number),
    argument!(["-ORBMaxRequestsInFlight"] client.max_requests_in_flight: number),
    argument!(["-ORBMaxUnsentOctets"] client.max_unsent_octets: number),
    argument!(["-ORBMaxClientCancelsPerSecond"] client.max_cancels_per_second: number_32),
    argument!(["-ORBMaxConnectingThreads"] client.max_connecting_threads: number),
    argument!(["-ORBMaxAmiCalls"] client.max_ami_calls: number),
    argument!(["-ORBReplyThreads"] client.reply_threads: number),
    argument!(["-ORBMaxClientConnections"] client.max_connections: number),
    argument!(["-ORBClientIdleTimeout"] client.idle_timeout: time_or_none),
    argument!(["-ORBoutConScanPeriod"] client.idle_timeout: seconds_or_none),
    argument!(["-ORBKeepAlive"] wire.keep_alive: time_or_none),
    argument!(["-ORBSendBuffer", "-ORBSndSock", "-ORBsocketSendBuffer"] wire.send_buffer: buffer),
    argument!(["-ORBReceiveBuffer", "-ORBRcvSock"] wire.receive_buffer: buffer),
    argument!(["-ORBConnectionOptions"] wire.connection_options: connection_options),
    argument!(["-ORBRefusedOptions"] wire.refused_options: refused_options),
    argument!(["-ORBOnewayBatchMessages"] client.oneway_batch_messages: number),
    argument!(["-ORBOnewayBatchOctets"] client.oneway_batch_octets: number),
    argument!(["-ORBOnewayBatchTimeout"] client.oneway_batch_timeout: time),
    argument!(["-ORBMaxQueuedOneways"] client.max_queued_oneways: number),
    argument!(["-ORBMaxQueuedOnewayOctets"] client.max_queued_oneway_octets: number),
    argument!(["-ORBConnectionWait"] client.connection_wait: time),
    argument!(["-ORBMaxForwards"] client.max_forwards: number),
    argument!(["-ORBMaxStrayReplies"] client.max_stray_replies: number),
    argument!(["-ORBMaxIdleEndpoints"] client.max_idle_endpoints: number),
    argument!(["-ORBMaxReferenceFile"] client.max_reference_file: number),
    argument!(["-ORBListenBacklog"] server.listen_backlog: number_32),
    argument!(["-ORBUnixSocketMode"] server.unix_socket_mode: mode),
    argument!(["-ORBMaxAcceptsPerSecond"] server.max_accepts_per_second: number_32),
    argument!(["-ORBMaxServerConnections"] server.max_connections: number),
    argument!(["-ORBMaxConnectionsPerPeer"] server.max_connections_per_peer: number),
    argument!(["-ORBExemptPeers"] server.exempt_peers: networks),
    argument!(["-ORBMaxPendingOutput"] server.max_pending_output: number),
    argument!(["-ORBConnectionThreads"] server.connection_threads: number),
    argument!(["-ORBReactorThreads"] server.reactor_threads: number),
    argument!(["-ORBMaxReactorThreads", "-ORBmaxServerThreadPoolSize"]
        server.max_reactor_threads: number),
    argument!(["-ORBReactorStallTimeout"] server.reactor_stall_timeout: time_or_none),
    argument!(["-ORBMaxRequestsPerConnection", "-ORBmaxServerThreadPerConnection"]
        server.max_requests_per_connection: number),
    argument!(["-ORBReplyBatchMessages"] server.reply_batch_messages: number),
    argument!(["-ORBReplyBatchOctets"] server.reply_batch_octets: number),
    argument!(["-ORBReplyBatchTimeout"] server.reply_batch_timeout: time),
    argument!(["-ORBMaxHeldRequests"] server.max_held_requests: number),
    argument!(["-ORBMaxDeferredRequestsPerConnection"]
        server.max_deferred_requests_per_connection: number),
    argument!(["-ORBMaxDeferredRequests"] server.max_deferred_requests: number),
    argument!(["-ORBFutureThreads"] server.future_threads: number),
    argument!(["-ORBServerId"] server.id: text),
    argument!(["-ORBPersistentAddresses"] server.persistent_addresses: addresses),
    argument!(["-ORBObjectDemultiplexing"] server.object_demultiplexing: demultiplexing),
    argument!(["-ORBPoaDemultiplexing"] server.poa_demultiplexing: demultiplexing),
    argument!(["-ORBServantDemultiplexing", "-ORBUniqueidPolicyReverseDemuxStrategy"]
        server.servant_demultiplexing: reverse_demultiplexing),
    argument!(["-ORBOperationHandles"] wire.operation_handles: yes_or_no),
    argument!(["-ORBMaxCancelsPerSecond"] server.max_cancels_per_second: number_32),
    argument!(["-ORBMaxProtocolErrorsPerSecond"] server.max_protocol_errors_per_second: number_32),
    argument!(["-ORBPenalty"] server.penalty: time),
    argument!(["-ORBPredictability"] server.predictability: predictability),
    argument!(["-ORBPenaltyPolicy"] server.penalty_policy: penalty_policy),
    argument!(["-ORBLeastIdleTime"] server.least_idle_time: time),
    argument!(["-ORBIdleTimeout"] server.idle_timeout: time_or_none),
    argument!(["-ORBinConScanPeriod"] server.idle_timeout: seconds_or_none),
    argument!(["-ORBHeaderTimeout"] server.header_timeout: time),
    argument!(["-ORBMessageTimeout"] limits.message_timeout: time),
    argument!(["-ORBDrainTimeout"] server.drain_timeout: time),
    argument!(["-ORBRealTime"] real_time.enabled: yes_or_no),
    argument!(["-ORBSchedulingClass", "-ORBSchedPolicy"] real_time.scheduling_class: scheduling_class),
    argument!(["-ORBPriorityMapping"] real_time.priority_mapping: priority_mapping),
    argument!(["-ORBLowestNativePriority"] real_time.lowest_native: native_priority),
    argument!(["-ORBHighestNativePriority"] real_time.highest_native: native_priority),
    argument!(["-ORBWithoutRights"] real_time.without_rights: without_rights),
    argument!(["-ORBBindPriorityBands"] real_time.bind_priority_bands: yes_or_no),
    argument!(["-ORBInternalPriority"] real_time.internal_priority: priority),
    argument!(["-ORBInternalCpus"] real_time.internal_cpus: cpus),
    argument!(["-ORBMaxThreadpoolThreads"] real_time.max_threadpool_threads: number),
    argument!(["-ORBDynamicThreadIdleTime"] real_time.dynamic_thread_idle_time: time),
    argument!(["-ORBLockMemory"] real_time.lock_memory: yes_or_no),
    argument!(["-ORBPreparedStack"] real_time.prepared_stack: number),
    argument!(["-ORBWhenBufferFull"] real_time.when_buffer_full: full_buffer),
];

type Read<T> = Result<T, &'static str>;

fn number(text: &str) -> Read<usize> {
    text.parse().map_err(|_| "write a number")
}

fn number_32(text: &str) -> Read<u32> {
    text.parse().map_err(|_| "write a number up to 4294967295")
}

fn small_number(text: &str) -> Read<u16> {
    text.parse().map_err(|_| "write a number up to 65535")
}

fn time(text: &str) -> Read<Duration> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(unit_at.unwrap_or(text.len()));
    let of = match unit {
        "us" => Duration::from_micros,
        "ms" => Duration::from_millis,
        "s" => Duration::from_secs,
        "min" => |minutes: u64| Duration::from_secs(minutes.saturating_mul(60)),
        _ => return Err("write a time such as 500ms, 10s or 5min"),
    };
    number
        .parse()
        .map(of)
        .map_err(|_| "write a time such as 500ms, 10s or 5min")
}

fn time_or_none(text: &str) -> Read<Option<Duration>> {
    match text {
        "none" => Ok(None),
        text => time(text)
            .map(Some)
            .map_err(|_| "write a time such as 500ms, 10s or 5min, or none"),
    }
}

/// Reads a size that fits a C `int`. `-1` is omniORB's word.
fn buffer(text: &str) -> Read<Option<usize>> {
    let octets = text.parse::<i32>().ok().filter(|octets| *octets > 0);
    match (text, octets.map(usize::try_from)) {
        ("none" | "-1", _) => Ok(None),
        (_, Some(Ok(octets))) => Ok(Some(octets)),
        _ => Err("write a number of octets, from 1 to 2147483647, or none"),
    }
}

fn milliseconds(text: &str) -> Read<Duration> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number
        .map(Duration::from_millis)
        .ok_or("write a number of milliseconds, more than 0")
}

fn milliseconds_or_none(text: &str) -> Read<Option<Duration>> {
    match text {
        "0" => Ok(None),
        text => milliseconds(text)
            .map(Some)
            .map_err(|_| "write a number of milliseconds; 0: none"),
    }
}

fn seconds_or_none(text: &str) -> Read<Option<Duration>> {
    match text.parse() {
        Ok(0) => Ok(None),
        Ok(seconds) => Ok(Some(Duration::from_secs(seconds))),
        Err(_) => Err("write a number of seconds; 0: none"),
    }
}

fn sharing(text: &str) -> Read<ConnectionSharing> {
    match text {
        "exclusive" => Ok(ConnectionSharing::Exclusive),
        "shared" => Ok(ConnectionSharing::Shared),
        _ => Err("write exclusive or shared"),
    }
}

fn wait_strategy(text: &str) -> Read<WaitStrategy> {
    match text {
        "block" => Ok(WaitStrategy::Block),
        "adaptive" => Ok(WaitStrategy::Adaptive),
        "spin" => Ok(WaitStrategy::Spin),
        _ => Err("write block, adaptive or spin"),
    }
}

fn server_wait_strategy(text: &str) -> Read<Option<WaitStrategy>> {
    wait_strategy(text).map(Some)
}

fn transport_order(text: &str) -> Read<TransportOrder> {
    match text {
        "local-first" => Ok(TransportOrder::LocalFirst),
        "as-published" => Ok(TransportOrder::AsPublished),
        _ => Err("write local-first or as-published"),
    }
}

fn connection_options(text: &str) -> Read<ConnectionOptions> {
    let options = text.parse();
    options.map_err(|_| "write options such as dscp=46&queue-priority=6 (docs/real-time.md)")
}

fn refused_options(text: &str) -> Read<RefusedOptions> {
    match text {
        "report" => Ok(RefusedOptions::Report),
        "error" => Ok(RefusedOptions::Error),
        _ => Err("write report or error"),
    }
}

/// As `chmod` has it.
fn mode(text: &str) -> Read<u32> {
    let mode = u32::from_str_radix(text, 8).ok();
    mode.filter(|mode| *mode <= 0o777)
        .ok_or("write three octal digits, such as 600 or 666")
}

fn mux_strategy(text: &str) -> Read<ConnectionSharing> {
    match text.to_ascii_uppercase().as_str() {
        "EXCLUSIVE" => Ok(ConnectionSharing::Exclusive),
        "MUXED" => Ok(ConnectionSharing::Shared),
        _ => Err("write EXCLUSIVE or MUXED"),
    }
}

fn both_or_normal(text: &str) -> Read<BidirectionalPolicy> {
    match text {
        "both" => Ok(BidirectionalPolicy::Both),
        "normal" => Ok(BidirectionalPolicy::Normal),
        _ => Err("write both or normal"),
    }
}

/// omniORB's words.
fn one_for_both(text: &str) -> Read<BidirectionalPolicy> {
    match text {
        "1" => Ok(BidirectionalPolicy::Both),
        "0" => Ok(BidirectionalPolicy::Normal),
        _ => Err("write 1 or 0"),
    }
}

fn sync_scope(text: &str) -> Read<SyncScope> {
    match text {
        "none" => Ok(SyncScope::None),
        "transport" => Ok(SyncScope::WithTransport),
        "server" => Ok(SyncScope::WithServer),
        "target" => Ok(SyncScope::WithTarget),
        _ => Err("write none, transport, server or target"),
    }
}

fn text(text: &str) -> Read<String> {
    match text.is_empty() {
        true => Err("write a name"),
        false => Ok(text.to_owned()),
    }
}

fn addresses(text: &str) -> Read<Vec<Address>> {
    let address = |text| {
        Address::parse(text, 0)
            .ok()
            .filter(|address| address.port() != Some(0))
    };
    let addresses = text.split(',').map(address).collect::<Option<_>>();
    addresses.ok_or("write host:port or uiop:///path, or several with commas between them")
}

fn networks(text: &str) -> Read<Vec<PeerNetwork>> {
    let networks = text.split(',').map(|network| network.parse().ok());
    networks.collect::<Option<_>>().ok_or(
        "write an address such as 192.0.2.7, a network such as 192.0.2.0/24, or unix, or \
         several with commas between them",
    )
}

fn predictability(text: &str) -> Read<PredictabilityPolicy> {
    match text {
        "flexible" => Ok(PredictabilityPolicy::Flexible),
        "predictable" => Ok(PredictabilityPolicy::Predictable),
        _ => Err("write flexible or predictable"),
    }
}

fn penalty_policy(text: &str) -> Read<PenaltyPolicy> {
    match text {
        "restrict" => Ok(PenaltyPolicy::Restrict),
        "refuse" => Ok(PenaltyPolicy::Refuse),
        _ => Err("write restrict or refuse"),
    }
}

fn demultiplexing(text: &str) -> Read<DemultiplexingStrategy> {
    match text {
        "active" => Ok(DemultiplexingStrategy::Active),
        "dynamic" => Ok(DemultiplexingStrategy::DynamicHash),
        "linear" => Ok(DemultiplexingStrategy::Linear),
        _ => Err("write active, dynamic or linear"),
    }
}

fn reverse_demultiplexing(text: &str) -> Read<ReverseDemultiplexing> {
    match text {
        "dynamic" => Ok(ReverseDemultiplexing::DynamicHash),
        "linear" => Ok(ReverseDemultiplexing::Linear),
        _ => Err("write dynamic or linear"),
    }
}

/// `thru_poa`, `global` and `no` are TAO's words.
fn collocation(text: &str) -> Read<CollocationStrategy> {
    match text {
        "through-poa" | "thru_poa" | "global" => Ok(CollocationStrategy::ThroughPoa),
        "direct" => Ok(CollocationStrategy::Direct),
        "off" | "no" => Ok(CollocationStrategy::Off),
        _ => Err("write through-poa, direct or off"),
    }
}

fn version(text: &str) -> Read<Version> {
    match text {
        "1.0" => Ok(Version::V1_0),
        "1.1" => Ok(Version::V1_1),
        "1.2" => Ok(Version::V1_2),
        _ => Err("write 1.0, 1.1 or 1.2"),
    }
}

fn byte_order(text: &str) -> Read<ByteOrder> {
    match text {
        "little" => Ok(ByteOrder::Little),
        "big" => Ok(ByteOrder::Big),
        _ => Err("write little or big"),
    }
}

fn code_set(text: &str) -> Read<CharCodeSet> {
    char_code_set_named(text).ok_or(
        "write ISO-8859-1 or UTF-8; with the feature `code-sets` there are others, such as \
         windows-1252 or EUC-JP",
    )
}

fn code_sets(text: &str) -> Read<Vec<CharCodeSet>> {
    let names = text.split(',').filter(|name| !name.is_empty());
    names.map(code_set).collect()
}

/// `SCHED_FIFO`, `SCHED_RR` and `SCHED_OTHER` are TAO's words.
fn scheduling_class(text: &str) -> Read<SchedulingClass> {
    match text {
        "fifo" | "SCHED_FIFO" => Ok(SchedulingClass::Fifo),
        "round-robin" | "SCHED_RR" => Ok(SchedulingClass::RoundRobin),
        "other" | "SCHED_OTHER" => Ok(SchedulingClass::Other),
        _ => Err("write fifo, round-robin or other"),
    }
}

fn priority_mapping(text: &str) -> Read<PriorityMappingKind> {
    match text {
        "linear" => Ok(PriorityMappingKind::Linear),
        "direct" => Ok(PriorityMappingKind::Direct),
        _ => Err("write linear or direct"),
    }
}

fn native_priority(text: &str) -> Read<Option<i32>> {
    let native = text.parse().map(Some);
    native.map_err(|_| "write a priority of the system, such as 99, or a nice value, such as -20")
}

fn without_rights(text: &str) -> Read<WithoutRights> {
    match text {
        "continue" => Ok(WithoutRights::Continue),
        "error" => Ok(WithoutRights::Error),
        _ => Err("write continue or error"),
    }
}

fn full_buffer(text: &str) -> Read<FullBuffer> {
    match text {
        "refuse-newest" => Ok(FullBuffer::RefuseNewest),
        "refuse-lowest" => Ok(FullBuffer::RefuseLowest),
        _ => Err("write refuse-newest or refuse-lowest"),
    }
}

fn priority(text: &str) -> Read<Option<Priority>> {
    let number = text.parse().ok();
    let priority = number.and_then(|number| Priority::new(number).ok());
    priority.map(Some).ok_or("write a priority from 0 to 32767")
}

/// Such as `0,2-3`.
fn cpus(text: &str) -> Read<Vec<usize>> {
    let fault = "write the number of a CPU, a range such as 2-3, or several with commas between \
                 them";
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| {
            text.parse()
                .ok()
                .filter(|cpu| *cpu < MOST_CPUS)
                .ok_or(fault)
        };
        let (first, last): (usize, usize) = (number(first)?, number(last)?);
        if first > last {
            return Err(fault);
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

fn yes_or_no(text: &str) -> Read<bool> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("write yes or no"),
    }
}

fn switch(text: &str) -> Read<bool> {
    match text {
        "1" | "yes" => Ok(true),
        "0" | "no" => Ok(false),
        _ => Err("write 0 or 1, or nothing, which is 1"),
    }
}

#[cfg(test)]
mod tests;
