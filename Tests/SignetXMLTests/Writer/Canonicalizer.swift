import Foundation
import Testing

/// libxml2's own exclusive canonicalization, which knows nothing of the writer.
struct Canonicalizer {
    private typealias Read =
        @convention(c) (
            UnsafePointer<CChar>?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32
        ) -> OpaquePointer?
    private typealias NewContext = @convention(c) (OpaquePointer?) -> OpaquePointer?
    private typealias Evaluate = @convention(c) (UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeRawPointer?
    private typealias Dump =
        @convention(c) (
            OpaquePointer?, UnsafeRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, Int32,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias FreeObject = @convention(c) (UnsafeRawPointer?) -> Void

    private let read: Read
    private let newContext: NewContext
    private let evaluate: Evaluate
    private let dump: Dump
    private let freeDocument: Free
    private let freeContext: Free
    private let freeObject: FreeObject

    /// Nil without libxml2, which counts as a failure in CI.
    init?() {
        var library: UnsafeMutableRawPointer?
        for name in ["libxml2.so.2", "libxml2.so.16", "libxml2.2.dylib"] where library == nil {
            library = dlopen(name, RTLD_NOW)
        }
        let found = library
        func symbol<Function>(_ name: String, _ type: Function.Type) -> Function? {
            found.flatMap { dlsym($0, name) }.map { unsafeBitCast($0, to: type) }
        }
        guard let read = symbol("xmlReadMemory", Read.self),
            let newContext = symbol("xmlXPathNewContext", NewContext.self),
            let evaluate = symbol("xmlXPathEvalExpression", Evaluate.self),
            let dump = symbol("xmlC14NDocDumpMemory", Dump.self), let freeDocument = symbol("xmlFreeDoc", Free.self),
            let freeContext = symbol("xmlXPathFreeContext", Free.self),
            let freeObject = symbol("xmlXPathFreeObject", FreeObject.self)
        else {
            if ProcessInfo.processInfo.environment["CI"] == "true" {
                Issue.record("libxml2 is not there, and CI must not leave tests out.")
            }
            print("libxml2 is not there: canonical forms were not compared.")
            return nil
        }
        (self.read, self.newContext, self.evaluate, self.dump) = (read, newContext, evaluate, dump)
        (self.freeDocument, self.freeContext, self.freeObject) = (freeDocument, freeContext, freeObject)
    }

    /// The exclusive canonical form of the element that an XPath finds, in its document.
    func form(of path: String, in document: [UInt8], prefixes: [String] = []) -> [UInt8]? {
        let parsed = document.withUnsafeBytes { bytes in
            // XML_PARSE_HUGE
            read(bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), nil, nil, 1 << 19)
        }
        guard let parsed else { return nil }
        defer { freeDocument(parsed) }
        let context = newContext(parsed)
        defer { freeContext(context) }
        let nodes = "\(path)/descendant-or-self::node()"
        guard let found = evaluate("\(nodes) | \(nodes)/@* | \(nodes)/namespace::*", context) else { return nil }
        defer { freeObject(found) }
        // The set of nodes is the second member of xmlXPathObject.
        let set = found.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
        var list = prefixes.map { strdup($0) } + [nil]
        defer { for item in list { free(item) } }
        var result: UnsafeMutablePointer<CChar>?
        let length = list.withUnsafeMutableBufferPointer { dump(parsed, set, 1, $0.baseAddress, 0, &result) }
        guard length >= 0, let result else { return nil }
        defer { free(result) }
        return UnsafeRawBufferPointer(start: result, count: Int(length)).map { $0 }
    }
}

/// The form that `xmllint --exc-c14n` gives a document; nil where there is no xmllint, which counts as a failure in CI.
func xmllintForm(of document: [UInt8]) throws -> [UInt8]? {
    let xmllint = ["/usr/bin/xmllint", "/opt/homebrew/bin/xmllint"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let xmllint else {
        if ProcessInfo.processInfo.environment["CI"] == "true" {
            Issue.record("xmllint is not there, and CI must not leave tests out.")
        }
        print("xmllint is not there: canonical forms were not compared with its.")
        return nil
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "signet-canonical-\(UUID().uuidString).xml")
    try Data(document).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: xmllint)
    process.arguments = ["--exc-c14n", "--huge", file.path()]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? Array(bytes) : []
}
