import CoreFoundation
import CorpusFiles
import Foundation
import SwiftASN1
import Testing

@testable import SignetTLS

/// A suite in the form of x509-limbo: certificates, a question, and the answer that is expected.
struct LimboSuite: Decodable {
    let testcases: [LimboCase]

    /// Reads a compressed suite of the corpus.
    static func read(_ name: String) throws -> LimboSuite {
        let file = try Corpus.path("\(folder)/\(name).json.gz")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", file]
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(name) cannot be unpacked")
        return try JSONDecoder().decode(LimboSuite.self, from: bytes)
    }

    /// Chains of well-known servers, as they were in the middle of 2026.
    static func readRealChains() throws -> LimboSuite {
        let folder = try Corpus.path("\(folder)/online-latest")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        return LimboSuite(
            testcases: try files.filter { $0.hasSuffix(".json") }.map {
                try JSONDecoder().decode(
                    LimboCase.self, from: Data(contentsOf: URL(filePath: "\(folder)/\($0)")))
            })
    }

    private static let folder = "suites/x509-limbo"
}

struct LimboCase: Decodable {
    struct PeerName: Decodable {
        let kind: String
        let value: String
    }

    private enum CodingKeys: String, CodingKey {
        case id, features
        case kind = "validation_kind"
        case trusted = "trusted_certs"
        case intermediates = "untrusted_intermediates"
        case leaf = "peer_certificate"
        case time = "validation_time"
        case keyUsages = "key_usage"
        case purposes = "extended_key_usage"
        case expected = "expected_result"
        case peerName = "expected_peer_name"
        case peerNames = "expected_peer_names"
        case maximumDepth = "max_chain_depth"
        case lists = "crls"
    }

    let id: String
    let features: [String]
    private let kind: String
    private let trusted: [String]
    private let intermediates: [String]
    private let leaf: String
    private let time: String?
    private let keyUsages: [String]?
    private let purposes: [String]?
    private let expected: String
    private let peerName: PeerName?
    private let peerNames: [PeerName]?
    private let maximumDepth: Int?
    private let lists: [String]?

    /// `rfc5280::nc` of `rfc5280::nc::permitted-dns-match`.
    var group: String { id.components(separatedBy: "::").first ?? id }

    var isAccepted: Bool { expected == "SUCCESS" }

    /// What is asked beyond RFC 5280: of the two usages of keys in the suite, each is that of its role.
    private func fits(_ path: CertificationPath) throws -> Bool {
        let content = try #require(path.leaf?.content)
        for usage in keyUsages ?? [] {
            try #require(usage == "digitalSignature", "\(id) asks for another key usage")
            if let usage = try content.keyUsage(), usage.bits & 0x80 == 0 { return false }
        }
        let names = try content.subjectAltNames()
        return (peerNames ?? []).allSatisfy { names.contains(.email($0.value)) }
    }

    /// One case asks for a server without saying which.
    private static let noName = "unnamed.invalid"

    private func role() throws -> PeerRole {
        if kind == "CLIENT" {
            try #require(purposes ?? [] == ["clientAuth"])
            return .client
        }
        try #require(purposes ?? ["serverAuth"] == ["serverAuth"] || purposes == [])
        return .server(ReferenceIdentifier(host: peerName?.value ?? Self.noName))
    }

    func judgement(_ profile: TrustPolicy.Profile) throws -> TrustPolicy.Judgement {
        let leaf = try Self.certificate(leaf)
        var policy = TrustPolicy.anchors(CertificateBundle(try trusted.map(Self.certificate)))
        policy.profile = profile
        policy.maximumIntermediates = maximumDepth
        var presented = [leaf] + (try intermediates.map(Self.certificate))
        // The suites do not say where certificates come from. A peer cannot present so many; they can only be known
        // before.
        if presented.count > TrustPolicy.maximumPresented {
            policy = policy.addingIntermediates(CertificateBundle(Array(presented.dropFirst())))
            presented = [leaf]
        }
        var judgement = policy.judge(presented, as: try role(), at: try seconds())
        if case .success(let path) = judgement.verdict, try !fits(path) {
            judgement.verdict = .failure(TrustError(.wrongUsage, "not what the case asks for", rule: .keyUsage))
        }
        // The name is looked at last, so that everything else is right.
        if peerName == nil, case .failure(let error) = judgement.verdict, error.rule == .hostName {
            judgement.verdict = .success(CertificationPath(certificates: [leaf]))
        }
        return judgement
    }

    var hasLists: Bool { lists?.isEmpty == false }

    /// Whether one of the case's revocation lists proves that the certificate at the beginning of a path is good.
    ///
    /// The certificates of the suite name no place of a list, so that the lists are given in place of what is fetched.
    func isProvedGood(_ path: CertificationPath) throws -> Bool {
        let (leaf, issuer) = (try #require(path.certificates.first), try #require(path.certificates.dropFirst().first))
        let anyPlace = try DistributionPoint(DER.parse([0x30, 0]))
        let now = try seconds()
        return try (lists ?? []).contains { text in
            let bytes = try Self.bytes(text)
            do throws(RevocationProblem) {
                let list = try CertificateRevocationList(der: bytes)
                try list.verify(issuedBy: issuer)
                return try list.status(of: leaf, from: anyPlace, at: now) == .good
            } catch { return false }
        }
    }

    private func seconds() throws -> Int64 {
        guard let time else { return Int64(Date().timeIntervalSince1970) }
        // Fractions are cut off, because the clock of the library has none.
        let whole = time.replacing(/\.\d+/, with: "")
        return Int64(try Date(whole, strategy: .iso8601).timeIntervalSince1970)
    }

    private static func certificate(_ pem: String) throws -> EncodedCertificate {
        EncodedCertificate(der: try bytes(pem))
    }

    private static func bytes(_ pem: String) throws -> [UInt8] {
        let lines = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
        return Array(try #require(Data(base64Encoded: lines.joined())))
    }
}

/// What came of a suite.
struct LimboOutcome {
    private var counts: [String: (agreed: Int, accepted: Int, refused: Int, all: Int)] = [:]
    private(set) var slowest: (time: Duration, id: String) = (.zero, "-")
    private(set) var mostChecks: (count: Int, id: String) = (0, "-")
    private(set) var differences: [(id: String, verdict: String)] = []

    /// Of this thread: others run beside it.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// - Parameter group: under which the case is counted.
    mutating func add(_ test: LimboCase, _ profile: TrustPolicy.Profile, group: String) throws {
        var judgement: TrustPolicy.Judgement?
        let start = Self.processorTime
        judgement = try test.judgement(profile)
        let time = Self.processorTime - start
        let result = try #require(judgement)
        if time > slowest.time { slowest = (time, test.id) }
        if result.signatureChecks > mostChecks.count { mostChecks = (result.signatureChecks, test.id) }
        #expect(result.signatureChecks <= TrustPolicy.maximumSignatureChecks, "\(test.id)")
        var count = counts[group] ?? (0, 0, 0, 0)
        count.all += 1
        switch result.verdict {
        case .success where test.isAccepted: count.agreed += 1
        case .failure where !test.isAccepted: count.agreed += 1
        case .success:
            count.accepted += 1
            differences.append((test.id, "accepted"))
        case .failure(let error):
            count.refused += 1
            differences.append((test.id, error.rule?.description ?? error.code.description))
        }
        counts[group] = count
    }

    var agreed: Int { counts.values.reduce(0) { $0 + $1.agreed } }

    func report(_ title: String) -> String {
        let lines = counts.sorted { $0.key < $1.key }.map { group, count in
            "  \(group): \(count.agreed) of \(count.all); wrongly accepted \(count.accepted), wrongly refused \(count.refused)"
        }
        let all = counts.values.reduce(0) { $0 + $1.all }
        return """
            \(title): \(agreed) of \(all) as expected
            \(lines.joined(separator: "\n"))
              slowest: \(slowest.time) (\(slowest.id), with reading); most signature checks: \(mostChecks.count) (\(mostChecks.id))
            """
    }
}
