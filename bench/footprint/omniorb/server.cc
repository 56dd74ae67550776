// Serves a footprint::Greeter: prints its reference, and ends with its input.

#include <cstdio>
#include <string>

#include "greeter.hh"

namespace {

class Servant : public POA_footprint::Greeter {
public:
  void ping() override {}

  char* greet(const char* name) override {
    return CORBA::string_dup((std::string("Hello, ") + name).c_str());
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    PortableServer::Servant_var<Servant> servant(new Servant);
    footprint::Greeter_var greeter = servant->_this();
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    CORBA::String_var reference = orb->object_to_string(greeter);
    std::puts(reference);
    std::fflush(stdout);
    std::getchar();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::fprintf(stderr, "server: %s\n", exception._name());
    return 1;
  }
}
