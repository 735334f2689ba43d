import Foundation

/// A structure of the generated code that is checked in, as its text declares it and hands its properties over.
struct GoldenStructure {
    struct Property {
        let name: String
        let type: String
    }

    /// With the service's Swift namespace before it.
    let name: String
    var stored: [Property] = []
    /// The calls that hand properties over.
    var handed: [(method: String, property: String)] = []
}

/// The generated code that is checked in.
struct GoldenStructures {
    /// In the order of their files.
    private(set) var all: [GoldenStructure] = []
    /// The calls that are made on `fields` and, for the cases of choices, on `writer`.
    private(set) var fieldCalls: Set<String> = []
    private(set) var caseCalls: Set<String> = []

    private static let read = Result { try GoldenStructures() }

    /// What is checked in, read once.
    static func checkedIn() throws -> GoldenStructures { try read.get() }

    private init() throws {
        let root = GoldenTests.root.appending(path: "Tests/ReferenceServices")
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false)).sorted()
        // What a structure stores stands before how it is read: the files are sorted so that "+Coding" comes later.
        for isCoding in [false, true] {
            for name in names where name.contains("+Model") && name.hasSuffix("+Coding.swift") == isCoding {
                let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                if isCoding { readCoding(lines) } else { readDeclarations(lines) }
            }
        }
    }

    private mutating func readDeclarations(_ lines: [Substring]) {
        var container = ""
        var isInStructure = false
        for line in lines {
            if line.hasPrefix("extension "), let match = line.wholeMatch(of: /extension (\S+) \{/) {
                container = String(match.1)
            } else if line.hasPrefix("    public struct "),
                let match = line.wholeMatch(of: /[ ]{4}public struct (\S+): Sendable \{/)
            {
                all.append(GoldenStructure(name: "\(container).\(match.1)"))
                isInStructure = true
            } else if line == "    }" {
                isInStructure = false
            } else if isInStructure, !line.hasPrefix("            "),
                let match = line.wholeMatch(of: /[ ]{8}(?:@usableFromInline |public )var (\S+): (.+[^{])/)
            {
                all[all.count - 1].stored.append(.init(name: String(match.1), type: String(match.2)))
            }
        }
    }

    private mutating func readCoding(_ lines: [Substring]) {
        var present: Int?
        for line in lines {
            if line.hasPrefix("extension "), let match = line.firstMatch(of: /^extension (\S+?)(?:: .*)? \{/) {
                present = all.firstIndex { $0.name == match.1 }
            } else if line.hasPrefix("        fields."), let match = line.firstMatch(of: /^[ ]{8}fields\.(\w+)\(/) {
                fieldCalls.insert(String(match.1))
                if let present, let property = line.firstMatch(of: /\(&x\.([^,)]+)/) {
                    all[present].handed.append((String(match.1), String(property.1)))
                }
            } else if line.hasPrefix("            case "),
                let match = line.firstMatch(of: /case \.\S+\(let value\): writer\.(\w+)\(/)
            {
                caseCalls.insert(String(match.1))
            }
        }
    }

    /// The source of `Tests/ReferenceServices/StoredProperties.swift`.
    var list: String {
        var lines = [
            "// Made of the generated code in the folders beside it, by StoredPropertyTests. Changes made here are lost.",
            "// swift-format-ignore-file", "", "import SignetSOAP", "", "extension PropertyPlaces {",
            "    /// Compares all structures of the reference services.",
            "    package mutating func compareReferenceServices() {",
        ]
        for structure in all {
            var line = "        compare(\(structure.name).self"
            for property in structure.stored {
                if line.count + property.name.count > 114 {
                    lines.append(line + ",")
                    line = "            \\.\(property.name)"
                } else {
                    line += ", \\.\(property.name)"
                }
            }
            lines.append(line + ")")
        }
        return lines.joined(separator: "\n") + "\n    }\n}\n"
    }
}
