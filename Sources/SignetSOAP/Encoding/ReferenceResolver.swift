/// Turns a message in SOAP's encoding into one that has each value where it is used. A value that elements share by
/// `href` and `id` is written at each place that refers to it (SOAP 1.1 §5.2.1, SOAP 1.2 Part 2 §3.1.5), holes of
/// arrays become nil items (§5.4.2.1, §5.4.2.2), and `xsi:null` becomes `xsi:nil`.
///
/// It makes two passes over the bytes: the first finds the values that references can name, the second writes. Shared
/// values often make a message grow; the growth is limited.
struct ReferenceResolver {
    /// The limit of array holes that are filled in a whole message.
    static let maximumHoles = 100_000

    private struct Target {
        /// The position of its start tag.
        var start: Int
        /// The scope inside the start tag.
        var scope: Int
    }

    let bytes: [UInt8]
    private var chain: NamespaceChain
    private var targets: [ArraySlice<UInt8>: Target] = [:]
    /// The element of the body that is the message; the other elements are only referred to.
    private var root: Int?
    private var body: (tag: MarkupScanner.StartTag, end: Int)?
    private var output: [UInt8] = []
    private let maximumBytes: Int
    private let maximumDepth: Int
    private var holes = 0
    /// The number of bytes read in the second pass; more than the bytes written when the same text is skipped again and
    /// again.
    private var work = 0
    /// The greatest number of noted omissions.
    private static let mostLost = 16
    private var lost: [XMLDeviation] = []
    /// The positions of the values that are being written, to detect values that contain themselves.
    private var open: [Int] = []

    /// Whether a message has anything to resolve; few messages have.
    static func isNeeded(_ bytes: [UInt8]) -> Bool {
        // UTF-16 is not searched.
        if bytes.prefix(2).contains(where: { $0 == 0 || $0 >= 0xFE }) { return true }
        return ["href", "ref=", "offset", "position", "null", "root"].contains { (word: StaticString) in
            word.withUTF8Buffer { word in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    guard bytes.count >= word.count else { return false }
                    for start in 0...(bytes.count - word.count) where unsafe bytes[start] == word[0] {
                        if word.indices.allSatisfy({ unsafe bytes[start + $0] == word[$0] }) { return true }
                    }
                    return false
                }
            }
        }
    }

    /// Returns the message with every value in its place, in UTF-8. Read it with the charset `utf-8`.
    ///
    /// - Throws: `XMLError` for a message that is not well-formed, for a reference without a target, for a value that
    ///   contains itself, and for a message that would grow too large.
    static func resolve(
        _ message: [UInt8], charset: String?, limits: XMLLimits
    ) throws(XMLError) -> [UInt8] {
        try resolution(of: message, charset: charset, limits: limits).bytes
    }

    /// A message with every value in its place, and a list of what was omitted.
    struct Resolution {
        var bytes: [UInt8]
        /// Content inside referring elements, where no content is allowed.
        var lost: [XMLDeviation]

        /// The error with which to refuse the message when nothing may be omitted.
        var error: XMLError? {
            guard let first = lost.first else { return nil }
            var error = XMLError(
                .unexpected, first.message, offset: first.offset, line: first.line, column: first.column,
                path: first.path)
            error.deviations = lost
            return error
        }
    }

    /// Returns the message with every value in its place, and what was omitted.
    static func resolution(
        of message: [UInt8], charset: String?, limits: XMLLimits
    ) throws(XMLError) -> Resolution {
        let bytes = try XMLReader.utf8(message, charset: charset, limits: limits)
        // The code below relies on well-formedness.
        try XMLReader.read(bytes, limits: limits, charset: "utf-8") { (reader) throws(XMLError) in
            while try reader.next() != .endOfDocument {}
        }
        var resolver = ReferenceResolver(bytes, limits)
        try resolver.index()
        let resolved = try resolver.write()
        return Resolution(bytes: resolved, lost: resolver.lost)
    }

    private init(_ bytes: [UInt8], _ limits: XMLLimits) {
        self.bytes = bytes
        chain = NamespaceChain(bytes)
        let (grown, isTooMuch) = bytes.count.multipliedReportingOverflow(by: 32)
        maximumBytes = min(limits.documentBytes, max(isTooMuch ? .max : grown, 1 << 20))
        maximumDepth = min(limits.depth, 256)
    }

    // MARK: First pass

    private mutating func index() throws(XMLError) {
        var scanner = MarkupScanner(bytes)
        var scopes = [NamespaceChain.none]
        var spare: Int?
        while let token = scanner.next() {
            switch token {
            case .startTag(let tag):
                let depth = scopes.count
                let scope = chain.entering(tag, in: scopes[depth - 1])
                if depth == 2, local(tag.name).elementsEqual("Body".utf8) { body = (tag, bytes.count) }
                let id = attribute(tag, scope) { name, uri in
                    name.elementsEqual("id".utf8) && (uri.isEmpty || isEncoding(uri))
                }
                if let id, body != nil {
                    let target = Target(start: tag.range.lowerBound, scope: scope)
                    guard targets.updateValue(target, forKey: bytes[id.value]) == nil else {
                        throw failure(.duplicate, "two values have the id “\(shown(id.value))”", tag)
                    }
                }
                if depth == 3, let body, body.tag.range.lowerBound < tag.range.lowerBound, body.end == bytes.count {
                    let mark = attribute(tag, scope) { name, uri in
                        name.elementsEqual("root".utf8) && isEncoding(uri)
                    }
                    // An element with an id exists to be referred to, unless it is the only element.
                    if mark.map({ bytes[$0.value].elementsEqual("0".utf8) }) != true {
                        if id == nil { root = root ?? tag.range.lowerBound }
                        spare = spare ?? tag.range.lowerBound
                    }
                }
                if !tag.isEmpty { scopes.append(scope) }
            case .endTag(let range):
                if scopes.count > 1 { scopes.removeLast() }
                if scopes.count == 2, body?.end == bytes.count { body?.end = range.lowerBound }
            case .other: break
            }
        }
        root = root ?? spare
    }

    // MARK: Second pass

    private mutating func write() throws(XMLError) -> [UInt8] {
        guard let body, let root, !body.tag.isEmpty else { return bytes }
        output.reserveCapacity(bytes.count)
        output += bytes[..<body.tag.range.upperBound]
        var scope = NamespaceChain.none
        // The envelope and the body may both declare namespaces.
        var scanner = MarkupScanner(bytes)
        while let token = scanner.next() {
            guard case .startTag(let tag) = token else { continue }
            if tag.range.lowerBound > body.tag.range.lowerBound { break }
            if scope == NamespaceChain.none || tag.range.lowerBound == body.tag.range.lowerBound {
                scope = chain.entering(tag, in: scope)
            }
        }
        try copy(elementAt: root, in: scope, depth: 2)
        output += bytes[body.end...]
        return output
    }

    /// Writes an element that occurs in `scope`, and returns the position after it.
    @discardableResult
    private mutating func copy(
        elementAt start: Int, in scope: Int, depth: Int, redeclaring: ArraySlice<UInt8>? = nil
    ) throws(XMLError) -> Int {
        var scanner = MarkupScanner(bytes, from: start)
        guard case .startTag(let tag) = scanner.next() else { return scanner.position }
        guard depth < maximumDepth else {
            throw failure(.tooDeep, "the values of this message are nested too deeply", tag)
        }
        let mark = chain.mark
        defer { chain.forget(from: mark) }
        try spend(tag.range.count, tag)
        let inner = chain.entering(tag, in: scope)
        if let reference = reference(tag, inner) {
            let target = try target(of: reference, tag)
            try inline(target, as: tag, inner, in: scope, depth, isDefaultLost: redeclaring != nil)
            if !tag.isEmpty {
                let start = scanner.position
                if skipContent(&scanner) { noteLost(tag) }
                try spend(scanner.position - start, tag)
            }
            return scanner.position
        }
        append("<")
        output += bytes[tag.name]
        if let redeclaring, !tag.attributes.contains(where: { bytes[$0.name].elementsEqual("xmlns".utf8) }) {
            declare([], redeclaring)
        }
        try attributes(of: tag, inner, withDeclarations: true)
        try content(of: tag, inner, &scanner, depth)
        append("</")
        output += bytes[tag.name]
        append(">")
        return scanner.position
    }

    /// Writes the rest of a start tag and the content of an element, without its end tag.
    private mutating func content(
        of tag: MarkupScanner.StartTag, _ scope: Int, _ scanner: inout MarkupScanner, _ depth: Int,
        redeclaring: ArraySlice<UInt8>? = nil
    ) throws(XMLError) {
        append(">")
        try checkSize(tag)
        var array = ArrayPlaces(tag: tag)
        try fillOffset(&array, tag, scope)
        guard !tag.isEmpty else { return }
        while true {
            let start = scanner.position
            switch scanner.next() {
            case .startTag(let child):
                try fillPosition(&array, child, scope)
                scanner = MarkupScanner(
                    bytes, from: try copy(elementAt: start, in: scope, depth: depth + 1, redeclaring: redeclaring))
                array.next += 1
            case .other(let range):
                output += bytes[range]
                try checkSize(tag)
            case .endTag, nil: return
            }
        }
    }

    /// Writes the value to which a reference refers, under the name of the referring element.
    private mutating func inline(
        _ target: Target, as accessor: MarkupScanner.StartTag, _ accessorScope: Int, in scope: Int, _ depth: Int,
        isDefaultLost: Bool
    ) throws(XMLError) {
        var scanner = MarkupScanner(bytes, from: target.start)
        guard case .startTag(let tag) = scanner.next() else { return }
        try enter(target, tag)
        defer { open.removeLast() }
        try spend(tag.range.count, tag)
        // A reference may lead to another one.
        if let next = reference(tag, target.scope) {
            let next = try self.target(of: next, tag)
            return try inline(next, as: accessor, accessorScope, in: scope, depth, isDefaultLost: isDefaultLost)
        }
        let prefix = prefix(accessor.name)
        let uri = chain.uri(prefix, in: accessorScope)
        let bindings = chain.bindings(in: target.scope)
        // Each binding is searched among those of the place, which are about as many.
        try spend(bindings.count * bindings.count, tag)
        var declarations = bindings.filter { chain.uri($0.prefix, in: scope) != $0.uri }
        // Declarations that are in scope here and not there do no harm, except for the default namespace.
        let byDefault = chain.uri([], in: target.scope)
        if isDefaultLost || byDefault != chain.uri([], in: scope), !declarations.contains(where: \.prefix.isEmpty) {
            declarations.append(([], byDefault))
        }
        var name = Array(bytes[accessor.name])
        var inherited: ArraySlice<UInt8>?
        let meant = declarations.first { $0.prefix == prefix }?.uri ?? chain.uri(prefix, in: scope)
        if meant != uri {
            if uri.isEmpty {
                // An element without a namespace, in the scope of a default namespace.
                inherited = byDefault
                declarations.removeAll { $0.prefix.isEmpty }
                declarations.append(([], []))
            } else {
                let free = freePrefix(declarations.map(\.prefix), scope)
                declarations.append((free[...], uri))
                name = free + [UInt8(ascii: ":")] + local(accessor.name)
            }
        }
        append("<")
        output += name
        for (prefix, uri) in declarations { declare(prefix, uri) }
        try attributes(of: tag, target.scope, withDeclarations: false)
        try content(of: tag, target.scope, &scanner, depth, redeclaring: inherited)
        append("</")
        output += name
        append(">")
    }

    private mutating func enter(_ target: Target, _ tag: MarkupScanner.StartTag) throws(XMLError) {
        guard !open.contains(target.start) else {
            throw failure(.unexpected, "a value holds itself by way of references, which no structure can", tag)
        }
        guard open.count < maximumDepth else {
            throw failure(.tooDeep, "the values of this message are nested too deeply", tag)
        }
        open.append(target.start)
    }

    /// Writes the attributes that the reader of values needs.
    private mutating func attributes(
        of tag: MarkupScanner.StartTag, _ scope: Int, withDeclarations: Bool
    ) throws(XMLError) {
        for attribute in tag.attributes {
            if chain.declaredPrefix(attribute) != nil {
                if withDeclarations { append(attribute) }
                continue
            }
            let name = local(attribute.name)
            let prefix = prefix(attribute.name)
            let uri = prefix.isEmpty ? [] : chain.uri(prefix, in: scope)
            if uri.isEmpty, name.elementsEqual("id".utf8) { continue }
            if isEncoding(uri), ["id", "root", "offset", "position"].contains(where: { name.elementsEqual($0.utf8) }) {
                continue
            }
            if name.elementsEqual("null".utf8), uri.elementsEqual(XMLNamespace.schemaInstance.uri.utf8) {
                append(" ")
                output += prefix
                append(":nil=\"")
                output += bytes[attribute.value]
                append("\"")
            } else {
                append(attribute)
            }
        }
    }

    /// Moves past the end tag of an element, and returns whether anything but white space and comments precedes it.
    private func skipContent(_ scanner: inout MarkupScanner) -> Bool {
        var depth = 1
        var isThere = false
        while depth > 0, let token = scanner.next() {
            switch token {
            case .startTag(let tag):
                depth += tag.isEmpty ? 0 : 1
                isThere = true
            case .endTag: depth -= 1
            case .other(let range):
                let isMarkup = bytes[range].starts(with: "<!--".utf8) || bytes[range].starts(with: "<?".utf8)
                isThere = isThere || !isMarkup && !bytes[range].allSatisfy(MarkupScanner.isSpace)
            }
        }
        return isThere
    }

    private mutating func noteLost(_ tag: MarkupScanner.StartTag) {
        let offset = tag.range.lowerBound
        guard lost.count < Self.mostLost, !lost.contains(where: { $0.offset == offset }) else { return }
        let place = failure(.unexpected, "the element refers to a value elsewhere, and what it holds is left out", tag)
        lost.append(
            XMLDeviation(
                code: .unexpectedText, path: shown(tag.name), line: place.line, column: place.column, offset: offset,
                message: place.message))
    }

    // MARK: Arrays

    /// The position reached among the items of an array.
    private struct ArrayPlaces {
        var tag: MarkupScanner.StartTag
        var next = 0
        var size: [Int]?
        var isSized = false
    }

    private mutating func fillOffset(
        _ array: inout ArrayPlaces, _ tag: MarkupScanner.StartTag, _ scope: Int
    ) throws(XMLError) {
        guard let offset = encodingAttribute("offset", tag, scope) else { return }
        try fill(&array, upTo: try place(offset, &array, scope), tag)
    }

    private mutating func fillPosition(
        _ array: inout ArrayPlaces, _ item: MarkupScanner.StartTag, _ scope: Int
    ) throws(XMLError) {
        guard !item.attributes.isEmpty else { return }
        let mark = chain.mark
        defer { chain.forget(from: mark) }
        let inner = chain.entering(item, in: scope)
        guard let position = encodingAttribute("position", item, inner) else { return }
        try fill(&array, upTo: try place(position, &array, scope), item)
    }

    private mutating func fill(
        _ array: inout ArrayPlaces, upTo place: Int, _ tag: MarkupScanner.StartTag
    ) throws(XMLError) {
        guard place >= array.next else {
            throw failure(.unexpected, "the items of an array are not in the order of their positions", tag)
        }
        guard place - array.next <= Self.maximumHoles - holes else {
            throw failure(
                .tooManyElements, "arrays of this message have more than \(Self.maximumHoles) holes", tag)
        }
        holes += place - array.next
        for _ in array.next..<place {
            append("<item xmlns=\"\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\"/>")
        }
        array.next = place
        try checkSize(tag)
    }

    /// The index of an item, counted from zero; the last dimension varies fastest.
    private func place(
        _ attribute: MarkupScanner.Attribute, _ array: inout ArrayPlaces, _ scope: Int
    ) throws(XMLError) -> Int {
        if !array.isSized {
            array.isSized = true
            array.size = encodingAttribute("arrayType", array.tag, scope)
                .flatMap { SOAPEncoding.dimensions(String(decoding: bytes[$0.value], as: UTF8.self)) }
        }
        guard let place = SOAPEncoding.dimensions(String(decoding: bytes[attribute.value], as: UTF8.self)) else {
            throw failure(.invalidValue, "“\(shown(attribute.value))” is no place in an array", array.tag)
        }
        guard let size = array.size, size.count == place.count else {
            guard place.count == 1, array.size == nil else {
                throw failure(.invalidValue, "“\(shown(attribute.value))” is no place in this array", array.tag)
            }
            return place[0]
        }
        var number = 0
        for (index, extent) in zip(place, size) {
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: extent)
            let (sum, isAlsoTooLarge) = product.addingReportingOverflow(index)
            guard index <= extent, !isTooLarge, !isAlsoTooLarge else {
                throw failure(.invalidValue, "“\(shown(attribute.value))” lies outside of its array", array.tag)
            }
            number = sum
        }
        return number
    }

    // MARK: Names

    private func reference(_ tag: MarkupScanner.StartTag, _ scope: Int) -> MarkupScanner.Attribute? {
        attribute(tag, scope) { name, uri in
            name.elementsEqual("href".utf8) && uri.isEmpty
                || name.elementsEqual("ref".utf8) && uri.elementsEqual(SOAPEncoding.soap12.uri.utf8)
        }
    }

    private func target(
        of reference: MarkupScanner.Attribute, _ tag: MarkupScanner.StartTag
    ) throws(XMLError) -> Target {
        let value = bytes[reference.value]
        let isHref = local(reference.name).elementsEqual("href".utf8)
        guard !isHref || value.first == UInt8(ascii: "#") else {
            throw failure(
                .invalidValue,
                "the reference “\(shown(reference.value))” leads out of the envelope, which is not followed",
                tag)
        }
        guard let target = targets[isHref ? value.dropFirst() : value] else {
            throw failure(.missing, "there is no value with the id that “\(shown(reference.value))” refers to", tag)
        }
        return target
    }

    private func encodingAttribute(
        _ local: String, _ tag: MarkupScanner.StartTag, _ scope: Int
    ) -> MarkupScanner.Attribute? {
        attribute(tag, scope) { name, uri in name.elementsEqual(local.utf8) && isEncoding(uri) }
    }

    private func attribute(
        _ tag: MarkupScanner.StartTag, _ scope: Int,
        where isWanted: (_ name: ArraySlice<UInt8>, _ uri: ArraySlice<UInt8>) -> Bool
    ) -> MarkupScanner.Attribute? {
        tag.attributes.first { attribute in
            guard chain.declaredPrefix(attribute) == nil else { return false }
            let prefix = prefix(attribute.name)
            return isWanted(local(attribute.name), prefix.isEmpty ? [] : chain.uri(prefix, in: scope))
        }
    }

    private func isEncoding(_ uri: ArraySlice<UInt8>) -> Bool {
        uri.elementsEqual(SOAPEncoding.soap11.uri.utf8) || uri.elementsEqual(SOAPEncoding.soap12.uri.utf8)
    }

    private func prefix(_ name: Range<Int>) -> ArraySlice<UInt8> {
        guard let colon = bytes[name].firstIndex(of: UInt8(ascii: ":")) else { return [] }
        return bytes[name.lowerBound..<colon]
    }

    private func local(_ name: Range<Int>) -> ArraySlice<UInt8> {
        guard let colon = bytes[name].firstIndex(of: UInt8(ascii: ":")) else { return bytes[name] }
        return bytes[(colon + 1)..<name.upperBound]
    }

    private func freePrefix(_ taken: [ArraySlice<UInt8>], _ scope: Int) -> [UInt8] {
        var number = 1
        while true {
            let prefix = Array("r\(number)".utf8)
            if !taken.contains(prefix[...]), chain.uri(prefix, in: scope).isEmpty { return prefix }
            number += 1
        }
    }

    // MARK: Writing

    private mutating func append(_ text: StaticString) { text.withUTF8Buffer { unsafe output += $0 } }

    private mutating func append(_ attribute: MarkupScanner.Attribute) {
        append(" ")
        output += bytes[attribute.range]
    }

    /// The name is written as in the document, with the kind of quotes that it cannot contain.
    private mutating func declare(_ prefix: some Collection<UInt8>, _ uri: ArraySlice<UInt8>) {
        append(prefix.isEmpty ? " xmlns=" : " xmlns:")
        output += prefix
        if !prefix.isEmpty { append("=") }
        let quote = uri.contains(UInt8(ascii: "\"")) ? UInt8(ascii: "'") : UInt8(ascii: "\"")
        output.append(quote)
        output += uri
        output.append(quote)
    }

    private mutating func spend(_ bytes: Int, _ tag: MarkupScanner.StartTag) throws(XMLError) {
        work += bytes
        guard work / 4 <= maximumBytes else {
            throw failure(
                .documentTooLarge,
                "the values that this message shares would have to be read again and again, more than \(maximumBytes) bytes "
                    + "four times", tag)
        }
    }

    private func checkSize(_ tag: MarkupScanner.StartTag) throws(XMLError) {
        guard output.count <= maximumBytes else {
            throw failure(
                .documentTooLarge,
                "with every shared value in its place, the message is larger than \(maximumBytes) bytes",
                tag)
        }
    }

    private func shown(_ range: Range<Int>) -> String { String(decoding: bytes[range].prefix(80), as: UTF8.self) }

    private func failure(_ code: XMLError.Code, _ message: String, _ tag: MarkupScanner.StartTag) -> XMLError {
        let place = tag.range.lowerBound
        let lines = bytes[..<place].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: lines.last ?? [], as: UTF8.self).unicodeScalars.count + 1
        return XMLError(code, "\(message).", offset: place, line: lines.count, column: column)
    }
}
