// Times calls to many objects.
//
//     scalability_client REFERENCE [ORB options]
//
// Asks the directory with this reference for all objects, and calls each once.
// Requests on standard input are described in timing.h. The word after
// `select` is an order of calls, the same as in bench/src/scalability/order.rs:
//
//     train        100 calls to an object, then as many to the next
//     round_robin  one call to an object, then one to the next
//     random       to any object
//     last         to the object that was activated last
//     first        to the object that was activated first

#include "orb.h"
#include "scalability.hh"
#include "timing.h"

namespace {

using Targets = std::vector<scalability::Target_var>;

// How many objects the directory is asked for at once.
const CORBA::ULong chunk = 1'000;

// The calls of a train.
const std::uint32_t train_calls = 100;

Targets all_of(scalability::Directory_ptr directory) {
  Targets all;
  for (;;) {
    scalability::Targets_var some = directory->list(static_cast<CORBA::ULong>(all.size()), chunk);
    if (some->length() == 0) return all;
    for (CORBA::ULong i = 0; i < some->length(); ++i) all.push_back(scalability::Target::_duplicate(some[i]));
  }
}

class Calls : public peers::Plain {
public:
  explicit Calls(const Targets& targets) : targets_(targets) {}

  bool select(const std::string& word) {
    static const struct {
      const char* word;
      Order order;
    } orders[] = {
        {"train", Order::train}, {"round_robin", Order::round_robin}, {"random", Order::random},
        {"last", Order::last},   {"first", Order::first},
    };
    for (const auto& known : orders) {
      if (word == known.word) {
        order_ = known.order;
        return true;
      }
    }
    return false;
  }

  void operator()() { targets_[next()]->ping(); }

private:
  enum class Order { train, round_robin, random, last, first };

  std::size_t next() {
    switch (order_) {
      case Order::train:
        if (++called_ > train_calls) {
          called_ = 1;
          advance();
        }
        return place_;
      case Order::round_robin:
        advance();
        return place_;
      case Order::random:
        // Marsaglia's xorshift; the upper half of a product is the place.
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return static_cast<std::size_t>((std::uint64_t(state_) * targets_.size()) >> 32);
      case Order::last:
        return targets_.size() - 1;
      case Order::first:
        return 0;
    }
    return 0;
  }

  void advance() {
    if (++place_ == targets_.size()) place_ = 0;
  }

  const Targets& targets_;
  Order order_ = Order::round_robin;
  std::size_t place_ = 0;
  std::uint32_t called_ = 0;
  std::uint32_t state_ = 2463534242u;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 1) {
      std::cerr << "usage: scalability_client REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().front().c_str());
    scalability::Directory_var directory = scalability::Directory::_narrow(object);
    if (CORBA::is_nil(directory)) {
      std::cerr << "scalability_client: the reference is nil or not of a Directory" << std::endl;
      return 1;
    }
    const Targets targets = all_of(directory);
    // A reference is bound when it is first called.
    for (const scalability::Target_var& target : targets) target->ping();
    if (targets.empty()) {
      std::cerr << "scalability_client: the directory has no objects" << std::endl;
      return 1;
    }
    Calls calls(targets);
    return peers::answer_requests("scalability_client", calls) ? 0 : 2;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "scalability_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
