#define _GNU_SOURCE
#include "CallCounters.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*original_enqueue)(void *job);
typedef SWIFT_CALL void (*enqueue_hook)(void *job, original_enqueue original);

extern atomic_uint_fast64_t call_jobs;

static SWIFT_CALL void count(void *job, original_enqueue original) {
    atomic_fetch_add_explicit(&call_jobs, 1, memory_order_relaxed);
    original(job);
}

void count_jobs(void) {
    enqueue_hook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    if (hook != NULL) *hook = count;
}
