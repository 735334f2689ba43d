#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The current time, for schemes that send it.
package enum SystemClock {
    /// Since 1970; never negative.
    package static var now: (seconds: UInt64, nanoseconds: UInt64) {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return (UInt64(max(0, time.tv_sec)), UInt64(max(0, time.tv_nsec)))
    }
}
