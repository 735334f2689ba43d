/// A public authority that stops issuing certificates for TLS clients (extended key usage clientAuth), as browsers
/// demand of authorities that they trust.
struct PublicAuthority: Sendable {
    let name: String
    /// Parts of the organisation in the names of its issuing certificates, in lower case.
    let organisations: [String]
    /// The last second at which it issues such certificates, in seconds since 1970.
    let lastSecond: Int64
    /// `1 March 2027` and the like.
    let day: String

    /// The days that the authorities announced, as of November 2026:
    ///
    /// - DigiCert: “until March 1, 2027”,
    ///   https://knowledge.digicert.com/alerts/sunsetting-client-authentication-eku-from-digicert-public-tls-certificates
    ///   (3 March 2026); it is for all its brands: GeoTrust, Thawte, RapidSSL, Encryption Everywhere.
    /// - Let's Encrypt: 8 July 2026, when the profile `tlsclient` ended,
    ///   https://letsencrypt.org/2025/05/14/ending-tls-client-authentication
    /// - Sectigo, whose intermediates ZeroSSL uses too: 15 May 2026,
    ///   https://sectigo.com/faq-client-authentication-eku-deprecation
    /// - Google Trust Services: the week of 13 April 2026,
    ///   https://developers.google.com/public-key-infrastructure/updates/may2025-clientauth
    /// - SSL.com: 15 September 2025,
    ///   https://www.ssl.com/blogs/removal-of-the-client-authentication-eku-from-tls-server-certificates-what-you-need-to-know
    /// - Certum: 15 May 2026,
    ///   https://support.certum.eu/en/technical-news/sunsetting-the-clientauth-eku-from-certum-ssl-tls-certificates
    static let calendar: [PublicAuthority] = [
        .init(
            name: "DigiCert", organisations: ["digicert", "geotrust", "thawte", "rapidssl", "encryption everywhere"],
            lastSecond: 1_803_945_599, day: "1 March 2027"),
        .init(name: "Let's Encrypt", organisations: ["let's encrypt"], lastSecond: 1_783_555_199, day: "8 July 2026"),
        .init(
            name: "Sectigo", organisations: ["sectigo", "zerossl", "comodo"], lastSecond: 1_778_889_599,
            day: "15 May 2026"),
        .init(
            name: "Google Trust Services", organisations: ["google trust services"], lastSecond: 1_776_124_799,
            day: "13 April 2026"),
        .init(
            name: "SSL.com", organisations: ["ssl corp", "ssl.com"], lastSecond: 1_757_980_799, day: "15 September 2025"
        ),
        .init(
            name: "Certum", organisations: ["certum", "unizeto", "asseco data"], lastSecond: 1_778_889_599,
            day: "15 May 2026"),
    ]

    /// The authority to which an issuer of this name belongs; nil when it is not in the calendar.
    static func issuing(_ issuer: String) -> PublicAuthority? {
        let issuer = issuer.lowercased()
        return calendar.first { $0.organisations.contains(where: issuer.contains) }
    }
}
