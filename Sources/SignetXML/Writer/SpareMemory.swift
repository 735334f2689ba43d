import Synchronization

/// Memory for bytes that a writer has no more use for, kept for the next one: to let it grow anew, and to have the system take it
/// back, costs a message of some length more than all else.
enum SpareMemory {
    /// The capacity of new memory; less is not kept either.
    private static let least = 4096
    /// More than this is given back to the system.
    private static let most = 1 << 18

    /// The address of one block, whose capacity stands at its beginning; zero when none is kept.
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
