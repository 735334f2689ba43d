#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions of libpq that are used here (PostgreSQL documentation, chapter “libpq — C Library”). They are looked up at the first use,
/// so that PostgreSQL need not be installed to build or to start a program.
@safe struct PostgreSQLLibrary: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>

    let connectStart: @convention(c) (UnsafePointer<Text?>, UnsafePointer<Text?>, Int32) -> Pointer?
    let connectPoll: @convention(c) (Pointer) -> Int32
    let status: @convention(c) (Pointer) -> Int32
    let transactionStatus: @convention(c) (Pointer) -> Int32
    let socket: @convention(c) (Pointer) -> Int32
    let setNonblocking: @convention(c) (Pointer, Int32) -> Int32
    let setNoticeProcessor: @convention(c) (Pointer, @convention(c) (Pointer?, Text?) -> Void, Pointer?) -> Pointer?
    let errorMessage: @convention(c) (Pointer) -> Text?
    let finish: @convention(c) (Pointer) -> Void
    let send:
        @convention(c) (
            Pointer, Text, Int32, UnsafePointer<UInt32>?, UnsafePointer<Text?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?, Int32
        ) -> Int32
    let flush: @convention(c) (Pointer) -> Int32
    let consumeInput: @convention(c) (Pointer) -> Int32
    let isBusy: @convention(c) (Pointer) -> Int32
    let getResult: @convention(c) (Pointer) -> Pointer?
    let resultStatus: @convention(c) (Pointer) -> Int32
    let resultErrorField: @convention(c) (Pointer, Int32) -> Text?
    let rowCount: @convention(c) (Pointer) -> Int32
    let columnCount: @convention(c) (Pointer) -> Int32
    let value: @convention(c) (Pointer, Int32, Int32) -> UnsafePointer<UInt8>?
    let length: @convention(c) (Pointer, Int32, Int32) -> Int32
    let isNull: @convention(c) (Pointer, Int32, Int32) -> Int32
    let affectedRows: @convention(c) (Pointer) -> Text?
    let clear: @convention(c) (Pointer) -> Void

    /// The library, or why it could not be loaded. It is loaded once and never closed.
    static let shared: Result<PostgreSQLLibrary, LoadingError> = load([
        "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
        "/usr/local/opt/libpq/lib/libpq.5.dylib",
    ])

    struct LoadingError: Error, CustomStringConvertible {
        let description: String
    }

    static func load(_ names: [String]) -> Result<PostgreSQLLibrary, LoadingError> {
        for name in names {
            guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            guard let library = unsafe PostgreSQLLibrary(handle) else {
                return .failure(
                    .init(description: "\(name) lacks functions of libpq; install that of PostgreSQL 13 or later."))
            }
            return .success(library)
        }
        return .failure(
            .init(
                description:
                    "There is no \(names.first ?? "libpq") on this machine. Install libpq: on Debian and Ubuntu the package libpq5, on macOS libpq of Homebrew."
            ))
    }

    private init?(_ handle: Pointer) {
        func function<F>(_ name: String, _: F.Type) -> F? {
            unsafe dlsym(handle, name).map { unsafe unsafeBitCast($0, to: F.self) }
        }
        guard let connectStart = unsafe function("PQconnectStartParams", type(of: connectStart)),
            let connectPoll = unsafe function("PQconnectPoll", type(of: connectPoll)),
            let status = unsafe function("PQstatus", type(of: status)),
            let transactionStatus = unsafe function("PQtransactionStatus", type(of: transactionStatus)),
            let socket = unsafe function("PQsocket", type(of: socket)),
            let setNonblocking = unsafe function("PQsetnonblocking", type(of: setNonblocking)),
            let setNoticeProcessor = unsafe function("PQsetNoticeProcessor", type(of: setNoticeProcessor)),
            let errorMessage = unsafe function("PQerrorMessage", type(of: errorMessage)),
            let finish = unsafe function("PQfinish", type(of: finish)),
            let send = unsafe function("PQsendQueryParams", type(of: send)),
            let flush = unsafe function("PQflush", type(of: flush)),
            let consumeInput = unsafe function("PQconsumeInput", type(of: consumeInput)),
            let isBusy = unsafe function("PQisBusy", type(of: isBusy)),
            let getResult = unsafe function("PQgetResult", type(of: getResult)),
            let resultStatus = unsafe function("PQresultStatus", type(of: resultStatus)),
            let resultErrorField = unsafe function("PQresultErrorField", type(of: resultErrorField)),
            let rowCount = unsafe function("PQntuples", type(of: rowCount)),
            let columnCount = unsafe function("PQnfields", type(of: columnCount)),
            let value = unsafe function("PQgetvalue", type(of: value)),
            let length = unsafe function("PQgetlength", type(of: length)),
            let isNull = unsafe function("PQgetisnull", type(of: isNull)),
            let affectedRows = unsafe function("PQcmdTuples", type(of: affectedRows)),
            let clear = unsafe function("PQclear", type(of: clear))
        else { return nil }
        unsafe self.connectStart = unsafe connectStart
        unsafe self.connectPoll = unsafe connectPoll
        unsafe self.status = unsafe status
        unsafe self.transactionStatus = unsafe transactionStatus
        unsafe self.socket = unsafe socket
        unsafe self.setNonblocking = unsafe setNonblocking
        unsafe self.setNoticeProcessor = unsafe setNoticeProcessor
        unsafe self.errorMessage = unsafe errorMessage
        unsafe self.finish = unsafe finish
        unsafe self.send = unsafe send
        unsafe self.flush = unsafe flush
        unsafe self.consumeInput = unsafe consumeInput
        unsafe self.isBusy = unsafe isBusy
        unsafe self.getResult = unsafe getResult
        unsafe self.resultStatus = unsafe resultStatus
        unsafe self.resultErrorField = unsafe resultErrorField
        unsafe self.rowCount = unsafe rowCount
        unsafe self.columnCount = unsafe columnCount
        unsafe self.value = unsafe value
        unsafe self.length = unsafe length
        unsafe self.isNull = unsafe isNull
        unsafe self.affectedRows = unsafe affectedRows
        unsafe self.clear = unsafe clear
    }
}
