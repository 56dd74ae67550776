// The protocol between a driver of benchmarks and the client that makes the
// calls. The client reads requests from standard input, one per line:
//
//     select WORD          the following calls are of this kind; no answer
//     run SAMPLES          times so many samples, and answers with one line:
//                          median p99 min max mean, in nanoseconds
//     samples SAMPLES      times so many, and answers with one line: the time of
//                          each in order, in nanoseconds
//     usage SAMPLES        as samples, with four numbers before: the minor and the
//                          major page faults, the voluntary and the involuntary
//                          context switches of the process meanwhile
//     allocations SAMPLES  answers how often so many samples allocate memory on
//                          the heap, for clients that count that
//     quit                 ends, as does the end of the input
//
// A sample is one call, or as many as the client makes of it. A driver warms up
// with a `run` of which it drops the answer.

#ifndef PEERS_TIMING_H
#define PEERS_TIMING_H

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace peers {

// More would not fit the memory of a small machine.
const std::size_t samples_max = 100'000'000;

inline std::uint64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

// The nearest rank: the least sample that a share `percent` of all do not exceed.
inline std::uint64_t percentile(const std::vector<std::uint64_t>& sorted, unsigned percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

inline void print_summary(std::vector<std::uint64_t>& samples_ns) {
  std::sort(samples_ns.begin(), samples_ns.end());
  const std::uint64_t sum = std::accumulate(samples_ns.begin(), samples_ns.end(), std::uint64_t(0));
  std::cout << percentile(samples_ns, 50) << ' ' << percentile(samples_ns, 99) << ' ' << samples_ns.front() << ' '
            << samples_ns.back() << ' ' << sum / samples_ns.size() << std::endl;
}

inline void print_samples(const std::vector<std::uint64_t>& samples_ns) {
  const char* separator = "";
  for (const std::uint64_t sample : samples_ns) {
    std::cout << separator << sample;
    separator = " ";
  }
  std::cout << std::endl;
}

// Times a sample for each place.
template <class Client>
void time_each(Client& client, std::vector<std::uint64_t>& samples_ns) {
  for (std::uint64_t& sample : samples_ns) {
    const std::uint64_t before = now_ns();
    client();
    sample = now_ns() - before;
  }
}

// The times of so many samples, in nanoseconds.
template <class Client>
std::vector<std::uint64_t> time_samples(Client& client, std::size_t samples) {
  // Written once here, so that no page of it is new to the timed loop.
  std::vector<std::uint64_t> samples_ns(samples, 0);
  time_each(client, samples_ns);
  return samples_ns;
}

// Times so many samples, and prints what the process had of the machine meanwhile
// before them.
template <class Client>
void print_usage(Client& client, std::size_t samples) {
  std::vector<std::uint64_t> samples_ns(samples, 0);
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  time_each(client, samples_ns);
  getrusage(RUSAGE_SELF, &after);
  std::cout << after.ru_minflt - before.ru_minflt << ' ' << after.ru_majflt - before.ru_majflt << ' '
            << after.ru_nvcsw - before.ru_nvcsw << ' ' << after.ru_nivcsw - before.ru_nivcsw << ' ';
  print_samples(samples_ns);
}

// The number that a text is, from 1 to `samples_max`, or 0 when it is none.
inline std::size_t parse_number(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return 0;
  const std::size_t number = std::strtoul(text.c_str(), nullptr, 10);
  return number <= samples_max ? number : 0;
}

// The number that follows `word` and a space, or 0 when the line is another one.
inline std::size_t parse_count(const std::string& line, const std::string& word) {
  if (line.compare(0, word.size() + 1, word + ' ') != 0) return 0;
  return parse_number(line.substr(word.size() + 1));
}

// A client with one kind of calls that does not count its memory. Those that
// can do more have functions of these names themselves.
struct Plain {
  bool select(const std::string&) { return false; }
  bool count_allocations(bool) { return false; }
  std::uint64_t allocations() const { return 0; }
};

// Answers requests until the input ends or says `quit`. False, with a line on
// standard error, for a request that is none. `Client` makes a sample when it is
// called.
template <class Client>
bool answer_requests(const char* program, Client& client) {
  const std::string select = "select ";
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    if (line.compare(0, select.size(), select) == 0 && client.select(line.substr(select.size()))) continue;
    if (const std::size_t samples = parse_count(line, "run")) {
      std::vector<std::uint64_t> samples_ns = time_samples(client, samples);
      print_summary(samples_ns);
      continue;
    }
    if (const std::size_t samples = parse_count(line, "samples")) {
      print_samples(time_samples(client, samples));
      continue;
    }
    if (const std::size_t samples = parse_count(line, "usage")) {
      print_usage(client, samples);
      continue;
    }
    const std::size_t samples = parse_count(line, "allocations");
    if (samples != 0 && client.count_allocations(true)) {
      for (std::size_t sample = 0; sample < samples; ++sample) client();
      client.count_allocations(false);
      std::cout << client.allocations() << std::endl;
      continue;
    }
    std::cerr << program << ": the request is not understood: " << line << std::endl;
    return false;
  }
  return true;
}

}  // namespace peers

#endif
