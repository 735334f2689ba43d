@testable import SignetXML

/// Writes the events of a document in the canonical form of the XML conformance test suite (James Clark's, not the
/// W3C's Canonical XML): attributes in the order of their names, references for what could be markup or be changed by a
/// reader.
///
/// The form holds processing instructions, which the reader skips: the caller removes them before it compares.
func canonicalTrace(_ document: [UInt8], doctype: XMLDoctype = .refused) throws(XMLError) -> String {
    try XMLReader.read(document, doctype: doctype) { (reader) throws(XMLError) in
        var result = ""
        var open: [String] = []
        while true {
            switch try reader.next() {
            case .startElement:
                let name = reader.frames.last.map { reader.string($0.name, $0.length) } ?? ""
                open.append(name)
                result += "<\(name)"
                var attributes: [(name: String, value: String)] = []
                for attribute in reader.attributes {
                    let length = attribute.localName - attribute.name + attribute.localLength
                    attributes.append((reader.string(attribute.name, length), reader.attributeValue(attribute)))
                }
                for (name, value) in attributes.sorted(by: { $0.name < $1.name }) {
                    result += " \(name)=\"\(canonicalText(value))\""
                }
                result += ">"
            case .text: result += canonicalText(try reader.currentText())
            case .endElement: result += "</\(open.removeLast())>"
            case .endOfDocument: return result
            }
        }
    }
}

private func canonicalText(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "\t", "\n", "\r": result += "&#\(scalar.value);"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
