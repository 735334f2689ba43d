#if Server
import Foundation
import SignetAuthentication
public import SignetSOAP
import SignetXML

/// A WSDL with the schemas and the WSDLs that it imports, as a server gives them to clients: the WSDL at `path?wsdl`, and the others at
/// `path?xsd=1`, `path?xsd=2` and so on.
///
/// ```swift
/// service.wsdl = try PublishedWSDL(file: "Diary.wsdl", address: Endpoint("https://diary.example/soap"))
/// ```
public struct PublishedWSDL: Sendable {
    /// The most documents, the WSDL among them.
    private static let maximumDocuments = 1000

    /// The WSDL first, each as it is sent.
    let documents: [[UInt8]]

    /// A WSDL that imports nothing by a relative location; it is sent as it is.
    ///
    /// - Parameter bytes: the WSDL.
    public init(_ bytes: [UInt8]) { documents = [bytes] }

    /// Reads a WSDL, and all that it imports from files.
    ///
    /// The documents are sent as they are in the files, but for the locations of their imports, which lead to the server. Imports from
    /// addresses on the network stay as they are, also those that a catalog maps to files. Documents have no DOCTYPE.
    ///
    /// - Parameters:
    ///   - file: the WSDL, in UTF-8 as all others.
    ///   - address: the address by which clients reach the service, for example at a proxy. It takes the place of the addresses that the
    ///     WSDL states, and the locations of imports begin with it; it has no query. Nil leaves the addresses as they are, and makes
    ///     relative locations, which not all clients understand.
    ///   - root: the highest folder that imports may lead to; the WSDL's own unless given.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration` for a file that cannot be read or is no XML in UTF-8, and for a location
    ///   outside of that folder.
    public init(file: String, address: Endpoint? = nil, root: String? = nil) throws(SOAPServerError) {
        try self.init(file: file, address: address, ports: [:], root: root)
    }

    /// A port of a service, by the names in the WSDL.
    package struct Port: Sendable, Hashable {
        var service: String
        var port: String

        package init(service: String, port: String) { (self.service, self.port) = (service, port) }
    }

    /// - Parameter ports: the addresses of ports that have one of their own; the others get `address`.
    package init(
        file: String, address: Endpoint?, ports: [Port: Endpoint], root: String?
    ) throws(SOAPServerError) {
        let address = address.map { "\($0.origin)\($0.path)" }
        if let address, address.contains("?") {
            throw Self.problem("The address of a service whose WSDL is published has no query.")
        }
        // Whichever way an import leads to a file, it is the same one.
        let main = URL(filePath: file).standardizedFileURL.resolvingSymlinksInPath()
        let folder =
            root.map { URL(filePath: $0, directoryHint: .isDirectory).standardizedFileURL.resolvingSymlinksInPath() }
            ?? main.deletingLastPathComponent()
        var files = [main]
        var documents: [[UInt8]] = []
        while documents.count < files.count {
            let file = files[documents.count]
            let content: [UInt8]
            do { content = [UInt8](try Data(contentsOf: file)) } catch {
                throw Self.problem("\(Self.name(of: file, in: folder)) cannot be read: \(error)", cause: error)
            }
            let edits: [LocationEdit]
            do { edits = try LocationEdit.all(in: content) } catch {
                throw Self.problem("\(Self.name(of: file, in: folder)) cannot be published: \(error)", cause: error)
            }
            var result = content
            for edit in edits.reversed() {
                let location: String
                if let port = edit.port {
                    guard let address = ports[port].map({ "\($0.origin)\($0.path)" }) ?? address else { continue }
                    location = address
                } else {
                    guard let target = try Self.target(of: edit.location, from: file, in: folder) else { continue }
                    let number = files.firstIndex(of: target) ?? files.count
                    if number == files.count { files.append(target) }
                    guard files.count <= Self.maximumDocuments else {
                        throw Self.problem(
                            "It has more than \(Self.maximumDocuments) documents with those that it imports.")
                    }
                    location = (address ?? "") + (number == 0 ? "?wsdl" : "?xsd=\(number)")
                }
                result.replaceSubrange(edit.range, with: LocationEdit.escaped(location))
            }
            documents.append(result)
        }
        self.documents = documents
    }

    /// The document that a query asks for; nil for another query.
    func document(at query: Substring) -> [UInt8]? {
        let query = query.lowercased()
        if query == "wsdl" { return documents.first }
        guard query.hasPrefix("xsd="), let number = Int(query.dropFirst(4)), number > 0, number < documents.count else {
            return nil
        }
        return documents[number]
    }

    /// The file at a location; nil for an address on the network.
    private static func target(of location: String, from file: URL, in folder: URL) throws(SOAPServerError) -> URL? {
        let path = location.split(separator: "#", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        if path.contains("://") || path.isEmpty { return nil }
        let decoded = path.removingPercentEncoding ?? path
        let target = file.deletingLastPathComponent().appending(path: decoded).standardizedFileURL
            .resolvingSymlinksInPath()
        let root = folder.path(percentEncoded: false)
        guard target.path(percentEncoded: false).hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
            throw problem(
                "\(name(of: file, in: folder)) imports “\(location.printable)”, which is outside of the folder: name a higher one (root)."
            )
        }
        return target
    }

    private static func name(of file: URL, in folder: URL) -> String {
        let (path, root) = (file.path(percentEncoded: false), folder.path(percentEncoded: false))
        return "“" + (path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path).printable + "”"
    }

    private static func problem(_ text: String, cause: (any Error)? = nil) -> SOAPServerError {
        SOAPServerError(.invalidConfiguration, "The WSDL cannot be published. \(text)", cause: cause)
    }
}

extension PublishedWSDL: CustomStringConvertible {
    public var description: String { "a WSDL in \(documents.count) documents" }
}

/// An attribute of a WSDL or a schema that holds a location.
private struct LocationEdit {
    /// What is wrong with a document.
    struct Defect: Error, CustomStringConvertible {
        var description: String
    }

    private static let wsdl = XMLNamespace("http://schemas.xmlsoap.org/wsdl/")
    private static let schema = XMLNamespace("http://www.w3.org/2001/XMLSchema")
    private static let imports = [XMLName(wsdl, "import"): "location"].merging(
        ["import", "include", "redefine", "override"].map { (XMLName(schema, $0), "schemaLocation") }
    ) { first, _ in first }
    private static let (service, port) = (XMLName(wsdl, "service"), XMLName(wsdl, "port"))
    private static let addresses = ["soap/", "soap12/", "http/"].map {
        XMLName(XMLNamespace("http://schemas.xmlsoap.org/wsdl/" + $0), "address")
    }

    /// The value, between its quotes.
    var range: Range<Int>
    var location: String
    /// The port whose address it is; nil for the location of a document.
    var port: PublishedWSDL.Port?

    static func all(in document: [UInt8]) throws -> [LocationEdit] {
        var limits = XMLLimits()
        // Generated WSDLs declare a prefix for each schema on their root.
        limits.namespaces = 1024
        return try XMLReader.read(document, limits: limits) { reader throws in
            var edits: [LocationEdit] = []
            var port = PublishedWSDL.Port(service: "", port: "")
            while true {
                switch try reader.next() {
                case .endOfDocument:
                    guard reader.isInPlace else { throw Defect(description: "it is not in UTF-8; convert it.") }
                    return edits
                case .startElement:
                    if reader.isElement(service) { port.service = reader.attribute("name") ?? "" }
                    if reader.isElement(Self.port) { port.port = reader.attribute("name") ?? "" }
                    let isAddress = addresses.contains { reader.isElement($0) }
                    let attribute = isAddress ? "location" : imports.first { reader.isElement($0.key) }?.value
                    guard let attribute, let location = reader.attribute(attribute), reader.isInPlace,
                        let start = reader.startTagOffset,
                        let range = range(of: attribute, in: document[start..<reader.bytesRead])
                    else { continue }
                    edits.append(
                        LocationEdit(range: range, location: location.trimmedXMLSpace, port: isAddress ? port : nil))
                default: continue
                }
            }
        }
    }

    /// Where the value of an attribute is in a start tag that a reader has accepted.
    private static func range(of name: String, in tag: ArraySlice<UInt8>) -> Range<Int>? {
        let space = Set(" \t\r\n".utf8)
        var rest = tag.drop { !space.contains($0) }
        while true {
            rest = rest.drop { space.contains($0) }
            let found = rest.prefix { $0 != UInt8(ascii: "=") && !space.contains($0) }
            rest = rest[found.endIndex...].drop { $0 == UInt8(ascii: "=") || space.contains($0) }
            guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            let value = rest.dropFirst().prefix { $0 != quote }
            if found.elementsEqual(name.utf8) { return value.startIndex..<value.endIndex }
            rest = rest[value.endIndex...].dropFirst()
        }
    }

    static func escaped(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): result += Array("&amp;".utf8)
            case UInt8(ascii: "<"): result += Array("&lt;".utf8)
            case UInt8(ascii: "\""): result += Array("&quot;".utf8)
            case UInt8(ascii: "'"): result += Array("&apos;".utf8)
            default: result.append(byte)
            }
        }
        return result
    }
}
#endif
