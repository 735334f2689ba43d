/// Where the `location` of an import leads, computed without access to the disk.
enum ImportTarget: Equatable {
    /// A path below the root folder: no leading slash, no `.` or `..`.
    case file(String)
    /// An absolute address that is not a file: nothing is ever fetched.
    case address
    /// A file beside or above the root folder; the folder that holds both, when the root's own place is known.
    case outside(root: String?)
    /// A path that cannot name a file.
    case refused

    /// Resolves `location` as a relative reference (RFC 3986 §5.2) against the path of the document that contains it.
    ///
    /// - Parameter folder: the names of the root folder and those above it.
    init(_ location: String, from document: String, folder: [String] = []) {
        var path = location.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        if let scheme = Self.scheme(of: path) {
            let rest = path.dropFirst(scheme.count + 1)
            // Some tools write `file:types.xsd` for a relative path. A scheme of one letter is a Windows drive.
            guard scheme.lowercased() == "file", let first = rest.first, first != "/", first != "\\",
                Self.scheme(of: rest) == nil
            else {
                self = scheme.lowercased() == "file" || scheme.count == 1 ? .refused : .address
                return
            }
            path = rest
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
        var segments = folder + document.split(separator: "/").dropLast().map(String.init)
        var isAbove = false
        for segment in slashed.split(separator: "/", omittingEmptySubsequences: true).map({ String($0) }) {
            switch segment {
            case ".": continue
            case "..": if segments.popLast() == nil { isAbove = true }
            default: segments.append(segment)
            }
        }
        let shared = zip(folder, segments).prefix { $0 == $1 }.count
        if isAbove {
            self = .outside(root: nil)
        } else if shared == folder.count {
            self = segments.count == shared ? .refused : .file(segments[shared...].joined(separator: "/"))
        } else {
            self = .outside(root: "/" + folder.prefix(min(shared, segments.count - 1)).joined(separator: "/"))
        }
    }

    private static func scheme(of text: Substring) -> Substring? {
        guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.isLetter else {
            return nil
        }
        let scheme = text[..<colon]
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) } ? scheme : nil
    }

    /// Resolves percent-encoding; nil when it is malformed or encodes a character that no path may contain.
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
