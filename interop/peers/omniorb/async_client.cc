// Times calls of bench::Pinger::ping of which many are under way at once, by asynchronous
// method invocation with a callback object.
//
//     async_client REFERENCE [ORB options]
//
// Requests on standard input are described in timing.h. `select IN_FLIGHT CALLS` says how many
// calls a sample is, and how many of them are under way at once: the thread that is called back
// begins the next one. omniORB makes each of these calls in a thread of a pool, so that no more
// are on their way to the server than the pool has threads (-ORBmaxClientThreadPoolSize).

#include "orb.h"
#include "ping.hh"
#include "timing.h"

#include <atomic>

namespace {

// The number behind the first space of a text, or 0 when there is none.
std::size_t second_number(const std::string& text) {
  const std::size_t space = text.find(' ');
  return space == std::string::npos ? 0 : peers::parse_number(text.substr(space + 1));
}

class Flight : public POA_bench::AMI_PingerHandler {
public:
  explicit Flight(bench::Pinger_ptr target) : target_(bench::Pinger::_duplicate(target)) {}

  // False when it is not two numbers.
  bool select(const std::string& kind) {
    in_flight_ = peers::parse_number(kind.substr(0, kind.find(' ')));
    calls_ = second_number(kind);
    return in_flight_ != 0 && calls_ != 0;
  }

  // Makes the calls of a sample. Ends the process when one has failed.
  void run() {
    if (calls_ == 0) fail("a sample without `select` before");
    self_ = _this();
    begun_ = 0;
    left_ = calls_;
    for (std::size_t call = 0; call < in_flight_; ++call) begin_next();
    std::unique_lock<std::mutex> lock(mutex_);
    all_ended_.wait(lock, [this] { return left_ == 0; });
  }

  void ping() override {
    begin_next();
    if (--left_ == 0) {
      const std::lock_guard<std::mutex> lock(mutex_);
      all_ended_.notify_one();
    }
  }

  void ping_excep(Messaging::ExceptionHolder* holder) override {
    try {
      holder->raise_exception();
    } catch (const CORBA::Exception& exception) {
      fail(peers::describe(exception));
    }
  }

private:
  void begin_next() {
    if (begun_++ < calls_) target_->sendc_ping(self_);
  }

  [[noreturn]] static void fail(const std::string& why) {
    std::cerr << "async_client: " << why << std::endl;
    _exit(1);
  }

  bench::Pinger_var target_;
  bench::AMI_PingerHandler_var self_;
  std::size_t in_flight_ = 0;
  std::size_t calls_ = 0;
  std::atomic<std::size_t> begun_{0};
  // The calls that have not ended.
  std::atomic<std::size_t> left_{0};
  std::mutex mutex_;
  std::condition_variable all_ended_;
};

struct Calls : peers::Plain {
  explicit Calls(Flight& flight) : flight(flight) {}
  bool select(const std::string& kind) { return flight.select(kind); }
  void operator()() { flight.run(); }

  Flight& flight;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    if (orb.rest().size() != 1) {
      std::cerr << "usage: async_client REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().front().c_str());
    bench::Pinger_var target = bench::Pinger::_narrow(object);
    if (CORBA::is_nil(target)) {
      std::cerr << "async_client: the reference is nil or not of a Pinger" << std::endl;
      return 1;
    }
    PortableServer::Servant_var<Flight> flight(new Flight(target));
    Calls calls(*flight.in());
    return peers::answer_requests("async_client", calls) ? 0 : 2;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "async_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
