import Synchronization

@testable import SignetAuthentication

/// What a server says within NTLM.
enum NTLMMessages {
    /// Its challenge, with a time, in Base64.
    static var challenge: String { Base64.encode(challengeBytes) }

    static var challengeBytes: [UInt8] {
        let info: [UInt8] = [7, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0]
        let flags = NTLMChallenge.Flags([.unicode, .targetInfo, .ntlm]).rawValue
        let length = UInt16(info.count).littleEndianBytes
        let head =
            NTLMChallenge.signature + UInt32(2).littleEndianBytes + [UInt8](repeating: 0, count: 8)
            + flags.littleEndianBytes + [UInt8](repeating: 9, count: 16) + length + length
            + UInt32(48).littleEndianBytes
        return head + info
    }
}

/// A number that several tasks count.
final class LockedCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increase() { count.withLock { $0 += 1 } }
}
