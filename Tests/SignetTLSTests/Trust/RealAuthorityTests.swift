import TestSupport
import Testing

@testable import SignetTLS

/// Chains made like those of the authorities that companies run, by what their documentation says and their
/// certificates show: the private profile must trust them.
@Suite struct RealAuthorityTests {
    /// How an authority issues: its keys, its names and its extensions, in OpenSSL's notation.
    struct Style: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var key = "rsa -pkeyopt rsa_keygen_bits:2048"
        var leafKey: String?
        var signing = "-sha256"
        var root: String
        var rootName = "/CN=Root"
        /// nil: the root issues for peers itself.
        var intermediate: String?
        var intermediateName = "/CN=Issuing"
        var leaf: String?
        var leafName = "/CN=service.example"
        var serial = "0x1234567890"
        var role = TrustPolicyTests.host
        /// In the configuration of requests.
        var strings = "utf8only"
    }

    private static let elliptic = "ec -pkeyopt ec_paramgen_curve:P-256"

    /// Addresses in the directory, which have commas.
    private static let places = """
        [lists]
        URI.0=ldap:///CN=Issuing,CN=CDP,CN=Public%20Key%20Services,DC=example,DC=local?certificateRevocationList?base
        [access]
        caIssuers;URI.0=ldap:///CN=Issuing,CN=AIA,CN=Public%20Key%20Services,DC=example,DC=local?cACertificate?base
        """

    /// Active Directory Certificate Services: an offline root, an issuing authority, and a computer's certificate.
    private static let activeDirectory = Style(
        testDescription: "AD CS",
        root: """
            keyUsage=digitalSignature,keyCertSign,cRLSign
            basicConstraints=critical,CA:TRUE
            subjectKeyIdentifier=hash
            1.3.6.1.4.1.311.21.1=ASN1:INTEGER:0
            """,
        rootName: "/DC=local/DC=example/CN=Firma Żółw Root CA",
        intermediate: """
            1.3.6.1.4.1.311.21.1=ASN1:INTEGER:65537
            1.3.6.1.4.1.311.21.2=ASN1:FORMAT:HEX,OCTETSTRING:0102030405060708090a0b0c0d0e0f1011121314
            1.3.6.1.4.1.311.20.2=ASN1:BMP:SubCA
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid
            keyUsage=digitalSignature,keyCertSign,cRLSign
            basicConstraints=critical,CA:TRUE
            crlDistributionPoints=@lists
            authorityInfoAccess=@access
            \(places)
            """,
        intermediateName: "/DC=local/DC=example/CN=Firma Żółw Issuing CA",
        leaf: """
            1.3.6.1.4.1.311.21.7=ASN1:SEQUENCE:template
            1.3.6.1.4.1.311.21.10=ASN1:SEQUENCE:policies
            extendedKeyUsage=clientAuth,serverAuth
            keyUsage=critical,digitalSignature,keyEncipherment
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid
            subjectAltName=@names
            crlDistributionPoints=@lists
            authorityInfoAccess=@access
            certificatePolicies=1.3.6.1.4.1.311.21.8.1.2.3
            1.3.6.1.4.1.311.25.2=ASN1:SEQUENCE:security
            \(places)
            [names]
            DNS.1=service.example
            otherName.1=1.3.6.1.4.1.311.25.1;FORMAT:HEX,OCTETSTRING:00112233445566778899aabbccddeeff
            [template]
            id=OID:1.3.6.1.4.1.311.21.8.1.2.3.4
            major=INTEGER:100
            minor=INTEGER:3
            [policies]
            client=SEQUENCE:client
            server=SEQUENCE:server
            [client]
            id=OID:1.3.6.1.5.5.7.3.2
            [server]
            id=OID:1.3.6.1.5.5.7.3.1
            [security]
            sid=EXPLICIT:0,SEQUENCE:value
            [value]
            id=OID:1.3.6.1.4.1.311.25.2.1
            text=EXPLICIT:0,FORMAT:ASCII,OCTETSTRING:S-1-5-21-1-2-3-1104
            """,
        leafName: "/DC=local/DC=example/OU=Servers/CN=service.example",
        serial: "0x5c000000027f3b1c2d4e5f6071000000000002", strings: "default")

    /// The same with `AlternateSignatureAlgorithm=1` in CAPolicy.inf.
    private static var alternateSignature: Style {
        var style = activeDirectory.named("AD CS, alternate signature format")
        style.signing = "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"
        style.leafKey = elliptic
        return style
    }

    /// A user's certificate, from the template of that name.
    private static var user: Style {
        var style = activeDirectory.named("AD CS with ECDSA, user")
        style.key = elliptic
        style.leaf = """
            1.3.6.1.4.1.311.20.2=ASN1:BMP:User
            extendedKeyUsage=1.3.6.1.4.1.311.10.3.4,emailProtection,clientAuth
            keyUsage=critical,digitalSignature,keyEncipherment
            subjectAltName=otherName:1.3.6.1.4.1.311.20.2.3;UTF8:alice@example.local,email:alice@example.local
            authorityKeyIdentifier=keyid
            """
        style.leafName = "/DC=local/DC=example/CN=Users/CN=Alice/emailAddress=alice@example.local"
        style.role = .client
        return style
    }

    private static let ejbca = Style(
        testDescription: "EJBCA", key: "rsa -pkeyopt rsa_keygen_bits:3072",
        leafKey: "ec -pkeyopt ec_paramgen_curve:P-384",
        root: """
            basicConstraints=critical,CA:TRUE
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid
            keyUsage=critical,digitalSignature,keyCertSign,cRLSign
            """,
        rootName: "/UID=c-0h5l1d3rgb2sk/CN=ManagementCA/O=EJBCA Container Quickstart",
        leaf: """
            basicConstraints=critical,CA:FALSE
            authorityKeyIdentifier=keyid
            authorityInfoAccess=OCSP;URI:http://pki.example.local/ejbca/publicweb/status/ocsp
            subjectAltName=DNS:service.example
            extendedKeyUsage=clientAuth,serverAuth
            subjectKeyIdentifier=hash
            keyUsage=critical,digitalSignature,keyEncipherment
            """,
        leafName: "/UID=superadmin/CN=service.example/O=EJBCA", serial: "0x7b1c9d2e3f40516273849500a1b2c3d4e5f60718")

    private static let stepCA = Style(
        testDescription: "step-ca", key: elliptic,
        root: """
            keyUsage=critical,keyCertSign,cRLSign
            basicConstraints=critical,CA:TRUE,pathlen:1
            subjectKeyIdentifier=hash
            """,
        rootName: "/O=Example/CN=Example Root CA",
        intermediate: """
            keyUsage=critical,keyCertSign,cRLSign
            basicConstraints=critical,CA:TRUE,pathlen:0
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid
            """,
        intermediateName: "/O=Example/CN=Example Intermediate CA",
        leaf: """
            keyUsage=critical,digitalSignature
            extendedKeyUsage=serverAuth,clientAuth
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid
            subjectAltName=critical,DNS:service.example
            1.3.6.1.4.1.37476.9000.64.1=ASN1:SEQUENCE:provisioner
            [provisioner]
            type=INTEGER:1
            name=FORMAT:ASCII,OCTETSTRING:admin@example
            credential=FORMAT:ASCII,OCTETSTRING:MpGoI7bP8cVlL1Tq
            """,
        leafName: "/", serial: "0x8f5b1a2c3d4e5f60718293a4b5c6d7e8")

    /// The extensions of OpenSSL's own openssl.cnf, of version 1 still.
    private static let oldOpenSSL = Style(
        testDescription: "OpenSSL 1", leafKey: elliptic,
        root: """
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid:always,issuer:always
            basicConstraints=CA:true
            """,
        rootName: "/C=AU/ST=Some-State/O=Internet Widgits Pty Ltd",
        leaf: """
            basicConstraints=CA:FALSE
            nsComment="OpenSSL Generated Certificate"
            subjectKeyIdentifier=hash
            authorityKeyIdentifier=keyid,issuer
            subjectAltName=DNS:service.example
            """, serial: "0")

    private static let bare = Style(
        testDescription: "OpenSSL, a name and nothing else", key: elliptic, root: "basicConstraints=CA:true",
        leaf: "subjectAltName=DNS:service.example", serial: "1")

    private static let version1 = Style(
        testDescription: "OpenSSL, a client without extensions", key: elliptic,
        root: "basicConstraints=critical,CA:TRUE", leaf: nil,
        leafName: "/CN=device 7", serial: "2", role: .client)

    static let styles = [activeDirectory, alternateSignature, user, ejbca, stepCA, oldOpenSSL, bare, version1]

    @Test(arguments: styles) func certificatesOfRealAuthoritiesAreTrusted(style: Style) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let (chain, root) = try style.issue(openssl)
        #expect(TrustPolicyTests.verdict(chain, .anchors(root), style.role) == nil)
        let path = try TrustPolicy.anchors(root).evaluate(chain, as: style.role, at: TrustPolicyTests.now).get()
        #expect(path.certificates == chain + root.certificates)
        // OpenSSL is of the same opinion.
        let isClient = style.role == .client
        try openssl(
            "verify -CAfile root.pem -purpose \(isClient ? "sslclient" : "sslserver") \(style.intermediate == nil ? "" : "-untrusted middle.pem") leaf.pem"
        )
        // Another host is refused by the same path.
        if !isClient {
            #expect(
                TrustPolicyTests.verdict(chain, .anchors(root), .server(.dns("other.example"))) == .hostNameMismatch)
        }
    }

    /// `openssl req -x509` makes an authority of every server; trusted as it stands, it may be one.
    @Test(arguments: [
        "", "-addext keyUsage=digitalSignature",
        "-addext extendedKeyUsage=serverAuth -addext basicConstraints=critical,CA:FALSE",
    ])
    func aSelfSignedServerIsTrustedAsAnAnchor(more: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl(
            "req -x509 -newkey rsa:2048 -nodes -days 5 -subj /CN=service.example -addext subjectAltName=DNS:service.example,IP:127.0.0.1 \(more) -keyout a.key -out a.pem"
        )
        let bundle = try CertificateBundle(pem: openssl.bytes("a.pem"))
        let policy = TrustPolicy.anchors(bundle)
        #expect(TrustPolicyTests.verdict(bundle.certificates, policy) == nil)
        #expect(TrustPolicyTests.verdict(bundle.certificates, policy, .server(.ip([127, 0, 0, 1]))) == nil)
        #expect(TrustPolicyTests.verdict(bundle.certificates, policy, .server(.dns("127.0.0.1"))) == .hostNameMismatch)
        let leaf = try #require(bundle.certificates.first)
        let pins = [TrustPolicy.Pin.certificate(sha256: Text.hexadecimal(leaf.sha256)), PinTests.reserveCertificate]
        #expect(TrustPolicyTests.verdict(bundle.certificates, policy.pinned(to: pins)) == nil)
    }

    /// A leaf of an authority that the client does not know, trusted as it stands and pinned.
    @Test func aPrivateLeafIsTrustedAsAnAnchor() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let (chain, _) = try Self.stepCA.issue(openssl)
        let policy = TrustPolicy.anchors(CertificateBundle(Array(chain.prefix(1))))
        let pins = [
            TrustPolicy.Pin.certificate(sha256: Text.hexadecimal(chain[0].sha256)), PinTests.reserveCertificate,
        ]
        for policy in [policy, policy.pinned(to: pins)] {
            #expect(TrustPolicyTests.verdict(chain, policy) == nil)
            #expect(TrustPolicyTests.verdict(Array(chain.prefix(1)), policy) == nil)
            #expect(TrustPolicyTests.verdict(Array(chain.dropFirst()), policy) != nil)
        }
    }
}

extension RealAuthorityTests.Style {
    func named(_ name: String) -> Self {
        Self(
            testDescription: name, key: key, leafKey: leafKey, signing: signing, root: root, rootName: rootName,
            intermediate: intermediate, intermediateName: intermediateName, leaf: leaf, leafName: leafName,
            serial: serial, role: role, strings: strings)
    }

    /// `root.pem`, `middle.pem` and `leaf.pem`; what a peer presents, and the anchor.
    func issue(_ openssl: OpenSSL) throws -> (chain: [EncodedCertificate], root: CertificateBundle) {
        try openssl.write("[req]\ndistinguished_name=name\nstring_mask=\(strings)\n[name]\n", "req.cnf")
        func request(_ name: String, _ subject: String, _ key: String) throws {
            try openssl(
                "req -new -utf8 -config req.cnf -nodes -newkey \(key) -keyout \(name).key -out \(name).csr -subj",
                [subject])
        }
        func sign(_ name: String, _ extensions: String?, _ issuer: String) throws {
            if let extensions { try openssl.write(extensions, "\(name).cnf") }
            try openssl(
                "x509 -req -in \(name).csr \(issuer) -days 1 -out \(name).pem \(signing) \(extensions == nil ? "" : "-extfile \(name).cnf")"
            )
        }
        try request("root", rootName, key)
        try sign("root", root, "-signkey root.key")
        if let intermediate {
            try request("middle", intermediateName, key)
            try sign("middle", intermediate, "-CA root.pem -CAkey root.key -set_serial 0x4d2")
        }
        let issuer = intermediate == nil ? "root" : "middle"
        try request("leaf", leafName, leafKey ?? key)
        try sign("leaf", leaf, "-CA \(issuer).pem -CAkey \(issuer).key -set_serial \(serial)")
        let names = intermediate == nil ? ["leaf"] : ["leaf", "middle"]
        return (
            try names.flatMap { try CertificateBundle(pem: openssl.bytes("\($0).pem")).certificates },
            try CertificateBundle(pem: openssl.bytes("root.pem"))
        )
    }
}
