package import SignetGeneratorCore

extension Generator {
    /// The task of one run of the generator.
    package struct Task: Sendable {
        package var wsdl: String
        /// The folder of the generated files.
        package var output: String
        /// The path of a configuration file.
        package var configuration: String?
        /// The options of the command line; they override the configuration.
        package var options = GeneratorOptions()
        /// Compares the generated files with those in the folder instead of writing them.
        package var onlyChecks = false

        package init(wsdl: String, output: String) {
            self.wsdl = wsdl
            self.output = output
        }
    }

    /// Generates a WSDL's files with the options of the configuration and the command line.
    package static func run(_ task: Task) -> Result {
        var options = task.options
        if let path = task.configuration {
            do throws(ConfigurationFile.Invalid) {
                options = options.overriding(try ConfigurationFile(contentsOf: path).options(for: task.wsdl))
            } catch {
                return Result(files: [], diagnostics: error.diagnostics)
            }
        }
        return task.onlyChecks
            ? check(wsdl: task.wsdl, output: task.output, options: options)
            : run(wsdl: task.wsdl, output: task.output, options: options)
    }
}
