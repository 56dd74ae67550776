// Many servants of scalability::Target in the root POA, and the directory of them.
//
//     scalability_server SERVANTS [ORB options]
//
// Prints the directory's reference as the first line. Ends when standard input
// is closed. The servants are activated before the directory is, in order, with
// object ids that the POA makes.

#include "orb.h"
#include "scalability.hh"

#include <algorithm>

namespace {

using Targets = std::vector<scalability::Target_var>;

class TargetServant : public POA_scalability::Target {
public:
  void ping() override {}
};

class DirectoryServant : public POA_scalability::Directory {
public:
  explicit DirectoryServant(Targets targets) : targets_(std::move(targets)) {}

  scalability::Targets* list(CORBA::ULong first, CORBA::ULong count) override {
    const std::size_t begin = std::min<std::size_t>(first, targets_.size());
    const std::size_t length = std::min<std::size_t>(count, targets_.size() - begin);
    scalability::Targets_var found(new scalability::Targets);
    found->length(static_cast<CORBA::ULong>(length));
    for (std::size_t i = 0; i < length; ++i)
      found[static_cast<CORBA::ULong>(i)] = scalability::Target::_duplicate(targets_[begin + i]);
    return found._retn();
  }

private:
  Targets targets_;
};

Targets activate(std::size_t servants) {
  Targets targets;
  targets.reserve(servants);
  for (std::size_t i = 0; i < servants; ++i) {
    PortableServer::Servant_var<TargetServant> servant(new TargetServant);
    targets.push_back(servant->_this());
  }
  return targets;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    const unsigned long servants = orb.rest().size() == 1 ? std::strtoul(orb.rest().front().c_str(), nullptr, 10) : 0;
    if (servants == 0) {
      std::cerr << "usage: scalability_server SERVANTS [ORB options]" << std::endl;
      return 2;
    }
    PortableServer::Servant_var<DirectoryServant> directory(new DirectoryServant(activate(servants)));
    scalability::Directory_var reference = directory->_this();
    orb.serve(reference);
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "scalability_server: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
