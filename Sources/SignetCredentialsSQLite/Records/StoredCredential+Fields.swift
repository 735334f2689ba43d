#if SQLite
import SignetAuthentication
import SignetCredentials

extension StoredCredential {
    /// Reads the fields that ``write(into:)`` has written; nil when one is absent.
    init?(_ fields: RecordFields) {
        guard let urlScheme = fields[text: "urlScheme"], let host = fields[text: "host"],
            let port = fields[number: "port"].flatMap({ Int(exactly: $0) }), let realm = fields[text: "realm"],
            let side = fields[text: "side"], let path = fields[text: "path"], let account = fields[text: "account"],
            let secret = fields["secret"], let label = fields[text: "label"], let comment = fields[text: "comment"],
            let created = fields[number: "created"], let modified = fields[number: "modified"]
        else { return nil }
        let space = ProtectionSpace(scheme: urlScheme, host: host, port: port, realm: realm, isProxy: side == "proxy")
        self.init(
            entry: CredentialEntry(
                key: CredentialKey(space: space, path: path, scheme: fields[text: "scheme"], account: account),
                label: label, comment: comment, persistence: .permanent, created: created, modified: modified),
            secret: SecretBytes(secret))
    }

    /// Other fields stay as they are.
    func write(into fields: inout RecordFields) {
        fields[text: "urlScheme"] = key.space.scheme
        fields[text: "host"] = key.space.host
        fields[number: "port"] = Int64(key.space.port)
        fields[text: "realm"] = key.space.realm
        fields[text: "side"] = key.space.isProxy ? "proxy" : "origin"
        fields[text: "path"] = key.path
        fields[text: "scheme"] = key.scheme
        fields[text: "account"] = key.account
        fields["secret"] = secret.bytes
        fields[text: "label"] = entry.label
        fields[text: "comment"] = entry.comment
        fields[number: "created"] = entry.created
        fields[number: "modified"] = entry.modified
    }
}
#endif
