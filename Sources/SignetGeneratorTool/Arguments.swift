import SignetGeneratorConfiguration
import SignetGeneratorCore

/// The command line of `signet-generator`.
struct Arguments {
    var task = Generator.Task(wsdl: "", output: "")
    var wantsHelp = false

    /// An error in the command line.
    struct Misuse: Error, CustomStringConvertible {
        var description: String
    }

    static let usage = """
        Usage: signet-generator --wsdl FILE --output FOLDER [OPTION…]

        Makes Swift from a WSDL 1.1: FOLDER/NAME+Service.swift, NAME+Model1.swift … NAME+Model4.swift and
        NAME+Model1+Coding.swift … NAME+Model4+Coding.swift.

          --wsdl FILE          the WSDL; what it imports must lie in its folder or below
          --output FOLDER      where the Swift files are put
          --config FILE        a configuration (YAML); the options below override it
          --check              write nothing: fail when a file in the folder is not what would be written
          --root FOLDER        the highest folder that imports may lead to (default: that of the configuration
                               if it holds the WSDL, else that of the WSDL)
          --access LEVEL       public, package or internal (default: internal)
          --imports A,B        modules that the files import; ‘public A’ sets the import's access level
          --operations A,B     only these operations
          --service NAME       the service, where the WSDL has several
          --port NAME          the port to make the service from (default: the first that can be used)
          --derived WHICH      the derived types to make although no declaration refers to them: all, named (none of
                               them), or a list A,B (default: all)
          --strict             fail where something would be left out, or kept as XML because it cannot be followed
          --namespace NAME     the Swift namespace (default: the service's name)
          --help               this text

        Exit status: 0 when the files were written (or are up to date), 1 when the WSDL or the configuration cannot be
        used (or a file is not up to date), 2 when the command line is wrong.
        """

    private static let valued = [
        "--wsdl", "--output", "--config", "--root", "--access", "--imports", "--operations", "--service", "--port",
        "--namespace", "--derived",
    ]

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--help" || option == "-h" {
                wantsHelp = true
                return
            }
            if option == "--check" {
                task.onlyChecks = true
                continue
            }
            if option == "--strict" {
                task.options.strict = true
                continue
            }
            guard Self.valued.contains(option) else { throw Misuse(description: "there is no option ‘\(option)’.") }
            guard let value = rest.popFirst(), !value.isEmpty else {
                throw Misuse(description: "\(option) needs a value.")
            }
            // The user probably forgot the value; a file with such a name can be given as ‘./--name’.
            guard !value.hasPrefix("--") else {
                throw Misuse(description: "\(option) needs a value, and ‘\(value)’ is an option.")
            }
            try set(option, value)
        }
        if task.wsdl.isEmpty || task.output.isEmpty { throw Misuse(description: "--wsdl and --output are needed.") }
    }

    private mutating func set(_ option: String, _ value: String) throws {
        let items = value.split(separator: ",").map(String.init)
        switch option {
        case "--wsdl": task.wsdl = value
        case "--output": task.output = value
        case "--config": task.configuration = value
        case "--root": task.options.root = value
        case "--access":
            guard let access = AccessLevel(rawValue: value) else {
                throw Misuse(description: "--access is one of public, package and internal.")
            }
            task.options.access = access
        case "--imports":
            task.options.imports =
                try (task.options.imports ?? [])
                + items.map { item in
                    guard let module = ModuleImport(parsing: item) else {
                        throw Misuse(description: "‘\(item)’ is no import; --imports takes names of modules.")
                    }
                    return module
                }
        case "--operations": task.options.operations = (task.options.operations ?? []) + items
        case "--derived":
            guard !items.isEmpty else { throw Misuse(description: "--derived is all, named or a list of types.") }
            task.options.derived = DerivedTypes(value)
        case "--service": task.options.service = value
        case "--port": task.options.port = value
        default: task.options.namespace = value
        }
    }
}
