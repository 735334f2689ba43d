/// Where the `location` of an import leads, without asking the disk.
enum ImportTarget: Equatable {
    /// A path below the root folder: no leading slash, no `.` or `..`.
    case file(String)
    /// An absolute address that is not a file: nothing is ever fetched.
    case address
    /// A file outside the root folder, or a name that no file can have.
    case refused

    /// Resolves `location` as a relative reference (RFC 3986 §5.2) against the path of the document that has it.
    init(_ location: String, from document: String) {
        let path = location.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        if let scheme = Self.scheme(of: path) {
            // One letter is a drive.
            self = scheme.lowercased() == "file" || scheme.count == 1 ? .refused : .address
            return
        }
        guard let decoded = Self.decode(path) else {
            self = .refused
            return
        }
        // Some tools write backslashes; no file name below the root has one.
        let slashed = decoded.map { $0 == "\\" ? "/" : $0 }
        if slashed.starts(with: "//") && !path.starts(with: "\\") {
            self = .address
            return
        }
        guard slashed.first != "/", !slashed.isEmpty, Self.scheme(of: Substring(slashed)) == nil else {
            self = .refused
            return
        }
        var segments = document.split(separator: "/").dropLast().map(String.init)
        for segment in slashed.split(separator: "/", omittingEmptySubsequences: true).map({ String($0) }) {
            switch segment {
            case ".": continue
            case "..":
                guard segments.popLast() != nil else {
                    self = .refused
                    return
                }
            default: segments.append(segment)
            }
        }
        self = segments.isEmpty ? .refused : .file(segments.joined(separator: "/"))
    }

    private static func scheme(of text: Substring) -> Substring? {
        guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.isLetter else {
            return nil
        }
        let scheme = text[..<colon]
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) } ? scheme : nil
    }

    /// Resolves percent-encoding; nil when it is broken or stands for something that no path may hold.
    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { return nil }
        return decoded
    }
}
