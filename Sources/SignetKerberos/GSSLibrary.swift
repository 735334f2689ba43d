#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions of the system's GSS-API (RFC 2744). They are looked up at the first use, so that Kerberos need not be
/// installed to build or to start a program.
@safe struct GSSLibrary: Sendable {
    typealias Status = UInt32
    typealias Pointer = UnsafeMutableRawPointer

    let importName: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Status
    let releaseName: @convention(c) (Pointer?, Pointer?) -> Status
    let acquire:
        @convention(c) (Pointer?, Pointer?, Pointer?, UInt32, Pointer?, Int32, Pointer?, Pointer?, Pointer?) -> Status
    let releaseCredential: @convention(c) (Pointer?, Pointer?) -> Status
    let initialize:
        @convention(c) (
            Pointer?, Pointer?, Pointer?, Pointer?, Pointer?, UInt32, UInt32, Pointer?, Pointer?, Pointer?, Pointer?,
            Pointer?, Pointer?
        ) -> Status
    let deleteContext: @convention(c) (Pointer?, Pointer?, Pointer?) -> Status
    let releaseBuffer: @convention(c) (Pointer?, Pointer?) -> Status
    let displayStatus: @convention(c) (Pointer?, UInt32, Int32, Pointer?, Pointer?, Pointer?) -> Status

    /// `gss_buffer_desc` of §3.2.
    @unsafe struct Buffer {
        var length = 0
        var value: Pointer?
    }

    /// `gss_OID_desc` of §3.3.
    @unsafe struct Identifier {
        var length: UInt32
        var elements: Pointer?
    }

    /// `gss_OID_set_desc` of §3.4.
    @unsafe struct IdentifierSet {
        var count: Int
        var elements: Pointer?
    }

    /// `gss_channel_bindings_struct` of §3.11.
    @unsafe struct Bindings {
        var initiatorAddressType: UInt32 = 0
        var initiatorAddress = unsafe Buffer()
        var acceptorAddressType: UInt32 = 0
        var acceptorAddress = unsafe Buffer()
        var applicationData: Buffer
    }

    /// The library, or why it could not be loaded. It is loaded once and never closed.
    static let shared: Result<GSSLibrary, LoadingError> = load(["libgssapi_krb5.so.2"])

    struct LoadingError: Error, CustomStringConvertible {
        let description: String
    }

    static func load(_ names: [String]) -> Result<GSSLibrary, LoadingError> {
        #if os(Linux)
        for name in names {
            guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            guard let library = unsafe GSSLibrary(handle) else {
                return .failure(.init(description: "\(name) lacks functions of the GSS-API (RFC 2744)."))
            }
            return .success(library)
        }
        return .failure(
            .init(
                description:
                    "There is no \(names.joined(separator: ", ")) on this machine; install MIT Kerberos (libgssapi-krb5-2)."
            ))
        #else
        return .failure(.init(description: "On this system, URLSession carries out Negotiate itself."))
        #endif
    }

    private init?(_ handle: Pointer) {
        func function<F>(_ name: String, _: F.Type) -> F? {
            unsafe dlsym(handle, name).map { unsafe unsafeBitCast($0, to: F.self) }
        }
        guard let importName = unsafe function("gss_import_name", type(of: importName)),
            let releaseName = unsafe function("gss_release_name", type(of: releaseName)),
            let acquire = unsafe function("gss_acquire_cred_with_password", type(of: acquire)),
            let releaseCredential = unsafe function("gss_release_cred", type(of: releaseCredential)),
            let initialize = unsafe function("gss_init_sec_context", type(of: initialize)),
            let deleteContext = unsafe function("gss_delete_sec_context", type(of: deleteContext)),
            let releaseBuffer = unsafe function("gss_release_buffer", type(of: releaseBuffer)),
            let displayStatus = unsafe function("gss_display_status", type(of: displayStatus))
        else { return nil }
        unsafe self.importName = unsafe importName
        unsafe self.releaseName = unsafe releaseName
        unsafe self.acquire = unsafe acquire
        unsafe self.releaseCredential = unsafe releaseCredential
        unsafe self.initialize = unsafe initialize
        unsafe self.deleteContext = unsafe deleteContext
        unsafe self.releaseBuffer = unsafe releaseBuffer
        unsafe self.displayStatus = unsafe displayStatus
    }

    /// The library's own text for a status.
    func description(of major: Status, minor: Status, mechanism: [UInt8]) -> String {
        let texts = [(major, Int32(1)), (minor, Int32(2))].compactMap { code, kind in
            code == 0 ? nil : text(of: code, kind, mechanism)
        }
        return texts.isEmpty ? "status \(major)" : texts.joined(separator: ": ")
    }

    private func text(of code: Status, _ kind: Int32, _ mechanism: [UInt8]) -> String? {
        var minor: Status = 0
        var more: UInt32 = 0
        var message = unsafe Buffer()
        let status = unsafe Self.withIdentifier(mechanism) {
            unsafe displayStatus(&minor, code, kind, $0, &more, &message)
        }
        defer { _ = unsafe releaseBuffer(&minor, &message) }
        guard status & 0xFFFF_0000 == 0, let value = unsafe message.value else { return nil }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: value, count: message.length), as: UTF8.self)
    }

    static func withIdentifier<R>(_ bytes: [UInt8], _ body: (Pointer?) throws -> R) rethrows -> R {
        var bytes = bytes
        return unsafe try bytes.withUnsafeMutableBytes { raw in
            var identifier = unsafe Identifier(length: UInt32(raw.count), elements: raw.baseAddress)
            return unsafe try withUnsafeMutableBytes(of: &identifier) { unsafe try body($0.baseAddress) }
        }
    }

    static func withBuffer<R>(_ bytes: [UInt8], _ body: (Pointer?) throws -> R) rethrows -> R {
        var bytes = bytes
        return unsafe try bytes.withUnsafeMutableBytes { raw in
            var buffer = unsafe Buffer(length: raw.count, value: raw.baseAddress)
            return unsafe try withUnsafeMutableBytes(of: &buffer) { unsafe try body($0.baseAddress) }
        }
    }
}
