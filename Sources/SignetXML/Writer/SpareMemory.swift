import Synchronization

/// Memory that a writer no longer needs, kept for the next one: for a message of some length, growing new memory and
/// returning it to the system costs more than everything else.
enum SpareMemory {
    /// The capacity of new memory; smaller memory is not kept.
    private static let least = 4096
    /// Larger memory is returned to the system.
    private static let most = 1 << 18

    /// The address of one block, which begins with its capacity; zero when none is kept.
    private static let kept = Atomic<UInt>(0)

    static func take() -> (UnsafeMutablePointer<UInt8>, capacity: Int) {
        guard let block = exchange(nil) else { return (.allocate(capacity: least), least) }
        return (block, UnsafeRawPointer(block).loadUnaligned(as: Int.self))
    }

    static func giveBack(_ block: UnsafeMutablePointer<UInt8>, _ capacity: Int) {
        guard least...most ~= capacity else { return block.deallocate() }
        UnsafeMutableRawPointer(block).storeBytes(of: capacity, as: Int.self)
        exchange(block)?.deallocate()
    }

    private static func exchange(_ block: UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>? {
        UnsafeMutablePointer(bitPattern: kept.exchange(UInt(bitPattern: block), ordering: .acquiringAndReleasing))
    }
}
