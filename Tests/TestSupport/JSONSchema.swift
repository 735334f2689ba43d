package import Foundation

/// The schemas of what commands print with `--json`, in the folder `Schemas`. Debian's python3-jsonschema applies them.
package enum JSONSchema {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Schemas")
        .standardized

    /// Outputs that a command prints only with a server of others at the other end: InteropTests validates them.
    package static let namesOfPeers: Set = [
        "discover", "enroll", "enroll-policies", "identity-renew", "identity-watch", "token",
    ]

    /// The names of all schemas, such as `doctor`.
    package static func names() throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Set(files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
    }

    /// How an output departs from a schema; empty when it does not.
    ///
    /// - Parameters:
    ///   - output: one document of JSON, or several of them, one after the other.
    ///   - name: that of the schema. Members that it does not describe count as departures.
    package static func departures(of output: String, from name: String) throws -> String {
        let input = FileManager.default.temporaryDirectory.appending(path: "signet-schema-\(UUID().uuidString)")
        try Data(output.utf8).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let (process, said) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script, folder.appending(path: name + suffix).path, input.path]
        process.standardOutput = said
        process.standardError = said
        try process.run()
        let bytes = said.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        return process.terminationStatus == 0 || !text.isEmpty ? text : "python3 failed"
    }

    private static let suffix = ".schema.json"

    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator

        def described(schema, where):
            for name, member in schema.get("properties", {}).items() if isinstance(schema, dict) else []:
                if not {"description", "const"} & member.keys():
                    print(f"{where}/{name} has no description")
                if schema.get("additionalProperties") is not True:
                    print(f"{where} does not allow more members")
            parts = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else []
            for name, part in parts:
                described(part, f"{where}/{name}")

        def closed(schema):
            if isinstance(schema, list):
                return [closed(part) for part in schema]
            if not isinstance(schema, dict):
                return schema
            copy = {name: closed(part) for name, part in schema.items()}
            if copy.get("additionalProperties") is True:
                copy["additionalProperties"] = False
            return copy

        schema = json.load(open(sys.argv[1], encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        described(schema, "")
        text, decoder, count = open(sys.argv[2], encoding="utf-8").read().lstrip(), json.JSONDecoder(), 0
        while text:
            document, end = decoder.raw_decode(text)
            text, count = text[end:].lstrip(), count + 1
            for copy in schema, closed(schema):
                for error in Draft202012Validator(copy).iter_errors(document):
                    print(f"document {count}, {error.json_path}: {error.message}")
        if count == 0:
            print("there is no document")
        """
}
