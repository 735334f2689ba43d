/// A document as the reader processes it: in UTF-8, with a mapping back to the positions in the input.
///
/// How the encoding is found (RFC 7303 §3, XML 1.0 §4.3.3 and appendix F):
///
/// 1. A byte-order mark decides, whatever the transport states: no document begins with these bytes in another
///   encoding.
/// 2. Without a mark, the transport decides, whatever the declaration states: a proxy that converts documents does not
///   rewrite their declarations.
/// 3. Without both, the declaration decides; without a declaration the encoding is UTF-8, or UTF-16 when the first
///   character takes two bytes.
///
/// Contradictions are refused: a declaration that contradicts a mark, bytes of UTF-16 under the name of a single-byte
/// encoding, and single bytes under the name of UTF-16.
struct XMLSource {
    /// The input, without its byte-order mark.
    private let text: UnsafeBufferPointer<UInt8>
    private(set) var encoding = XMLEncoding.utf8
    /// The length of the byte-order mark.
    let markLength: Int
    /// The document in UTF-8, if it was converted.
    private(set) var converted: [UInt8]?
    /// The length of the XML declaration.
    private(set) var prologLength = 0
    /// Why the document cannot be read; its offset counts in UTF-8, without the mark.
    private(set) var failure: XMLError?
    /// The text to read in place of the document in UTF-8, because its document type declaration was applied.
    private(set) var expansion: XMLExpansion?

    init(_ given: UnsafeBufferPointer<UInt8>, charset: String?, limits: XMLLimits) {
        let signature = XMLEncoding.signature(of: given)
        markLength = signature.markLength
        text = UnsafeBufferPointer(rebasing: given[signature.markLength...])
        do throws(XMLError) {
            guard given.count <= limits.documentBytes else { throw Self.tooLarge(limits) }
            if let family = signature.refused { throw Self.unsupported("the document is in \(family)") }
            let charset = charset?.isEmpty == true ? nil : charset
            if let encoding = signature.encoding, encoding.isUTF16 {
                try readUTF16(encoding, charset, limits)
            } else {
                try readSingleBytes(charset, limits)
            }
        } catch {
            failure = error
        }
    }

    /// Applies the document type declaration of the document, which is in `document` as UTF-8.
    mutating func expand(_ document: UnsafeBufferPointer<UInt8>, limits: XMLLimits) {
        guard failure == nil else { return }
        expansion = XMLExpansion.expand(document, limits: limits)
    }

    /// Passes to `body` the text to read in place of `document`, which is the document in UTF-8.
    func withExpansion<Result, Failure: Error>(
        of document: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let expansion else { return try body(document) }
        return try expansion.bytes.withUnsafeBufferPointer(body)
    }

    /// A part of a document that is not its beginning.
    init(part text: UnsafeBufferPointer<UInt8>) {
        self.text = text
        markLength = 0
    }

    /// The position in the document in UTF-8 of a position in the text that is read.
    func place(of place: Int) -> Int { expansion?.place(of: place) ?? place }

    /// The position in the input of a position in the document in UTF-8.
    func offset(of place: Int) -> Int {
        guard converted != nil else { return markLength + place }
        return markLength + XMLTranscoder(encoding).length(of: text, upTo: place)
    }

    // MARK: Finding the encoding

    private mutating func readUTF16(_ encoding: XMLEncoding, _ charset: String?, _ limits: XMLLimits) throws(XMLError) {
        self.encoding = encoding
        let named = markLength > 0 ? nil : charset
        if let named, try !encoding.agrees(with: Self.known(named)) {
            throw XMLError(
                .unsupportedEncoding,
                "the charset “\(named.prefix(40))” cannot be right: the document begins as \(encoding.name) does.")
        }
        try convert(limits)
        let prolog = try (converted ?? []).withUnsafeBufferPointer { (utf8) throws(XMLError) in try XMLProlog(utf8) }
        prologLength = prolog.length
        if named == nil { try check(prolog) }
    }

    private mutating func readSingleBytes(_ charset: String?, _ limits: XMLLimits) throws(XMLError) {
        let prolog = try XMLProlog(text)
        prologLength = prolog.length
        if markLength > 0 { return try check(prolog) }
        if let charset {
            encoding = try Self.known(charset)
            if encoding.isUTF16 {
                throw XMLError(
                    .unsupportedEncoding,
                    "the charset “\(charset.prefix(40))” cannot be right: the document does not begin as UTF-16 does.")
            }
        } else if let declared = prolog.encoding {
            encoding = try Self.known(declared.name, at: declared.offset)
            if encoding.isUTF16 { throw contradiction(declared, "its characters take one byte each") }
        }
        guard encoding != .utf8, XMLTranscoder.endOfASCII(text) < text.count else { return }
        try convert(limits)
    }

    /// Checks that the declaration does not contradict the bytes.
    private func check(_ prolog: XMLProlog) throws(XMLError) {
        guard let declared = prolog.encoding else { return }
        if try encoding.agrees(with: Self.known(declared.name, at: declared.offset)) { return }
        throw contradiction(
            declared, markLength > 0 ? "its byte-order mark is that of \(encoding.name)" : "it is in \(encoding.name)")
    }

    static func known(_ name: String, at offset: Int = 0) throws(XMLError) -> XMLEncoding {
        if let encoding = XMLEncoding(named: name), encoding != .utf32 { return encoding }
        throw unsupported("the encoding “\(name.prefix(40))” is named", at: offset)
    }

    private mutating func convert(_ limits: XMLLimits) throws(XMLError) {
        var transcoder = XMLTranscoder(encoding)
        var utf8: [UInt8] = []
        // A unit of UTF-16 takes three bytes at most, and so does a byte that is not ASCII.
        let growth = encoding.isUTF16 ? text.count / 2 : text.reduce(0) { $0 &+ Int($1 >> 7) &* 2 }
        utf8.reserveCapacity(text.count + growth)
        let problem = transcoder.append(text, to: &utf8) ?? transcoder.finish()
        converted = utf8
        if let problem { throw XMLError(.invalidCharacter, problem, offset: utf8.count) }
        if utf8.count > limits.documentBytes { throw Self.tooLarge(limits) }
    }

    // MARK: Defects

    private static func unsupported(_ what: String, at offset: Int = 0) -> XMLError {
        XMLError(
            .unsupportedEncoding,
            "\(what), which is not read; send UTF-8 (UTF-16, US-ASCII, ISO-8859, windows-125x and KOI8 are read too).",
            offset: offset)
    }

    private func contradiction(_ declared: (name: String, offset: Int), _ truth: String) -> XMLError {
        XMLError(
            .unsupportedEncoding,
            "the document says that it is in “\(declared.name.prefix(40))”, but \(truth); say what it is, or send UTF-8.",
            offset: declared.offset)
    }

    private static func tooLarge(_ limits: XMLLimits) -> XMLError {
        XMLError(
            .documentTooLarge, "the document is larger than \(limits.documentBytes) bytes (XMLLimits.documentBytes).")
    }
}

extension XMLReader {
    /// Whether documents in the encoding of this name can be read.
    package static func reads(charset: String) -> Bool { (try? XMLSource.known(charset)) != nil }

    /// The document in UTF-8: `bytes` itself if it is UTF-8, otherwise converted. Read the result with the charset
    /// `utf-8`, because its declaration may name the original encoding.
    ///
    /// - Throws: `XMLError` for an encoding that cannot be read, or that contradicts the bytes.
    package static func utf8(_ bytes: [UInt8], charset: String? = nil, limits: XMLLimits = .init()) throws(XMLError)
        -> [UInt8]
    {
        try bytes.withUnsafeBufferPointer { (given) throws(XMLError) in
            let source = XMLSource(given, charset: charset, limits: limits)
            guard source.failure == nil else {
                try XMLReader.read(bytes, limits: limits, charset: charset) { (reader) throws(XMLError) in
                    try reader.check()
                }
                return bytes
            }
            return source.converted ?? bytes
        }
    }
}
