import SignetCredentials
import SignetSOAP

@testable import SignetWSSecurity

/// A service that answers with the name of the caller.
enum Echo {
    static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "", version: .soap11, input: XMLName("urn:echo", "Echo"),
        output: XMLName("urn:echo", "Echo"))

    static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12],
        routes: [
            operation.route { _, context in try XMLAny(text: context.peer.user ?? "nobody") }
        ])

    static func caller(
        _ dispatcher: ServiceDispatcher, _ header: SecurityHeader, version: SOAPVersion = .soap11
    ) throws -> ServiceCaller {
        var caller = ServiceCaller(
            endpoint: try Endpoint("https://localhost/"), transport: InProcessTransport(dispatcher))
        caller.version = version
        caller.headerProviders = [header]
        return caller
    }

    static let accounts: @Sendable (String) -> String? = {
        ["ada": "secret", "bob": "secret", "locked": "", "üñï": "pässwörd €😀"][$0]
    }

    static func verifier(at now: String? = nil, cache: any ReplayCache = MemoryReplayCache()) -> UsernameTokenVerifier {
        var verifier = UsernameTokenVerifier(replayCache: cache) { accounts($0) }
        if let moment = now.flatMap(XSDDateTime.init)?.moment { verifier.now = { moment } }
        return verifier
    }
}

/// An envelope with a header; `wsse` and `wsu` are declared.
func envelope(_ header: String, _ version: SOAPVersion = .soap11) -> String {
    """
    <s:Envelope xmlns:s="\(version.namespace)" xmlns:wsse="\(SecurityName.extensions)" xmlns:wsu="\(SecurityName.utility)">\
    <s:Header>\(header)</s:Header><s:Body><Echo xmlns="urn:echo"/></s:Body></s:Envelope>
    """
}

/// A token with a digest; parts that are nil are left out.
func token(
    user: String? = "ada", password: String = "secret", nonce: String? = "AAECAwQFBgcICQoLDA0ODw==",
    created: String? = "2026-11-22T20:15:00.125Z", type: String = UsernameTokenForm.digest.uri, more: String = ""
) -> String {
    let nonceBytes = nonce.flatMap(ReceivedUsernameToken.base64) ?? []
    let digest = PasswordDigest.bytes(nonce: nonceBytes, created: created ?? "", password: password)
    let secret = type == UsernameTokenForm.digest.uri ? XSDBase64Binary(digest).lexicalForm : password
    return "<wsse:UsernameToken>" + (user.map { "<wsse:Username>\($0)</wsse:Username>" } ?? "")
        + "<wsse:Password Type=\"\(type)\">\(secret)</wsse:Password>"
        + (nonce.map { "<wsse:Nonce>\($0)</wsse:Nonce>" } ?? "")
        + (created.map { "<wsu:Created>\($0)</wsu:Created>" } ?? "") + more + "</wsse:UsernameToken>"
}

func security(_ content: String, mustUnderstand: Bool = true) -> String {
    "<wsse:Security\(mustUnderstand ? " s:mustUnderstand=\"1\"" : "")>\(content)</wsse:Security>"
}
