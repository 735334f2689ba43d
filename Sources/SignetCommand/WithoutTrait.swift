#if !CommandLine
import Foundation

/// Stands in the place of the command where the trait is missing.
@main enum SignetCommand {
    static func main() {
        let message =
            "signet: this program was built without Signet's trait CommandLine; build it with swift build --traits CommandLine.\n"
        FileHandle.standardError.write(Data(message.utf8))
        exit(2)
    }
}
#endif
