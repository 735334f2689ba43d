#if !CommandLine
import Foundation

/// Replaces the command when the package is built without the trait.
@main enum SignetCommand {
    static func main() {
        let message =
            "signet: this program was built without Signet's trait CommandLine; build it with swift build --traits CommandLine.\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(2)
    }
}
#endif
