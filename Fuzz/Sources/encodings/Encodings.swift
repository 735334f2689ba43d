import SignetXML
import Support

/// A text in any encoding is read with the same result as in UTF-8.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let choice = Int(input.byte())
    let charset = names[choice / 16 % names.count]
    if choice & 1 != 0 {
        requireBounds(input.rest(), charset.isEmpty ? nil : charset)
        return 0
    }
    let form = Form.allCases[choice / 2 % Form.allCases.count]
    let content = input.rest()
    guard let text = form.decode(content) else {
        let document = form.mark + Array("<?xml version='1.0' encoding='\(form.name)'?>\n<a>".utf8) + content
        require(Trace(document).error != nil, "what is no \(form.name) was read")
        return 0
    }
    // A zero character is refused in any encoding, and looks like half of a UTF-16 character.
    if text.unicodeScalars.contains("\0") { return 0 }
    for (declares, names) in [(true, false), (false, true), (true, true)] where names || !form.needsName || declares {
        let document = form.mark + form.encode((declares ? form.declaration : "\n") + text)
        let plain = Array(((declares ? Form.utf8.declaration : "\n") + text).utf8)
        requireSame(
            Trace(document, charset: names ? form.name : nil), Trace(plain), in: document,
            "\(form), \(declares), \(names)")
    }
    return 0
}

let names = ["", "utf-8", "UTF-16", "utf-16le", "utf-16be", "iso-8859-1", "windows-1252", "us-ascii", "ucs-4"]

/// Any bytes with any name of an encoding: they are read, or refused at a place inside.
func requireBounds(_ document: [UInt8], _ charset: String?) {
    let trace = Trace(document, charset: charset)
    if let error = trace.error {
        require(
            (0...document.count).contains(error.offset) && error.line >= 1 && error.column >= 1,
            "the place \(error.offset), \(error.line), \(error.column) is outside of \(document.count) bytes")
    }
}

func requireSame(_ read: Trace, _ plain: Trace, in document: [UInt8], _ form: String) {
    require(
        read.events == plain.events,
        "\(form): read as \(read.events) \(String(describing: read.error)), in UTF-8 as \(plain.events) "
            + "\(String(describing: plain.error))")
    require(
        read.error?.code == plain.error?.code,
        "\(form): the defect is \(String(describing: read.error)), in UTF-8 \(String(describing: plain.error))")
    guard let error = read.error, let other = plain.error else { return }
    require(
        (0...document.count).contains(error.offset), "the offset \(error.offset) is outside of \(document.count) bytes")
    // Declarations have different lengths, but all are on the first line.
    if error.line > 1 {
        require(
            error.line == other.line && error.column == other.column && error.path == other.path,
            "\(form): the defect is at \(error), in UTF-8 at \(other)")
    }
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}
