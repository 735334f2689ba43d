import Foundation
import Signet
import SignetCredentials
import SignetSignature
import SignetWSSecurity
import Synchronization

/// `DefectBenchmark ATTEMPTS`: how long a service takes to refuse an encrypted message, by what is wrong with it.
///
/// The messages of one kind are tried in turns, in a new order each time. Prints a table of medians, and the largest of them divided by
/// the smallest one, which an attacker would have to tell apart. Fails when two answers differ.
@main struct DefectBenchmark {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let attempts = Int(CommandLine.arguments[1]), attempts > 0 else {
            throw Problem("usage: DefectBenchmark ATTEMPTS")
        }
        print("| content | key | what is wrong | median µs |\n|---|---|---|---:|")
        for content in [ContentEncryption.aes256GCM, .aes256CBC] {
            for kind in [KeyPair.Kind.rsa(bits: 2048), .p256] {
                let medians = try await medians(content, kind, attempts)
                for (cause, median) in medians {
                    print("| \(content) | \(kind) | \(cause) | \(String(format: "%.1f", median)) |")
                }
                let values = medians.map(\.1)
                let ratio = (values.max() ?? 0) / (values.min() ?? 1)
                print("| \(content) | \(kind) | **largest ÷ smallest** | \(String(format: "%.3f", ratio)) |")
            }
        }
    }

    private static func medians(
        _ content: ContentEncryption, _ kind: KeyPair.Kind, _ attempts: Int
    ) async throws -> [(String, Double)] {
        let identity = try await KeyPair.generate(kind).selfSignedIdentity(
            subject: .init(commonName: "service"), notBefore: 0, notAfter: 1 << 32)
        let message = try await message(for: identity, content)
        var policy = SignaturePolicy(signers: [identity.leaf])
        policy.decryption = DecryptionPolicy([identity])
        policy.decryption?.acceptsCBC = true
        let service = ServiceDispatcher(
            name: "Echo", versions: [.soap11], routes: [operation.route { input, _ in input }]
        ).verified(by: SignedMessageVerifier(policy, replayCache: MemoryReplayCache()))
        let accepted = await service.respond(to: Array(message.utf8), from: PeerDescription())
        guard String(decoding: accepted.body.bytes ?? [], as: UTF8.self).contains("a secret") else {
            throw Problem("the message is refused")
        }
        let messages = try causes.map { cause in
            (cause.name, Array(try changed(message, cause.element, cause.change).utf8))
        }
        var times = [String: [Double]]()
        var answers: Set<[UInt8]> = []
        for _ in 0..<attempts {
            for (name, bytes) in messages.shuffled() {
                let begin = ContinuousClock.now
                let answer = await service.respond(to: bytes, from: PeerDescription())
                let time = ContinuousClock.now - begin
                times[name, default: []].append(Double(time.components.attoseconds) / 1e12)
                answers.insert(answer.body.bytes ?? [])
            }
        }
        guard answers.count == 1 else { throw Problem("the answers differ") }
        return messages.map { name, _ in
            let sorted = (times[name] ?? []).sorted()
            return (name, sorted[sorted.count / 2])
        }
    }

    private struct Cause {
        var name: String
        var element: String
        var change: @Sendable ([UInt8]) -> [UInt8]
    }

    private static let causes = [
        Cause(name: "another byte in the key", element: "EncryptedKey") { $0.dropLast() + [$0[$0.count - 1] ^ 1] },
        Cause(name: "another first byte of the key", element: "EncryptedKey") { [$0[0] ^ 1] + $0.dropFirst() },
        Cause(name: "another byte at the end of the content", element: "EncryptedData") {
            $0.dropLast() + [$0[$0.count - 1] ^ 1]
        },
        Cause(name: "another byte before the last block", element: "EncryptedData") {
            $0.dropLast(17) + [$0[$0.count - 17] ^ 1] + $0.suffix(16)
        },
        Cause(name: "another vector", element: "EncryptedData") { [$0[0] ^ 1] + $0.dropFirst() },
    ]

    private static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "", version: .soap11, input: XMLName("urn:echo", "Echo"),
        output: XMLName("urn:echo", "Echo"))

    /// A request as it is sent.
    private static func message(for identity: Identity, _ content: ContentEncryption) async throws -> String {
        var header = SecurityHeader(lifetime: .seconds(86_400))
        header.signature = try SignatureProfile(identity)
        header.encryption = try EncryptionProfile(for: identity.leaf)
        header.encryption?.content = content
        header.encryption?.encryptsSignature = false
        let wire = Wire()
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: wire)
        caller.headerProviders = [header]
        _ = try? await caller.call(operation, XMLAny(text: "a secret"))
        return wire.message.withLock { $0 }
    }

    private final class Wire: ClientTransport {
        let message = Mutex("")

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            message.withLock { $0 = String(decoding: request.body.bytes ?? [], as: UTF8.self) }
            throw Problem("nothing is sent")
        }

        func shutdown() async throws {}
    }

    private static func changed(
        _ message: String, _ element: String, _ change: ([UInt8]) -> [UInt8]
    ) throws -> String {
        guard let begin = message.range(of: "<xenc:\(element) "),
            let start = message.range(of: "<xenc:CipherValue>", range: begin.upperBound..<message.endIndex),
            let end = message.range(of: "</xenc:CipherValue>", range: start.upperBound..<message.endIndex),
            let bytes = Data(base64Encoded: String(message[start.upperBound..<end.lowerBound]))
        else { throw Problem("the message has no \(element)") }
        return message.replacingCharacters(
            in: start.upperBound..<end.lowerBound, with: Data(change(Array(bytes))).base64EncodedString())
    }

    struct Problem: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
