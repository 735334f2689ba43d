import SwiftASN1

@testable import SignetTLS

/// Takes files of the library's writer apart and puts them together in other ways.
enum PFXParts {
    struct Unexpected: Error {}

    /// Where the AuthenticatedSafe, which the MAC protects, lies in a file.
    static func authenticatedSafe(of file: [UInt8]) throws -> Range<Int> {
        var fields = try NodeReader(try DER.parse(file))
        _ = try fields.next()
        var info = try NodeReader(try fields.next())
        _ = try info.next()
        let content = try info.next().explicit().primitiveBytes()
        return content.startIndex..<content.endIndex
    }

    /// A file around `content` whose MAC is right for the password “secret”.
    static func sealed(_ content: [UInt8]) throws -> [UInt8] {
        var algorithms = PFXAlgorithms.aes256SHA256
        algorithms.iterations = 2
        return try PFXWriter(password: FilePassword("secret", file: .pfx), algorithms: algorithms).sealed(content)
    }

    /// One file with the content of several, all of them written for the password “secret”.
    static func joined(_ files: [[UInt8]]) throws -> [UInt8] {
        var coder = DER.Serializer()
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            for file in files {
                var safes = try NodeReader(try DER.parse(file[try authenticatedSafe(of: file)]))
                while let safe = safes.nextIfAny() { coder.serialize(safe) }
            }
        }
        return try sealed(coder.serializedBytes)
    }

    /// The same file in BER: the outer values of indefinite length, the content in two pieces.
    static func indefinite(_ file: [UInt8]) throws -> [UInt8] {
        var fields = try NodeReader(try DER.parse(file))
        let version = try fields.next().encodedBytes
        var info = try NodeReader(try fields.next())
        let type = try info.next().encodedBytes
        let content = Array(try info.next().explicit().primitiveBytes())
        let mac = try fields.next().encodedBytes
        let half = content.count / 2
        let pieces = [Array(content.prefix(half)), Array(content.dropFirst(half))].flatMap { piece in
            var coder = DER.Serializer()
            coder.appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: piece) }
            return coder.serializedBytes
        }
        let end: [UInt8] = [0, 0]
        let safe = [0x30, 0x80] + type + [0xA0, 0x80, 0x24, 0x80] + pieces + end + end + end
        return [0x30, 0x80] + version + safe + mac + end
    }
}
