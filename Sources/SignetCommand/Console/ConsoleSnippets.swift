#if CommandLine
import SignetDynamic
import SignetWSDL

/// A request as other ways to send it.
enum ConsoleSnippets {
    /// The options of the console that `signet call` does not have, with whether a value follows.
    private static let own = ["--listen": true, "--import": true]
    private static let identityOptions = [
        "--identity": true, "--identity-password-file": true, "--identity-password-env": true,
        "--identity-anyway": false, "--identity-late": false,
    ]
    private static let credentialOptions = [
        "--user": true, "--domain": true, "--password-file": true, "--password-env": true, "--netrc": false,
        "--netrc-file": true, "--stored": false, "--token-file": true, "--token-env": true, "--ticket": false,
        "--preemptive": false, "--allow-digest-without-qop": false, "--auth": true, "--allow-plaintext": false,
        "--store": true, "--key-file": true, "--key-systemd": true, "--key-env": true, "--passphrase-file": true,
        "--passphrase-env": true,
    ]
    private static let placeOptions = ["--service": true, "--port-name": true, "--endpoint": true]

    /// The arguments of the console without its own options and those that are given anew.
    private static func kept(_ arguments: [String], without options: [String: Bool]) -> [String] {
        var kept: [String] = []
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
            } else if argument == "--" {
                continue
            } else if let hasValue = options[argument] {
                isValue = hasValue
            } else if argument.contains("="), options[String(argument.prefix { $0 != "=" })] != nil {
                continue
            } else {
                kept.append(argument)
            }
        }
        return kept
    }

    /// The call as a command for a shell.
    ///
    /// - Parameters:
    ///   - arguments: those of the console, without the program's and the command's names.
    ///   - chosen: the options for what was chosen on the page; nil for what the arguments give.
    ///   - endpoint: nil for the address of the WSDL.
    static func command(
        _ arguments: [String], wsdl: String, port: ConsoleService.Port, operation: String, endpoint: String?,
        chosen: (identity: [String]?, credentials: [String]?), input: DynamicValue, headers: DynamicValue
    ) -> String {
        var removed = own.merging(placeOptions) { $1 }
        if chosen.identity != nil { removed.merge(identityOptions) { $1 } }
        if chosen.credentials != nil { removed.merge(credentialOptions) { $1 } }
        var rest = kept(arguments, without: removed)
        if let place = rest.firstIndex(of: wsdl) { rest.remove(at: place) }
        var words = ["signet", "call", wsdl, operation, "--service", port.service, "--port-name", port.port.name]
        if let endpoint { words += ["--endpoint", endpoint] }
        words += (chosen.identity ?? []) + (chosen.credentials ?? []) + rest
        var lines = [words.map(quoted).joined(separator: " ")]
        if headers != .object([]) {
            lines.insert("# Header blocks: put them into headers.json:", at: 0)
            lines.insert(contentsOf: headers.json(pretty: true).split(separator: "\n").map { "#   \($0)" }, at: 1)
            lines[lines.count - 1] += " --header-blocks headers.json"
        }
        lines[lines.count - 1] += " --json - <<'JSON'"
        return (lines + [input.json(pretty: true), "JSON"]).joined(separator: "\n")
    }

    /// A word for a POSIX shell.
    static func quoted(_ word: String) -> String {
        let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:=@,+%".contains($0)) }
        if plain, !word.isEmpty { return word }
        // For a shell, an apostrophe ends the word also where a combining mark follows.
        var quoted = "'"
        for scalar in word.unicodeScalars {
            if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }
}
#endif
