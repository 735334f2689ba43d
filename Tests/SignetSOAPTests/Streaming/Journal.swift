import SignetSOAP

/// A service with lists of any length, written by hand as the generator would write it.
enum Journal {
    static let namespace = "urn:journal"

    struct Entry: XMLStructure {
        var text: String
        var amount: Int32

        init(_ text: String, _ amount: Int32) { (self.text, self.amount) = (text, amount) }
        init(_decoding: Void) { self.init(._placeholder, ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Journal.namespace], elements: "text amount")
            fields.field(&x.text)
            fields.field(&x.amount)
        }
    }

    /// A list with something before and behind it.
    struct Report: XMLStructure {
        var title: String
        var entry: [Entry]
        var total: Int32?

        init(title: String, entry: [Entry] = [], total: Int32? = nil) {
            (self.title, self.entry, self.total) = (title, entry, total)
        }
        init(_decoding: Void) { self.init(title: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Journal.namespace], elements: "title entry* total?")
            fields.field(&x.title)
            fields.field(&x.entry)
            fields.field(&x.total)
        }
    }

    static let report = XMLName(namespace, "Report")
    static let entry = XMLName(namespace, "entry")
    static let query = ServiceOperation<Report, Report>(
        name: "Query", soapAction: "urn:query", version: .soap11, input: XMLName(namespace, "Query"), output: report,
        namespaces: [namespace])

    static func entries(_ count: Int) -> [Entry] { (0..<count).map { Entry("e\($0) & more", Int32($0)) } }
}

extension [Journal.Entry] {
    var markup: String {
        map {
            "<j:entry><j:text>\($0.text.replacing("&", with: "&amp;"))</j:text><j:amount>\($0.amount)</j:amount></j:entry>\n"
        }
        .joined()
    }
}
