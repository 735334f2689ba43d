import Foundation
import SignetAuthentication
import SignetCredentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the database or the way to it has refused.
struct PostgreSQLFailure: Error, CustomStringConvertible {
    /// SQLSTATE (PostgreSQL documentation, appendix “PostgreSQL Error Codes”); nil when the connection failed.
    var state: String?
    /// The first line of what libpq or the database says. It contains no value of a statement.
    var description: String
    /// Whether the statement was certainly not carried out.
    var isBeforeSending = false

    /// Two transactions were in each other's way: the same again succeeds (class 40). So it is when two make the same table.
    var isConflict: Bool {
        guard let state else { return false }
        return state.hasPrefix("40") || ["23505", "42P06", "42P07", "42710", "42723"].contains(state)
    }
    /// The connection can no longer be used: it failed, the database ends it (class 57P), or the database has become one that only
    /// copies another one.
    var isConnectionLost: Bool {
        state.map { $0.hasPrefix("57P") || $0.hasPrefix("08") || $0 == "25006" } ?? true
    }
}

/// The rows of an answer. Each value is in the binary format, or nil for NULL.
struct PostgreSQLRows {
    var rows: [[[UInt8]?]] = []
    /// How many rows a statement has changed.
    var changed = 0

    /// The value in the first row.
    subscript(column: Int) -> [UInt8]? {
        guard let row = rows.first, row.indices.contains(column) else { return nil }
        return row[column]
    }

    /// The integer in the first row: int2, int4 or int8.
    func integer(_ column: Int) -> Int64? { self[column].flatMap { Self.integer($0) } }

    static func integer(_ bytes: [UInt8]) -> Int64? {
        switch bytes.count {
        case 2: Int16(bigEndianBytes: bytes).map { Int64($0) }
        case 4: Int32(bigEndianBytes: bytes).map { Int64($0) }
        default: Int64(bigEndianBytes: bytes)
        }
    }
}

/// A value of a statement.
enum PostgreSQLValue {
    case bytes([UInt8])
    case integer(Int64)
    case text(String)

    /// The identifiers of `bytea`, `int8` and `text` (pg_type.dat).
    var type: UInt32 {
        switch self {
        case .bytes: 17
        case .integer: 20
        case .text: 25
        }
    }

    /// In the binary format.
    var encoded: [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .integer(let number): number.bigEndianBytes
        case .text(let text): Array(text.utf8)
        }
    }
}

/// A connection to a database. Its calls block.
///
/// It is `@unchecked Sendable` because only one thread at a time has it: the pool gives it to one call, and gets it back afterwards.
@safe final class PostgreSQLConnection: @unchecked Sendable {
    private let library: PostgreSQLLibrary
    private let connection: PostgreSQLLibrary.Pointer

    /// - Parameters:
    ///   - parameters: keywords and values of libpq (§34.1.2).
    ///   - deadline: until when the connection must be there.
    init(
        _ parameters: [(keyword: String, value: String)], deadline: ContinuousClock.Instant
    ) throws(PostgreSQLFailure) {
        switch PostgreSQLLibrary.shared {
        case .success(let library): self.library = library
        case .failure(let error): throw PostgreSQLFailure(description: error.description, isBeforeSending: true)
        }
        let library = library
        let started = unsafe Self.withTexts(parameters.map(\.keyword)) { keywords in
            unsafe Self.withTexts(parameters.map(\.value)) { values in unsafe library.connectStart(keywords, values, 0)
            }
        }
        guard let started = unsafe started else {
            throw PostgreSQLFailure(description: "libpq had no memory for a connection.", isBeforeSending: true)
        }
        unsafe connection = started
        // Otherwise libpq would print what the database remarks.
        _ = unsafe library.setNoticeProcessor(connection, { _, _ in }, nil)
        // What to do next: 1 is to wait until the socket can be read, 2 until it can be written, 3 is the end, 0 a failure.
        var next: Int32 = 2
        while next != 3 {
            guard next != 0, unsafe library.status(connection) != 1 else { throw failure(isBeforeSending: true) }
            // The socket may be another one each time: a name can have several addresses.
            try wait(next == 1 ? POLLIN : POLLOUT, deadline, isBeforeSending: true)
            next = unsafe library.connectPoll(connection)
        }
        guard unsafe library.setNonblocking(connection, 1) == 0 else { throw failure(isBeforeSending: true) }
    }

    deinit { unsafe library.finish(connection) }

    /// Whether the connection was still there when it was looked at. A database says nothing of its own accord but that it ends a
    /// connection, or that its settings have changed.
    var isUsable: Bool {
        var poll = pollfd(fd: unsafe library.socket(connection), events: Int16(POLLIN), revents: 0)
        return unsafe poll.fd >= 0 && Self.poll(&poll, 0) == 0 && library.status(connection) == 0
    }

    /// Whether it is neither in a transaction nor in the middle of a statement.
    var isIdle: Bool { unsafe library.status(connection) == 0 && library.transactionStatus(connection) == 0 }

    /// Carries out one statement.
    ///
    /// - Throws: ``PostgreSQLFailure``. Without a SQLSTATE, it is unknown whether the statement was carried out, and the connection is of no
    ///   more use.
    @discardableResult
    func run(
        _ statement: String, _ values: [PostgreSQLValue] = [], deadline: ContinuousClock.Instant
    ) throws(PostgreSQLFailure) -> PostgreSQLRows {
        try send(statement, values)
        while true {
            let rest = unsafe library.flush(connection)
            if rest == 0 { break }
            guard rest == 1 else { throw failure() }
            try wait(POLLIN | POLLOUT, deadline)
            guard unsafe library.consumeInput(connection) == 1 else { throw failure() }
        }
        var rows = PostgreSQLRows()
        var refusal: PostgreSQLFailure?
        while true {
            while unsafe library.isBusy(connection) == 1 {
                try wait(POLLIN, deadline)
                guard unsafe library.consumeInput(connection) == 1 else { throw failure() }
            }
            guard let result = unsafe library.getResult(connection) else { break }
            defer { unsafe library.clear(result) }
            switch unsafe library.resultStatus(result) {
            case 1, 2: rows = unsafe read(result)
            default: refusal = unsafe refused(result)
            }
        }
        if let refusal { throw refusal }
        guard unsafe library.status(connection) == 0 else { throw failure() }
        return rows
    }

    private func send(_ statement: String, _ values: [PostgreSQLValue]) throws(PostgreSQLFailure) {
        let encoded = values.map(\.encoded)
        let types = values.map(\.type)
        let lengths = encoded.map { Int32(clamping: $0.count) }
        let formats = [Int32](repeating: 1, count: values.count)
        // All values in one block; an empty one needs an address as well, since NULL is the absence of a value.
        let block = Array(encoded.joined()) + [0]
        let sent = unsafe block.withUnsafeBufferPointer { bytes -> Int32 in
            var offset = 0
            let pointers: [PostgreSQLLibrary.Text?] = unsafe encoded.map { value in
                defer { offset += value.count }
                return unsafe bytes.baseAddress.map {
                    unsafe UnsafeRawPointer($0 + offset).assumingMemoryBound(to: CChar.self)
                }
            }
            return unsafe library.send(
                connection, statement, Int32(clamping: values.count), types, pointers, lengths, formats, 1)
        }
        guard sent == 1 else { throw failure(isBeforeSending: true) }
    }

    private func read(_ result: PostgreSQLLibrary.Pointer) -> PostgreSQLRows {
        var rows = PostgreSQLRows()
        let columns = unsafe library.columnCount(result)
        for row in 0..<max(0, unsafe library.rowCount(result)) {
            rows.rows.append(
                (0..<max(0, columns)).map { column in
                    guard unsafe library.isNull(result, row, column) == 0,
                        let value = unsafe library.value(result, row, column)
                    else { return nil }
                    let count = Int(max(0, unsafe library.length(result, row, column)))
                    return unsafe Array(UnsafeBufferPointer(start: value, count: count))
                })
        }
        rows.changed = unsafe library.affectedRows(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
        return rows
    }

    private func refused(_ result: PostgreSQLLibrary.Pointer) -> PostgreSQLFailure {
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY. Details would contain values.
        let state = unsafe library.resultErrorField(result, 67).map { unsafe String(cString: $0) }
        let message = unsafe library.resultErrorField(result, 77).map { unsafe String(cString: $0) }
        return PostgreSQLFailure(state: state, description: message.map { Self.printable($0) } ?? text)
    }

    private func failure(isBeforeSending: Bool = false) -> PostgreSQLFailure {
        PostgreSQLFailure(description: text, isBeforeSending: isBeforeSending)
    }

    /// What libpq says of the last address that it has tried, in one line.
    private var text: String {
        let text = unsafe library.errorMessage(connection).map { unsafe String(cString: $0) } ?? ""
        var lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }
        if let last = lines.lastIndex(where: { $0.hasPrefix("connection to ") }) {
            lines.removeFirst(last)
            if let reason = lines[0].range(of: " failed: ") { lines[0] = lines[0][reason.upperBound...] }
        }
        // It becomes the end of a sentence.
        while let last = lines.last, last.hasSuffix("?") || last.isEmpty { lines.removeLast() }
        return lines.isEmpty ? "the connection ended" : Self.printable(lines.joined(separator: "; "))
    }

    /// The database has chosen the text.
    private static func printable(_ text: String) -> String { text.printable(limit: 500) }

    private func wait(
        _ events: Int32, _ deadline: ContinuousClock.Instant, isBeforeSending: Bool = false
    ) throws(PostgreSQLFailure) {
        var poll = pollfd(fd: unsafe library.socket(connection), events: Int16(truncatingIfNeeded: events), revents: 0)
        while true {
            let rest = deadline - .now
            guard rest > .zero else {
                throw PostgreSQLFailure(
                    description: "the database did not answer in time", isBeforeSending: isBeforeSending)
            }
            // What TLS has read ahead cannot be seen at the socket: the caller looks from time to time.
            let isLooking = !isBeforeSending
            let count = Self.poll(
                &poll, Int32(clamping: min(rest.milliseconds, isLooking ? 100 : 600_000) + 1))
            if count > 0 || (count == 0 && isLooking) { return }
            if count < 0, errno != EINTR { throw failure(isBeforeSending: isBeforeSending) }
        }
    }

    private static func poll(_ descriptor: inout pollfd, _ milliseconds: Int32) -> Int32 {
        #if canImport(Glibc)
        unsafe Glibc.poll(&descriptor, 1, milliseconds)
        #elseif canImport(Musl)
        unsafe Musl.poll(&descriptor, 1, milliseconds)
        #elseif canImport(Darwin)
        unsafe Darwin.poll(&descriptor, 1, milliseconds)
        #endif
    }

    /// Lends texts as libpq wants them: pointers, with a null pointer at the end.
    private static func withTexts<Result>(
        _ texts: [String], _ body: (UnsafePointer<PostgreSQLLibrary.Text?>) -> Result?
    ) -> Result? {
        let lengths = texts.map { $0.utf8.count + 1 }
        var block: [UInt8] = []
        block.reserveCapacity(lengths.reduce(0, +))
        for text in texts {
            block.append(contentsOf: text.utf8)
            block.append(0)
        }
        // One of them may be a password.
        defer { block.resetBytes() }
        return unsafe block.withUnsafeBytes { bytes in
            var offset = 0
            let pointers: [PostgreSQLLibrary.Text?] =
                unsafe lengths.map { length in
                    defer { offset += length }
                    return unsafe bytes.baseAddress.map { unsafe ($0 + offset).assumingMemoryBound(to: CChar.self) }
                } + [nil]
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe pointers.baseAddress.flatMap { unsafe body($0) }
            }
        }
    }
}
