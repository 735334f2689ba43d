package import SignetGeneratorCore

extension Generator {
    /// What a tool is asked to do.
    package struct Task: Sendable {
        package var wsdl: String
        /// The folder of the generated files.
        package var output: String
        /// The path of a configuration file.
        package var configuration: String?
        /// What the command line says; it goes before what the configuration says.
        package var options = GeneratorOptions()
        /// Compares the files with what is in the folder instead of writing them.
        package var onlyChecks = false

        package init(wsdl: String, output: String) {
            self.wsdl = wsdl
            self.output = output
        }
    }

    /// Makes a WSDL's files as the configuration and the options say.
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
