/// A piece of a document that is read as if it were still part of it: with the namespaces declared around it, and with
/// errors that name positions of the document.
///
/// An ``XMLFramer`` yields them. Read one as a document of its own, with ``XMLReader/read(_:_:)-(XMLExcerpt,_)``, or
/// take the whole element at once:
///
/// ```swift
/// let entry = try excerpt.structure(LogEntry.self)
/// ```
///
/// An excerpt shares memory with the pushed bytes: as long as it exists, it keeps all of them in memory.
public struct XMLExcerpt: Sendable {
    /// The data that all elements with the same parent share.
    final class Context: Sendable {
        /// The open elements and declarations around the excerpt, with their names; nil when the excerpt is the whole
        /// document with only elements removed.
        let around: (surroundings: XMLSurroundings, names: [UInt8])?
        /// The positions of the bytes of the whole document.
        let places: XMLPlaces
        let limits: XMLLimits

        init(
            around: (surroundings: XMLSurroundings, names: [UInt8])? = nil, places: XMLPlaces = XMLPlaces(),
            limits: XMLLimits
        ) {
            self.around = around
            self.places = places
            self.limits = limits
        }
    }

    /// The piece as it was written, in UTF-8.
    public let bytes: ArraySlice<UInt8>
    let context: Context
    /// Where the excerpt begins.
    let place: XMLPlace

    /// Where the excerpt begins, in bytes from the start of the document.
    public var offset: Int { place.offset }
    /// The line on which it begins, from 1.
    public var line: Int { place.line }
    /// The character of the line with which it begins, from 1.
    public var column: Int { place.column }

    /// The namespace declarations in scope around the excerpt, outermost first: of two with the same prefix the later
    /// one counts. The empty prefix means the default namespace.
    public var declarationsInScope: [(prefix: String, uri: String)] {
        context.around.map { $0.surroundings.declarations(in: $0.names) } ?? []
    }

    // MARK: Reading it

    /// Reads the root element of the excerpt as a structure.
    ///
    /// - Parameters:
    ///   - type: the type of the structure.
    ///   - tolerance: which deviations from the type are tolerated. Only a reader lists them: see
    ///     ``XMLReader/deviations``.
    /// - Throws: `XMLError` for text that is not well-formed, or not allowed by the type.
    public func structure<T: XMLFielded>(
        _ type: T.Type = T.self, tolerance: XMLTolerance = .standard
    ) throws(XMLError) -> T {
        try XMLReader.read(self) { (reader) throws(XMLError) in
            reader.tolerance = tolerance
            try reader.root()
            let value = try reader.rootStructure(type)
            try reader.finish()
            return value
        }
    }

    /// Reads the root element of the excerpt as a value of a simple type.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - tolerance: as for ``structure(_:tolerance:)``.
    /// - Throws: `XMLError` for text that is not well-formed, or is not such a value.
    public func value<T: XMLValue>(
        _ type: T.Type = T.self, tolerance: XMLTolerance = .standard
    ) throws(XMLError) -> T {
        try XMLReader.read(self) { (reader) throws(XMLError) in
            reader.tolerance = tolerance
            try reader.root()
            let value = try reader.value(type)
            try reader.finish()
            return value
        }
    }

    /// Checks that the excerpt is well-formed, for elements that the program does not read.
    ///
    /// - Throws: `XMLError` for text that is not well-formed.
    public func check() throws(XMLError) {
        try XMLReader.read(self) { (reader) throws(XMLError) in
            while try reader.next() != .endOfDocument {}
        }
    }
}
