#if CommandLine
import Foundation
import Signet

/// An identity in a store, without its key.
struct StoredIdentityEntry: Encodable {
    let label: String
    let subject: String
    let issuer: String
    /// Seconds since 1970.
    let notBefore: Int64?
    let notAfter: Int64?
    /// Of the certificate.
    let sha256: String
    /// What peers will find wrong with it, now or soon.
    let problems: [String]
    /// Whether the command has obtained it; nil where no command obtains one.
    var isNew: Bool?

    init(label: String, _ identity: Identity, now: Int64 = Int64(Date().timeIntervalSince1970)) {
        let leaf = identity.leaf
        self.label = label
        subject = leaf.subject
        issuer = leaf.issuer ?? ""
        notBefore = leaf.notBefore
        notAfter = leaf.notAfter
        sha256 = Text.hexadecimal(leaf.sha256)
        // An identity for one role need not fit the other.
        let found = Identity.Role.allCases.map { identity.problems(at: now, for: $0) }.min { $0.count < $1.count } ?? []
        problems = found.filter { $0.code != .chainIncomplete }.map(\.message)
    }

    var text: String {
        let end = notAfter.map(UnixTime.text) ?? "an unknown time"
        let kept = isNew == false ? " (nothing was done)" : ""
        return
            (["\(label): \(subject), issued by \(issuer), valid until \(end)\(kept)", "  SHA-256 \(sha256)"]
            + problems.map { "  \($0)" }).joined(separator: "\n")
    }
}
#endif
