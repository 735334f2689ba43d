/// A piece of a document that is read as if it still stood there: with the namespaces declared around it, and with errors that
/// name places of the document.
///
/// An ``XMLFramer`` yields them. Read one as a document of its own, with ``XMLReader/read(_:_:)-(XMLExcerpt,_)``, or take the
/// whole element at once:
///
/// ```swift
/// let entry = try excerpt.structure(LogEntry.self)
/// ```
///
/// An excerpt shares memory with the bytes that were pushed: it keeps them all alive while it is kept.
public struct XMLExcerpt: Sendable {
    /// What all elements with the same parent have in common.
    final class Context: Sendable {
        /// What is open around the excerpt, with the names; nil when the excerpt is the whole document with nothing but elements
        /// taken out.
        let around: (surroundings: XMLSurroundings, names: [UInt8])?
        /// Where the bytes of the whole document stand.
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

    /// The piece as it was written; UTF-8.
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

    /// The namespace declarations in scope around the excerpt, outermost first: of two with the same prefix the later one
    /// holds. The empty prefix stands for the default namespace.
    public var declarationsInScope: [(prefix: String, uri: String)] {
        context.around.map { $0.surroundings.declarations(in: $0.names) } ?? []
    }

    // MARK: Reading it

    /// The structure that the root element of the excerpt holds.
    ///
    /// - Parameter tolerance: which deviations from the type are taken. Which there were is only told by a reader: see
    ///   ``XMLReader/deviations``.
    /// - Throws: what is not well-formed, or not allowed by the type.
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

    /// The value of a simple type that the root element of the excerpt holds.
    ///
    /// - Parameter tolerance: as for ``structure(_:tolerance:)``.
    /// - Throws: what is not well-formed, or no such value.
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

    /// Checks that the excerpt is well-formed: for elements that nobody wants to read.
    ///
    /// - Throws: what is not well-formed.
    public func check() throws(XMLError) {
        try XMLReader.read(self) { (reader) throws(XMLError) in
            while try reader.next() != .endOfDocument {}
        }
    }
}
