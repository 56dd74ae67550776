// The reports of the tests' clients: `ok NAME` or `FAILED NAME: why` for
// each check.

#ifndef PEERS_REPORT_H
#define PEERS_REPORT_H

#include "orb.h"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace peers {

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// Runs checks and reports on each.
class Report {
public:
  void run(const std::string& name, const std::function<void()>& check) {
    std::string why;
    try {
      check();
    } catch (const CORBA::Exception& exception) {
      why = peers::describe(exception);
    } catch (const std::exception& exception) {
      why = exception.what();
    }
    if (why.empty()) {
      std::cout << "ok " << name << std::endl;
    } else {
      failed_ = true;
      std::cout << "FAILED " << name << ": " << why << std::endl;
    }
  }

  bool failed() const { return failed_; }

private:
  bool failed_ = false;
};

// Asks `call` for BAD_PARAM with this minor code and completion.
inline void expect_bad_param(CORBA::ULong minor, CORBA::CompletionStatus completed,
                             const std::function<void()>& call) {
  try {
    call();
  } catch (const CORBA::BAD_PARAM& exception) {
    expect(exception.minor() == minor && exception.completed() == completed, peers::describe(exception));
    return;
  }
  throw std::runtime_error("no BAD_PARAM was raised");
}

// True once the server can no longer be reached.
inline bool is_gone(CORBA::Object_ptr target) {
  try {
    return target->_non_existent();
  } catch (const CORBA::SystemException&) {
    return true;
  }
}

// Ends the server of an interface with the operation `shutdown`, and waits for it.
template <class Target>
void check_shutdown(Target* target, Report& report) {
  report.run("shutdown", [&] {
    target->shutdown();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!is_gone(target)) {
      expect(std::chrono::steady_clock::now() < deadline, "the server is still there after five seconds");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
}

}  // namespace peers

#endif
