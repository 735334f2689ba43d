#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdint.h>

/// How many blocks of memory the calling thread has asked for since it began; -1 where that is not counted: on systems whose C
/// library is not glibc, and with sanitizers, which have an allocator of their own.
int64_t allocations_of_thread(void);

/// The same for all threads together. They are counted only between `count_allocations(1)` and `count_allocations(0)`.
int64_t allocations_of_all(void);
void count_allocations(int on);

#endif
