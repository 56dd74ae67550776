// Calls bench::Pinger::ping at each release of a period.
//
//     periodic_client PRIORITY REFERENCE [ORB options]
//
// The thread that calls gets this priority of SCHED_FIFO. Reads `releases COUNT PERIOD_NS
// DEADLINE_NS` from standard input, and answers as bench/src/real_time/periodic.rs says.

#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <sstream>

#include "orb.h"
#include "ping.hh"
#include "timing.h"

namespace {

void sleep_until(std::uint64_t time_ns) {
  timespec time;
  time.tv_sec = static_cast<time_t>(time_ns / 1'000'000'000u);
  time.tv_nsec = static_cast<long>(time_ns % 1'000'000'000u);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

bool has_priority() {
  int policy = 0;
  sched_param parameters;
  return pthread_getschedparam(pthread_self(), &policy, &parameters) == 0 && policy == SCHED_FIFO;
}

void take_priority(int priority) {
  sched_param parameters;
  parameters.sched_priority = priority;
  const int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
  if (error != 0)
    std::cerr << "LEFT OUT: SCHED_FIFO " << priority << ", so all have one priority: " << std::strerror(error)
              << std::endl;
}

// Calls by a schedule, and prints what became of it.
void keep(bench::Pinger_ptr pinger, std::uint64_t releases, std::uint64_t period, std::uint64_t deadline) {
  // Written once here, so that no page of it is new to the timed loop.
  std::vector<std::uint64_t> calls(releases, 1), responses(releases, 1);
  std::size_t made = 0;
  std::uint64_t missed = 0;
  const std::uint64_t first = peers::now_ns() + period;
  for (std::uint64_t release = 0; release < releases;) {
    const std::uint64_t due = first + period * release;
    sleep_until(due);
    const std::uint64_t begun = peers::now_ns();
    pinger->ping();
    const std::uint64_t ended = peers::now_ns();
    calls[made] = ended - begun;
    responses[made] = ended - due;
    if (responses[made++] > deadline) ++missed;
    // The releases that went by meanwhile are lost.
    for (++release; release < releases && first + period * release < ended; ++release) ++missed;
  }
  std::cout << (has_priority() ? "fifo " : "other ") << missed;
  for (std::size_t i = 0; i < made; ++i) std::cout << ' ' << calls[i] << ':' << responses[i];
  std::cout << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    peers::Orb orb(argc, argv);
    const int priority = orb.rest().size() == 2 ? std::atoi(orb.rest().front().c_str()) : 0;
    if (priority <= 0) {
      std::cerr << "usage: periodic_client PRIORITY REFERENCE [ORB options]" << std::endl;
      return 2;
    }
    CORBA::Object_var object = orb.get()->string_to_object(orb.rest().back().c_str());
    bench::Pinger_var pinger = bench::Pinger::_narrow(object);
    if (CORBA::is_nil(pinger)) {
      std::cerr << "periodic_client: the reference is nil or not of a Pinger" << std::endl;
      return 1;
    }
    take_priority(priority);
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string word;
      std::uint64_t releases = 0, period = 0, deadline = 0;
      words >> word >> releases >> period >> deadline;
      if (!words || word != "releases" || releases == 0 || period == 0) {
        std::cerr << "periodic_client: the request is not understood: " << line << std::endl;
        return 2;
      }
      keep(pinger, releases, period, deadline);
    }
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "periodic_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
