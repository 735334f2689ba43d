import HTTPTypes
package import SignetAuthentication
package import SignetHTTP
import SignetSOAP

/// A challenge of HTTP authentication, without the values that belong to one connection.
package struct ChallengeFacts: Sendable, Hashable, Codable {
    /// As the server wrote it.
    package var scheme: String
    package var realm: String?

    package init(_ scheme: String, realm: String? = nil) { (self.scheme, self.realm) = (scheme, realm) }

    /// All challenges of one field; empty when it cannot be read.
    package static func all(_ lines: [String]) -> [ChallengeFacts] {
        ((try? Challenge.read(lines)) ?? []).map {
            ChallengeFacts($0.scheme.printable, realm: $0["realm"]?.printable)
        }
    }

    /// Whether this library has the scheme.
    package var isSupported: Bool { AuthenticationScheme(registered: scheme) != nil }
}

/// An answer of HTTP. It holds neither credentials nor cookies, and of the content only what kind it is.
package struct AnswerFacts: Sendable, Hashable, Codable {
    /// The kind of the content.
    package enum Content: String, Sendable, Hashable, Codable {
        case none, soap, fault, html, xml, json, other
    }

    /// What the server says about the client certificate.
    package enum CertificateRemark: String, Sendable, Hashable, Codable {
        /// It did not get one.
        case missing
        /// It asks only after a request, which TLS 1.3 does not allow.
        case askedLate
        /// It got one and does not accept it.
        case refused
    }

    /// `GET`, `POST` and the like. The answer to `HEAD` has no content that could say why the server refuses.
    package var method = "POST"
    package var status: Int
    package var challenges: [ChallengeFacts] = []
    package var proxyChallenges: [ChallengeFacts] = []
    /// The `Date` field, in seconds since 1970; nil without one.
    package var date: Int64?
    /// When the answer came, by the local clock; nil when it is not known.
    package var receivedAt: Int64?
    package var contentType: String?
    package var content = Content.none
    /// The title of a page, or the code and reason of a fault, shortened.
    package var says: String?
    /// Whether the page asks for a user name and a password.
    package var isLogin = false
    package var certificateRemark: CertificateRemark?
    /// Whether the server says that it got plain HTTP where it expects TLS.
    package var wantsTLS = false
    /// The origin of the `Location` field, where it is another one than the request's.
    package var redirectOrigin: String?
    /// What names a proxy or load balancer in front of the service: names of fields and of cookies, and products.
    package var intermediaries: [String] = []
    /// How many bytes of content the request had.
    package var sentBytes = 0
    /// Whether an earlier call opened the connection.
    package var isReused = false
    /// The subject of the client certificate with which the connection was opened.
    package var connectionCertificate: String?
    /// Until when that certificate is valid, in seconds since 1970.
    package var connectionCertificateNotAfter: Int64?

    package init(_ status: Int, _ content: Content = .none) { (self.status, self.content) = (status, content) }

    /// - Parameters:
    ///   - origin: to which the request went.
    ///   - now: when the answer came, in seconds since 1970.
    package init(_ response: ClientResponse, method: String, origin: Origin, sentBytes: Int = 0, at now: Int64) {
        self.init(response.status.code)
        self.method = method
        self.sentBytes = sentBytes
        receivedAt = now
        let fields = response.fields
        func lines(_ name: HTTPField.Name) -> [String] { fields[values: name] }
        challenges = ChallengeFacts.all(lines(.wwwAuthenticate))
        proxyChallenges = ChallengeFacts.all(lines(.proxyAuthenticate))
        date = fields[.date].flatMap(CookieDate.seconds)
        contentType = fields[.contentType].map { MediaType($0).essence.printable }
        read(response.body, MediaType(fields[.contentType] ?? ""))
        certificateRemark = CertificateRefusal(response).map(CertificateRemark.init)
        // A location may hold a token.
        if let location = fields[.location], let target = try? Endpoint(location).origin, target != origin {
            redirectOrigin = "\(target)"
        }
        intermediaries = Intermediary.names(in: fields)
        isReused = response.report.connection.reused
        connectionCertificate = response.report.connection.tls?.clientCertificate
        connectionCertificateNotAfter = response.report.connection.tls?.clientCertificateNotAfter
    }

    private mutating func read(_ body: [UInt8], _ type: MediaType) {
        guard !body.isEmpty else { return }
        if let fault = SOAPFault.received(in: body, charset: type.charset) {
            content = .fault
            says = "\(fault)".printable
            return
        }
        let page = WebPage(body)
        wantsTLS = page.wantsTLS
        if page.isHTML {
            content = .html
            says = page.title
            isLogin = page.isLogin
        } else if page.isEnvelope {
            content = .soap
        } else {
            content = type.isXML ? .xml : type.essence.hasSuffix("json") ? .json : .other
        }
    }

    /// Whether the server processed a request as a SOAP service, or would have processed another one.
    package var isFromService: Bool {
        switch content {
        case .soap, .fault: true
        // Many services answer a GET with a page about themselves, or with one that says that they take POST only.
        case .html:
            method == "GET" && !isLogin
                && ((200..<300).contains(status)
                    || [400, 405, 411, 415].contains(status) && certificateRemark == nil && !wantsTLS)
        // A request without an envelope is a bad request for a service. The answer to HEAD has no content that could say
        // more.
        case .none, .xml, .json, .other:
            (200..<300).contains(status) || [405, 411, 415, 500].contains(status) && certificateRemark == nil
                || status == 400 && method != "HEAD" && certificateRemark == nil && !wantsTLS
        }
    }

    /// Whether the server refused the caller.
    package var isRefusal: Bool {
        [401, 403, 495, 496].contains(status) || certificateRemark != nil
    }
}

extension AnswerFacts.CertificateRemark {
    init(_ refusal: CertificateRefusal) {
        self =
            switch refusal {
            case .missing: .missing
            case .askedLate: .askedLate
            case .refused: .refused
            }
    }
}

/// Signs of a proxy or load balancer in an answer.
enum Intermediary {
    private static let fieldNames: Set<String> = [
        "via", "x-cache", "x-amzn-trace-id", "x-amz-cf-id", "cf-ray", "x-azure-ref", "x-envoy-upstream-service-time",
        "x-varnish", "x-served-by", "x-akamai-transformed", "x-proxy-cache", "x-forwarded-for",
    ]
    private static let cookies = [
        "awsalb", "bigipserver", "arraffinity", "incap_ses", "visid_incap", "srv_id", "ak_bmsc",
    ]
    private static let products = [
        "awselb", "cloudflare", "akamai", "bigip", "big-ip", "haproxy", "envoy", "varnish", "traefik", "citrix",
        "netscaler", "imperva", "azure",
    ]

    /// The names only: values may identify a session.
    static func names(in fields: HTTPFields) -> [String] {
        var found: [String] = []
        for field in fields {
            let name = field.name.canonicalName
            if fieldNames.contains(name) { found.append(name) }
            let value = field.value.lowercased()
            if name == "server", let product = products.first(where: value.contains) {
                found.append("server: \(product)")
            }
            if name == "set-cookie", let cookie = cookies.first(where: value.hasPrefix) {
                found.append("cookie \(cookie)")
            }
        }
        return Array(Set(found)).sorted()
    }
}

/// What a page is, judged by its beginning.
struct WebPage {
    let isHTML: Bool
    let isEnvelope: Bool
    let title: String?
    let isLogin: Bool
    let wantsTLS: Bool

    private static let maximumBytes = 16 << 10

    init(_ body: [UInt8]) {
        let bytes = body.prefix(Self.maximumBytes)
        // The case of ASCII letters is changed alone, so that places stay the same.
        let lowered = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let text = String(decoding: lowered, as: UTF8.self)
        func contains(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        isHTML = contains("<html", "<!doctype html", "<body")
        isEnvelope = contains("envelope>", "envelope xmlns", "envelope\n", "envelope ") && contains("<")
        title = isHTML ? Self.title(Array(bytes), lowered) : nil
        isLogin = isHTML && contains("type=\"password\"", "type='password'", "samlrequest", "openid")
        wantsTLS = contains(
            "plain http request was sent to https port", "speaking plain http to an ssl-enabled server port",
            "client sent an http request to an https server")
    }

    private static func title(_ bytes: [UInt8], _ lowered: [UInt8]) -> String? {
        guard let start = lowered.firstRange(of: Array("<title".utf8)),
            let open = lowered[start.upperBound...].firstIndex(of: UInt8(ascii: ">")),
            let end = lowered[open...].firstRange(of: Array("</title".utf8))
        else { return nil }
        let words = String(decoding: bytes[(open + 1)..<end.lowerBound], as: UTF8.self)
            .split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ").printable
    }
}

/// Why HTTP authentication failed.
package struct AuthenticationFailure: Sendable, Hashable, Codable {
    /// As `AuthenticationError.Code` names it.
    package var code: String
    package var message: String
    /// The schemes that the server offered.
    package var schemes: [String]
    package var isProxy: Bool

    package init(_ error: AuthenticationError) {
        code = error.code.description
        message = error.message
        schemes = error.offeredSchemes.map(\.printable)
        isProxy = error.space?.isProxy == true
    }

    package func has(_ codes: AuthenticationError.Code...) -> Bool { codes.contains { $0.description == code } }
}
