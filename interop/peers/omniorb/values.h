// The values that the server and the client of Param_Test agree on. What they
// are is written in param_test.idl; this file follows its order.

#ifndef PEERS_VALUES_H
#define PEERS_VALUES_H

#include "param_test.hh"

#include <cstring>
#include <deque>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace values {

using interop::Param_Test;

// The minor code of the BAD_PARAM that refuses a value.
const CORBA::ULong refused_minor = 7;

// Not a vector, because that of bool holds no bools.
template <class T>
using Table = std::deque<T>;

// An IDL array as a value that can be copied and kept in a table.
template <class Item, std::size_t N>
struct Array {
  Item items[N];
};

typedef Array<CORBA::Long, 9> LongArray;
typedef Array<CORBA::Short[4], 3> ShortGrid;
typedef Array<CORBA::String_member, 3> StringArray;

template <class T>
void copy(T& to, const T& from) {
  to = from;
}

template <class T, std::size_t N>
void copy(T (&to)[N], const T (&from)[N]) {
  for (std::size_t i = 0; i < N; ++i) copy(to[i], from[i]);
}

// Between an array's value and the slices that the IDL mapping passes.
template <class Item, std::size_t N>
void load(Array<Item, N>& to, const Item* from) {
  for (std::size_t i = 0; i < N; ++i) copy(to.items[i], from[i]);
}

template <class Item, std::size_t N>
void store(const Array<Item, N>& from, Item* to) {
  for (std::size_t i = 0; i < N; ++i) copy(to[i], from.items[i]);
}

// ---- Equality: the same octets on the wire ---------------------------------

template <class T>
std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, bool> equal(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

inline bool equal(const char* a, const char* b) { return std::strcmp(a, b) == 0; }

template <class Sequence>
auto equal(const Sequence& a, const Sequence& b) -> decltype(a.length() == b.length());

template <class Item, std::size_t N>
bool equal(const Item (&a)[N], const Item (&b)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}

template <class Item, std::size_t N>
bool equal(const Array<Item, N>& a, const Array<Item, N>& b) {
  return equal(a.items, b.items);
}

inline bool equal(const Param_Test::Fixed_Struct& a, const Param_Test::Fixed_Struct& b) {
  return equal(a.l, b.l) && equal(a.c, b.c) && equal(a.s, b.s) && equal(a.o, b.o) && equal(a.f, b.f) &&
         equal(a.b, b.b) && equal(a.d, b.d);
}

inline bool equal(const Param_Test::Var_Struct& a, const Param_Test::Var_Struct& b) {
  return equal(a.dummy1, b.dummy1) && equal(a.dummy2, b.dummy2) && equal(a.seq, b.seq);
}

inline bool equal(const Param_Test::Nested_Struct& a, const Param_Test::Nested_Struct& b) { return equal(a.vs, b.vs); }

template <class Sequence>
auto equal(const Sequence& a, const Sequence& b) -> decltype(a.length() == b.length()) {
  if (a.length() != b.length()) return false;
  for (CORBA::ULong i = 0; i < a.length(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}

// ---- What becomes of s2 ----------------------------------------------------

template <class T>
std::enable_if_t<std::is_integral_v<T>> turn(T& value) {
  // Unsigned, for a signed number that overflows has no value in C++.
  value = static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) + 1u);
}

template <class T>
std::enable_if_t<std::is_floating_point_v<T>> turn(T& value) {
  value = -value;
}

inline void turn(CORBA::Boolean& value) { value = !value; }

inline void turn(Param_Test::Color& value) {
  value = value == Param_Test::red ? Param_Test::green
          : value == Param_Test::green ? Param_Test::blue
                                       : Param_Test::red;
}

// In place, for any holder of a string.
inline void turn(char* value) {
  for (std::size_t i = 0, j = std::strlen(value); i + 1 < j; ++i, --j) std::swap(value[i], value[j - 1]);
}

template <class Sequence>
auto turn(Sequence& value) -> decltype(value.length(), void()) {
  const Sequence before(value);
  for (CORBA::ULong i = 0, n = before.length(); i < n; ++i) value[i] = before[n - 1 - i];
}

template <class Item, std::size_t N>
void turn(Array<Item, N>& value) {
  for (std::size_t i = 0, j = N; i + 1 < j; ++i, --j) std::swap(value.items[i], value.items[j - 1]);
}

inline void turn(Param_Test::Fixed_Struct& value) {
  turn(value.l), turn(value.c), turn(value.s), turn(value.o), turn(value.f), turn(value.b), turn(value.d);
}

inline void turn(Param_Test::Var_Struct& value) {
  turn(value.dummy1.inout()), turn(value.dummy2.inout()), turn(value.seq);
}

inline void turn(Param_Test::Nested_Struct& value) { turn(value.vs); }

// ---- The tables ------------------------------------------------------------

inline std::string pattern(std::size_t length, std::size_t start = 0) {
  std::string text(length, ' ');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>(0x21 + (start + i) % 94);
  return text;
}

inline std::string characters(int first, int last) {
  std::string text;
  for (int c = first; c <= last; ++c) text += static_cast<char>(c);
  return text;
}

inline std::string latin1() { return characters(0x20, 0x7E) + characters(0xA0, 0xFF); }

inline const Table<CORBA::Short>& shorts() {
  static const Table<CORBA::Short> table{0, 1, -1, 32767, -32768, 0x1234};
  return table;
}

inline const Table<const char*>& strings() {
  static const std::string p128 = pattern(128), all = latin1(), p1000 = pattern(1000);
  static const Table<const char*> table{"", "a", p128.c_str(), all.c_str(), p1000.c_str()};
  return table;
}

inline const Table<CORBA::Long>& longs() {
  static const Table<CORBA::Long> table{
      0, 1, -1, std::numeric_limits<CORBA::Long>::max(), std::numeric_limits<CORBA::Long>::min(), 0x12345678};
  return table;
}

inline const Table<CORBA::LongLong>& longlongs() {
  static const Table<CORBA::LongLong> table{0,
                                            1,
                                            -1,
                                            std::numeric_limits<CORBA::LongLong>::max(),
                                            std::numeric_limits<CORBA::LongLong>::min(),
                                            0x123456789ABCDEF0};
  return table;
}

inline const Table<CORBA::UShort>& ushorts() {
  static const Table<CORBA::UShort> table{0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x1234};
  return table;
}

inline const Table<CORBA::ULong>& ulongs() {
  static const Table<CORBA::ULong> table{0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678};
  return table;
}

inline const Table<CORBA::ULongLong>& ulonglongs() {
  static const Table<CORBA::ULongLong> table{0, 1, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF,
                                             0x123456789ABCDEF0};
  return table;
}

template <class Real>
Table<Real> reals(Real tenth) {
  typedef std::numeric_limits<Real> Limits;
  return {Real(0.0), Real(-0.0),    Real(1.0),            Real(-1.5),         tenth,              Limits::max(),
          -Limits::max(), Limits::min(), Limits::denorm_min(), Limits::infinity(), -Limits::infinity()};
}

inline const Table<CORBA::Float>& floats() {
  static const Table<CORBA::Float> table = reals<CORBA::Float>(0.1f);
  return table;
}

inline const Table<CORBA::Double>& doubles() {
  static const Table<CORBA::Double> table = reals<CORBA::Double>(0.1);
  return table;
}

inline const Table<CORBA::Char>& chars() {
  static const Table<CORBA::Char> table{0x61, 0x00, 0x7E, 0xE9, 0xFF};
  return table;
}

inline const Table<CORBA::Boolean>& booleans() {
  static const Table<CORBA::Boolean> table{false, true};
  return table;
}

inline const Table<CORBA::Octet>& octets() {
  static const Table<CORBA::Octet> table{0, 1, 127, 128, 255};
  return table;
}

inline const Table<Param_Test::Color>& colors() {
  static const Table<Param_Test::Color> table{Param_Test::red, Param_Test::green, Param_Test::blue};
  return table;
}

inline const Table<Param_Test::Fixed_Struct>& fixed_structs() {
  static const auto table = [] {
    Table<Param_Test::Fixed_Struct> made;
    for (std::size_t k = 0; k < 6; ++k)
      made.push_back({longs()[k], chars()[k % chars().size()], shorts()[k], octets()[k % octets().size()],
                      floats()[k], booleans()[k % booleans().size()], doubles()[k]});
    return made;
  }();
  return table;
}

inline const Table<Param_Test::StrSeq>& string_sequences() {
  static const auto table = [] {
    Table<Param_Test::StrSeq> made(4);
    made[1].length(1);
    made[1][0] = "a";
    made[2].length(9);
    for (CORBA::ULong i = 0; i < 9; ++i) made[2][i] = pattern(128, i).c_str();
    made[3].length(static_cast<CORBA::ULong>(strings().size()));
    for (CORBA::ULong i = 0; i < made[3].length(); ++i) made[3][i] = strings()[i];
    return made;
  }();
  return table;
}

inline const Table<Param_Test::Var_Struct>& var_structs() {
  static const auto table = [] {
    Table<Param_Test::Var_Struct> made(4);
    for (std::size_t k = 0; k < made.size(); ++k) {
      made[k].dummy1 = strings()[k];
      made[k].dummy2 = strings()[k + 1];
      made[k].seq = string_sequences()[k];
    }
    return made;
  }();
  return table;
}

inline const Table<Param_Test::Nested_Struct>& nested_structs() {
  static const auto table = [] {
    Table<Param_Test::Nested_Struct> made(4);
    for (std::size_t k = 0; k < made.size(); ++k) made[k].vs = var_structs()[k];
    return made;
  }();
  return table;
}

inline const Table<Param_Test::StructSeq>& struct_sequences() {
  static const auto table = [] {
    Table<Param_Test::StructSeq> made(4);
    made[1].length(1);
    made[1][0] = var_structs()[0];
    made[2].length(9);
    for (CORBA::ULong i = 0; i < 9; ++i) {
      made[2][i].dummy1 = pattern(128, i).c_str();
      made[2][i].dummy2 = pattern(128, i + 1).c_str();
      made[2][i].seq = string_sequences()[2];
    }
    made[3].length(static_cast<CORBA::ULong>(var_structs().size()));
    for (CORBA::ULong i = 0; i < made[3].length(); ++i) made[3][i] = var_structs()[i];
    return made;
  }();
  return table;
}

inline const Table<const char*>& long_strings() {
  static const std::string p10000 = pattern(10000), p70000 = pattern(70000);
  static const Table<const char*> table{"", p10000.c_str(), p70000.c_str()};
  return table;
}

inline const Table<const char*>& bounded_strings() {
  static const std::string accented = characters(0xE0, 0xFF), p32 = pattern(32);
  static const Table<const char*> table{"", "a", accented.c_str(), p32.c_str()};
  return table;
}

// The table of sequences that is filled from another table.
template <class Sequence, class T>
Table<Sequence> filled(const Table<T>& from, std::initializer_list<CORBA::ULong> lengths) {
  Table<Sequence> made;
  for (CORBA::ULong length : lengths) {
    made.emplace_back();
    made.back().length(length);
    for (CORBA::ULong i = 0; i < length; ++i) made.back()[i] = from[i % from.size()];
  }
  return made;
}

inline const Table<Param_Test::Bounded_LongSeq>& bounded_sequences() {
  static const auto table = filled<Param_Test::Bounded_LongSeq>(longs(), {0, 1, 9});
  return table;
}

// The sequences without a bound, one table for each of their types.
template <class Sequence, class T>
const Table<Sequence>& sequences(const Table<T>& from) {
  static const auto table = filled<Sequence>(from, {0, 1, 9, 10000});
  return table;
}

inline const Table<Param_Test::LongSeq>& long_sequences() { return sequences<Param_Test::LongSeq>(longs()); }

inline const Table<Param_Test::LongSeqSeq>& nested_sequences() {
  static const auto table = [] {
    Table<Param_Test::LongSeqSeq> made(3);
    made[1].length(1);
    made[2].length(static_cast<CORBA::ULong>(long_sequences().size()));
    for (CORBA::ULong i = 0; i < made[2].length(); ++i) made[2][i] = long_sequences()[i];
    return made;
  }();
  return table;
}

inline const Table<LongArray>& long_arrays() {
  static const auto table = [] {
    Table<LongArray> made(3);
    for (std::size_t k = 0; k < made.size(); ++k)
      for (std::size_t i = 0; i < 9; ++i) made[k].items[i] = longs()[(i + k) % longs().size()];
    return made;
  }();
  return table;
}

inline const Table<ShortGrid>& short_grids() {
  static const auto table = [] {
    Table<ShortGrid> made(3);
    for (std::size_t k = 0; k < made.size(); ++k)
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 4; ++c) made[k].items[r][c] = shorts()[(4 * r + c + k) % shorts().size()];
    return made;
  }();
  return table;
}

inline const Table<StringArray>& string_arrays() {
  static const auto table = [] {
    Table<StringArray> made(3);
    for (std::size_t k = 0; k < made.size(); ++k)
      for (std::size_t i = 0; i < 3; ++i) made[k].items[i] = strings()[(i + k) % strings().size()];
    return made;
  }();
  return table;
}

inline const char* greeting() { return "Gr\xFC\xDF" "e"; }

}  // namespace values

#endif
