import SignetGeneratorCore

/// The command line of `signet-generator`.
struct Arguments {
    var wsdl = ""
    var output = ""
    var root: String?
    var options = GeneratorOptions()
    var wantsHelp = false

    /// What is wrong with a command line.
    struct Misuse: Error, CustomStringConvertible {
        var description: String
    }

    static let usage = """
        Usage: signet-generator --wsdl FILE --output FOLDER [OPTION…]

        Makes Swift from a WSDL 1.1: FOLDER/NAME+Service.swift and FOLDER/NAME+Types1.swift … NAME+Types4.swift.

          --wsdl FILE          the WSDL; what it imports must lie in its folder or below
          --output FOLDER      where the Swift files are put
          --root FOLDER        the highest folder that imports may lead to (default: the folder of the WSDL)
          --access LEVEL       public, package or internal (default: public)
          --operations A,B     only these operations
          --service NAME       the service, where the WSDL has several
          --namespace NAME     the Swift namespace (default: the service's name)
          --help               this text

        Exit status: 0 when the files were written, 1 when the WSDL cannot be used, 2 when the command line is wrong.
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--help" || option == "-h" {
                wantsHelp = true
                return
            }
            guard
                ["--wsdl", "--output", "--root", "--access", "--operations", "--service", "--namespace"].contains(
                    option)
            else {
                throw Misuse(description: "there is no option ‘\(option)’.")
            }
            guard let value = rest.popFirst(), !value.isEmpty else {
                throw Misuse(description: "\(option) needs a value.")
            }
            switch option {
            case "--wsdl": wsdl = value
            case "--output": output = value
            case "--root": root = value
            case "--access":
                guard let access = AccessLevel(rawValue: value) else {
                    throw Misuse(description: "--access is one of public, package and internal.")
                }
                options.access = access
            case "--operations":
                options.operations = (options.operations ?? []) + value.split(separator: ",").map(String.init)
            case "--service": options.service = value
            default: options.namespace = value
            }
        }
        if wsdl.isEmpty || output.isEmpty { throw Misuse(description: "--wsdl and --output are needed.") }
    }
}
