/// A fault that the service answered with, or is to answer with (SOAP 1.1 §4.4, SOAP 1.2 Part 1 §5.4).
///
/// This type covers both versions. In SOAP 1.1 the first subcode is sent in place of the code, where other software
/// looks for it; in SOAP 1.2 a code that is not a standard code becomes a subcode.
public struct SOAPFault: Error, Sendable, CustomStringConvertible {
    /// An explanation for people.
    public struct Reason: Sendable, Hashable {
        /// The explanation in ``language``. In a received fault the text comes from the service: show it, but do not
        /// act on it.
        public var text: String
        /// The language (RFC 5646), for example `en`; nil when the service does not say.
        public var language: String?

        /// - Parameters:
        ///   - text: the explanation.
        ///   - language: the language of the text (RFC 5646); nil to leave it open.
        public init(_ text: String, language: String? = nil) {
            self.text = text
            self.language = language
        }
    }

    /// The code. It is `server` when a received fault has no code; ``description`` says so.
    public var code: Code { didSet { hasCode = true } }
    /// More specific codes, from the general to the specific.
    public var subcodes: [Code]
    /// The explanations in all languages that the service gave, in its order.
    public var reasons: [Reason]
    /// The role in which the node acted that made the fault, if the fault states it; `faultactor` in SOAP 1.1.
    public var role: String?
    /// The node that made the fault, if the fault states it (SOAP 1.2 only).
    public var node: String?
    /// The elements inside the detail. An answer with more than 256 is refused.
    public var detail: [XMLFragment]
    /// The text inside the detail, which some services write in place of elements.
    public var detailText: String?
    /// The attributes of the detail.
    public var detailAttributes: [XMLAnyAttribute] = []
    /// The detail of a received fault as it came, with its text and its elements in their order; nil when the fault had
    /// none. It is not sent: ``detail``, ``detailText`` and ``detailAttributes`` are.
    public internal(set) var detailElement: XMLFragment?
    /// With the code `mustUnderstand`: the header blocks that were not understood, as far as the service names them.
    public var notUnderstood: [ReceivedName] = []
    /// With the code `versionMismatch`: the versions that the service supports, the preferred one first, as far as it
    /// names them.
    public var supportedVersions: [SOAPVersion] = []
    /// The header blocks of the envelope that contained the fault. They are not sent: a handler puts its own into
    /// ``OperationContext/faultHeaderBlocks``.
    public internal(set) var headerBlocks: [ReceivedHeaderBlock] = []
    /// Whether the fault came from another service. Such a fault is not passed on to this service's callers, because it
    /// may name internal systems.
    var isReceived = false
    /// Whether the service sent a detail that is nested too deeply to be read.
    var isDetailUnread = false
    /// Whether the service gave the code.
    var hasCode = true

    /// - Parameters:
    ///   - code: the code.
    ///   - reason: the reason in English, unless ``reasons`` is set later.
    ///   - subcodes: more specific codes, from the general to the specific; empty by default.
    ///   - role: the role in which the service acts; rarely needed.
    ///   - detail: the elements inside the detail; empty by default.
    public init(
        _ code: Code, _ reason: String, subcodes: [Code] = [], role: String? = nil, detail: [XMLFragment] = []
    ) {
        self.code = code
        self.subcodes = subcodes
        reasons = [Reason(reason, language: "en")]
        self.role = role
        self.detail = detail
    }

    /// Makes a fault for a handler to throw when the request is wrong: sending it again unchanged does not help.
    ///
    /// - Parameter reason: in English. The client gets to read it.
    public static func client(_ reason: String) -> SOAPFault { SOAPFault(.client, reason) }
    /// Makes a fault for a handler to throw when the request is right and cannot be processed now: it may succeed
    /// later.
    ///
    /// - Parameter reason: in English. The client gets to read it.
    public static func server(_ reason: String) -> SOAPFault { SOAPFault(.server, reason) }

    /// The explanation in English if there is one, otherwise the first; empty when there is none.
    public var reason: String { reason(in: "en") }

    /// The explanation in a language or a dialect of it, otherwise the first.
    ///
    /// - Parameter language: a language range such as `de` (RFC 4647 §3.3.1).
    public func reason(in language: String) -> String {
        let range = language.lowercased()
        let match = reasons.first {
            let tag = ($0.language ?? "").lowercased()
            return tag == range || tag.hasPrefix("\(range)-")
        }
        return (match ?? reasons.first)?.text ?? ""
    }

    public var description: String {
        let codes = ([code] + subcodes).map { Self.shown($0.description) }.joined(separator: " / ")
        let versions = supportedVersions.map(\.description).joined(separator: ", ")
        var hint = versions.isEmpty ? "" : " (It supports: \(versions).)"
        if isDetailUnread { hint += " (Its detail is nested too deeply and was not read.)" }
        let fault = hasCode ? "the fault \(codes)" : "a fault without a code"
        let words = reason.isEmpty ? "\(hasCode ? " and no" : " and without a") reason." : ": \(Self.shown(reason))"
        return "The service answered with \(fault)\(words)\(hint)"
    }

    /// A text from a service, shortened for an error message.
    private static func shown(_ text: String) -> String {
        let kept = text.unicodeScalars.prefix(2000)
        return kept.endIndex == text.unicodeScalars.endIndex ? text : "\(String(kept))…"
    }
}

extension SOAPFault: Equatable {
    /// Two faults are equal when they have the same code, subcodes, reasons, role, node and detail, and the same names
    /// and versions that accompany some codes. To compare the code alone, compare ``code``.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.subcodes == right.subcodes && left.reasons == right.reasons
            && left.role == right.role && left.node == right.node && left.detail == right.detail
            && left.detailText == right.detailText && left.detailAttributes == right.detailAttributes
            && left.notUnderstood == right.notUnderstood && left.supportedVersions == right.supportedVersions
    }
}

/// An error that carries the fault of a service.
package protocol FaultAnswer: Error {
    var fault: SOAPFault { get }
}

extension SOAPFault: FaultAnswer {
    package var fault: SOAPFault { self }
}

extension DeclaredFault: FaultAnswer {}

/// A fault that the WSDL declares, with its detail typed. A client catches it; a service throws it.
public struct DeclaredFault<Detail: XMLStructure>: Error, Sendable, CustomStringConvertible {
    /// The detail of the fault, in the type that the WSDL declares for it.
    public var detail: Detail
    /// Code, reasons and role of the fault. A handler may change them before it throws.
    public var fault: SOAPFault
    /// The element of the detail. It distinguishes faults that share a type.
    public var element: XMLName?

    /// Makes a fault for a service to throw.
    ///
    /// - Parameters:
    ///   - detail: the detail of the fault.
    ///   - code: the code of the fault; `client` by default.
    ///   - reason: the reason in English, unless ``SOAPFault/reasons`` of ``fault`` is set later.
    ///   - element: needed only when an operation declares several faults of this type; nil means the first of them.
    public init(_ detail: Detail, code: SOAPFault.Code = .client, reason: String, element: XMLName? = nil) {
        self.detail = detail
        self.element = element
        fault = SOAPFault(code, reason)
    }

    init(_ detail: Detail, element: XMLName, fault: SOAPFault) {
        self.detail = detail
        self.element = element
        self.fault = fault
    }

    /// The kind and the reason; the detail may contain data that does not belong in a log.
    public var description: String { "\(fault) (\(Detail.self))" }
}
