import SignetAuthentication
import Synchronization

/// A `gss_ctx_id_t` with the objects that belong to it.
final class KerberosContext: NegotiateContext {
    /// The library's objects. Only one task at a time uses them, under the lock.
    private struct Handles: ~Copyable {
        var context: UInt = 0
        var name: UInt = 0
        var credential: UInt = 0
        var isComplete = false
    }

    private static let hostBasedService: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x01, 0x04]
    private static let userName: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x01, 0x01]
    /// The mechanism of Kerberos itself: within the system's SPNEGO, its error numbers would differ.
    private static let kerberos: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02]
    private static let mutualFlag: UInt32 = 2
    private static let continueNeeded: UInt32 = 1

    private let library: GSSLibrary
    private let host: String
    private let channelBinding: [UInt8]?
    private let flags: UInt32
    private let handles = Mutex(Handles())

    init(
        _ library: GSSLibrary, host: String, account: Credentials.Account?, channelBinding: [UInt8]?, mutual: Bool
    ) throws {
        self.library = library
        self.host = host
        self.channelBinding = channelBinding
        flags = mutual ? Self.mutualFlag : 0
        let name = try Self.name("HTTP@\(host)", Self.hostBasedService, library)
        handles.withLock { $0.name = name }
        if let account {
            let credential = try Self.credential(account, library)
            handles.withLock { $0.credential = credential }
        }
    }

    deinit {
        handles.withLock { handles in
            var minor: UInt32 = 0
            if handles.context != 0 { _ = unsafe library.deleteContext(&minor, &handles.context, nil) }
            if handles.name != 0 { _ = unsafe library.releaseName(&minor, &handles.name) }
            if handles.credential != 0 { _ = unsafe library.releaseCredential(&minor, &handles.credential) }
        }
    }

    var isComplete: Bool { handles.withLock { $0.isComplete } }

    func step(_ token: [UInt8]?) async throws -> [UInt8]? {
        try await Kerberos.apart { try self.take(token) }
    }

    private func take(_ token: [UInt8]?) throws -> [UInt8]? {
        try handles.withLock { handles in
            guard !handles.isComplete else { return nil }
            var minor: UInt32 = 0
            var output = unsafe GSSLibrary.Buffer()
            defer {
                var ignored: UInt32 = 0
                _ = unsafe library.releaseBuffer(&ignored, &output)
            }
            let major = unsafe withBindings { bindings in
                unsafe GSSLibrary.withIdentifier(Self.kerberos) { mechanism in
                    unsafe GSSLibrary.withBuffer(token ?? []) { input in
                        unsafe library.initialize(
                            &minor, UnsafeMutableRawPointer(bitPattern: handles.credential), &handles.context,
                            UnsafeMutableRawPointer(bitPattern: handles.name), mechanism, flags, 0, bindings,
                            token == nil ? nil : input, nil, &output, nil, nil)
                    }
                }
            }
            guard major & 0xFFFF_0000 == 0 else {
                let reason = library.description(of: major, minor: minor, mechanism: Self.kerberos)
                if token == nil {
                    throw AuthenticationError(
                        .noTicket,
                        "Kerberos has no ticket for HTTP@\(host): \(reason). Check klist, or get one with kinit.")
                }
                throw AuthenticationError(
                    .peerNotProved, "The answer of \(host) to the ticket does not prove its identity: \(reason).")
            }
            handles.isComplete = major & Self.continueNeeded == 0
            guard let value = unsafe output.value, unsafe output.length > 0 else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(start: value, count: output.length))
        }
    }

    private func withBindings<R>(_ body: (UnsafeMutableRawPointer?) -> R) -> R {
        guard var binding = channelBinding else { return body(nil) }
        return unsafe binding.withUnsafeMutableBytes { raw in
            var bindings = unsafe GSSLibrary.Bindings(
                applicationData: .init(length: raw.count, value: raw.baseAddress))
            return unsafe withUnsafeMutableBytes(of: &bindings) { unsafe body($0.baseAddress) }
        }
    }

    // MARK: Names and accounts

    private static func name(_ text: String, _ type: [UInt8], _ library: GSSLibrary) throws -> UInt {
        var minor: UInt32 = 0
        var name: UInt = 0
        let major = unsafe GSSLibrary.withBuffer(Array(text.utf8)) { buffer in
            unsafe GSSLibrary.withIdentifier(type) { unsafe library.importName(&minor, buffer, $0, &name) }
        }
        guard major & 0xFFFF_0000 == 0 else {
            throw AuthenticationError(
                .noTicket,
                "Kerberos knows no name “\(text.printable)”: \(library.description(of: major, minor: minor, mechanism: kerberos))."
            )
        }
        return name
    }

    /// Gets a ticket for an account, from the network.
    private static func credential(_ account: Credentials.Account, _ library: GSSLibrary) throws -> UInt {
        let (plain, realm) = account.split
        // These characters have a special meaning in the name of a principal (RFC 1964 §2.1.1).
        let escaped = plain.unicodeScalars.map { "\\/@".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
        let user = realm.isEmpty ? plain : "\(escaped)@\(realm)"
        var name = try name(user, userName, library)
        var minor: UInt32 = 0
        defer {
            var ignored: UInt32 = 0
            _ = unsafe library.releaseName(&ignored, &name)
        }
        var credential: UInt = 0
        let initiate: Int32 = 1
        let major = unsafe GSSLibrary.withBuffer(Array(account.password.utf8)) { password in
            unsafe GSSLibrary.withIdentifier(kerberos) { mechanism in
                var mechanisms = unsafe GSSLibrary.IdentifierSet(count: 1, elements: mechanism)
                return unsafe withUnsafeMutableBytes(of: &mechanisms) { set in
                    unsafe library.acquire(
                        &minor, UnsafeMutableRawPointer(bitPattern: name), password, .max, set.baseAddress, initiate,
                        &credential, nil, nil)
                }
            }
        }
        guard major & 0xFFFF_0000 == 0 else {
            let reason = library.description(of: major, minor: minor, mechanism: kerberos)
            throw refusal(of: user, minor: minor, reason)
        }
        return credential
    }

    /// The error for an account, as far as Kerberos gives the reason (RFC 4120 §7.5.9; with MIT's numbers).
    private static func refusal(of user: String, minor: UInt32, _ reason: String) -> AuthenticationError {
        // The server has not checked the password.
        let absent = { (fault: AuthenticationError.Fault?) in
            var error = AuthenticationError(
                .noTicket, "Kerberos has no ticket for “\(user.printable)”: \(reason).")
            error.fault = fault
            return error
        }
        let refused = { (fault: AuthenticationError.Fault?, what: String) in
            var error = AuthenticationError(
                .credentialsRefused, "Kerberos refuses “\(user.printable)”: \(what) (\(reason)).")
            error.fault = fault
            return error
        }
        return switch Int32(bitPattern: minor) {
        case -1_765_328_378: refused(.user, "there is no such user")
        case -1_765_328_360, -1_765_328_353: refused(.password, "the password is wrong")
        case -1_765_328_361: refused(.password, "the password has expired")
        case -1_765_328_366: refused(.user, "the account is locked or has expired")
        case -1_765_328_230, -1_765_328_316: absent(.domain)
        case -1_765_328_228, -1_765_328_164: absent(nil)
        // Whatever the reason, the server may have counted it as a failed login.
        default: refused(nil, "for a reason of its own")
        }
    }
}
