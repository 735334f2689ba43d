#if CommandLine
import ArgumentParser
import Signet

/// `--secret`: names of elements and attributes whose values are not shown.
struct SecretNameOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An element or attribute that holds a secret, beside those that signet knows; may be repeated.",
            valueName: "name"))
    var secret: [String] = []

    func validate() throws {
        if let name = secret.first(where: { !$0.contains(where: { $0.isLetter || $0.isNumber }) }) {
            throw ValidationError("--secret: “\(name)” is the name of no element.")
        }
    }

    func add() {
        for name in secret { SecretName.add(name) }
    }
}
#endif
