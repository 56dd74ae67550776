//! The operations that pass a value in all four modes, in one list.

/// Hands the list of all operations `T test_x (in T s1, inout T s2, out T s3)`
/// but `test_objref` to a macro: for each its name, its type in Rust, and the
/// name of its table in `values`.
macro_rules! for_each_value_operation {
    ($handler:ident) => {
        $handler! {
            test_short: i16, shorts;
            test_unbounded_string: String, strings;
            test_fixed_struct: FixedStruct, fixed_structs;
            test_strseq: StrSeq, string_sequences;
            test_var_struct: VarStruct, var_structs;
            test_nested_struct: NestedStruct, nested_structs;
            test_struct_sequence: StructSeq, struct_sequences;

            test_long: i32, longs;
            test_longlong: i64, longlongs;
            test_ushort: u16, ushorts;
            test_ulong: u32, ulongs;
            test_ulonglong: u64, ulonglongs;
            test_float: f32, floats;
            test_double: f64, doubles;
            test_char: Char, chars;
            test_boolean: bool, booleans;
            test_octet: u8, octets;
            test_enum: Color, colors;
            test_long_string: String, long_strings;

            test_bounded_string: BoundedString, bounded_strings;
            test_bounded_sequence: BoundedLongSeq, bounded_sequences;

            test_octet_seq: OctetSeq, octet_sequences;
            test_char_seq: CharSeq, char_sequences;
            test_boolean_seq: BooleanSeq, boolean_sequences;
            test_short_seq: ShortSeq, short_sequences;
            test_long_seq: LongSeq, long_sequences;
            test_longlong_seq: LongLongSeq, longlong_sequences;
            test_float_seq: FloatSeq, float_sequences;
            test_double_seq: DoubleSeq, double_sequences;
            test_enum_seq: ColorSeq, color_sequences;
            test_fixed_struct_seq: FixedStructSeq, fixed_struct_sequences;
            test_nested_seq: LongSeqSeq, nested_sequences;

            test_array: LongArray, long_arrays;
            test_array_2d: ShortGrid, short_grids;
            test_string_array: StrArray, string_arrays;
        }
    };
}

pub(crate) use for_each_value_operation;
