import Foundation
import Signet
import TestSupport
import Testing

/// `signet enroll soap` and `signet enroll pkcs12`, at a registration service in Python.
@Suite(.serialized, .timeLimit(.minutes(15))) struct EnrollServiceTests {
    private let program: EnrollProgram

    init() throws { program = try EnrollProgram() }

    private func serve<Value: Sendable>(
        _ modes: String..., during body: () async throws -> Value
    ) async throws -> Value {
        try await PeerProcess.python(
            "registration_server.py", in: program.openssl.folder, port: program.port, modes, during: body)
    }

    private var address: String { "https://localhost:\(program.port)" }
    private var way: [String] {
        [
            "--label", "device", "--ca", program.file("ca.pem"), "--identity", program.file("first.pem"), "--prove",
            "\(address)/identity",
        ]
    }

    private func soap(_ more: String...) async throws -> EnrollProgram.Outcome {
        try await program(
            [
                "enroll", "soap", PeerFile.url("registration.wsdl").path, "Certify", "--endpoint", "\(address)/soap",
                "--request-field", "order.request", "--certificate-field", "certificate", "--set", "customer=4711",
                "--subject", "CN=device 7, O=Bank", "--chain", program.file("ca.pem"),
            ] + way + more)
    }

    private func pkcs12(_ more: String...) async throws -> EnrollProgram.Outcome {
        try await program(["enroll", "pkcs12"] + more + way)
    }

    @Test func anOperationTakesTheRequest() async throws {
        #expect(try await program(["store", "init", "--make-key"]).status == 0)
        for (modes, options) in [("base64", []), ("pem", ["--pem"]), ("pkcs7", [])] as [(String, [String])] {
            try await serve(modes) { () async throws in
                let before = try await program.identities()["device"]
                let outcome = try await soap(options.first ?? "--json")
                #expect(outcome.status == 0, "\(outcome)")
                let own = try #require(try await program.identities()["device"])
                #expect(own != before && own.leaf.subject == "CN=device 7, O=Bank")
            }
        }
        // A renewal shows the identity in use.
        let log = try #require(String(bytes: program.openssl.bytes("log"), encoding: .utf8))
        let shown = log.split(separator: "\n").filter { $0.contains("Certify") }
        #expect(shown.count == 3 && shown[0].contains("CN=distribution") && shown[2].contains("CN=device 7"), "\(log)")
        try await serve("pending") { () async throws in
            let refused = try await soap()
            #expect(refused.status == 1 && refused.error.contains("state. Where that means"), "\(refused)")
        }
        try await serve("pending") { () async throws in
            let before = try await program.identities()["device"]
            let outcome = try await soap("--poll", "1")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try await program.identities()["device"] != before)
            let renewed = try await program(["identity", "renew", "device"])
            #expect(renewed.status == 0, "\(renewed)")
        }
        try await serve("other-key") { () async throws in
            let before = try await program.identities()["device"]
            let outcome = try await soap()
            #expect(outcome.status == 1 && outcome.error.contains("None of the 2 certificates belongs"), "\(outcome)")
            #expect(try await program.identities()["device"] == before)
        }
    }

    @Test func aServiceSendsTheIdentity() async throws {
        #expect(try await program(["store", "init", "--make-key"]).status == 0)
        try program.files.write("agreed\n", as: "agreed")
        try program.files.write("another\n", as: "another")
        let agreed = program.files.path("agreed")
        for mode in ["der", "base64"] {
            try await serve(mode) { () async throws in
                let before = try await program.identities()["device"]
                let outcome = try await pkcs12(
                    "\(address)/identity", "--pkcs12-password-file", agreed, "--subject", "CN=device 7", "--issuer",
                    program.file("ca.pem"))
                #expect(outcome.status == 0, "\(outcome)")
                #expect(try await program.identities()["device"] != before)
            }
        }
        let kept = try #require(try await program.identities()["device"])
        try await serve { () async throws in
            let refusals: [(what: String, arguments: [String])] = [
                ("does not open", ["--pkcs12-password-file", program.files.path("another")]),
                ("CN=device 8", ["--pkcs12-password-file", agreed, "--subject", "CN=device 8"]),
            ]
            for (what, arguments) in refusals {
                let outcome = try await program(
                    ["enroll", "pkcs12", "\(address)/identity", "--again"] + arguments + way)
                #expect(outcome.status == 1 && outcome.error.contains(what), "\(outcome)")
                #expect(outcome.error.contains("The store keeps the answer"), "\(outcome)")
                #expect(try await program.identities() == ["device": kept])
            }
            // Nothing is asked for before the password is known.
            let asked = try program.openssl.bytes("log").count
            let lost = try await pkcs12("\(address)/identity", "--pkcs12-password-file", program.files.path("nowhere"))
            #expect(lost.status == 1 && lost.error.contains("nowhere"), "\(lost)")
            #expect(try program.openssl.bytes("log").count == asked)
            let unchanged = try await pkcs12(
                "\(address)/identity", "--pkcs12-password-file", agreed, "--unless-valid-for", "20")
            #expect(unchanged.status == 0, "\(unchanged)")
            #expect(try await program.identities()["device"] == kept)
            let renewed = try await program(["identity", "renew", "device"])
            #expect(renewed.status == 1 && renewed.error.contains("Run signet enroll pkcs12 again"), "\(renewed)")
        }
        for (mode, what) in [("html", "The answer of \(address)"), ("refuse", "answered with 403")] {
            try await serve(mode) { () async throws in
                let outcome = try await pkcs12(
                    "\(address)/identity", "--again", "--pkcs12-password-file", agreed)
                #expect(outcome.status == 1 && outcome.error.contains(what), "\(outcome)")
                #expect(try await program.identities() == ["device": kept])
            }
        }
    }

    /// The service gives an identity only once: what does not fit at first is used by the next run.
    @Test func anAnswerIsKeptUntilItFits() async throws {
        #expect(try await program(["store", "init", "--make-key"]).status == 0)
        try program.files.write("agreed\n", as: "agreed")
        try program.files.write("another\n", as: "another")
        let service = "\(address)/identity"
        let agreed = ["--pkcs12-password-file", program.files.path("agreed")]
        let way = [
            "--label", "device", "--ca", program.file("ca.pem"), "--identity", program.file("first.pem"), "--unproved",
        ]
        try await serve("once") { () async throws in
            let wrong = try await program(
                ["enroll", "pkcs12", service, "--pkcs12-password-file", program.files.path("another")] + way)
            #expect(wrong.status == 1 && wrong.error.contains("does not open"), "\(wrong)")
            let unexpected = try await program(
                ["enroll", "pkcs12", service, "--subject", "CN=device 8"] + agreed + way)
            #expect(unexpected.status == 1 && unexpected.error.contains("CN=device 8"), "\(unexpected)")
            #expect(unexpected.error.contains("The store keeps the answer"), "\(unexpected)")
            #expect(try await program.identities().isEmpty)
            let elsewhere = try await program(["enroll", "pkcs12", "\(address)/other"] + agreed + way)
            #expect(
                elsewhere.status == 1 && elsewhere.error.contains("keeps an answer of “\(service)”"), "\(elsewhere)")
            let right = try await program(["enroll", "pkcs12", service, "--subject", "CN=device 7"] + agreed + way)
            #expect(right.status == 0, "\(right)")
            #expect(try await program.identities()["device"]?.leaf.subject == "CN=device 7")
            // What was used is not used twice.
            let gone = try await program(["enroll", "pkcs12", service] + agreed + way)
            #expect(gone.status == 1 && gone.error.contains("answered with 410"), "\(gone)")
            #expect(!gone.error.contains("The store keeps the answer"), "\(gone)")
        }
        // One that was kept is not forgotten by a run that has nothing to do; it goes with its label.
        try await serve { () async throws in
            let wrong = try await program(
                ["enroll", "pkcs12", service, "--pkcs12-password-file", program.files.path("another")] + way)
            #expect(wrong.status == 1 && wrong.error.contains("The store keeps the answer"), "\(wrong)")
        }
        let nothing = try await program(["enroll", "pkcs12", service, "--unless-valid-for", "1"] + agreed + way)
        #expect(nothing.status == 0 && nothing.output.contains("nothing was done"), "\(nothing)")
        let before = try await program.identities()["device"]
        let kept = try await program(["enroll", "pkcs12", service] + agreed + way)
        #expect(kept.status == 0, "\(kept)")
        #expect(try await program.identities()["device"] != before)
        try await serve("once") { () async throws in
            let again = try await program(
                ["enroll", "pkcs12", service, "--again", "--pkcs12-password-file", program.files.path("another")] + way)
            #expect(again.status == 1 && again.error.contains("The store keeps the answer"), "\(again)")
            #expect(try await program(["identity", "remove", "device"]).status == 0)
            let gone = try await program(["enroll", "pkcs12", service] + agreed + way)
            #expect(gone.status == 1 && gone.error.contains("answered with 410"), "\(gone)")
        }
    }

    @Test func aPlaceThatNoMessageHasIsRefusedBeforeTheCall() async throws {
        #expect(try await program(["store", "init", "--make-key"]).status == 0)
        let wsdl = PeerFile.url("registration.wsdl").path
        let commands: [(what: String, arguments: [String])] = [
            (
                "request2",
                ["soap", wsdl, "Certify", "--request-field", "order.request2", "--certificate-field", "certificate"]
            ),
            (
                "by the WSDL it has state, certificate there",
                ["soap", wsdl, "Certify", "--request-field", "order.request", "--certificate-field", "file"]
            ),
            (
                "no “x” (identity.#text.x): by the WSDL it has nothing there",
                [
                    "pkcs12", wsdl, "--operation", "Register", "--identity-field", "identity.#text.x", "--set",
                    "serialNumber=8", "--password-field", "password",
                ]
            ),
            (
                "by the WSDL it has identity, password there",
                [
                    "pkcs12", wsdl, "--operation", "Register", "--identity-field", "file", "--set", "serialNumber=8",
                    "--password-field", "password",
                ]
            ),
        ]
        for (what, arguments) in commands {
            let subject = arguments[0] == "soap" ? ["--subject", "CN=device 7", "--set", "customer=4711"] : []
            let outcome = try await program(
                ["enroll"] + arguments + subject + ["--endpoint", "\(address)/soap", "--label", "device", "--unproved"])
            #expect(outcome.status == 1 && outcome.error.contains(what), "\(outcome)")
            #expect(try await program.identities().isEmpty)
        }
    }

    @Test func anOperationSendsTheIdentity() async throws {
        #expect(try await program(["store", "init", "--make-key"]).status == 0)
        let wsdl = PeerFile.url("registration.wsdl").path
        func register(at endpoint: String? = nil, _ more: String...) async throws -> EnrollProgram.Outcome {
            try await program(
                [
                    "enroll", "pkcs12", wsdl, "--operation", "Register", "--endpoint", endpoint ?? "\(address)/soap",
                    "--set", "serialNumber=8",
                ] + way + more)
        }
        try await serve { () async throws in
            let outcome = try await register("--identity-field", "identity", "--password-field", "password")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(!outcome.output.contains("from the answer") && !outcome.error.contains("from the answer"))
            let own = try #require(try await program.identities()["device"])
            #expect(own.leaf.subject == "CN=device 8")
            let plain = try await register(
                at: "http://localhost/soap", "--identity-field", "identity", "--password-field", "password")
            #expect(plain.status == 1 && plain.error.contains("is plain HTTP"), "\(plain)")
            let elsewhere = try await register("--identity-field", "file", "--password-field", "password")
            #expect(elsewhere.status == 1 && elsewhere.error.contains("identity, password"), "\(elsewhere)")
            // It was refused before the call.
            let asked = try program.openssl.bytes("log").split(separator: 10)
            #expect(asked.count { $0.contains("Register".utf8) } == 1)
        }
    }

    @Test func wrongUsageIsSaid() async throws {
        let wsdl = PeerFile.url("registration.wsdl").path
        let end = ["--label", "device", "--unproved"]
        for arguments in [
            ["pkcs12", "http://localhost/identity"], ["pkcs12", wsdl], ["pkcs12", wsdl, "--operation", "Register"],
            ["pkcs12", "https://localhost/", "--set", "a=b"],
            ["pkcs12", "https://localhost/", "--content-type", "a/b"],
            ["pkcs12", "https://localhost/", "--identity-field", "a"],
            ["pkcs12", "https://localhost/", "--user", "x", "--allow-plaintext"],
            ["pkcs12", wsdl, "--operation", "Register", "--identity-field", "a..b"],
            ["soap", wsdl, "Certify", "--request-field", "a", "--certificate-field", "b"],
            ["soap", wsdl, "Certify", "--request-field", "a[", "--certificate-field", "b", "--subject", "CN=x"],
            ["pkcs12", wsdl, "--operation", "Register", "--identity-field", "a[]"],
            [
                "soap", wsdl, "Certify", "--request-field", "a", "--certificate-field", "b", "--subject", "CN=x",
                "--poll", "0",
            ],
            [
                "soap", wsdl, "Certify", "--request-field", "a", "--certificate-field", "b", "--subject", "CN=x",
                "--poll", "300",
            ],
        ] {
            let outcome = try await program(["enroll"] + arguments + end)
            #expect(outcome.status == 2, "\(arguments): \(outcome)")
        }
    }
}
