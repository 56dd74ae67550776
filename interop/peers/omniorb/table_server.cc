// The servant of table::Target.
//
//     table_server [--receive-buffer OCTETS] [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "orb.h"
#include "table.hh"
#include "table_values.h"

namespace {

template <class Sequence>
Sequence* copy(const Sequence& values) {
  return new Sequence(values);
}

class TargetServant : public POA_table::Target {
public:
  CORBA::Octet cube_octet(CORBA::Octet o) override { return peers::cubed(o); }
  CORBA::Short cube_short(CORBA::Short s) override { return peers::cubed(s); }
  CORBA::Long cube_long(CORBA::Long l) override { return peers::cubed(l); }
  table::Cubit::Many cube_struct(const table::Cubit::Many& values) override { return peers::cubed(values); }

  table::Cubit::Oneof cube_union(const table::Cubit::Oneof& value) override {
    table::Cubit::Oneof cubes;
    switch (value._d()) {
      case 1: cubes.o(peers::cubed(value.o())); break;
      case 2: cubes.s(peers::cubed(value.s())); break;
      case 3: cubes.l(peers::cubed(value.l())); break;
      case 4: cubes.cm(peers::cubed(value.cm())); break;
      default: cubes._default();
    }
    return cubes;
  }

  table::LongSeq* cube_longs(const table::LongSeq& values) override { return cube_all(values); }
  table::OctetSeq* cube_octets(const table::OctetSeq& values) override { return cube_all(values); }

  void nothing() override {}
  void refuse() override { throw table::Refused(peers::refusal_reason); }

  table::OctetSeq* echo_octets(const table::OctetSeq& values) override { return copy(values); }
  table::CharSeq* echo_chars(const table::CharSeq& values) override { return copy(values); }
  table::ShortSeq* echo_shorts(const table::ShortSeq& values) override { return copy(values); }
  table::LongSeq* echo_longs(const table::LongSeq& values) override { return copy(values); }
  table::DoubleSeq* echo_doubles(const table::DoubleSeq& values) override { return copy(values); }
  table::StructSeq* echo_structs(const table::StructSeq& values) override { return copy(values); }
  char* echo_string(const char* text) override { return CORBA::string_dup(text); }
  table::Target_ptr echo_reference(table::Target_ptr reference) override {
    return table::Target::_duplicate(reference);
  }
  table::StringSeq* echo_strings(const table::StringSeq& texts) override { return copy(texts); }
  CORBA::Any* echo_any(const CORBA::Any& value) override { return copy(value); }
  table::Reading* echo_reading(const table::Reading& value) override { return copy(value); }

  void flood_octets(const table::OctetSeq&) override {}
  void flood_chars(const table::CharSeq&) override {}
  void flood_shorts(const table::ShortSeq&) override {}
  void flood_longs(const table::LongSeq&) override {}
  void flood_doubles(const table::DoubleSeq&) override {}
  void flood_structs(const table::StructSeq&) override {}

private:
  template <class Sequence>
  Sequence* cube_all(const Sequence& values) {
    const CORBA::ULong length = values.length();
    std::unique_ptr<Sequence> cubes(new Sequence(length));
    cubes->length(length);
    const auto* from = values.get_buffer();
    auto* to = cubes->get_buffer();
    for (CORBA::ULong i = 0; i < length; ++i) to[i] = peers::cubed(from[i]);
    return cubes.release();
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() == 2 && orb.rest().front() == "--receive-buffer") {
      orb.set_receive_buffer(std::atoi(orb.rest().back().c_str()));
    } else if (!orb.rest().empty()) {
      std::cerr << "table_server: unexpected argument " << orb.rest().front() << std::endl;
      return 2;
    }
    PortableServer::Servant_var<TargetServant> servant(new TargetServant);
    table::Target_var reference = servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "table_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
