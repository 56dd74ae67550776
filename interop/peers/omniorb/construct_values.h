// The values that the server and the client of Construct_Test agree on. What
// they are is written in construct_test.idl; this file follows its order.

#ifndef PEERS_CONSTRUCT_VALUES_H
#define PEERS_CONSTRUCT_VALUES_H

#include "construct_test.hh"

#include <omniORB4/anyStream.h>

#include <cwchar>
#include <deque>
#include <string>
#include <utility>

namespace values {

using constructs::Point;
using Types = constructs::Construct_Test;

// The minor code of the BAD_PARAM that refuses a value.
const CORBA::ULong refused_minor = 7;

template <class T>
using Table = std::deque<T>;

typedef std::wstring WString;

// An array as a value that can be copied and kept in a table.
struct Cube {
  Point items[2][1][3];
};

// A cube as the mapping passes it.
typedef Types::Point_Cube_slice Slice;

// ---- Equality: the same octets on the wire ---------------------------------

template <class T>
std::string octets(const T& value) {
  cdrMemoryStream stream(0, true);  // padding is 0
  const cdrAnyMemoryStream with_code_sets;
  stream.TCS_C(with_code_sets.TCS_C());
  stream.TCS_W(with_code_sets.TCS_W());
  value >>= stream;
  return std::string(static_cast<const char*>(stream.bufPtr()), stream.bufSize());
}

template <class T>
bool equal(const T& a, const T& b) {
  return octets(a) == octets(b);
}

inline bool equal(CORBA::WChar a, CORBA::WChar b) { return a == b; }
inline bool equal(CORBA::LongDouble a, CORBA::LongDouble b) { return a == b; }
inline bool equal(const WString& a, const WString& b) { return a == b; }
inline bool equal(const CORBA::TypeCode_var& a, const CORBA::TypeCode_var& b) { return a->equal(b); }

inline bool equal(const CORBA::Any& a, const CORBA::Any& b);

// Whether both hold a T, and then the same.
template <class T>
bool hold_same(const CORBA::Any& a, const CORBA::Any& b) {
  const T *one = nullptr, *other = nullptr;
  return (a >>= one) && (b >>= other) && equal(*one, *other);
}

inline bool hold_same_color(const CORBA::Any& a, const CORBA::Any& b) {
  Types::Color one, other;
  return (a >>= one) && (b >>= other) && one == other;
}

// An Any keeps the octets that arrived, padding and all, so those that have some
// are compared by what they hold.
inline bool equal(const CORBA::Any& a, const CORBA::Any& b) {
  const CORBA::TypeCode_var a_type = a.type(), b_type = b.type();
  if (!a_type->equal(b_type)) return false;
  return octets(a) == octets(b) || hold_same<Point>(a, b) || hold_same<Types::BriefSeq>(a, b) ||
         hold_same<Types::By_Long>(a, b) || hold_same<Types::Tree>(a, b) || hold_same<CORBA::Any>(a, b) ||
         hold_same_color(a, b);
}

inline bool equal(const Types::AnySeq& a, const Types::AnySeq& b) {
  if (a.length() != b.length()) return false;
  for (CORBA::ULong i = 0; i < a.length(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}

inline bool equal(const Types::Fault& a, const Types::Fault& b) {
  return octets(a.what) == octets(b.what) && octets(a.where) == octets(b.where) && equal(a.detail, b.detail);
}

template <CORBA::UShort digits, CORBA::UShort scale>
bool equal(const _omni_Fixed<digits, scale>& a, const _omni_Fixed<digits, scale>& b) {
  return a == b;
}

inline bool equal(const Cube& a, const Cube& b) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      if (!equal(a.items[i][0][j], b.items[i][0][j])) return false;
  return true;
}

// A copy. Those of decimals forget how many digits they have (omniORB 4.2).
template <class T>
T copy(const T& value) {
  return value;
}

template <CORBA::UShort digits, CORBA::UShort scale>
_omni_Fixed<digits, scale> copy(const _omni_Fixed<digits, scale>& value) {
  return _omni_Fixed<digits, scale>(static_cast<const CORBA::Fixed&>(value));
}

// The value that follows another, or null when that is none of the table's.
template <class T>
const T* next(const Table<T>& table, const T& value) {
  for (std::size_t k = 0; k < table.size(); ++k)
    if (equal(table[k], value)) return &table[(k + 1) % table.size()];
  return nullptr;
}

// ---- The tables ------------------------------------------------------------

inline Point point(CORBA::Long x, CORBA::Long y) {
  Point made;
  made.x = x;
  made.y = y;
  return made;
}

inline Point p() { return point(1, -2); }
inline Point q() { return point(3, 4); }

// A table that is made once, by a function. It outlives the ORB, which its Anys
// must not, so nobody takes it down.
template <class T, class Make>
const Table<T>& made_once(Make make) {
  static const Table<T>& table = *new Table<T>(make());
  return table;
}

inline Types::By_Long corner(CORBA::Long discriminator, const Point& value) {
  Types::By_Long made;
  made.corner(value);
  made._d(discriminator);
  return made;
}

inline Types::By_Long other(CORBA::Long discriminator, const char* value) {
  Types::By_Long made;
  made.other(value);
  made._d(discriminator);
  return made;
}

inline const Table<Types::By_Long>& unions_by_long() {
  return made_once<Types::By_Long>([] {
    Types::By_Long real;
    real.real(0.5);
    return Table<Types::By_Long>{real, corner(-2, p()), corner(3, q()), other(7, "seven"), other(-2147483647 - 1, "")};
  });
}

inline const Table<Types::By_Short>& unions_by_short() {
  return made_once<Types::By_Short>([] {
    Table<Types::By_Short> made(3);
    made[0].low(255);
    made[1].high(-1);
    made[2]._default();
    made[2]._d(0);
    return made;
  });
}

inline const Table<Types::By_UShort>& unions_by_ushort() {
  return made_once<Types::By_UShort>([] {
    Table<Types::By_UShort> made(3);
    made[0].top("top");
    made[1].zero(-5);
    made[2]._default();
    made[2]._d(1);
    return made;
  });
}

inline const Table<Types::By_ULong>& unions_by_ulong() {
  return made_once<Types::By_ULong>([] {
    Table<Types::By_ULong> made(3);
    made[0].text("text");
    made[1].number(1.5f);
    made[2]._default();
    made[2]._d(1);
    return made;
  });
}

inline const Table<Types::By_LongLong>& unions_by_longlong() {
  return made_once<Types::By_LongLong>([] {
    Table<Types::By_LongLong> made(2);
    made[0].minus(9);
    made[1].other(-9);
    made[1]._d(1311768467463790320);
    return made;
  });
}

inline const Table<Types::By_ULongLong>& unions_by_ulonglong() {
  return made_once<Types::By_ULongLong>([] {
    Table<Types::By_ULongLong> made(2);
    made[0].most(0.25);
    made[1].other(9);
    made[1]._d(9223372036854775808u);
    return made;
  });
}

inline const Table<Types::By_Char>& unions_by_char() {
  return made_once<Types::By_Char>([] {
    Table<Types::By_Char> made(3);
    made[0].letter(1);
    made[1].line(true);
    made[2]._default();
    made[2]._d('z');
    return made;
  });
}

inline const Table<Types::By_Boolean>& unions_by_boolean() {
  return made_once<Types::By_Boolean>([] {
    Table<Types::By_Boolean> made(2);
    made[0].name("name");
    made[1]._default();
    return made;
  });
}

inline const Table<Types::By_Enum>& unions_by_enum() {
  return made_once<Types::By_Enum>([] {
    Table<Types::By_Enum> made(3);
    made[0].warm(1);
    made[1].warm(1);
    made[1]._d(Types::green);
    made[2].cold(p());
    return made;
  });
}

inline const Table<Types::By_LongSeq>& sequences_of_unions() {
  return made_once<Types::By_LongSeq>([] {
    Table<Types::By_LongSeq> made(2);
    made[1].length(5);
    for (CORBA::ULong i = 0; i < 5; ++i) made[1][i] = unions_by_long()[i];
    return made;
  });
}

inline const Table<CORBA::WChar>& wide_characters() {
  return made_once<CORBA::WChar>([] { return Table<CORBA::WChar>{0x61, 0xE9, 0x20AC}; });
}

// omniORB's wide strings are of UTF-16 units.
inline const Table<WString>& wide_strings() {
  return made_once<WString>([] {
    return Table<WString>{L"", L"a", WString{wchar_t(0xE9), wchar_t(0x20AC), wchar_t(0xD83D), wchar_t(0xDE00)}};
  });
}

inline const Table<WString>& brief_wide_strings() {
  return made_once<WString>([] { return Table<WString>{L"five5", L""}; });
}

inline const Table<Types::WStringSeq>& sequences_of_wide_strings() {
  return made_once<Types::WStringSeq>([] {
    Table<Types::WStringSeq> made(2);
    made[1].length(3);
    for (CORBA::ULong i = 0; i < 3; ++i) made[1][i] = wide_strings()[i].c_str();
    return made;
  });
}

inline const Table<Types::Money>& moneys() {
  return made_once<Types::Money>([] {
    return Table<Types::Money>{CORBA::Fixed("0.00"), CORBA::Fixed("1234567.89"), CORBA::Fixed("-0.01")};
  });
}

inline const Table<Types::Count>& counts() {
  return made_once<Types::Count>(
      [] { return Table<Types::Count>{CORBA::Fixed("0"), CORBA::Fixed("9999"), CORBA::Fixed("-1")}; });
}

inline const Table<CORBA::LongDouble>& long_doubles() {
  return made_once<CORBA::LongDouble>([] { return Table<CORBA::LongDouble>{0.0L, 1.5L, -0x1p-40L}; });
}

inline const Table<Types::BriefSeq>& brief_sequences() {
  return made_once<Types::BriefSeq>([] {
    Table<Types::BriefSeq> made(3);
    made[1].length(2);
    made[1][0] = "";
    made[1][1] = "four";
    made[2].length(3);
    made[2][0] = "a";
    made[2][1] = "b";
    made[2][2] = "c";
    return made;
  });
}

inline const Table<Cube>& cubes() {
  return made_once<Cube>([] {
    Table<Cube> made(2);
    for (CORBA::Long k = 0; k < 2; ++k)
      for (CORBA::Long i = 0; i < 2; ++i)
        for (CORBA::Long j = 0; j < 3; ++j) made[k].items[i][0][j] = point(10 * i + j, k);
    return made;
  });
}

inline const Table<Types::Holder>& holders() {
  return made_once<Types::Holder>([] {
    Table<Types::Holder> made(3);
    for (CORBA::ULong k = 0; k < 3; ++k) {
      made[k].pair[0] = p();
      made[k].pair[1] = q();
      made[k].name = "name";
      made[k].few.length(k);
      for (CORBA::ULong i = 0; i < k; ++i) made[k].few[i] = static_cast<CORBA::Octet>(i);
      for (CORBA::ULong i = 0; i < 2; ++i)
        for (CORBA::ULong j = 0; j < 2; ++j) made[k].grid[i][j] = static_cast<CORBA::UShort>(10 * i + j + k);
      for (CORBA::ULong i = 0; i < 2; ++i) {
        made[k].flags[i].length(k);
        for (CORBA::ULong j = 0; j < k; ++j) made[k].flags[i][j] = true;
      }
    }
    return made;
  });
}

inline Types::Tree tree(const char* label, std::initializer_list<Types::Tree> children) {
  Types::Tree made;
  made.label = label;
  made.children.length(static_cast<CORBA::ULong>(children.size()));
  CORBA::ULong i = 0;
  for (const Types::Tree& child : children) made.children[i++] = child;
  return made;
}

inline const Table<Types::Tree>& trees() {
  return made_once<Types::Tree>([] {
    const Types::Tree leaf = tree("leaf", {});
    return Table<Types::Tree>{leaf, tree("root", {leaf, tree("node", {leaf})})};
  });
}

inline const Table<Types::Expression>& expressions() {
  return made_once<Types::Expression>([] {
    Table<Types::Expression> made(2);
    made[0].number(5);
    Types::Operands operands;
    operands.length(2);
    operands[0] = made[0];
    operands[1].sum(Types::Operands());
    made[1].sum(operands);
    return made;
  });
}

inline Types::Fault fault() {
  CORBA::Any detail;
  detail <<= p();
  return Types::Fault(unions_by_long()[2], trees()[1], detail);
}

inline const Table<CORBA::Any>& anys() {
  return made_once<CORBA::Any>([] {
    Table<CORBA::Any> made(8);
    made[1] <<= static_cast<CORBA::Short>(-1);
    made[2] <<= static_cast<CORBA::ULongLong>(1);
    made[3] <<= static_cast<CORBA::Double>(0.5);
    made[4] <<= CORBA::Any::from_boolean(true);
    made[5] <<= CORBA::Any::from_char('c');
    made[6] <<= CORBA::Any::from_octet(255);
    made[7] <<= "text";
    return made;
  });
}

inline const Table<CORBA::Any>& constructed_anys() {
  return made_once<CORBA::Any>([] {
    Table<CORBA::Any> made(5);
    made[0] <<= p();
    made[1] <<= brief_sequences()[1];
    made[2] <<= unions_by_long()[2];
    made[3] <<= Types::blue;
    made[4] <<= trees()[1];
    return made;
  });
}

inline const Table<CORBA::Any>& nested_anys() {
  return made_once<CORBA::Any>([] {
    Table<CORBA::Any> made(2);
    CORBA::Any number, inner, middle;
    number <<= static_cast<CORBA::Long>(1);
    made[0] <<= number;
    inner <<= q();
    middle <<= inner;
    made[1] <<= middle;
    return made;
  });
}

inline const Table<Types::AnySeq>& sequences_of_anys() {
  return made_once<Types::AnySeq>([] {
    Table<Types::AnySeq> made(2);
    made[1].length(3);
    made[1][0] <<= static_cast<CORBA::Long>(7);
    made[1][1] <<= "x";
    made[1][2] <<= q();
    return made;
  });
}

inline const Table<CORBA::TypeCode_var>& type_codes() {
  return made_once<CORBA::TypeCode_var>([] {
    Table<CORBA::TypeCode_var> made;
    for (CORBA::TypeCode_ptr type :
         {CORBA::_tc_long, CORBA::_tc_string, constructs::_tc_Point, Types::_tc_By_Enum, Types::_tc_BriefSeq,
          Types::_tc_Tree, Types::_tc_Expression, constructs::_tc_Construct_Test, Types::_tc_Fault})
      made.push_back(CORBA::TypeCode::_duplicate(type));
    return made;
  });
}

}  // namespace values

#endif
