import CodecCost

/// What others have in Swift: the name of one, and a command of `Program`.
@main struct CodecRivals {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        exit {
            switch arguments.first {
            case "xmlparser": try XMLParserRival.program.run(arguments.dropFirst())
            case "xmlcoder": try XMLCoderRival.program.run(arguments.dropFirst())
            default: throw Usage()
            }
        }
    }
}
