//! Names that were perhaps meant.

/// The candidate that is nearest to a misspelt word, if one is near enough.
pub(crate) fn nearest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let most = match word.len() {
        0..=2 => return None,
        3..=5 => 1,
        6..=40 => 2,
        _ => return None,
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= most)
        .map(|candidate| (distance(word.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns the IDL for a word that is a type or a value in other languages.
pub(crate) fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "bool" => "the type is `boolean`",
        "int" | "integer" => "the integer types are `short`, `long` and `long long`",
        "byte" | "uchar" | "u8" => "the type is `octet`",
        "int8_t" | "int16_t" | "int32_t" | "int64_t" | "i8" | "i16" | "i32" | "i64" => {
            "the types are `int8`, `short`, `long` and `long long`"
        }
        "uint8_t" | "uint16_t" | "uint32_t" | "uint64_t" | "u16" | "u32" | "u64" | "uint"
        | "ulong" | "ushort" | "size_t" => {
            "the types are `octet`, `unsigned short`, `unsigned long` and `unsigned long long`"
        }
        "wchar_t" => "the type is `wchar`",
        "f32" | "real" => "the type is `float`",
        "f64" => "the type is `double`",
        "str" | "text" => "the type is `string`",
        "vector" | "list" | "array" => "write `sequence<Type>`, or an array as `Type name[3]`",
        "NULL" | "null" | "nil" | "nullptr" => {
            "constants are never null: only references and value types are, when they are passed"
        }
        _ => return None,
    })
}

/// Whether this is the name of a system exception, which any operation may
/// raise without saying so.
pub(crate) fn is_system_exception(name: &str) -> bool {
    SYSTEM_EXCEPTIONS.contains(&name)
}

/// Those of CORBA 3.3, part 1, A.4.
const SYSTEM_EXCEPTIONS: &[&str] = &[
    "ACTIVITY_COMPLETED",
    "ACTIVITY_REQUIRED",
    "BAD_CONTEXT",
    "BAD_INV_ORDER",
    "BAD_OPERATION",
    "BAD_PARAM",
    "BAD_QOS",
    "BAD_TYPECODE",
    "CODESET_INCOMPATIBLE",
    "COMM_FAILURE",
    "DATA_CONVERSION",
    "FREE_MEM",
    "IMP_LIMIT",
    "INITIALIZE",
    "INTERNAL",
    "INTF_REPOS",
    "INVALID_ACTIVITY",
    "INVALID_TRANSACTION",
    "INV_FLAG",
    "INV_IDENT",
    "INV_OBJREF",
    "INV_POLICY",
    "MARSHAL",
    "NO_IMPLEMENT",
    "NO_MEMORY",
    "NO_PERMISSION",
    "NO_RESOURCES",
    "NO_RESPONSE",
    "OBJECT_NOT_EXIST",
    "OBJ_ADAPTER",
    "PERSIST_STORE",
    "REBIND",
    "THREAD_CANCELLED",
    "TIMEOUT",
    "TRANSACTION_MODE",
    "TRANSACTION_REQUIRED",
    "TRANSACTION_ROLLEDBACK",
    "TRANSACTION_UNAVAILABLE",
    "TRANSIENT",
    "UNKNOWN",
];

/// How many letters must be put in, dropped, replaced or swapped with their
/// neighbours, without regard to case.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, left) in a.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, right) in b.iter().enumerate() {
            let replaced = above[column] + usize::from(!left.eq_ignore_ascii_case(right));
            let mut best = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0
                && column > 0
                && left.eq_ignore_ascii_case(&b[column - 1])
                && a[row - 1].eq_ignore_ascii_case(right);
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_words_only() {
        let words = ["Account", "Accounts", "Bank", "at"];
        assert_eq!(nearest("Acount", words), Some("Account"));
        assert_eq!(nearest("Bakn", words), Some("Bank"));
        assert_eq!(nearest("bank", words), Some("Bank"));
        assert_eq!(nearest("Ledger", words), None);
        assert_eq!(nearest("it", words), None);
    }
}
