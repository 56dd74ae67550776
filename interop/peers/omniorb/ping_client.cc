// Times calls of bench::Pinger::ping.
//
//     ping_client REFERENCE [ORB options]
//
// Requests on standard input are described in timing.h. The first
// request also connects, for a reference is bound when it is first called.

#include "orb.h"
#include "ping.hh"
#include "timing.h"

namespace {

struct Calls : peers::Plain {
  explicit Calls(bench::Pinger_ptr pinger) : target(pinger) {}
  void operator()() { target->ping(); }

  bench::Pinger_ptr target;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 1) {
      std::cerr << "usage: ping_client REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().front().c_str());
    bench::Pinger_var target = bench::Pinger::_narrow(object);
    if (CORBA::is_nil(target)) {
      std::cerr << "ping_client: the reference is nil or not of a Pinger" << std::endl;
      return 1;
    }
    Calls calls(target);
    return peers::answer_requests("ping_client", calls) ? 0 : 2;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "ping_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
