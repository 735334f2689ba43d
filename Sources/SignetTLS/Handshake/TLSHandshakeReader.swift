/// Reads what one end of a TLS connection sends, as far as it is in clear: up to its change of keys in TLS 1.2, and the
/// hello messages and early alerts in TLS 1.3. With the secret of the handshake it reads the rest of the server's
/// handshake in TLS 1.3 too.
///
/// It judges nothing and does no input or output. Give it the bytes as they pass, in pieces of any size.
package struct TLSHandshakeReader: Sendable {
    /// One thing that was read.
    package enum Item: Sendable, Hashable {
        case clientHello(ClientHello)
        case serverHello(ServerHello)
        /// What a server of TLS 1.3 has encrypted of its answer to the ClientHello.
        case encryptedExtensions(applicationProtocol: String?)
        /// The certificates of this end, its own first; empty from a client that has none.
        case certificates([EncodedCertificate])
        /// The server's part of the key exchange, with the scheme of its signature; nil when it has none.
        case serverKeyExchange(SignatureScheme?)
        case certificateRequest(CertificateRequest)
        /// The client's proof that it has the key of its certificate.
        case certificateVerify(SignatureScheme?)
        /// Another message, by its number (RFC 8446 §4).
        case message(UInt8)
        case alert(TLSAlert)
        /// What follows is encrypted with the keys of this handshake (TLS 1.2).
        case changeCipherSpec
        /// A new handshake on the open connection has begun (TLS 1.2): servers that ask late for a certificate do so.
        case renegotiation
        /// An alert that cannot be read, since it is encrypted (TLS 1.2).
        case encryptedAlert
        /// The bytes are not TLS, or break its rules, or exceed the limits. Nothing more is read.
        case foreign(ForeignBytes)
    }

    /// The limits: of one handshake message, of what is read in clear, and of the items that are kept.
    package static let maximumMessage = 1 << 17
    package static let maximumClear = 1 << 18
    package static let maximumItems = 64
    /// The limit of encrypted records that are kept for ``open(with:)``.
    private static let maximumEncryptedRecords = 32

    /// What was read, in order.
    package private(set) var items: [Item] = []
    /// Whether any byte came.
    package private(set) var hasBytes = false

    private var record: [UInt8] = []
    private var messages: [UInt8] = []
    private var clearCount = 0
    private var version: UInt16?
    private var suite: UInt16 = 0
    private var isEncrypted = false
    private var encryptedHandshakes = 0
    /// The first encrypted records of TLS 1.3, with their heads.
    private var encryptedRecords: [[UInt8]] = []
    private var skipping = 0
    /// Whether nothing more is read.
    package private(set) var isEnded = false
    private var isForeign = false
    /// Whether a client may have changed its keys.
    private var isUnsure = false
    private let endsWithServerHello: Bool

    /// - Parameter endsWithServerHello: whether nothing is read after the ServerHello, which a request for another
    ///   ClientHello is not.
    package init(endsWithServerHello: Bool = false) { self.endsWithServerHello = endsWithServerHello }

    /// The last ServerHello that is no request for another ClientHello; nil before it came.
    package var serverHello: ServerHello? {
        for case .serverHello(let hello) in items.reversed() where !hello.isRetryRequest { return hello }
        return nil
    }

    /// Reads more bytes.
    package mutating func read(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if isEnded { return }
            hasBytes = true
            if skipping > 0 {
                skipping -= 1
                continue
            }
            record.append(byte)
            if record.count == 1, !(20...23).contains(byte) { isForeign = true }
            if isForeign {
                if record.count >= ForeignBytes.maximumBytes { end() }
                continue
            }
            takeRecord()
        }
    }

    /// Tells the reader that no more bytes come. What had begun and is not complete is dropped; bytes that are not TLS
    /// are reported.
    package mutating func end() {
        guard !isEnded else { return }
        isEnded = true
        if isForeign { add(.foreign(ForeignBytes(record))) }
        record = []
        messages = []
    }

    private mutating func add(_ item: Item) {
        if items.count < Self.maximumItems { items.append(item) }
        if endsWithServerHello, serverHello != nil { isEnded = true }
    }

    private mutating func refuse(_ kind: ForeignBytes.Kind) {
        add(.foreign(ForeignBytes(kind: kind, text: "")))
        isEnded = true
        record = []
        messages = []
    }

    private mutating func takeRecord() {
        guard record.count >= 5 else { return }
        let length = Int(record[3]) << 8 | Int(record[4])
        if record.count == 5 {
            guard record[1] == 3, length > 0, length <= (1 << 14) + 2_048 else { return refuse(.malformed) }
            // The content of an encrypted record is of no use.
            if isEncrypted || record[0] == 23, !keepsEncrypted(length) { return skip(length) }
        }
        guard record.count == 5 + length else { return }
        clearCount += length
        guard clearCount <= Self.maximumClear else { return refuse(.tooLong) }
        if record[0] == 23 {
            isEncrypted = true
            encryptedRecords.append(record)
            return record.removeAll(keepingCapacity: true)
        }
        let (type, content) = (record[0], record[5...])
        switch type {
        case 20: changeKeys()
        case 21: takeAlert(content)
        case _ where isUnsure && !isClientHello(content):
            isUnsure = false
            setEncrypted()
            encryptedHandshakes += 1
        default:
            isUnsure = false
            messages += content
            takeMessages()
        }
        record.removeAll(keepingCapacity: true)
    }

    /// Whether the record that begins may be a part of a server's handshake in TLS 1.3.
    private func keepsEncrypted(_ length: Int) -> Bool {
        record[0] == 23 && version == 0x0304 && !endsWithServerHello
            && encryptedRecords.count < Self.maximumEncryptedRecords && clearCount + length <= Self.maximumClear
    }

    /// Reads the messages that a server of TLS 1.3 encrypts, from those of its records that have come so far. Call it
    /// once, at the end.
    package mutating func open(with secret: HandshakeSecret) {
        let wasEnded = isEnded
        isEnded = false
        messages = []
        for (type, content) in secret.open(encryptedRecords, cipherSuite: suite) {
            switch type {
            case 21: takeAlert(content)
            case 22:
                messages += content
                takeMessages()
            default: break
            }
        }
        encryptedRecords = []
        isEnded = isEnded || wasEnded
    }

    private func isClientHello(_ content: ArraySlice<UInt8>) -> Bool {
        content.first == 1 && ClientHello(body: content.dropFirst(4)) != nil
    }

    private mutating func skip(_ length: Int) {
        let type = record[0]
        record.removeAll(keepingCapacity: true)
        skipping = length
        // In TLS 1.3 all that follows looks like application data.
        if type == 23 { isEncrypted = true }
        if type == 21 { add(.encryptedAlert) }
        guard type == 22 else { return }
        encryptedHandshakes += 1
        // The first one is Finished.
        if encryptedHandshakes == 2 { add(.renegotiation) }
    }

    private mutating func changeKeys() {
        // In TLS 1.3 the record means nothing (RFC 8446 §5). From a client it is not known whether this is TLS 1.3, with
        // a second ClientHello to follow, or a resumed session of TLS 1.2.
        if version == 0x0304 { return }
        if case .clientHello(let hello) = items.last, hello.versions.contains(0x0304) {
            isUnsure = true
            return
        }
        setEncrypted()
    }

    private mutating func setEncrypted() {
        add(.changeCipherSpec)
        isEncrypted = true
    }

    private mutating func takeAlert(_ content: ArraySlice<UInt8>) {
        guard content.count == 2, let code = content.last else { return refuse(.malformed) }
        add(.alert(TLSAlert(code: Int(code))))
    }

    private mutating func takeMessages() {
        var rest = messages[...]
        while rest.count >= 4, !isEnded {
            var reader = ByteReader(rest)
            guard let type = reader.number(1), let length = reader.number(3) else { break }
            guard length <= Self.maximumMessage else { return refuse(.tooLong) }
            guard let body = reader.take(length) else { break }
            rest = rest.dropFirst(4 + length)
            guard let item = item(UInt8(truncatingIfNeeded: type), body) else { return refuse(.malformed) }
            add(item)
        }
        if !isEnded { messages = Array(rest) }
    }

    /// Nil for a malformed message.
    private mutating func item(_ type: UInt8, _ body: ArraySlice<UInt8>) -> Item? {
        switch type {
        case 1: return ClientHello(body: body).map(Item.clientHello)
        case 2:
            guard let hello = ServerHello(body: body) else { return nil }
            version = hello.version
            suite = hello.cipherSuite
            return .serverHello(hello)
        case 8:
            var reader = ByteReader(body)
            guard let extensions = reader.extensions(), reader.isAtEnd else { return nil }
            let value = extensions.first { $0.type == 16 }?.value
            return .encryptedExtensions(
                applicationProtocol: value.flatMap {
                    var names = ByteReader($0)
                    return names.protocolNames()?.first
                })
        case 11: return Self.certificates(body, isTLS13: version == 0x0304).map(Item.certificates)
        case 12: return .serverKeyExchange(Self.keyExchangeScheme(body, suite))
        case 13: return CertificateRequest(body: body, version: version ?? 0x0303).map(Item.certificateRequest)
        case 15:
            var reader = ByteReader(body)
            return .certificateVerify(reader.number(2).map { SignatureScheme(UInt16(truncatingIfNeeded: $0)) })
        default: return .message(type)
        }
    }

    /// A message has at most as many certificates as the limit of its bytes allows.
    ///
    /// - Parameter isTLS13: whether a context comes first, and each certificate has extensions (RFC 8446 §4.4.2).
    private static func certificates(_ body: ArraySlice<UInt8>, isTLS13: Bool) -> [EncodedCertificate]? {
        var reader = ByteReader(body)
        if isTLS13, reader.vector(1) == nil { return nil }
        guard let list = reader.vector(3), reader.isAtEnd else { return nil }
        var certificates = ByteReader(list)
        var result: [EncodedCertificate] = []
        while !certificates.isAtEnd {
            guard let der = certificates.vector(3), !isTLS13 || certificates.vector(2) != nil else { return nil }
            if result.count < maximumCertificates { result.append(EncodedCertificate(der: Array(der))) }
        }
        return result
    }

    /// More certificates than a policy looks at.
    static let maximumCertificates = 32

    /// The scheme of the signature over ephemeral Diffie-Hellman parameters (RFC 8422 §5.4, RFC 5246 §7.4.3).
    private static func keyExchangeScheme(_ body: ArraySlice<UInt8>, _ suite: UInt16) -> SignatureScheme? {
        var reader = ByteReader(body)
        // The suites with elliptic curves were registered in these two blocks.
        if suite >> 8 == 0xC0 || suite >> 8 == 0xCC {
            guard reader.number(1) == 3, reader.take(2) != nil, reader.vector(1) != nil else { return nil }
        } else {
            guard reader.vector(2) != nil, reader.vector(2) != nil, reader.vector(2) != nil else { return nil }
        }
        return reader.number(2).map { SignatureScheme(UInt16(truncatingIfNeeded: $0)) }
    }
}
