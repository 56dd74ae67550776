// Times calls of collocation::Cube to a servant in this process.
//
//     collocation_client through_poa|shortcut BATCH [ORB options]
//
// `through_poa` is omniORB as it comes: the call asks the POA for its servant.
// With `shortcut` the servant's POA has omniORB's policy 0x41545401, by which a
// reference knows its servant as long as that is active.
//
// Requests on standard input are described in timing.h; a sample is
// BATCH calls, for one alone is too short for the clock. The word after `select`
// is `void`, or how many longs are cubed.

#include "allocations.h"
#include "collocation.hh"
#include "orb.h"
#include "timing.h"

namespace {

using collocation::Longs;
using collocation::Longs_var;

class CubeServant : public POA_collocation::Cube {
public:
  void cube_void() override {}

  Longs* cube_longs(const Longs& values) override {
    Longs_var cubes(new Longs);
    const CORBA::ULong length = values.length();
    cubes->length(length);
    const CORBA::Long* from = values.get_buffer();
    CORBA::Long* to = cubes->get_buffer();
    for (CORBA::ULong i = 0; i < length; ++i) {
      // Signed numbers must not overflow.
      const CORBA::ULong value = static_cast<CORBA::ULong>(from[i]);
      to[i] = static_cast<CORBA::Long>(value * value * value);
    }
    return cubes._retn();
  }
};

class Calls {
public:
  Calls(collocation::Cube_ptr cube, std::size_t batch) : cube_(cube), batch_(batch) {}

  bool select(const std::string& word) {
    void_ = word == "void";
    const std::size_t length = peers::parse_number(word);
    if (!void_ && length == 0) return false;
    values_.length(static_cast<CORBA::ULong>(length));
    for (CORBA::ULong i = 0; i < length; ++i) values_[i] = static_cast<CORBA::Long>(i);
    if (void_) return true;
    Longs_var cubes = cube_->cube_longs(values_);
    for (CORBA::ULong i = 0; i < length; ++i)
      if (cubes[i] != static_cast<CORBA::Long>(i * i * i)) return false;
    return cubes->length() == length;
  }

  void operator()() {
    if (void_) {
      for (std::size_t call = 0; call < batch_; ++call) cube_->cube_void();
    } else {
      for (std::size_t call = 0; call < batch_; ++call) const Longs_var cubes = cube_->cube_longs(values_);
    }
  }

  bool count_allocations(bool counting) {
    peers::count_allocations(counting);
    return true;
  }

  std::uint64_t allocations() const { return peers::allocations(); }

private:
  collocation::Cube_ptr cube_;
  std::size_t batch_;
  bool void_ = true;
  Longs values_;
};

// A POA whose references know their servants.
PortableServer::POA_ptr shortcut_poa(PortableServer::POA_ptr root) {
  CORBA::PolicyList policies(2);
  policies.length(2);
  policies[0] = omniPolicy::create_local_shortcut_policy(omniPolicy::LOCAL_CALLS_SHORTCUT);
  policies[1] = root->create_implicit_activation_policy(PortableServer::IMPLICIT_ACTIVATION);
  PortableServer::POAManager_var manager = root->the_POAManager();
  return root->create_POA("shortcut", manager, policies);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    const std::vector<std::string>& rest = orb.rest();
    const bool shortcut = !rest.empty() && rest[0] == "shortcut";
    const std::size_t batch = rest.size() == 2 ? peers::parse_number(rest[1]) : 0;
    if (batch == 0 || (!shortcut && rest[0] != "through_poa")) {
      std::cerr << "usage: collocation_client through_poa|shortcut BATCH [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    if (shortcut) poa = shortcut_poa(poa);
    PortableServer::Servant_var<CubeServant> servant(new CubeServant);
    PortableServer::ObjectId_var id = poa->activate_object(servant);
    object = poa->id_to_reference(id);
    collocation::Cube_var cube = collocation::Cube::_narrow(object);
    Calls calls(cube, batch);
    return peers::answer_requests("collocation_client", calls) ? 0 : 2;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "collocation_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
