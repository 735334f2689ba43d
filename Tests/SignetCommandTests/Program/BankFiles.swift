import TestSupport

extension OpenSSL {
    /// Authorities, servers and identities, good and bad, for the tests of the doctor.
    static func bank() throws -> OpenSSL {
        let openssl = try OpenSSL()
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.makeRoot("other", subject: "/O=Stranger/CN=other authority")
        func issue(_ name: String, by issuer: String, _ extensions: String, days: Int = 90) throws {
            try openssl.issue(name, by: issuer, extensions, subject: "/O=Bank/CN=\(name)", days: days)
        }
        try issue("middle", by: "root", "basicConstraints=critical,CA:TRUE")
        let localhost = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth"
        try issue("server", by: "root", localhost)
        try issue("deep", by: "middle", localhost)
        try issue("elsewhere", by: "root", "subjectAltName=DNS:other.example\nextendedKeyUsage=serverAuth")
        try issue("device", by: "middle", "extendedKeyUsage=clientAuth")
        try issue("alien", by: "other", "extendedKeyUsage=clientAuth")
        try issue("wrong", by: "root", "extendedKeyUsage=serverAuth")
        try issue("old", by: "root", "extendedKeyUsage=clientAuth", days: -1)
        func bundle(_ name: String, _ parts: String...) throws {
            try openssl.write(try parts.flatMap { try openssl.bytes($0) }, name)
        }
        try bundle("whole.pem", "device.pem", "middle.pem", "device.key")
        try bundle("short.pem", "device.pem", "device.key")
        try bundle("stranger.pem", "alien.pem", "alien.key")
        try bundle("usage.pem", "wrong.pem", "wrong.key")
        try bundle("expired.pem", "old.pem", "old.key")
        try bundle("mismatch.pem", "device.pem", "alien.key")
        try bundle("keyless.pem", "device.pem", "middle.pem")
        try bundle("alone.pem", "device.key")
        try openssl("pkcs12 -export -in whole.pem -passout pass:right -out whole.p12")
        // Ciphers that few programs have.
        try openssl(
            "pkcs12 -export -in whole.pem -passout pass:right -certpbe camellia-256-cbc -keypbe camellia-256-cbc -out rare.p12"
        )
        // A key that no program of today takes.
        try openssl("req -x509 -newkey rsa:1024 -nodes -days 9 -subj /CN=weak -keyout weak.key -out weak.cert")
        try bundle("weak.pem", "weak.cert", "weak.key")
        try openssl.write("wrong", "wrong.password")
        try openssl.write("right", "right.password")
        return openssl
    }
}
