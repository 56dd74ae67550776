//! The settings that a decoder has besides the bytes.

use super::{Context, Decoder, GraphLimits};
use crate::{ByteOrder, CharCodeSet, CharacterForms, WideForm};

impl<'m> Decoder<'m> {
    /// Sets what references that are read shall know of their surroundings.
    #[inline]
    #[must_use]
    pub fn with_context(mut self, context: Context<'m>) -> Self {
        self.context = context;
        self
    }

    /// Sets the code set of the strings to come.
    #[inline]
    #[must_use]
    pub fn with_char_code_set(mut self, code_set: CharCodeSet) -> Self {
        self.characters.narrow = code_set;
        self
    }

    /// Sets the form of the wide characters to come.
    #[inline]
    #[must_use]
    pub fn with_wide_form(mut self, form: WideForm) -> Self {
        self.characters.wide = form;
        self
    }

    /// Sets the forms of the characters to come.
    #[inline]
    #[must_use]
    pub fn with_characters(mut self, forms: CharacterForms) -> Self {
        self.characters = forms;
        self
    }

    /// Sets how deeply values may nest.
    #[inline]
    #[must_use]
    pub fn with_nesting_limit(mut self, limit: u16) -> Self {
        self.nesting_limit = limit;
        self.levels_left = limit;
        self
    }

    /// Sets how large descriptions may be that can lead back to their own parts.
    #[inline]
    #[must_use]
    pub fn with_graph_limits(mut self, limits: GraphLimits) -> Self {
        self.graph_limits = limits;
        self
    }

    /// How large descriptions may be that can lead back to their own parts.
    #[inline]
    pub fn graph_limits(&self) -> GraphLimits {
        self.graph_limits
    }

    /// How deeply values may nest.
    #[inline]
    pub fn nesting_limit(&self) -> u16 {
        self.nesting_limit
    }

    /// Returns the surroundings that decoded references belong to.
    #[inline]
    pub fn context(&self) -> Context<'m> {
        self.context
    }

    /// The byte order of what is read.
    #[inline]
    pub fn order(&self) -> ByteOrder {
        self.order
    }

    /// The code set of strings.
    #[inline]
    pub fn char_code_set(&self) -> CharCodeSet {
        self.characters.narrow
    }

    /// The form of wide characters.
    #[inline]
    pub fn wide_form(&self) -> WideForm {
        self.characters.wide
    }
}
