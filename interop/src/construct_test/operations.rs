//! The operations that pass a value in all four modes, in one list.

/// Hands the list of all operations `T test_x (in T s1, inout T s2, out T s3)`
/// but `test_object` to a macro: for each its name, its type in Rust, the type
/// of its `in` parameter, and the name of its table in `values`; those that are
/// passed by value first.
macro_rules! for_each_construct {
    ($handler:ident) => {
        $handler! {
            by_value {
                test_wchar: WChar, wide_characters;
                test_fixed: Money, moneys;
                test_fixed_even: Count, counts;
                test_longdouble: LongDouble, long_doubles;
            }
            by_reference {
                test_union_long: ByLong, ByLong, unions_by_long;
                test_union_short: ByShort, ByShort, unions_by_short;
                test_union_ushort: ByUShort, ByUShort, unions_by_ushort;
                test_union_ulong: ByULong, ByULong, unions_by_ulong;
                test_union_longlong: ByLongLong, ByLongLong, unions_by_longlong;
                test_union_ulonglong: ByULongLong, ByULongLong, unions_by_ulonglong;
                test_union_char: ByChar, ByChar, unions_by_char;
                test_union_boolean: ByBoolean, ByBoolean, unions_by_boolean;
                test_union_enum: ByEnum, ByEnum, unions_by_enum;
                test_union_seq: ByLongSeq, [ByLong], sequences_of_unions;

                test_wstring: String, str, wide_strings;
                test_bounded_wstring: BriefWString, str, brief_wide_strings;
                test_wstring_seq: WStringSeq, [String], sequences_of_wide_strings;

                test_bounded_nested: BriefSeq, [String], brief_sequences;
                test_array_3d: PointCube, PointCube, cubes;
                test_members: Holder, Holder, holders;
                test_recursive_struct: Tree, Tree, trees;
                test_recursive_union: Expression, Expression, expressions;

                test_any: Any, Any, anys;
                test_any_constructed: Any, Any, constructed_anys;
                test_any_nested: Any, Any, nested_anys;
                test_any_seq: AnySeq, [Any], sequences_of_anys;
                test_typecode: TypeCode, TypeCode, type_codes;
            }
        }
    };
}

pub(crate) use for_each_construct;
