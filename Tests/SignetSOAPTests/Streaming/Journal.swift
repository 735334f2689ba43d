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

    /// A list below an element of its own, beside something of another namespace.
    struct Bundle: XMLStructure {
        var report: Report
        var remark: Remark?

        init(report: Report, remark: Remark? = nil) { (self.report, self.remark) = (report, remark) }
        init(_decoding: Void) { self.init(report: Report(_decoding: ())) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Journal.namespace], elements: "report remark?")
            fields.field(&x.report)
            fields.field(&x.remark)
        }
    }

    /// Has a namespace that no envelope declares, and an element that may be nil.
    struct Remark: XMLStructure {
        var text: Nillable<String>?

        init(text: Nillable<String>?) { self.text = text }
        init(_decoding: Void) { self.init(text: nil) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:remarks"], elements: "text?")
            fields.field(&x.text)
        }
    }

    struct Remarks: XMLStructure {
        var remark: [Remark]

        init(remark: [Remark] = []) { self.remark = remark }
        init(_decoding: Void) { self.init() }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Journal.namespace], elements: "remark*")
            fields.field(&x.remark)
        }
    }

    struct Upload: XMLStructure {
        var name: String
        var content: XSDBase64Binary

        init(name: String, content: [UInt8] = []) { (self.name, self.content) = (name, XSDBase64Binary(content)) }
        init(_decoding: Void) { self.init(name: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Journal.namespace], elements: "name content")
            fields.field(&x.name)
            fields.field(&x.content)
        }
    }

    static func operation<Value: XMLStructure>(_ name: String) -> ServiceOperation<Value, Value> {
        let element = XMLName(namespace, name)
        return ServiceOperation(
            name: name, soapAction: "urn:\(name)", version: .soap11, input: element, output: element,
            namespaces: [namespace])
    }

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
