// The library's own threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace karat {

// Asks the caller whether to go on; called on the calling thread only, now and then.
using Poll = bool (*)();

// Threads to use: n_threads, or with n_threads <= 0 KARAT_NUM_THREADS, or every core that
// this process may use (affinity and cgroup quota).
int thread_limit(int n_threads);

// Cores that quotas of cgroup v2 grant: the least of this process's group and of those around it.
// `groups_of_process` is the file that names its group, `groups` the folder of all.
int quota_cores(const std::string& groups_of_process, const std::string& groups);

// Runs task(slot, index) once for each index in [0, n_tasks) on at most n_slots threads, the
// caller among them; slot is in [0, n_slots), and one slot never runs two tasks at a time.
//
// Which slot gets which task is not fixed. When another thread is inside parallel(), the
// caller does all the work alone. The first exception of a task ends the rest and is thrown
// here. `poll` (may be null) false throws Interrupted.
//
// A forked child starts its own threads when it first needs them.
void parallel(int n_slots, int64_t n_tasks, const std::function<void(int, int64_t)>& task,
              Poll poll);

}  // namespace karat
