#ifndef CALL_COUNTERS_H
#define CALL_COUNTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What this process has done so far.
struct CallCounters {
    /// Microseconds of processor time, of the program and of the system on its behalf.
    uint64_t processor;
    /// Microseconds of a clock that only goes forward.
    uint64_t clock;
    /// Blocks of memory that were asked for; zero without `allocations.c` in LD_PRELOAD.
    uint64_t allocations;
    /// Jobs that were handed to Swift's global executor: each is a change of threads, or may be one.
    uint64_t enqueued;
    /// Changes of threads on a processor, of all threads together.
    uint64_t switches;
};

struct CallCounters call_counters(void);

/// Begins to count the jobs that are handed to Swift's global executor.
void count_jobs(void);

/// Prints what one call has cost, in one line: microseconds of processor time, blocks of memory, jobs on the global executor, changes
/// of threads, calls a second.
void print_cost(struct CallCounters before, struct CallCounters after, uint64_t calls);

/// Memory of this process that is in the machine's memory, in KB, after the C library has given back what it holds without need; -1
/// where it cannot be learnt.
int64_t resident_memory(void);

/// Prints what each idle connection takes: the KB in use now without those that were in use with one connection, divided by the
/// connections that have been opened since.
///
/// - Returns: 0, or -1 when this process has fewer sockets open than connections, or the memory cannot be learnt.
int print_idle_cost(int64_t memory_with_one, int64_t connections);

#ifdef __cplusplus
}
#endif

#endif
