//! The limits of the cost of reading a capture.

/// Limits for captures, which may come from anybody. Beyond one of them
/// something is left out, and a [`Note`](crate::Note) says what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Octets of one packet, with what the capture says of it; 1 MiB unless set.
    /// Beyond: [`CaptureError::PacketTooLarge`](crate::CaptureError::PacketTooLarge).
    pub max_packet_size: usize,
    /// Octets of a hex dump, of which the text may be five times as long; 16 MiB
    /// unless set. Beyond:
    /// [`CaptureError::DumpTooLarge`](crate::CaptureError::DumpTooLarge).
    pub max_dump_size: usize,
    /// Connections that are followed at once; 1,024 unless set. Beyond, the one
    /// that has been silent for longest is given up.
    pub max_connections: usize,
    /// Octets of one message, fragments joined; 16 MiB unless set. Beyond, its
    /// header is explained and the rest passed over.
    pub max_message_size: usize,
    /// Octets passed over in a row, where no packets carry them: the rest of one
    /// message that is larger than `max_message_size`, or what is searched for the next
    /// message; 16 MiB unless set. Beyond:
    /// [`CaptureError::TooMuchPassedOver`](crate::CaptureError::TooMuchPassedOver).
    pub max_passed_over: u64,
    /// Octets of a direction that wait for those before them; 4 MiB unless set.
    /// Beyond, those before them are given up as missing.
    pub max_out_of_order: usize,
    /// Packets of a direction that may come while octets are missing, before
    /// these are given up; 64 unless set.
    pub max_packets_out_of_order: u32,
    /// Octets kept of all connections; 128 MiB unless set. Beyond, the
    /// connection that has been silent for longest is given up.
    pub max_kept: usize,
    /// Messages of a direction that are incomplete at once; 64 unless set.
    /// Beyond, the oldest is given up.
    pub max_partial_messages: usize,
    /// Requests of a connection that wait for their replies; 4,096 unless set.
    /// Beyond, the oldest is forgotten.
    pub max_outstanding: usize,
    /// Values shown of one message by their types; 4,096 unless set. Beyond,
    /// they are counted only.
    pub max_values: usize,
}

impl Limits {
    /// The limits that hold unless others are set.
    pub const DEFAULT: Self = Self {
        max_packet_size: 1 << 20,
        max_dump_size: 16 << 20,
        max_connections: 1_024,
        max_message_size: 16 << 20,
        max_passed_over: 16 << 20,
        max_out_of_order: 4 << 20,
        max_packets_out_of_order: 64,
        max_kept: 128 << 20,
        max_partial_messages: 64,
        max_outstanding: 4_096,
        max_values: 4_096,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
