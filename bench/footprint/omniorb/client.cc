// Calls the footprint::Greeter whose reference is its argument, after a line of
// input as often as the table says.

#include <cstdio>
#include <cstring>

#include "greeter.hh"

namespace {

// The calls of each of the two operations.
constexpr int CALLS = 500;

void wait() { std::getchar(); }

}  // namespace

int main(int argc, char** argv) {
  try {
    CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
    if (argc != 2) {
      std::fputs("usage: client REFERENCE [ORB options]\n", stderr);
      return 2;
    }
    CORBA::Object_var object = orb->string_to_object(argv[1]);
    footprint::Greeter_var greeter = footprint::Greeter::_narrow(object);
    if (CORBA::is_nil(greeter)) {
      std::fputs("client: the reference is nil or not of a Greeter\n", stderr);
      return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    wait();
    for (int call = 0; call < CALLS; ++call) {
      greeter->ping();
      CORBA::String_var greeting = greeter->greet("world");
      if (std::strcmp(greeting, "Hello, world") != 0) {
        std::fputs("client: another greeting than was expected\n", stderr);
        return 1;
      }
    }
    std::puts("done");
    std::fflush(stdout);
    wait();
    orb->destroy();
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::fprintf(stderr, "client: %s\n", exception._name());
    return 1;
  }
}
