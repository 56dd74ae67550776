// The servant of bench::Pinger.
//
//     ping_server [ORB options]
//
// Prints its reference as the first line. Ends when standard input is closed.

#include "orb.h"
#include "ping.hh"

namespace {

class PingerServant : public POA_bench::Pinger {
public:
  void ping() override {}
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (!orb.rest().empty()) {
      std::cerr << "ping_server: unexpected argument " << orb.rest().front() << std::endl;
      return 2;
    }
    PortableServer::Servant_var<PingerServant> servant(new PingerServant);
    bench::Pinger_var reference = servant->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "ping_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
