import Signet

// The code of the article HTTPAuthentication.

private func useBasic(_ service: inout ServiceConfiguration, password: String) {
    service.authentication.schemes = [.basic]
    service.authentication.credentials = .fixed(.account(user: "service", password: password))
    service.authentication.sendsWithoutChallenge = true  // saves the first 401
}

private func useDigest(_ service: inout ServiceConfiguration, password: String) {
    service.authentication.schemes = [.digest]  // Basic is not answered then
    service.authentication.credentials = .fixed(.account(user: "service", password: password))
    service.authentication.weakestDigest = .sha256  // MD5 is not answered then
}

private func useAToken(_ service: inout ServiceConfiguration, token: String) {
    service.authentication.credentials = .fixed(.bearer(token))
}

private func signRequests(
    _ service: inout ServiceConfiguration, secret: String, token: String, tokenSecret: String
) {
    let consumer = OAuth1Consumer(key: "reports", secret: secret, token: token, tokenSecret: tokenSecret)
    service.authentication.credentials = .fixed(.consumer(consumer))
}

private func useNTLM(_ service: inout ServiceConfiguration, password: String) {
    service.authentication.schemes = [.ntlm]
    service.authentication.ntlmHosts = ["reports.corp.example"]  // or ".corp.example", for all hosts below
    service.authentication.credentials = .fixed(.account(user: "clerk", password: password, domain: "CORP"))
}

private func useKerberos(_ service: inout ServiceConfiguration) {
    service.authentication.credentials = .fixed(.ticket)
    service.authentication.schemes = [.negotiate]
    service.authentication.kerberos = Kerberos()
}
