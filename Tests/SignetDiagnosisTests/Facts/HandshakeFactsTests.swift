import Foundation
import SignetTLS
import SignetTesting
import Testing

@testable import SignetDiagnosis

@Suite(.timeLimit(.minutes(5))) struct HandshakeFactsTests {
    private func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [type, 3, 3, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    private func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        record(22, [type, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body)
    }

    private func facts(_ bytes: [UInt8]) -> HandshakeFacts {
        var reader = TLSHandshakeReader()
        reader.read(bytes)
        reader.end()
        var facts = HandshakeFacts()
        facts.add(reader)
        return facts
    }

    private let hello: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0xC0, 0x2B, 0]

    @Test func aHandshakeInClear() throws {
        let authority = try CertificateAuthority(commonName: "Acme root")
        let server = try authority.issueServer(dnsNames: ["service.example"])
        let der = server.leaf.der
        let length = [UInt8(der.count >> 16), UInt8(der.count >> 8 & 0xFF), UInt8(der.count & 0xFF)]
        let list = der.count + 3
        let chain = [UInt8(list >> 16), UInt8(list >> 8 & 0xFF), UInt8(list & 0xFF)] + length + der
        let request: [UInt8] = [1, 64, 0, 2, 4, 3, 0, 0]
        let read = facts(message(2, hello) + message(11, chain) + message(13, request) + record(21, [2, 40]))
        #expect(read.version == "TLS 1.2" && read.stage == .serverHello)
        #expect(read.cipherSuite == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        #expect(read.certificates.map(\.hosts) == [["service.example"]])
        #expect(read.certificates.first?.issuer == "CN=Acme root")
        #expect(read.request?.isReadable == true && read.request?.isLate == false)
        #expect(read.request?.certificateTypes == ["ecdsa_sign"])
        #expect(read.request?.signatureSchemes == ["ecdsa_secp256r1_sha256"])
        #expect(read.alerts.map(\.name) == ["handshake_failure"] && read.alerts.first?.stage == .serverHello)
    }

    @Test func alertsBytesAndLateRequests() {
        #expect(facts([]).stage == .nothing)
        let early = facts(record(21, [2, 70]))
        #expect(early.stage == .bytes && early.alerts.first?.stage == .bytes && early.alerts.first?.code == 70)
        // close_notify is no reason.
        #expect(facts(record(21, [1, 0])).alerts.isEmpty)
        #expect(facts(Array("HTTP/1.1 400 Bad Request\r\n".utf8)).foreign?.kind == .httpAnswer)
        let late = facts(
            message(2, hello) + record(20, [1]) + record(22, [1, 2]) + record(23, [1]) + record(22, [1, 2]))
        #expect(late.stage == .finished && late.request?.isLate == true && late.request?.isReadable == false)
    }

    @Test func namesOfIssuersAreComparedWithoutCase() {
        let identity = IdentityFacts(chain: [.init(subject: "CN=device", issuer: "CN=Acme")])
        var request = HandshakeFacts.Request(isReadable: true)
        #expect(request.accepts(identity) == nil)
        request.authorities = ["CN=ACME"]
        #expect(request.accepts(identity) == true)
        request.authorities = ["CN=Globex"]
        #expect(request.accepts(identity) == false)
        request.isReadable = false
        #expect(request.accepts(identity) == nil)
    }

    @Test func noClockShowsALaterTime() throws {
        let authority = try CertificateAuthority(commonName: "Acme root")
        let identity = PublicIdentity(try authority.issueClient(commonName: "device 7"))
        let late = Int64(Date().timeIntervalSince1970) + 100 * 86_400
        let later = IdentityFacts(identity, at: late, isLater: true)
        #expect(later.has(.expired)?.message.contains("“CN=device 7” expires at ") == true)
        #expect(IdentityFacts(identity, at: late).has(.expired)?.message.contains("clock") == true)
        let policy = TrustPolicy.anchors(authority.bundle)
        guard case .failure(let error) = policy.evaluate(identity.chain, as: .client, at: late) else {
            Issue.record("an expired certificate is trusted")
            return
        }
        let verdict = TrustVerdict("then", error, judgedFor: late)
        #expect(verdict.message.contains(" expires at ") && !verdict.message.contains("clock"), "\(verdict.message)")
        #expect(TrustVerdict("now", error).message == error.message)
    }

    @Test func anIdentity() throws {
        let root = try CertificateAuthority(commonName: "Acme root")
        let intermediate = try root.issueIntermediate(commonName: "Acme issuing")
        let identity = try intermediate.issueClient(commonName: "device 7")
        let facts = IdentityFacts(PublicIdentity(identity), at: Int64(Date().timeIntervalSince1970))
        #expect(facts.subject == "CN=device 7" && facts.topIssuer == "CN=Acme root")
        #expect(facts.pathEnd == .root && facts.chain.count == 2 && !facts.isSelfSigned)
        #expect(facts.signatureSchemes.contains("ecdsa_secp256r1_sha256"))
        var alone = PublicIdentity(identity)
        alone.chain = [identity.leaf]
        alone.authorities = []
        let lonely = IdentityFacts(alone, at: Int64(Date().timeIntervalSince1970))
        #expect(lonely.pathEnd == .missing && lonely.topIssuer == "CN=Acme issuing")
    }
}
