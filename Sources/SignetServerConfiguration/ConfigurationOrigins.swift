#if Server
import SignetAuthentication

/// Where the values of keys come from, for errors.
struct ConfigurationOrigins: Sendable {
    /// The name of the file; nil without one.
    var file: String?
    /// The lines of the keys in the file.
    var lines: [String: Int] = [:]
    /// The environment variables that are set.
    var variables: Set<String> = []

    /// An error about the value of a key, or about its absence.
    func error(_ key: ServerConfigurationKey, _ problem: String) -> ServerConfigurationError {
        let text = "\(key.name) \(problem)\(problem.hasSuffix(".") ? "" : ".")"
        if variables.contains(key.variable) { return ServerConfigurationError("\(key.variable): \(text)") }
        guard let file, let line = lines[key.name] else {
            return ServerConfigurationError(
                "\(key.name) (\(key.variable) in the environment) \(problem)\(problem.hasSuffix(".") ? "" : ".")")
        }
        return ServerConfigurationError("\(file.printable), line \(line): \(text)")
    }
}
#endif
