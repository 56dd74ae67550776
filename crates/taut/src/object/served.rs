//! The object that a request is carried out for.

use super::Interface;

/// An object whose servant a request has found, as long as somebody wants to know.
pub(crate) trait ServedObject: Send {
    fn object_id(&self) -> Vec<u8>;
    fn adapter_id(&self) -> Vec<u8>;
    fn adapter_name(&self) -> Vec<String>;
    fn interface(&self) -> &'static Interface;
    /// The value of the policy with this number of the standard.
    fn policy(&self, policy_type: u32) -> Option<u32>;
}
