import Foundation
import Testing

@testable import SignetSOAP

/// Messages in SOAP's encoding, with every value put where it is meant.
@Suite struct ReferenceResolverTests {
    private static let envelope =
        "xmlns:e='\(SOAPVersion.soap11.namespace.uri)' "
        + "xmlns:enc='http://schemas.xmlsoap.org/soap/encoding/' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'"

    private func message(_ body: String, _ declarations: String = "") -> String {
        "<e:Envelope \(Self.envelope) \(declarations)><e:Body>\(body)</e:Body></e:Envelope>"
    }

    private func resolve(_ text: String) throws(XMLError) -> String {
        String(
            decoding: try ReferenceResolver.resolve(Array(text.utf8), charset: nil, limits: .init()), as: UTF8.self)
    }

    /// What became of the body's content.
    private func resolved(_ body: String, _ declarations: String = "") throws -> String {
        let text = try resolve(message(body, declarations))
        // Whatever comes out must be XML.
        _ = try XMLFragment(parsing: text)
        let start = try #require(text.range(of: "<e:Body>")), end = try #require(text.range(of: "</e:Body>"))
        return String(text[start.upperBound..<end.lowerBound])
    }

    @Test func referencesAreReplacedByTheirValues() throws {
        let body = """
            <m:op xmlns:m='urn:m'><a href='#1'/><b href="#2"></b></m:op><x id='1' i:type='m:T' xmlns:m='urn:m'><c>1</c></x>\
            <y id='2'>two</y>
            """
        #expect(
            try resolved(body)
                == "<m:op xmlns:m='urn:m'><a i:type='m:T'><c>1</c></a><b>two</b></m:op>")
    }

    @Test func sharedAndChainedReferencesAreResolved() throws {
        let body =
            "<op><a href='#1'/><b href='#1'/></op><m id='1' href='#2'/><m id='2'>x<c href='#3'/></m><m id='3'>z</m>"
        #expect(try resolved(body) == "<op><a>x<c>z</c></a><b>x<c>z</c></b></op>")
    }

    /// Values may be shared where they stand, too.
    @Test func referencesToInlineValuesAreResolved() throws {
        let body = "<op><a id='1'>x</a><b href='#1'/></op>"
        #expect(try resolved(body) == "<op><a>x</a><b>x</b></op>")
    }

    @Test func SOAP12RefersByRefAndID() throws {
        let body = "<op xmlns:s='http://www.w3.org/2003/05/soap-encoding'><a s:id='1'>x</a><b s:ref='1'/></op>"
        #expect(try resolved(body).hasSuffix("><a>x</a><b>x</b></op>"))
    }

    // MARK: Namespaces

    @Test func prefixesKeepTheirMeaningWhenAValueIsMoved() throws {
        let body = "<p:op xmlns:p='urn:1'><p:a href='#1'/></p:op><x id='1' xmlns:p='urn:2' i:type='p:T'><p:c/></x>"
        let text = try resolve(message(body))
        let fragment = try XMLFragment(parsing: text)
        #expect(
            try resolved(body)
                == "<p:op xmlns:p='urn:1'><r1:a xmlns:p=\"urn:2\" xmlns:r1=\"urn:1\" i:type='p:T'><p:c></p:c></r1:a></p:op>"
        )
        #expect(fragment.localName == "Envelope")
    }

    @Test func theDefaultNamespaceIsKeptInsideUnqualifiedElements() throws {
        let body =
            "<p:op xmlns:p='urn:1'><a href='#1'/></p:op><x id='1' xmlns='urn:2'><c><d/></c><c href='#2'/></x>"
            + "<y id='2' xmlns='urn:3'><z/></y>"
        #expect(
            try resolved(body)
                == "<p:op xmlns:p='urn:1'><a xmlns=\"\"><c xmlns=\"urn:2\"><d></d></c>"
                + "<r1:c xmlns=\"urn:3\" xmlns:r1=\"urn:2\"><z></z></r1:c></a></p:op>")
    }

    @Test func resolvingAddsNoDefaultNamespace() throws {
        let body = "<op xmlns='urn:1'><a xmlns='' href='#1'/></op><x id='1'><c/></x>"
        #expect(try resolved(body) == "<op xmlns='urn:1'><a xmlns=\"\"><c></c></a></op>")
    }

    // MARK: The root

    @Test(arguments: [
        "<x id='1'>v</x><op><a href='#1'/></op>",
        "<x enc:root='0'>v</x><op><a>v</a></op>",
        "<op id='9' enc:root='1'><a>v</a></op>",
        "<!-- c --><op><a href='#1'/></op>\n<x id='1' enc:root='0'>v</x>",
    ])
    func theMessageIsFoundAmongReferencedValues(body: String) throws {
        let content = try resolved(body)
        #expect(content.hasSuffix("<op><a>v</a></op>") || content == "<op enc:root='1'><a>v</a></op>")
    }

    @Test func faultsAreResolvedToo() throws {
        let body = "<e:Fault><detail><f href='#1'/></detail></e:Fault><x id='1'><why>w</why></x>"
        #expect(try resolved(body) == "<e:Fault><detail><f><why>w</why></f></detail></e:Fault>")
    }

    @Test func headerAndTextStayAsTheyAre() throws {
        let text =
            "<?xml version='1.0'?><e:Envelope \(Self.envelope)><e:Header><h a='1>2'/></e:Header><e:Body><op>"
            + "<![CDATA[<a href='#1'>]]>&lt;<!-- <b --><?p <c?></op></e:Body></e:Envelope>\n"
        #expect(try resolve(text) == text)
    }

    // MARK: Arrays

    private static let hole = "<item xmlns=\"\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\"/>"

    @Test func itemsMissingInAnArrayAreNil() throws {
        let array = "<op><a enc:arrayType='xsd:int[6]' enc:offset='[2]'><i>3</i><i>4</i></a></op>"
        #expect(
            try resolved(array, "xmlns:xsd='urn:x'")
                == "<op><a enc:arrayType='xsd:int[6]'>\(Self.hole)\(Self.hole)<i>3</i><i>4</i></a></op>")
        let sparse = "<op><a enc:arrayType='xsd:int[9]'><i enc:position='[1]'>1</i><i enc:position='[3]'>3</i></a></op>"
        #expect(
            try resolved(sparse, "xmlns:xsd='urn:x'")
                == "<op><a enc:arrayType='xsd:int[9]'>\(Self.hole)<i>1</i>\(Self.hole)<i>3</i></a></op>")
    }

    @Test func placesInSeveralDimensionsAreCountedRowByRow() throws {
        let sparse = "<op><a enc:arrayType='t:int[2,3]'><i enc:position='[1,0]'>x</i></a></op>"
        let holes = String(repeating: Self.hole, count: 3)
        #expect(try resolved(sparse).contains(">\(holes)<i>x</i></a>"))
    }

    @Test func nullIsNil() throws {
        #expect(try resolved("<op><a i:null='1'/></op>") == "<op><a i:nil=\"1\"></a></op>")
    }

    // MARK: What is refused

    @Test(arguments: [
        ("<op><a href='#1'/></op>", "no value with the id"),
        ("<op><a href='cid:1'/></op>", "leads out of the envelope"),
        ("<op><a href='#1'/></op><x id='1'><b href='#1'/></x>", "holds itself"),
        ("<op><a href='#1'/></op><x id='1' href='#2'/><x id='2' href='#1'/>", "holds itself"),
        ("<op id='1'><a href='#1'/></op>", "holds itself"),
        ("<op><a href='#1'/></op><x id='1'/><x id='1'/>", "two values have the id “1”"),
        ("<op><a enc:arrayType='x[2147483647]' enc:offset='[2147483646]'/></op>", "more than 100000 holes"),
        (
            "<op><a enc:arrayType='x[9]'><i enc:position='[5]'/><i enc:position='[2]'/></a></op>",
            "order of their positions"
        ),
        ("<op><a enc:arrayType='x[9]'><i enc:position='[10]'/></a></op>", "lies outside"),
        (
            "<op><a enc:arrayType='x[9223372036854775807,9]'><i enc:position='[9223372036854775807,1]'/></a></op>",
            "outside"
        ),
        ("<op><a enc:arrayType='x[9]'><i enc:position='[1,1]'/></a></op>", "no place in this array"),
        ("<op><a enc:offset='[-1]'/></op>", "no place in an array"),
        ("<op><a enc:offset='[99999999999999999999]'/></op>", "no place in an array"),
    ])
    func whatCannotBeResolvedIsRefused(body: String, reason: String) throws {
        let error = #expect(throws: XMLError.self) { try resolve(message(body)) }
        #expect(error?.message.contains(reason) == true, "\(error as Any)")
        #expect(error?.line == 1 && (error?.column ?? 0) > 1)
    }

    /// The size that an array claims to have costs nothing.
    @Test func aHugeClaimedArraySizeCostsNothing() throws {
        let body = "<op><a enc:arrayType='x[2147483647]'><i/></a><b href='#1'/></op><x id='1'/>"
        #expect(try resolved(body).count < 200)
    }

    @Test func sharingCannotExplode() throws {
        var body = "<op><a href='#0'/></op>"
        for level in 0..<60 { body += "<x id='\(level)'><b href='#\(level + 1)'/><b href='#\(level + 1)'/></x>" }
        let error = #expect(throws: XMLError.self) { try resolve(message(body + "<x id='60'/>")) }
        #expect(error == XMLError(.documentTooLarge, ""))
    }

    /// What is passed over each time a value is written costs as much as what is written.
    @Test(arguments: [
        "<t id='t'><a href='#e'>\(String(repeating: "<j/>", count: 5_000))</a></t><e id='e'/>",
        "<t id='t' enc:root='\(String(repeating: "1", count: 20_000))'/>",
    ])
    func readingAgainIsBounded(shared: String) throws {
        let body = "<op>\(String(repeating: "<r href='#t'/>", count: 10_000))</op>\(shared)"
        let error = #expect(throws: XMLError.self) { try resolve(message(body)) }
        #expect(error?.code == .documentTooLarge)
        #expect(error?.description.contains("again and again") == true)
    }

    @Test func UTF16IsNotSearched() throws {
        let text = message("<op><a href='#1'/></op><x id='1'>7</x>")
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 { bytes += [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)] }
        for message in [bytes, Array(bytes.dropFirst(2))] { #expect(ReferenceResolver.isNeeded(message)) }
        #expect(!ReferenceResolver.isNeeded(Array("<a/>".utf8)))
        let resolved = try ReferenceResolver.resolve(bytes, charset: "utf-16", limits: .init())
        #expect(String(decoding: resolved, as: UTF8.self).contains("<a>7</a>"))
    }

    @Test func chainsAreBounded() throws {
        var body = "<op><a href='#0'/></op>"
        for level in 0..<1000 { body += "<x id='\(level)'><b href='#\(level + 1)'/></x>" }
        let error = #expect(throws: XMLError.self) { try resolve(message(body + "<x id='1000'/>")) }
        #expect(error == XMLError(.tooDeep, ""))
        body = "<op><a href='#0'/></op>"
        for level in 0..<1000 { body += "<x id='\(level)' href='#\(level + 1)'/>" }
        #expect(throws: XMLError.self) { try resolve(message(body + "<x id='1000'/>")) }
    }

    @Test func malformedDocumentsAreErrors() {
        let error = #expect(throws: XMLError.self) { try resolve("<a><b href='#1'></a>") }
        #expect(error == XMLError(.malformed, ""))
        #expect(throws: XMLError.self) { try resolve("") }
        #expect(throws: XMLError.self) { try resolve("<!DOCTYPE a><a/>") }
    }
}
