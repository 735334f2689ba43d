// The clients in C and C++ are built with this file, too.
#define _GNU_SOURCE
#include "CallCounters.h"

#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

atomic_uint_fast64_t call_jobs;

struct CallCounters call_counters(void) {
    struct CallCounters result = {0};
    struct rusage usage;
    struct timespec now;
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        result.processor = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
            + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        result.switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
    }
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0)
        result.clock = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    uint64_t (*allocations)(void) = (uint64_t (*)(void))dlsym(RTLD_DEFAULT, "counted_allocations");
    if (allocations != NULL) result.allocations = allocations();
    result.enqueued = atomic_load_explicit(&call_jobs, memory_order_relaxed);
    return result;
}

void print_cost(struct CallCounters before, struct CallCounters after, uint64_t calls) {
    const double number = (double)calls, clock = (double)(after.clock - before.clock);
    printf("%.3f %.3f %.3f %.3f %.1f\n", (double)(after.processor - before.processor) / number,
        (double)(after.allocations - before.allocations) / number, (double)(after.enqueued - before.enqueued) / number,
        (double)(after.switches - before.switches) / number, clock > 0 ? number * 1e6 / clock : 0);
}

int64_t resident_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    char line[256];
    int64_t kilobytes = -1;
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return -1;
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "VmRSS: %" SCNd64, &kilobytes) != 1) continue;
    fclose(file);
    return kilobytes;
}

static int64_t open_sockets(void) {
    char path[300], target[64];
    int64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return -1;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        const ssize_t length = readlink(path, target, sizeof target);
        if (length >= 7 && strncmp(target, "socket:", 7) == 0) count++;
    }
    closedir(folder);
    return count;
}

int print_idle_cost(int64_t memory_with_one, int64_t connections) {
    const int64_t memory = resident_memory();
    if (connections < 2 || open_sockets() < connections || memory < 0 || memory_with_one < 0) return -1;
    printf("%.2f\n", (double)(memory - memory_with_one) / (double)(connections - 1));
    return 0;
}
