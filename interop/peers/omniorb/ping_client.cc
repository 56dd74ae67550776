// Times calls of bench::Pinger::ping.
//
//     ping_client REFERENCE [ORB options]
//
// Reads commands from standard input, one per line:
//
//     run CALLS    makes so many calls, times each, and answers with one line:
//                  median p99 min max mean, in nanoseconds
//     quit         ends, as does the end of the input
//
// The first command also connects, for a reference is bound when it is first
// called. A driver warms up with a `run` of which it drops the answer.

#include "orb.h"
#include "ping.hh"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>

namespace {

// More would not fit the memory of a small machine.
const std::size_t calls_max = 100'000'000;

std::uint64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

void run(bench::Pinger_ptr target, std::vector<std::uint64_t>& samples_ns) {
  for (std::uint64_t& sample : samples_ns) {
    const std::uint64_t before = now_ns();
    target->ping();
    sample = now_ns() - before;
  }
}

// The nearest rank: the least sample that a share `percent` of all do not exceed.
std::uint64_t percentile(const std::vector<std::uint64_t>& sorted, unsigned percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

void print_summary(std::vector<std::uint64_t>& samples_ns) {
  std::sort(samples_ns.begin(), samples_ns.end());
  const std::uint64_t sum = std::accumulate(samples_ns.begin(), samples_ns.end(), std::uint64_t(0));
  std::cout << percentile(samples_ns, 50) << ' ' << percentile(samples_ns, 99) << ' ' << samples_ns.front() << ' '
            << samples_ns.back() << ' ' << sum / samples_ns.size() << std::endl;
}

// The number of calls that a `run` line asks for, or 0 when it is malformed.
std::size_t parse_run(const std::string& line) {
  std::size_t calls = 0;
  char excess;
  if (line.find('-') != std::string::npos) return 0;
  if (std::sscanf(line.c_str(), "run %zu%c", &calls, &excess) != 1 || calls > calls_max) return 0;
  return calls;
}

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
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
      const std::size_t calls = parse_run(line);
      if (calls == 0) {
        std::cerr << "ping_client: expected `run CALLS` or `quit`, found: " << line << std::endl;
        return 2;
      }
      // Written once here, so that no page of it is new to the timed loop.
      std::vector<std::uint64_t> samples_ns(calls, 0);
      run(target, samples_ns);
      print_summary(samples_ns);
    }
    return 0;
  } catch (const CORBA::Exception& exception) {
    std::cerr << "ping_client: " << peers::describe(exception) << std::endl;
    return 1;
  }
}
