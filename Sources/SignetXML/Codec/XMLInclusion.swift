/// Content that stands beside a document, which refers to it instead of holding it in base64 (XOP 1.0 §2.1).
public protocol XMLInclusion: Sendable {
    /// All of it, in memory.
    ///
    /// - Throws: when there are more than `limit` bytes, or they cannot be read.
    func bytes(limit: Int) throws -> [UInt8]
}

/// Finds what a document refers to while it is read.
public protocol XMLInclusionSource: Sendable {
    /// What the attribute `href` of `xop:Include` refers to, as it is written.
    ///
    /// - Throws: an error that says why it is not there.
    func inclusion(_ reference: String) throws(XMLError) -> any XMLInclusion
}

/// Takes out of a document that is being written what shall stand beside it.
package protocol XMLIncluder: AnyObject {
    /// The reference to write in place of `bytes`; nil to write them in base64.
    func reference(to bytes: [UInt8]) -> String?
}

extension XMLName {
    /// Stands in place of base64 (XOP 1.0 §3.1).
    package static let include = XMLName("http://www.w3.org/2004/08/xop/include", "Include")
    fileprivate static let href = XMLName("", "href")
}

extension XMLReader {
    /// The content that stands in place of the value that is being read; nil when the value itself is there. For
    /// ``XMLValue/init(lexical:in:)`` of types that say so (``XMLValue/_takesInclusions``).
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
    /// Writes a reference to content that stands beside the document.
    package mutating func include(_ reference: String) {
        startElement(.include, declaring: [("xop", XMLName.include.namespace)], attributes: [(.href, reference)])
        endElement(.include)
    }
}
