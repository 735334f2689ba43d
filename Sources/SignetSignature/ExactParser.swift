import SignetTLS
import SignetXML

/// Reads elements by their exact content model: what is left out or added is an error.
protocol ExactParser {
    associatedtype Problem: Error

    /// The error for an element that is not what its standard prescribes.
    ///
    /// - Parameter what: what is wrong, as the end of a sentence.
    func problem(_ what: String) -> Problem
}

extension ExactParser {
    func ds(_ name: String) -> XMLName { XMLName(SignatureElement.namespace, name) }

    func algorithm(_ reader: inout XMLReader) -> String { reader.attribute("Algorithm") ?? "" }

    /// Moves to the next child, which must have this name.
    func child(_ reader: inout XMLReader, _ name: XMLName) throws {
        guard try reader.nextChild() else { throw problem("\(name.localName) is missing") }
        guard reader.isElement(name) else { throw unexpected(&reader, name.localName) }
    }

    /// Moves to the end of the open element, which must have no more children.
    func end(_ reader: inout XMLReader, _ name: String) throws {
        guard try !reader.nextChild() else { throw unexpected(&reader, "the end of \(name)") }
    }

    func base64(_ reader: inout XMLReader, _ name: String) throws -> [UInt8] {
        guard let bytes = Text.bytes(base64: try reader.elementText().utf8), !bytes.isEmpty else {
            throw problem("\(name) is not base64")
        }
        return bytes
    }

    func unexpected(_ reader: inout XMLReader, _ wanted: String) -> Problem {
        problem("“\(reader.elementName)” stands where \(wanted) is expected")
    }
}

/// Says what is wrong with an algorithm that is not in the closed lists.
enum UnknownAlgorithm {
    /// What is known and refused, by a part of its identifier.
    private static let refused: [(part: String, why: String)] = [
        ("#hmac-", "an HMAC, whose key signer and verifier share"),
        ("#dsa-", "DSA, which is no longer used"),
        ("#ecdsa-sha1", "ECDSA over SHA-1, which no longer protects"),
        ("md5", "MD5, which no longer protects"),
        ("/REC-xslt-", "XSLT, which runs a program of the sender"),
        ("/REC-xpath-", "XPath, by which the sender chooses what counts as signed"),
        ("/xmldsig-filter2", "XPath, by which the sender chooses what counts as signed"),
        ("tripledes", "Triple DES, which no longer protects"),
        ("#rsa-1_5", "RSA PKCS#1 v1.5, with which answers to wrong messages reveal the key"),
    ]

    /// A sentence without its end.
    static func sentence(_ what: String, _ uri: String) -> String {
        let name = uri.isEmpty ? "without a name" : "“\(uri.prefix(200))”"
        if let known = refused.first(where: { uri.contains($0.part) }) {
            return "the \(what) \(name) is \(known.why), and is not accepted"
        }
        return "the \(what) \(name) is not supported"
    }
}
