public import SignetXML

/// A document made to mislead or to exhaust a reader, and what has to become of it.
public struct HostileDocument: Sendable {
    public enum Verdict: Sendable {
        /// Well-formed, however odd it looks.
        case accepted
        /// Refused with this code, at this offset in bytes.
        case refused(XMLError.Code, offset: Int)
    }

    public let name: String
    public let verdict: Verdict
    public let limits: XMLLimits
    /// What the transport says about the encoding.
    public let charset: String?
    /// What becomes of a document type declaration.
    public let doctype: XMLDoctype
    /// Line and column of the defect, when they cannot be counted in the bytes.
    let position: (line: Int, column: Int)?
    /// Whether it is an element, so that it must be judged in the same way inside another one.
    public let isElement: Bool
    private let make: @Sendable () -> [UInt8]

    public var bytes: [UInt8] { make() }

    /// Whether what matters is its encoding.
    public var isAboutEncoding: Bool { position != nil }

    public var isRefused: Bool { code != nil }

    /// Whether a limit of the reader, or a choice, refuses a document that may be well-formed.
    public var isRefusedByChoice: Bool {
        guard let code else { return false }
        return code.isLimit || code == .doctypeRefused || code == .unsupportedEncoding
    }

    private var code: XMLError.Code? { if case .refused(let code, _) = verdict { code } else { nil } }

    /// A document made when it is asked for: it may be large.
    init(
        _ name: String, _ verdict: Verdict, isElement: Bool = false, limits: XMLLimits = .init(),
        charset: String? = nil, doctype: XMLDoctype = .refused, position: (line: Int, column: Int)? = nil,
        _ make: @escaping @Sendable () -> [UInt8]
    ) {
        self.name = name
        self.verdict = verdict
        self.isElement = isElement
        self.limits = limits
        self.charset = charset
        self.position = position
        self.doctype = doctype
        self.make = make
    }

    /// A document written out, as ``bytes(of:)`` explains.
    ///
    /// - Parameter code: nil for a document that is well-formed.
    init(_ name: String, _ code: XMLError.Code?, _ text: String, isElement: Bool, doctype: XMLDoctype = .refused) {
        let (bytes, mark) = Self.bytes(of: text)
        let verdict = code.map { Verdict.refused($0, offset: mark ?? -1) } ?? .accepted
        self.init(name, verdict, isElement: isElement && code != .unexpectedEnd, doctype: doctype) { bytes }
    }

    /// The bytes that a text stands for: `☠` marks the place of the defect and is left out, and what stands between `«`
    /// and `»` is bytes in hexadecimal digits.
    static func bytes(of text: String) -> (bytes: [UInt8], mark: Int?) {
        var bytes: [UInt8] = []
        var mark: Int?
        var digits: String?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "☠": mark = bytes.count
            case "«": digits = ""
            case "»":
                bytes += (digits ?? "").split(separator: " ").compactMap { UInt8($0, radix: 16) }
                digits = nil
            default:
                if digits == nil { bytes += Array(String(scalar).utf8) } else { digits?.unicodeScalars.append(scalar) }
            }
        }
        return (bytes, mark)
    }

    /// A line of a table of documents: name, code (nil: well-formed), text.
    typealias Line = (name: String, code: XMLError.Code?, text: String)

    static func table(_ lines: [Line], areElements: Bool) -> [HostileDocument] {
        lines.map { HostileDocument($0.name, $0.code, $0.text, isElement: areElements) }
    }

    /// Documents whose document type declaration is read.
    public static let withDoctype: [HostileDocument] = (bombs + entities + malformedSubsets).map {
        HostileDocument($0.name, $0.code, $0.text, isElement: false, doctype: .internalEntities)
    }

    /// All that are small.
    public static let small: [HostileDocument] =
        table(tags + attributes + names + namespaces + colons, areElements: true)
        + table(texts + comments + instructions + sections, areElements: true)
        + table(references, areElements: true)
        + table(declarations + outsideTheRoot + doctypes, areElements: false)
        + characters + encodings + withDoctype
}

extension HostileDocument: CustomStringConvertible {
    public var description: String { name }
}
