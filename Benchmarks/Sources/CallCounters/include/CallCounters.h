#ifndef CALL_COUNTERS_H
#define CALL_COUNTERS_H

#include <stdint.h>

/// What this process has done so far.
struct CallCounters {
    /// Microseconds of processor time, of the program and of the system on its behalf.
    uint64_t processor;
    /// Blocks of memory that were asked for; zero without `allocations.c` in LD_PRELOAD.
    uint64_t allocations;
    /// Jobs that were handed to Swift's global executor: each is a change of threads, or may be one.
    uint64_t enqueued;
    /// Changes of threads on a processor, of all threads together.
    uint64_t switches;
};

/// Begins to count jobs.
void count_jobs(void);

struct CallCounters call_counters(void);

#endif
