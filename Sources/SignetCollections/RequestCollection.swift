import SignetDynamic

/// The SOAP requests that somebody has collected in another tool, read from a file of this tool.
///
/// | tool | file |
/// |---|---|
/// | SoapUI 5 | a project in one file (XML) |
/// | Postman | an export as collection 2.0 or 2.1 (JSON) |
/// | Bruno | one request (`.bru`), or an exported collection (JSON) |
///
/// Nothing in a file is run, and no other file is read. Scripts, assertions, attachments and WS-Security are left out.
package struct RequestCollection: Sendable {
    package enum Kind: String, Sendable {
        case soapUI = "SoapUI"
        case postman = "Postman"
        case bruno = "Bruno"
    }

    /// A request, with the values of variables in their places.
    package struct Request: Sendable, Hashable {
        package var name: String
        /// The names of the folders around it, the outermost first. In SoapUI these are interface and operation, or test
        /// suite and test case.
        package var folder: [String]
        package var endpoint: String?
        /// The message: the envelope as text.
        package var content: String?
        /// SoapUI: the qualified name of the binding, `{namespace}name`.
        package var interface: String?
        /// SoapUI: the name of the operation in the WSDL.
        package var operation: String?
        /// The value of `SOAPAction`, or of `action` in the content type, without quotation marks.
        package var action: String?
        package var isSOAP12: Bool?
        package var user: String?
        package var password: String?
        /// SoapUI: which of the collection's key stores the request names, by its path.
        package var keyStore: String?
        /// Why the request cannot be sent as it is, as a sentence; nil when nothing is known to be wrong.
        package var problem: String?

        package init(name: String, folder: [String] = []) {
            self.name = name
            self.folder = folder
        }
    }

    /// A file with keys or certificates that the requests need.
    package struct KeyStore: Sendable, Hashable {
        package var path: String
        package var password: String?
        package var alias: String?
        /// The password of the key, where it is not that of the file.
        package var aliasPassword: String?
        /// What SoapUI uses it for: `KEYSTORE` or `TRUSTSTORE`.
        package var type: String?
    }

    package var name: String
    package var kind: Kind
    package var requests: [Request]
    package var keyStores: [KeyStore]
    /// What was left out, as sentences.
    package var warnings: [String]

    /// The size of the largest file that is read.
    package static let maximumBytes = 32 << 20
    /// The number of requests that are read of one file.
    package static let maximumRequests = 10_000
    /// The number of key stores that are taken from one file; further ones are left out.
    package static let maximumKeyStores = 100

    /// Reads a file; its content shows which format it has.
    ///
    /// - Parameter name: the name of the file. It is also that of the collection if the file names none.
    package init(_ content: [UInt8], name: String) throws(CollectionError) {
        do throws(CollectionError) {
            guard content.count <= Self.maximumBytes else {
                throw CollectionError(
                    .limitExceeded,
                    "the file has \(content.count) bytes, and more than \(Self.maximumBytes) are not read.")
            }
            self = try Self.read(content, name: name)
        } catch {
            var error = error
            error.file = name
            throw error
        }
    }

    private static func read(_ content: [UInt8], name: String) throws(CollectionError) -> RequestCollection {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = content.dropFirst(content.starts(with: mark) ? mark.count : 0)
        switch text.first(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) {
        // The latter are what XML in UTF-16 begins with.
        case UInt8(ascii: "<"), 0xFE, 0xFF, 0x00: return try SoapUIReader.read(content, name: name)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try read(json(content), name: name)
        case nil: throw CollectionError(.unknownFormat, "the file is empty.")
        default: return try BrunoReader.read(try BruDocument(Array(text)), name: name)
        }
    }

    private static func json(_ content: [UInt8]) throws(CollectionError) -> DynamicValue {
        do throws(DynamicError) {
            return try DynamicValue(json: content)
        } catch {
            throw CollectionError(error.code == .limitExceeded ? .limitExceeded : .malformed, error.message)
        }
    }

    private static func read(_ json: DynamicValue, name: String) throws(CollectionError) -> RequestCollection {
        // Postman's own interface answers with the collection inside another object.
        let inner = json["collection"] ?? json
        if inner["info"] != nil, case .array(let items) = inner["item"] {
            return try PostmanReader.read(inner, items, name: name)
        }
        if case .array(let items) = json["items"] { return try BrunoReader.read(json, items, name: name) }
        if json["_postman_variable_scope"] != nil {
            throw CollectionError(
                .notSupported, "this is an environment of Postman, without requests; export the collection instead.")
        }
        if json["order"] != nil, json["requests"] != nil {
            throw CollectionError(
                .notSupported, "this is a collection of Postman in the old version 1; export it as version 2.1.")
        }
        throw CollectionError(
            .unknownFormat,
            "this JSON is neither a collection of Postman, with “info” and “item”, nor one of Bruno, with “items”.")
    }
}

// Messages, passwords, and addresses with accounts are secrets: descriptions show none of them.

extension RequestCollection: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "the \(kind.rawValue) collection “\(name)” (requests: \(requests.count), key stores: \(keyStores.count))"
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestCollection.Request: CustomStringConvertible, CustomReflectable {
    package var description: String {
        let path = (folder + [name]).joined(separator: " / ")
        return "the request “\(path)”\(problem.map { " (\($0))" } ?? "")"
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestCollection.KeyStore: CustomStringConvertible, CustomReflectable {
    package var description: String { "the key store “\(path)”" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
