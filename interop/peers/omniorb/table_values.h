// The values that client and server of table::Target share.
//
// Included behind table.hh.

#ifndef PEERS_TABLE_VALUES_H
#define PEERS_TABLE_VALUES_H

namespace peers {

// The reason of table::Refused.
const CORBA::Long refusal_reason = 42;

// Cubes, as they wrap around in their type. Signed numbers must not overflow.
inline CORBA::Octet cubed(CORBA::Octet value) { return static_cast<CORBA::Octet>(value * value * value); }

inline CORBA::Long cubed(CORBA::Long value) {
  const CORBA::ULong positive = static_cast<CORBA::ULong>(value);
  return static_cast<CORBA::Long>(positive * positive * positive);
}

inline CORBA::Short cubed(CORBA::Short value) {
  return static_cast<CORBA::Short>(cubed(static_cast<CORBA::Long>(value)));
}

inline table::Cubit::Many cubed(const table::Cubit::Many& values) {
  table::Cubit::Many cubes;
  cubes.o = cubed(values.o);
  cubes.l = cubed(values.l);
  cubes.s = cubed(values.s);
  return cubes;
}

}  // namespace peers

#endif
