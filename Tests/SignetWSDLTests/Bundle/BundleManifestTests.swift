import Foundation
import SignetWSDL
import Testing

/// Documents that were fetched are those that are used.
@Suite struct BundleManifestTests {
    /// A folder with a WSDL and a schema, and what says that they were fetched.
    private func withBundle(_ body: (_ folder: URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-bundle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let documents = ["a.wsdl", "b.xsd"].map { name in
            BundleManifest.Document(
                url: "https://a.example/\(name)", file: name, bytes: name.utf8.count,
                sha256: Fingerprint.sha256(of: Array(name.utf8)))
        }
        for document in documents { try write(document.file, to: document.file, folder) }
        let manifest = BundleManifest(main: "a.wsdl", documents: documents, notFetched: [])
        try JSONEncoder().encode(manifest).write(to: folder.appending(path: BundleManifest.name))
        try body(folder)
    }

    private func write(_ text: String, to name: String, _ folder: URL) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func defect(_ name: String, _ folder: URL) -> WSDLError? {
        do throws(WSDLError) {
            try BundleManifest.verify(wsdl: folder.appending(path: name).path)
            return nil
        } catch {
            return error
        }
    }

    @Test func anUnchangedBundleIsUsed() throws {
        try withBundle { folder in
            #expect(defect("a.wsdl", folder) == nil)
            let manifest = try BundleManifest(folder: folder.path)
            #expect(manifest?.documents.count == 2)
            let none = try BundleManifest(folder: folder.path + "/none")
            #expect(none == nil)
        }
    }

    @Test func aDocumentThatIsAnotherOrGoneIsNamed() throws {
        try withBundle { folder in
            try write("b.xsd ", to: "b.xsd", folder)
            let edited = defect("a.wsdl", folder)
            #expect(edited?.code == .invalid)
            #expect(edited?.location.file.hasSuffix("/b.xsd") == true)
            #expect(edited?.message.contains("https://a.example/b.xsd") == true)
            #expect(edited?.message.contains("signet fetch") == true)
            try FileManager.default.removeItem(at: folder.appending(path: "b.xsd"))
            #expect(defect("a.wsdl", folder)?.code == .importNotFound)
            // The user's own WSDL beside the bundle is not checked.
            #expect(defect("own.wsdl", folder) == nil)
        }
    }

    @Test(arguments: [
        "", "{}", #"{"version":2,"main":"a.wsdl","documents":[],"notFetched":[]}"#,
        #"{"version":1,"main":"a","documents":[{"url":"u","file":"../a","bytes":1,"sha256":""}],"notFetched":[]}"#,
    ])
    func anInvalidManifestIsAnError(_ text: String) throws {
        try withBundle { folder in
            try write(text, to: BundleManifest.name, folder)
            let error = defect("a.wsdl", folder)
            #expect(error?.location.file.hasSuffix(BundleManifest.name) == true)
            #expect(error?.message.isEmpty == false)
        }
    }
}
