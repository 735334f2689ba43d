import SignetTLS

/// Finds the ServerHello in the first bytes from a server, however they are split.
struct ServerHelloScanner {
    enum Result: Equatable {
        case needsMore
        case found(ServerHello)
        /// The bytes are something else, or too many: no ServerHello will be found.
        case notFound
    }

    /// Far more than any ServerHello has.
    static let maximumBytes = 4096

    private var records: [UInt8] = []
    private var messages: [UInt8] = []
    private var result = Result.needsMore

    mutating func scan(_ bytes: some Sequence<UInt8>) -> Result {
        guard result == .needsMore else { return result }
        for byte in bytes {
            guard records.count + messages.count < Self.maximumBytes else {
                result = .notFound
                break
            }
            records.append(byte)
            if !takeRecord() { break }
        }
        return result
    }

    /// Moves the content of a complete record to the messages. False when the search has ended.
    private mutating func takeRecord() -> Bool {
        guard records.count >= 5 else { return true }
        // Record type 22 is handshake. Type 20, change_cipher_spec, may follow a HelloRetryRequest for the sake of
        // middleboxes.
        guard records[0] == 22 || records[0] == 20, records[1] == 3 else {
            result = .notFound
            return false
        }
        let length = Int(records[3]) << 8 | Int(records[4])
        guard length > 0, length <= Self.maximumBytes else {
            result = .notFound
            return false
        }
        guard records.count == 5 + length else { return true }
        if records[0] == 22 { messages.append(contentsOf: records[5...]) }
        records.removeAll(keepingCapacity: true)
        takeMessages()
        return result == .needsMore
    }

    private mutating func takeMessages() {
        while messages.count >= 4, result == .needsMore {
            let length = Int(messages[1]) << 16 | Int(messages[2]) << 8 | Int(messages[3])
            guard messages[0] == 2, length <= Self.maximumBytes else {
                result = .notFound
                return
            }
            guard messages.count >= 4 + length else { return }
            let hello = ServerHello(body: messages[4..<(4 + length)])
            messages.removeFirst(4 + length)
            guard let hello else {
                result = .notFound
                return
            }
            if !hello.isRetryRequest { result = .found(hello) }
        }
    }
}
