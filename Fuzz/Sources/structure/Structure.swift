import SignetXML
import Support

/// Any content of an element whose type has every kind of field: read, written, read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    // Most inputs are only the content, so that it begins in the right place.
    let isContent = input.byte() & 1 == 0
    let rest = input.rest()
    let opening =
        #"<r xmlns="urn:a" xmlns:b="urn:b" xmlns:c="urn:c" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" source=""><id>1</id>"#
    let document = isContent ? Array(opening.utf8) + rest + Array("</r>".utf8) : rest

    let first: Sample
    do throws(XMLError) { first = try decode(document) } catch {
        requirePlace(error, in: document)
        requireSpelling(document, nil, error.code)
        return 0
    }
    requireSpelling(document, first, nil)

    do throws(XMLError) {
        let written = try encode(first)
        let second = try decode(written)
        if !first.hasNaN, second == first {
            require(second.hashValue == first.hashValue, "equal values have two hashes")
        } else if !first.hasNaN {
            // A text before a colon in a kept fragment takes along the writer's declaration of that prefix.
            require(
                mentionsPrefixOfWriter(document) && second.withoutMarkup == first.withoutMarkup,
                "what was written is read as another value")
        }
        require(try encode(second) == written, "what was read again is written in another way")
    } catch {
        fatalError("what was read cannot be written and read again: \(error)")
    }
    return 0
}

/// Whether the document contains `xsi:` or `n1:`, the prefixes that the writer declares itself.
func mentionsPrefixOfWriter(_ document: [UInt8]) -> Bool {
    // Every second byte of UTF-16 is zero.
    let document = document.filter { $0 != 0 }
    return document.indices.contains { index in
        guard document[index] == UInt8(ascii: ":") else { return false }
        let name = document[..<index].suffix(8).reversed().prefix { $0 != UInt8(ascii: "n") && $0 != UInt8(ascii: "x") }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return name.elementsEqual("is".utf8) || !name.isEmpty && name.allSatisfy(digits.contains)
    }
}

func decode(_ document: [UInt8]) throws(XMLError) -> Sample {
    try XMLReader.read(document) { (reader) throws(XMLError) in
        try reader.root()
        let sample = try reader.structure(Sample.self)
        try reader.finish()
        return sample
    }
}

func encode(_ sample: Sample) throws(XMLError) -> [UInt8] {
    var writer = XMLWriter()
    writer.element(XMLName("urn:a", "r"), sample)
    return try writer.finish()
}

/// Requires that another spelling of the document, in which no start tag has the form that the reader expects, is read
/// as the same value.
func requireSpelling(_ document: [UInt8], _ sample: Sample?, _ code: XMLError.Code?) {
    let trace = Trace(document)
    guard trace.error == nil else { return require(sample == nil, "a malformed document was read") }
    let spelt = spell(trace.events)
    do throws(XMLError) {
        let other = try decode(spelt)
        guard let sample else { fatalError("only another spelling is read, this one is \(String(describing: code))") }
        require(
            sample.hasNaN || other.withoutMarkup == sample.withoutMarkup, "another spelling is read as another value")
    } catch {
        require(error.code == code, "another spelling has the defect \(error), this one \(String(describing: code))")
    }
}

/// Each tag declares its own prefixes and ends with a space; characters that could be markup are character references.
func spell(_ events: [Event]) -> [UInt8] {
    var document = ""
    var open: [String] = []
    for event in events {
        switch event {
        case .start(let uri, let name, let attributes):
            // No other prefix may stand for the namespace of `xml` (Namespaces in XML 1.0 §3).
            let isXML = uri == XMLNamespace.xml.uri
            let qualified = uri.isEmpty ? name : "\(isXML ? "xml" : "e"):\(name)"
            document += "<\(qualified)"
            if !uri.isEmpty, !isXML { document += " xmlns:e=\"\(escaped(uri))\"" }
            for (number, attribute) in attributes.enumerated() {
                if attribute.uri.isEmpty {
                    document += " \(attribute.name)=\"\(escaped(attribute.value))\""
                } else if attribute.uri == XMLNamespace.xml.uri {
                    document += " xml:\(attribute.name)=\"\(escaped(attribute.value))\""
                } else {
                    document += " xmlns:a\(number)=\"\(escaped(attribute.uri))\""
                    document += " a\(number):\(attribute.name)=\"\(escaped(attribute.value))\""
                }
            }
            document += " >"
            open.append(qualified)
        case .end: document += "</\(open.removeLast()) >"
        case .text(let text): document += text.allSatisfy { " \n\t".contains($0) } ? text : escaped(text)
        }
    }
    return Array(document.utf8)
}

/// The text with every character that could be markup as a character reference.
func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
        switch scalar {
        case "<", ">", "&", "\"", "'", "]", "\r", "\n", "\t": result += "&#x\(String(scalar.value, radix: 16));"
        default: result.unicodeScalars.append(scalar)
        }
    }
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}
