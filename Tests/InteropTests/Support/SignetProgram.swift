import Foundation
import SignetTLS
import SignetTesting

/// The command `signet`, run as a user runs it, with files of its own that go with the value.
struct SignetProgram: Sendable {
    typealias Outcome = (status: Int32, output: String, error: String)

    let wsdl: URL
    /// Added to every call.
    var options: [String] = []
    let files: IdentityFiles

    init(_ wsdl: URL, options: [String] = []) throws {
        self.wsdl = wsdl
        self.options = options
        files = try IdentityFiles()
    }

    /// The program lies beside the tests that the package manager built with it.
    static func path(of program: String = "signet") throws -> String {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<5 {
            let candidate = folder.appending(path: program).path(percentEncoded: false)
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder.deleteLastPathComponent()
        }
        throw PeerProcess.Failure(description: "The program \(program) was not built with the tests.")
    }

    /// Shows `identity` in every call, and trusts servers of `authority`.
    mutating func connect(port: Int, _ authority: CertificateAuthority, as commonName: String) async throws {
        let identity = try authority.issueClient(commonName: commonName)
        try Data(try identity.pkcs12(password: "clé", label: nil, iterations: 1000)).write(
            to: files.folder.appending(path: "device.p12"))
        try files.write("clé\n", as: "device.password")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        options += [
            "--endpoint", "https://localhost:\(port)/service", "--ca", files.path("authority.pem"), "--identity",
            files.path("device.p12"), "--identity-password-file", files.path("device.password"),
        ]
    }

    /// `signet call WSDL OPERATION …`.
    ///
    /// - Parameter json: the input, if it is not made of options only.
    func call(_ operation: String, json: String? = nil, _ arguments: [String] = []) async throws -> Outcome {
        var input: [String] = []
        if let json {
            let name = "\(UUID().uuidString).json"
            try files.write(json, as: name)
            input = ["--json", files.path(name)]
        }
        return try await PeerProcess.output(
            of: .init(
                program: try Self.path(),
                arguments: ["call", wsdl.path(percentEncoded: false), operation] + options + input + arguments))
    }

    /// The answer to a call that must succeed.
    func answer(_ operation: String, json: String? = nil, _ arguments: [String] = []) async throws -> JSON {
        let outcome = try await call(operation, json: json, arguments)
        guard outcome.status == 0 else {
            throw PeerProcess.Failure(description: "signet call \(operation): \(outcome.error)\(outcome.output)")
        }
        return try JSON(outcome.output)
    }

    /// The operations' names, read from the WSDL without the library's reader.
    func operations() throws -> [String] {
        let text = try String(contentsOf: wsdl, encoding: .utf8)
        let names = text.matches(of: /<(?:wsdl:)?operation name="([A-Za-z]+)"/).map { String($0.output.1) }
        return Set(names).sorted()
    }
}

/// JSON to look into.
struct JSON: CustomStringConvertible {
    let description: String
    private let value: Any?

    init(_ text: String) throws {
        description = text
        value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    private init(_ value: Any?) {
        self.value = value
        description = value.map { "\($0)" } ?? "nothing"
    }

    subscript(name: String) -> JSON { JSON((value as? [String: Any])?[name]) }
    subscript(index: Int) -> JSON {
        let items = value as? [Any] ?? []
        return JSON(items.indices.contains(index) ? items[index] : nil)
    }
    var text: String? { value as? String }
    var number: Int64? { (value as? NSNumber)?.int64Value }
    var count: Int? { (value as? [Any])?.count }
    var isPresent: Bool { value != nil }
}
