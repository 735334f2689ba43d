#if CommandLine
import Signet
import SignetSignature
import SignetWSDL
import SignetWSSecurity

/// What `signet verify --json` prints. Names and meanings stay stable; more may be added.
struct SignatureReport: Encodable, Hashable {
    struct Signature: Encodable, Hashable {
        /// Where the element begins, in bytes from the start of the document.
        var offset: Int
        /// The identifiers of XML Signature.
        var algorithm: String
        var canonicalization: String
        /// The subject of the certificate whose key made it; absent when no known key did.
        var signer: String?
        /// The certificate's SHA-256 in hexadecimal.
        var certificate: String?
        /// Why it is not accepted, in one sentence; absent when it is.
        var problem: String?
        var references: [Reference]
    }

    struct Reference: Encodable, Hashable {
        var uri: String
        var canonicalization: String
        var digestMethod: String
        /// The name of the element; absent when the reference leads to none.
        var element: String?
        var offset: Int?
        /// How many bytes were digested.
        var bytes: Int?
        var problem: String?
    }

    struct Element: Encodable, Hashable {
        var name: String
        var offset: Int
    }

    var file: String
    var signatures: [Signature]
    /// The outermost elements that no accepted signature covers, the first ones.
    var notSigned: [Element]
    var notSignedCount: Int
    /// Elements in signatures that are not signed although they stand in what is signed, the first ones.
    var hiddenInSignatures: [Element]
    /// The element that must be signed.
    var expected: Element
    var isExpectedSigned: Bool
    /// Whether all signatures are valid and of trusted signers, and what must be signed is.
    var isAccepted: Bool

    /// The bytes that were signed.
    private(set) var files: [File] = []

    struct File: Hashable {
        var name: String
        var bytes: [UInt8]
    }

    private enum CodingKeys: CodingKey {
        case file, signatures, notSigned, notSignedCount, hiddenInSignatures, expected, isExpectedSigned, isAccepted
    }

    private static let maximumElements = 20

    /// - Parameters:
    ///   - examination: of a document.
    ///   - file: its name.
    ///   - id: the identifier of the element that must be signed; nil for the root element, or the Body.
    /// - Throws: `XMLSignatureError`.
    init(_ examination: SignatureExamination, file: String, id: String?) throws {
        func elements(_ found: [DocumentIndex.Element]) -> [Element] {
            found.prefix(Self.maximumElements).map { Element(name: $0.localName, offset: $0.range.lowerBound) }
        }
        self.file = file
        let wanted = try examination.expected(id)
        expected = Element(name: wanted.localName, offset: wanted.range.lowerBound)
        signatures = examination.signatures.map(Signature.init)
        let accepted = examination.signatures.filter { $0.problem == nil }
        isExpectedSigned = accepted.contains { $0.references.contains { $0.element == wanted } }
        hiddenInSignatures = elements(try examination.elements(hiddenIn: accepted))
        isAccepted = isExpectedSigned && hiddenInSignatures.isEmpty && accepted.count == signatures.count
        let outside = try examination.elements(outside: accepted)
        notSignedCount = outside.count
        notSigned = elements(outside)
        for (number, signature) in examination.signatures.enumerated() where !signature.signedInfo.isEmpty {
            files.append(File(name: "signature-\(number + 1)-signedinfo.xml", bytes: signature.signedInfo))
            for (place, reference) in signature.references.enumerated() {
                guard let content = reference.content else { continue }
                files.append(File(name: "signature-\(number + 1)-reference-\(place + 1).xml", bytes: content))
            }
        }
    }
}

extension SignatureReport.Signature {
    fileprivate init(_ signature: SignatureExamination.Signature) {
        self.init(
            offset: signature.offset, algorithm: signature.algorithm, canonicalization: signature.canonicalization,
            signer: signature.signer?.subject, certificate: signature.signer.map { Text.hexadecimal($0.sha256) },
            problem: signature.problem,
            references: signature.references.map { reference in
                SignatureReport.Reference(
                    uri: reference.uri, canonicalization: reference.canonicalization,
                    digestMethod: reference.digestMethod, element: reference.element?.localName,
                    offset: reference.element?.range.lowerBound, bytes: reference.content?.count,
                    problem: reference.problem)
            })
    }
}

extension SignatureReport {
    /// The report for a terminal.
    func lines(_ style: Style, explains: Bool) -> [String] {
        var lines: [String] = []
        func mark(_ isGood: Bool) -> String { isGood ? style.good("✓") : style.bad("✗") }
        for (number, signature) in signatures.enumerated() {
            let name = TerminalText.line(signature.signer.map { "of “\($0)”" } ?? "of an unknown signer")
            lines.append("\(mark(signature.problem == nil)) \(style.bold("Signature \(number + 1)")) \(name)")
            let isShownBelow = explains && signature.references.contains { $0.problem == signature.problem }
            if let problem = signature.problem, !isShownBelow { lines.append("    \(TerminalText.line(problem))") }
            guard explains else { continue }
            if let certificate = signature.certificate { lines.append("    certificate  SHA-256 \(certificate)") }
            lines.append(
                "    algorithm    \(TerminalText.line(signature.algorithm.isEmpty ? "unknown" : signature.algorithm))")
            lines.append(
                "    SignedInfo   at byte \(signature.offset), \(TerminalText.line(signature.canonicalization))")
            for reference in signature.references {
                let element = reference.element.map {
                    "“\($0)” at byte \(reference.offset ?? 0), \(reference.bytes ?? 0) bytes"
                }
                lines.append(
                    "  \(mark(reference.problem == nil)) \(TerminalText.line(element ?? "nothing")) (reference “\(TerminalText.line(reference.uri))”)"
                )
                lines.append("      \(TerminalText.line(reference.canonicalization))")
                lines.append("      \(TerminalText.line(reference.digestMethod))")
                if let problem = reference.problem { lines.append("      \(TerminalText.line(problem))") }
            }
        }
        let signed = isExpectedSigned ? "is signed." : "is not signed by anyone whom you trust."
        lines.append("\(mark(isExpectedSigned)) “\(TerminalText.line(expected.name))” \(signed)")
        for element in hiddenInSignatures {
            lines.append(
                "\(mark(false)) “\(TerminalText.line(element.name))” at byte \(element.offset) stands in a signature, and is not signed."
            )
        }
        if explains, !notSigned.isEmpty {
            lines.append("Not signed by anyone whom you trust, and so perhaps changed:")
            for element in notSigned {
                lines.append("  “\(TerminalText.line(element.name))” at byte \(element.offset)")
            }
            if notSignedCount > notSigned.count { lines.append("  and \(notSignedCount - notSigned.count) more") }
        }
        return lines
    }
}
#endif
