// Times calls of table::Target.
//
//     table_client REFERENCE [ORB options]
//
// Requests on standard input are described in timing.h. The words after
// `select` are those of bench/src/goals/kind.rs: "void", "echo octet 8192" and so on.
// A flood is many one-way calls, and one that waits until all have arrived.

#include "orb.h"
#include "table.hh"
#include "table_values.h"
#include "timing.h"

#include <functional>
#include <sstream>

namespace {

using table::Target_ptr;

// The steps of the values of a sequence, below 95, so that chars can be printed.
CORBA::Octet step(CORBA::ULong place) { return static_cast<CORBA::Octet>(' ' + place % 95); }

template <class Element>
Element element(CORBA::ULong place) {
  return static_cast<Element>(step(place));
}

template <>
table::BinStruct element(CORBA::ULong place) {
  table::BinStruct value;
  value.s = step(place);
  value.c = static_cast<CORBA::Char>(step(place));
  value.l = step(place);
  value.o = step(place);
  value.d = step(place);
  return value;
}

template <class Element>
bool same(const Element& one, const Element& other) {
  return one == other;
}

bool same(const table::BinStruct& one, const table::BinStruct& other) {
  return one.s == other.s && one.c == other.c && one.l == other.l && one.o == other.o && one.d == other.d;
}

bool same(const table::Cubit::Many& one, const table::Cubit::Many& other) {
  return one.o == other.o && one.l == other.l && one.s == other.s;
}

bool same(const table::Reading& one, const table::Reading& other) {
  return std::strcmp(one.sensor, other.sensor) == 0 && one.time == other.time && one.value == other.value &&
         one.valid == other.valid;
}

// A sequence, and the operations that take it.
template <class Sequence, class Element>
struct Operations {
  using Var = typename Sequence::_var_type;
  Sequence* (table::_objref_Target::*echo)(const Sequence&);
  void (table::_objref_Target::*flood)(const Sequence&);

  Sequence values(CORBA::ULong octets) const {
    Sequence values;
    values.length(octets / sizeof(Element));
    for (CORBA::ULong i = 0; i < values.length(); ++i) values[i] = element<Element>(i);
    return values;
  }

  bool comes_back(Target_ptr target, const Sequence& values) const {
    Var back = (target->*echo)(values);
    if (back->length() != values.length()) return false;
    for (CORBA::ULong i = 0; i < values.length(); ++i)
      if (!same(static_cast<Element>(back[i]), static_cast<Element>(values[i]))) return false;
    return true;
  }
};

#define OPERATIONS(Sequence, Element, name) \
  Operations<table::Sequence, Element> { &table::_objref_Target::echo_##name, &table::_objref_Target::flood_##name }

class Calls : public peers::Plain {
public:
  explicit Calls(Target_ptr target) : target_(target), call_([target] { target->nothing(); }) {}

  // Prepares a call, and looks once at what comes back. The values live in the
  // closure, so that nothing is made in the timed loop.
  bool select(const std::string& words) {
    std::istringstream input(words);
    std::string kind, what;
    CORBA::ULong number = 0, messages = 0;
    input >> kind >> what >> number >> messages;
    Target_ptr target = target_;
    if (kind == "void") {
      call_ = [target] { target->nothing(); };
      return true;
    }
    if (kind == "user_exception") return select_exception();
    if (kind == "string") return select_string();
    if (kind == "reference") return select_reference();
    if (kind == "any" || kind == "struct") return select_reading(kind == "any");
    if (kind == "cube") return select_cube(what, number);
    if (kind != "echo" && kind != "flood") return false;
    if (what == "octet") return select_sequence(OPERATIONS(OctetSeq, CORBA::Octet, octets), number, messages);
    if (what == "char") return select_sequence(OPERATIONS(CharSeq, CORBA::Char, chars), number, messages);
    if (what == "short") return select_sequence(OPERATIONS(ShortSeq, CORBA::Short, shorts), number, messages);
    if (what == "long") return select_sequence(OPERATIONS(LongSeq, CORBA::Long, longs), number, messages);
    if (what == "double") return select_sequence(OPERATIONS(DoubleSeq, CORBA::Double, doubles), number, messages);
    if (what == "struct") return select_sequence(OPERATIONS(StructSeq, table::BinStruct, structs), number, messages);
    return false;
  }

  void operator()() { call_(); }

private:
  template <class Sequence, class Element>
  bool select_sequence(Operations<Sequence, Element> operations, CORBA::ULong octets, CORBA::ULong messages) {
    Target_ptr target = target_;
    const Sequence values = operations.values(octets);
    if (messages == 0)
      call_ = [=] { const typename Sequence::_var_type back = (target->*operations.echo)(values); };
    else
      call_ = [=] {
        for (CORBA::ULong sent = 0; sent < messages; ++sent) (target->*operations.flood)(values);
        target->nothing();
      };
    return operations.comes_back(target, values);
  }

  bool select_exception() {
    Target_ptr target = target_;
    call_ = [target] {
      try {
        target->refuse();
      } catch (const table::Refused&) {
      }
    };
    try {
      target->refuse();
    } catch (const table::Refused& refused) {
      return refused.reason == peers::refusal_reason;
    }
    return false;
  }

  bool select_string() {
    Target_ptr target = target_;
    const std::string text(100, 'x');
    call_ = [=] { const CORBA::String_var back = target->echo_string(text.c_str()); };
    const CORBA::String_var back = target->echo_string(text.c_str());
    return text == back.in();
  }

  bool select_reference() {
    Target_ptr target = target_;
    call_ = [target] { const table::Target_var back = target->echo_reference(target); };
    const table::Target_var back = target->echo_reference(target);
    return back->_is_equivalent(target);
  }

  bool select_reading(bool in_any) {
    Target_ptr target = target_;
    table::Reading reading;
    reading.sensor = CORBA::string_dup("boiler/3/outlet");
    reading.time = 1'700'000'000'000'000'000u;
    reading.value = 71.25;
    reading.valid = true;
    if (!in_any) {
      call_ = [=] { const table::Reading_var back = target->echo_reading(reading); };
      const table::Reading_var back = target->echo_reading(reading);
      return same(back.in(), reading);
    }
    CORBA::Any any;
    any <<= reading;
    call_ = [=] { const CORBA::Any_var back = target->echo_any(any); };
    const CORBA::Any_var back = target->echo_any(any);
    const table::Reading* inside = nullptr;
    return (back.in() >>= inside) && same(*inside, reading);
  }

  bool select_cube(const std::string& what, CORBA::ULong count) {
    Target_ptr target = target_;
    if (what == "octet") {
      call_ = [target] { target->cube_octet(7); };
      return target->cube_octet(7) == peers::cubed(CORBA::Octet(7));
    }
    if (what == "short") {
      call_ = [target] { target->cube_short(31); };
      return target->cube_short(31) == peers::cubed(CORBA::Short(31));
    }
    if (what == "long") {
      call_ = [target] { target->cube_long(1'291); };
      return target->cube_long(1'291) == peers::cubed(CORBA::Long(1'291));
    }
    if (what == "longs") {
      table::LongSeq values;
      values.length(count);
      for (CORBA::ULong i = 0; i < count; ++i) values[i] = static_cast<CORBA::Long>(i);
      call_ = [=] { const table::LongSeq_var cubes = target->cube_longs(values); };
      return are_cubed<table::LongSeq_var>(target->cube_longs(values), values);
    }
    if (what == "octets") {
      table::OctetSeq values;
      values.length(count);
      for (CORBA::ULong i = 0; i < count; ++i) values[i] = static_cast<CORBA::Octet>(i);
      call_ = [=] { const table::OctetSeq_var cubes = target->cube_octets(values); };
      return are_cubed<table::OctetSeq_var>(target->cube_octets(values), values);
    }
    table::Cubit::Many many;
    many.o = 7;
    many.l = 1'291;
    many.s = 31;
    if (what == "struct") {
      call_ = [=] { target->cube_struct(many); };
      return same(target->cube_struct(many), peers::cubed(many));
    }
    if (what == "union") {
      table::Cubit::Oneof one;
      one.cm(many);
      call_ = [=] { target->cube_union(one); };
      const table::Cubit::Oneof cubes = target->cube_union(one);
      return cubes._d() == one._d() && same(cubes.cm(), peers::cubed(many));
    }
    return false;
  }

  template <class Var, class Sequence>
  bool are_cubed(Var cubes, const Sequence& values) {
    if (cubes->length() != values.length()) return false;
    for (CORBA::ULong i = 0; i < values.length(); ++i)
      if (cubes[i] != peers::cubed(values[i])) return false;
    return true;
  }

  Target_ptr target_;
  std::function<void()> call_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 1) {
      std::cerr << "usage: table_client REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().front().c_str());
    table::Target_var target = table::Target::_narrow(object);
    if (CORBA::is_nil(target)) {
      std::cerr << "table_client: the reference is nil or not of a Target" << std::endl;
      return 1;
    }
    Calls calls(target);
    return peers::answer_requests("table_client", calls) ? 0 : 2;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "table_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
