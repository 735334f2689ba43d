import Signet

// The code of the article Proxies.

private func answerNTLM(_ service: inout ServiceConfiguration, password: String) {
    service.proxy.authentication.credentials = .fixed(.account(user: "CORP\\clerk", password: password))
    service.proxy.authentication.schemes = [.ntlm]
    service.proxy.authentication.ntlmHosts = ["proxy.example"]  // or ".example", for all hosts below
    service.proxy.authentication.allowsPlaintext = true  // only for a proxy that is spoken to without TLS
}
