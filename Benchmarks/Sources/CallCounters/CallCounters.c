#define _GNU_SOURCE
#include "CallCounters.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*original_enqueue)(void *job);
typedef SWIFT_CALL void (*enqueue_hook)(void *job, original_enqueue original);

static atomic_uint_fast64_t enqueued;

static SWIFT_CALL void count(void *job, original_enqueue original) {
    atomic_fetch_add_explicit(&enqueued, 1, memory_order_relaxed);
    original(job);
}

void count_jobs(void) {
    enqueue_hook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    if (hook != NULL) *hook = count;
}

struct CallCounters call_counters(void) {
    struct CallCounters result = {0};
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        result.processor = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
            + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        result.switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
    }
    uint64_t (*allocations)(void) = (uint64_t (*)(void))dlsym(RTLD_DEFAULT, "counted_allocations");
    if (allocations != NULL) result.allocations = allocations();
    result.enqueued = atomic_load_explicit(&enqueued, memory_order_relaxed);
    return result;
}
