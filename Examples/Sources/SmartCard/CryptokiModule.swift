#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A PKCS#11 module (OASIS PKCS#11 Base Specification 2.40), loaded into this process. No header and no library is
/// needed to build with it.
///
/// The owner of the module must not call its functions concurrently.
struct CryptokiModule: Sendable {
    /// A refusal of the module, with its return value.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// CK_ATTRIBUTE: an attribute that an object has or must have.
    struct Attribute {
        var type: UInt
        var value: UnsafeMutableRawPointer?
        var count: UInt
    }

    /// CK_MECHANISM.
    private struct Mechanism {
        var type: UInt
        var parameter: UnsafeMutableRawPointer?
        var count: UInt
    }

    private typealias One = @convention(c) (UnsafeMutableRawPointer?) -> UInt
    private typealias List = @convention(c) (UInt8, UnsafeMutablePointer<UInt>?, UnsafeMutablePointer<UInt>) -> UInt
    private typealias OfSlot = @convention(c) (UInt, UnsafeMutableRawPointer) -> UInt
    private typealias ListOfSlot =
        @convention(c) (UInt, UnsafeMutablePointer<UInt>?, UnsafeMutablePointer<UInt>) -> UInt
    private typealias Open =
        @convention(c) (
            UInt, UInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt>
        ) -> UInt
    private typealias Login = @convention(c) (UInt, UInt, UnsafeMutablePointer<UInt8>?, UInt) -> UInt
    private typealias OfObject = @convention(c) (UInt, UInt, UnsafeMutableRawPointer, UInt) -> UInt
    private typealias Search = @convention(c) (UInt, UnsafeMutableRawPointer, UInt) -> UInt
    private typealias Found =
        @convention(c) (UInt, UnsafeMutablePointer<UInt>, UInt, UnsafeMutablePointer<UInt>) -> UInt
    private typealias OfSession = @convention(c) (UInt) -> UInt
    private typealias SignInit = @convention(c) (UInt, UnsafeMutableRawPointer, UInt) -> UInt
    private typealias Sign =
        @convention(c) (
            UInt, UnsafeMutablePointer<UInt8>, UInt, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt>
        ) -> UInt

    /// CK_FUNCTION_LIST: a version, then the functions in the standard's order (§3.6). It lives as long as the process.
    private nonisolated(unsafe) let functions: UnsafeRawPointer

    /// - Parameter path: the module's shared library.
    init(path: String) throws {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL), let symbol = dlsym(library, "C_GetFunctionList") else {
            throw Failure("\(path) is no PKCS#11 module: \(dlerror().map { String(cString: $0) } ?? "no reason given")")
        }
        var list: UnsafeRawPointer?
        let result = withUnsafeMutablePointer(to: &list) {
            unsafeBitCast(symbol, to: One.self)(UnsafeMutableRawPointer($0))
        }
        guard result == 0, let list else {
            throw Failure("\(path) gives no list of its functions: \(Self.name(result)).")
        }
        functions = list
        // Other code in the process may have initialised it before (CKR_CRYPTOKI_ALREADY_INITIALIZED).
        let begun = function(1, One.self)(nil)
        guard begun == 0 || begun == 0x191 else { throw Failure("\(path) does not start: \(Self.name(begun)).") }
    }

    private func function<F>(_ number: Int, _ type: F.Type) -> F {
        functions.load(fromByteOffset: number * MemoryLayout<UInt>.stride, as: type)
    }

    private func check(_ call: String, _ result: UInt) throws {
        if result != 0 { throw Failure("\(call) failed: \(Self.name(result)).") }
    }

    private static func name(_ result: UInt) -> String {
        let names: [UInt: String] = [
            0x05: "general error", 0x30: "device error", 0x31: "device memory", 0x32: "device removed",
            0x54: "function not supported", 0x60: "key handle invalid", 0x68: "key function not permitted",
            0x70: "mechanism invalid", 0xA0: "PIN incorrect", 0xA4: "PIN locked", 0xB3: "session handle invalid",
            0xE0: "token not present", 0x101: "user not logged in",
        ]
        return names[result] ?? "CKR 0x\(String(result, radix: 16))"
    }

    /// Checks a length from the module; CK_UNAVAILABLE_INFORMATION and larger values are refused.
    static func length(_ count: UInt) throws -> Int {
        guard count <= 65_536 else { throw Failure("The module names an impossible length.") }
        return Int(count)
    }

    /// The slot whose token has this label.
    func slot(ofToken label: String) throws -> UInt {
        let list = function(5, List.self)
        var count: UInt = 0
        try check("C_GetSlotList", list(1, nil, &count))
        var slots = [UInt](repeating: 0, count: try Self.length(count))
        try check("C_GetSlotList", list(1, &slots, &count))
        for slot in slots.prefix(try Self.length(count)) {
            // CK_TOKEN_INFO has 208 bytes; the label is the first 32, with blanks behind it.
            var info = [UInt8](repeating: 0, count: 512)
            guard function(7, OfSlot.self)(slot, &info) == 0 else { continue }
            let name = String(decoding: info[..<32], as: UTF8.self)
            if name.hasPrefix(label), name.dropFirst(label.count).allSatisfy({ $0 == " " }) { return slot }
        }
        throw Failure("No slot has a token “\(label)”.")
    }

    /// The mechanisms of the token in `slot`.
    func mechanisms(_ slot: UInt) throws -> Set<UInt> {
        let list = function(8, ListOfSlot.self)
        var count: UInt = 0
        try check("C_GetMechanismList", list(slot, nil, &count))
        var mechanisms = [UInt](repeating: 0, count: try Self.length(count))
        try check("C_GetMechanismList", list(slot, &mechanisms, &count))
        return Set(mechanisms.prefix(try Self.length(count)))
    }

    func openSession(_ slot: UInt, pin: String) throws -> UInt {
        var session: UInt = 0
        try check("C_OpenSession", function(13, Open.self)(slot, 4, nil, nil, &session))
        var pin = Array(pin.utf8)
        let result = function(19, Login.self)(session, 1, &pin, UInt(pin.count))
        // CKR_USER_ALREADY_LOGGED_IN: by another session of this process.
        if result != 0x100 { try check("C_Login", result) }
        return session
    }

    /// The objects of a class (CKO) with a label.
    func objects(_ session: UInt, class kind: UInt, label: String) throws -> [UInt] {
        var (kind, label) = (kind, Array(label.utf8))
        let size = UInt(MemoryLayout<UInt>.size)
        try withUnsafeMutableBytes(of: &kind) { kind in
            try label.withUnsafeMutableBytes { label in
                var template = [
                    Attribute(type: 0x000, value: kind.baseAddress, count: size),
                    Attribute(type: 0x003, value: label.baseAddress, count: UInt(label.count)),
                ]
                try check("C_FindObjectsInit", function(27, Search.self)(session, &template, 2))
            }
        }
        defer { _ = function(29, OfSession.self)(session) }
        var found = [UInt](repeating: 0, count: 16)
        var count: UInt = 0
        try check("C_FindObjects", function(28, Found.self)(session, &found, 16, &count))
        return Array(found.prefix(try Self.length(count)))
    }

    /// An attribute (CKA) of an object, of at most 4 KB.
    func attribute(_ session: UInt, _ object: UInt, _ type: UInt) throws -> [UInt8] {
        var value = [UInt8](repeating: 0, count: 4096)
        let count = try value.withUnsafeMutableBytes { bytes in
            var attribute = Attribute(type: type, value: bytes.baseAddress, count: UInt(bytes.count))
            try check("C_GetAttributeValue", function(25, OfObject.self)(session, object, &attribute, 1))
            return try Self.length(attribute.count)
        }
        return Array(value.prefix(count))
    }

    func sign(
        _ session: UInt, _ key: UInt, mechanism: UInt, parameters: [UInt], _ data: [UInt8]
    ) throws -> [UInt8] {
        var (parameters, data) = (parameters, data)
        try parameters.withUnsafeMutableBytes { bytes in
            var mechanism = Mechanism(
                type: mechanism, parameter: bytes.isEmpty ? nil : bytes.baseAddress, count: UInt(bytes.count))
            try check("C_SignInit", function(43, SignInit.self)(session, &mechanism, key))
        }
        var signature = [UInt8](repeating: 0, count: 4096)
        var count = UInt(signature.count)
        try check("C_Sign", function(44, Sign.self)(session, &data, UInt(data.count), &signature, &count))
        return Array(signature.prefix(try Self.length(count)))
    }
}
