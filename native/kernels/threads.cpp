#include "kernels/threads.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "kernels/rejected.hpp"

namespace karat {
namespace {

constexpr int kMostThreads = 256;

struct Closing {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closing>;

File opened(const std::string& path) { return File(std::fopen(path.c_str(), "r")); }

// How long a thread asks again before it sleeps: the stages of a call follow each other within
// such times, and waking a thread takes as long.
constexpr std::chrono::microseconds kAsking{100};

// Whether `done` came true while it was asked for.
template <class Done>
bool asked(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + kAsking;
    do {
        for (int i = 0; i < 32; ++i) {
            if (done()) return true;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
        // Whoever is to do it may wait for this core.
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return done();
}

int usable_cores() {
    int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
    cores = std::min(cores, quota_cores("/proc/self/cgroup", "/sys/fs/cgroup"));
#endif
    return std::clamp(cores, 1, kMostThreads);
}

// A thread started meanwhile gets no signals: they belong to the interpreter's threads.
class SignalsBlocked {
public:
#if !defined(_WIN32)
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
#endif
};

struct Job {
    Job(const std::function<void(int, int64_t)>& task_, int64_t n_tasks_)
        : task(task_), n_tasks(n_tasks_) {}

    const std::function<void(int, int64_t)>& task;
    int64_t n_tasks;
    std::atomic<int64_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::exception_ptr error;

    void run(int slot, Poll poll) {
        try {
            while (!stop.load(std::memory_order_relaxed)) {
                const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
                if (index >= n_tasks) return;
                task(slot, index);
                if (poll != nullptr && !poll()) throw Interrupted();
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (!error) error = std::current_exception();
            stop.store(true, std::memory_order_relaxed);
        }
    }
};

class Pool {
public:
    static Pool& mine();

    // False when another caller has the pool.
    bool try_run(Job& job, int n_slots, Poll poll) {
        const std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
        if (!turn.owns_lock()) return false;
        int helpers = 0;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            while (n_threads_ < n_slots - 1 && start_one()) {
            }
            helpers = std::min(n_threads_, n_slots - 1);
            job_ = &job;
            n_helpers_ = helpers;
            running_ = helpers;
            ++round_;
        }
        wake_.notify_all();
        job.run(0, poll);
        asked([&] { return running_ == 0; });
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [&] { return running_ == 0; });
        job_ = nullptr;
        return true;
    }

private:
    bool start_one() {
        const SignalsBlocked blocked;
        try {
            std::thread(&Pool::work, this, n_threads_ + 1, round_.load()).detach();
        } catch (const std::system_error&) {
            // Too many threads on this machine: those that exist do the work.
            return false;
        }
        ++n_threads_;
        return true;
    }

    void work(int slot, uint64_t last_round) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            wake_.wait(lock, [&] { return round_ != last_round; });
            last_round = round_;
            if (slot > n_helpers_) continue;
            Job* job = job_;
            lock.unlock();
            job->run(slot, nullptr);
            lock.lock();
            if (--running_ == 0) done_.notify_one();
            lock.unlock();
            asked([&] { return round_ != last_round; });
            lock.lock();
        }
    }

    std::mutex turn_;   // one job at a time
    std::mutex mutex_;  // everything below
    std::condition_variable wake_, done_;
    Job* job_ = nullptr;
    std::atomic<uint64_t> round_{0};
    std::atomic<int> running_{0};
    int n_threads_ = 0, n_helpers_ = 0;
};

// Never destroyed: its threads wait on it until the process ends.
std::atomic<Pool*> pool{nullptr};

Pool& Pool::mine() {
    Pool* now = pool.load(std::memory_order_acquire);
    if (now != nullptr) return *now;
#if !defined(_WIN32)
    static std::once_flag registered;
    // In a forked child no thread of the pool exists and its mutexes may be held for ever.
    std::call_once(registered,
                   [] { pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr); }); });
#endif
    Pool* fresh = new Pool;
    if (pool.compare_exchange_strong(now, fresh)) return *fresh;
    delete fresh;
    return *now;
}

}  // namespace

// Files are read by the C library: a process may hold several C++ libraries (that of a framework
// linked statically, say), and their streams exchange locales, which ends the process.
int quota_cores(const std::string& groups_of_process, const std::string& groups) {
    std::string path;
    if (const File lines = opened(groups_of_process)) {
        char line[4096];
        while (std::fgets(line, sizeof line, lines.get()) != nullptr)
            if (std::strncmp(line, "0::/", 4) == 0)
                path.assign(line + 3, std::strcspn(line + 3, "\n"));
    }
    int cores = kMostThreads;
    while (true) {
        double quota = 0, period = 0;
        // Without a quota it says "max".
        if (const File file = opened(groups + path + "/cpu.max"))
            if (std::fscanf(file.get(), "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0)
                cores =
                    static_cast<int>(std::min<double>(cores, std::max(1.0, quota / period + 0.5)));
        if (path.empty()) return cores;
        path.resize(path.rfind('/'));
    }
}

int thread_limit(int n_threads) {
    if (n_threads <= 0) {
        const char* wish = std::getenv("KARAT_NUM_THREADS");
        if (wish != nullptr) n_threads = std::atoi(wish);
    }
    if (n_threads <= 0) {
        static const int cores = usable_cores();
        n_threads = cores;
    }
    return std::min(n_threads, kMostThreads);
}

void parallel(int n_slots, int64_t n_tasks, const std::function<void(int, int64_t)>& task,
              Poll poll) {
    Job job(task, n_tasks);
    n_slots = static_cast<int>(std::min<int64_t>(n_slots, n_tasks));
    if (n_slots <= 1 || !Pool::mine().try_run(job, n_slots, poll)) job.run(0, poll);
    if (job.error) std::rethrow_exception(job.error);
}

}  // namespace karat
