/// Content beside a document, which refers to it instead of containing it in base64 (XOP 1.0 §2.1).
public protocol XMLInclusion: Sendable {
    /// Returns all of the content, in memory.
    ///
    /// - Throws: an error when there are more than `limit` bytes, or they cannot be read.
    func bytes(limit: Int) throws -> [UInt8]
}

/// Finds the content to which a document refers, while the document is read.
public protocol XMLInclusionSource: Sendable {
    /// Returns the content to which the attribute `href` of `xop:Include` refers, given as it is written.
    ///
    /// - Throws: an error that says why the content is missing.
    func inclusion(_ reference: String) throws(XMLError) -> any XMLInclusion
}

/// Takes values out of a document that is being written, to send them beside it.
package protocol XMLIncluder: AnyObject {
    /// The reference to write in place of `bytes`; nil to write them in base64.
    func reference(to bytes: [UInt8]) -> String?
}

extension XMLName {
    /// The element that replaces base64 (XOP 1.0 §3.1).
    package static let include = XMLName("http://www.w3.org/2004/08/xop/include", "Include")
    fileprivate static let href = XMLName("", "href")
}

extension XMLReader {
    /// The content that replaces the value being read; nil when the value itself is there. For
    /// ``XMLValue/init(lexical:in:)`` of types with `XMLValue._takesInclusions`.
    public var inclusion: (any XMLInclusion)? { leaf.isIncluded ? extras?.inclusion : nil }

    /// Reads the element that refers to the content of a value, if the start tag read last is one.
    mutating func takeInclusion() -> Bool {
        guard let source = inclusions, isElement(.include) else { return false }
        noteTextBesideInclusion()
        let reference = attribute("href")
        scratch.removeAll()
        skipRest()
        guard let reference else {
            fail(.missing, "xop:Include has no href.")
            return true
        }
        do throws(XMLError) {
            inclusionBeingRead = try source.inclusion(reference)
            leaf.isIncluded = true
        } catch { fail(error.code, error.message) }
        return true
    }
}

extension XMLWriter {
    /// Writes a reference to content beside the document.
    package mutating func include(_ reference: String) {
        startElement(.include, declaring: [("xop", XMLName.include.namespace)], attributes: [(.href, reference)])
        endElement(.include)
    }
}
