import SignetSOAP
import Testing

@testable import SignetWSSecurity

@Suite struct PasswordDigestTests {
    /// The first is that of ONVIF's Application Programmer's Guide §6.1.1.3, the second that of the article that
    /// proposed WSSE for Atom, whose nonce is taken as text; the others were made with `openssl dgst -sha1`.
    @Test(arguments: [
        ("LKqI6G/AikKCQrN0zqZFlg==", "2010-09-16T07:50:45Z", "userpassword", "tuOSpGlFlIXsozq4HFNeeGeFLEI="),
        (
            "ZDM2ZTMxNjI4Mjk1OWE5ZWQ0Yzg5ODUxNDk3YTcxN2Y=", "2003-12-15T14:43:07Z", "taadtaadpstcsm",
            "quR/EWLAV4xLf9Zqyw4pDmfV9OY="
        ),
        ("AAECAwQFBgcICQoLDA0ODw==", "2026-11-22T20:15:00.125Z", "pässwörd €😀", "UUhK9x/ewkTm/ebB1hI0pSelFUw="),
        ("AAECAwQFBgcICQoLDA0ODw==", "2026-11-22T20:15:00.125Z", "", "PWHPDQze5NqvEzLWg85sNq1BBj8="),
    ])
    func vectors(nonce: String, created: String, password: String, digest: String) throws {
        let nonce = try #require(ReceivedUsernameToken.base64(nonce))
        let bytes = PasswordDigest.bytes(nonce: nonce, created: created, password: password)
        #expect(XSDBase64Binary(bytes).lexicalForm == digest)
    }
}
