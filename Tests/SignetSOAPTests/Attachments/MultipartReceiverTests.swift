import Foundation
import Testing

@testable import SignetSOAP

@Suite struct MultipartReceiverTests {
    private func message(_ parts: [String], boundary: String = "b") -> [UInt8] {
        Array((parts.map { "--\(boundary)\r\n\($0)\r\n" }.joined() + "--\(boundary)--\r\n").utf8)
    }

    // MARK: As others write it

    /// The form of the example of the W3C's recommendation (MTOM 1.0 §1.1, XOP 1.0 §1.2).
    @Test func likeTheRecommendation() throws {
        let type =
            #"Multipart/Related;boundary=MIME_boundary; type="application/xop+xml"; start="<mymessage.xml@example.org>"; start-info="application/soap+xml; action=\"ProcessData\"""#
        let bytes = message(
            [
                "Content-Type: application/xop+xml; \r\n    charset=UTF-8; \r\n    type=\"application/soap+xml; action=\\\"ProcessData\\\"\"\r\nContent-Transfer-Encoding: 8bit\r\nContent-ID: <mymessage.xml@example.org>\r\n\r\n<soap:Envelope/>",
                "Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <http://example.org/me.png>\r\n\r\npng",
                "Content-Type: application/pkcs7-signature\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <http://example.org/my.hsh>\r\n\r\nsignature",
            ], boundary: "MIME_boundary")
        let received = try ReceivedMessage(bytes, contentType: type)
        #expect(String(decoding: received.root, as: UTF8.self) == "<soap:Envelope/>")
        #expect(received.rootType == "application/soap+xml; action=\"ProcessData\"")
        #expect(received.action == "ProcessData")
        #expect(received.charset == "utf-8")
        #expect(received.isXOP)
        #expect(received.deviations.isEmpty)
        #expect(received.attachments.map(\.contentType) == ["image/png", "application/pkcs7-signature"])
        #expect(try received.attachment(named: "cid:http://example.org/me.png")?.bytes() == Array("png".utf8))
        #expect(
            try received.attachment(named: "cid:http%3A%2F%2Fexample.org%2Fmy.hsh")?.bytes() == Array("signature".utf8))
        #expect(received.attachment(named: "cid:other") == nil)
    }

    /// Content types of messages with one part: the identifier of the envelope, its version and action.
    @Test(arguments: [
        // Axis2
        (
            #"multipart/related; boundary="b"; type="application/xop+xml"; start="<0.urn:uuid:1@apache.org>"; start-info="text/xml""#,
            #"application/xop+xml; charset=UTF-8; type="text/xml""#, "0.urn:uuid:1@apache.org", "text/xml", nil
        ),
        (
            #"multipart/related; boundary=b; type="application/xop+xml"; start="<0.urn:uuid:1@apache.org>"; start-info="application/soap+xml"; action="urn:op""#,
            #"application/xop+xml; charset=UTF-8; type="application/soap+xml""#, "0.urn:uuid:1@apache.org",
            "application/soap+xml", "urn:op"
        ),
        // CXF
        (
            #"multipart/related; type="application/xop+xml"; boundary="b"; start="<root.message@cxf.apache.org>"; start-info="text/xml""#,
            #"application/xop+xml; charset=UTF-8; type="text/xml""#, "root.message@cxf.apache.org", "text/xml", nil
        ),
        // Metro
        (
            #"multipart/related;start="<rootpart*1@example.jaxws.sun.com>";type="application/xop+xml";boundary="b";start-info="application/soap+xml;action=\"urn:op\"""#,
            #"application/xop+xml;charset=utf-8;type="application/soap+xml;action=\"urn:op\"""#,
            "rootpart*1@example.jaxws.sun.com", #"application/soap+xml;action="urn:op""#, "urn:op"
        ),
        // WCF
        (
            #"multipart/related; type="application/xop+xml";start="<http://tempuri.org/0>";boundary="b";start-info="text/xml""#,
            #"application/xop+xml;charset=utf-8;type="text/xml""#, "http://tempuri.org/0", "text/xml", nil
        ),
    ])
    func likeOtherToolkits(type: String, root: String, id: String, inner: String, action: String?) throws {
        let bytes = message([
            "Content-Type: \(root)\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <\(id)>\r\n\r\n<e/>"
        ])
        let received = try ReceivedMessage(bytes, contentType: type)
        #expect(received.deviations.isEmpty)
        #expect(received.isXOP)
        #expect(received.rootType == inner)
        #expect(received.charset == "utf-8")
        #expect(received.action == action)
        #expect(received.attachments.isEmpty)
    }

    /// SOAP with Attachments, as Axis 1 and JavaMail write it.
    @Test func withAttachments() throws {
        let bytes = message(
            [
                "Content-Type: text/xml; charset=UTF-8\r\nContent-Transfer-Encoding: binary\r\nContent-Id: <A1>\r\n\r\n<e/>",
                "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Id: <B2>\r\nContent-Disposition: attachment; filename=\"a.bin\"\r\n\r\nAAEC\r\n",
                "Content-Location: http://x/y\r\n\r\ntext",
            ], boundary: "----=_Part_0_1.2")
        let received = try ReceivedMessage(
            bytes,
            contentType: "multipart/related; type=\"text/xml\"; start=\"<A1>\"; \tboundary=\"----=_Part_0_1.2\"")
        #expect(!received.isXOP)
        #expect(received.rootType == "text/xml; charset=UTF-8")
        #expect(received.deviations.isEmpty)
        #expect(try received.attachments.map { try $0.bytes() } == [[0, 1, 2], Array("text".utf8)])
        #expect(received.attachments.map(\.fileName) == ["a.bin", nil])
        #expect(received.attachments.map(\.contentType) == ["application/octet-stream", "text/plain"])
        #expect(received.attachment(named: "http://x/y")?.contentLocation == "http://x/y")
        #expect(received.attachments.last?.contentID.hasSuffix("@signet") == true)
    }

    // MARK: The root

    @Test(arguments: [
        ("start=\"<b@x>\"", "B", 0), ("start=b@x", "B", 0), ("start=<b@x>", "B", 0), ("", "A", 0),
        ("start=\"\"", "A", 0),
        ("start=\"<c@x>\"", "A", 1), ("start=\"<a@x>\"", "A", 0),
    ])
    func theRootIsFound(parameter: String, root: String, deviations: Int) throws {
        let bytes = message([
            "Content-Type: text/xml\r\nContent-ID: <a@x>\r\n\r\nA",
            "Content-Type: text/xml\r\nContent-ID: <b@x>\r\n\r\nB",
        ])
        let received = try ReceivedMessage(
            bytes, contentType: "multipart/related; type=text/xml; boundary=b; \(parameter)")
        #expect(received.root == Array(root.utf8))
        #expect(received.deviations.count == deviations)
        #expect(try received.attachments.map { try $0.bytes() } == [Array((root == "A" ? "B" : "A").utf8)])
    }

    @Test(arguments: [
        ("text/xml", "type=\"application/xop+xml\"", 1), ("text/xml", "", 1), ("application/pdf", "type=text/xml", 2),
        ("application/soap+xml", "type=\"application/soap+xml; charset=utf-8\"", 0),
        ("application/xop+xml", "type=\"application/xop+xml\"", 1),
    ])
    func wrongTypesAreNoted(own: String, parameter: String, deviations: Int) throws {
        let received = try ReceivedMessage(
            message(["Content-Type: \(own)\r\n\r\nA"]), contentType: "multipart/related; boundary=b; \(parameter)")
        #expect(received.deviations.count == deviations)
    }

    /// Of an XOP package the part and the type inside it both name a charset (XOP §4.1).
    @Test(arguments: [
        ("; charset=utf-8", "text/xml; charset=UTF-8", true), ("; charset=utf-8", "text/xml", true),
        ("", "text/xml; charset=utf-8", true), ("; charset=utf-8", "text/xml; charset=utf-16", false),
        ("", "text/xml; charset=utf-8; charset=utf-16", false),
    ])
    func anXOPPackageHasOneCharset(own: String, inner: String, isTaken: Bool) {
        let part = "Content-Type: application/xop+xml\(own); type=\"\(inner)\"\r\n\r\nA"
        let type = "multipart/related; boundary=b; type=\"application/xop+xml\""
        let received = try? ReceivedMessage(message([part]), contentType: type)
        #expect(received?.charset == (isTaken ? "utf-8" : nil))
        #expect((received != nil) == isTaken)
    }

    @Test(arguments: [
        "text/xml", "multipart/related", "multipart/mixed; boundary=b", "multipart/related; boundary=\"\"",
        "multipart/related; boundary=a; boundary=b", "multipart/related; boundary=\"b",
        "multipart/related; boundary=b\n",
        "multipart/related; boundary=\(String(repeating: "b", count: 71))", "",
    ])
    func unusableContentTypes(type: String) {
        let error = #expect(throws: AttachmentError.self) { try MultipartReceiver(contentType: type) }
        #expect(error?.code == .unusableContentType)
    }

    @Test func aMessageNeedsARoot() {
        let error = #expect(throws: AttachmentError.self) {
            try ReceivedMessage(Array("--b--".utf8), contentType: "multipart/related; boundary=b")
        }
        #expect(error?.code == .noRoot)
    }

    @Test(arguments: ["", "start=x;"]) func theRootHasALimit(start: String) throws {
        var limits = AttachmentLimits()
        limits.rootBytes = 3
        let type = "multipart/related; \(start) boundary=b"
        #expect(try ReceivedMessage(message(["\r\nabc"]), contentType: type, limits: limits).root.count == 3)
        let error = #expect(throws: AttachmentError.self) {
            try ReceivedMessage(message(["\r\nabcd"]), contentType: type, limits: limits)
        }
        #expect(error?.code == .rootTooLarge)
        #expect(error?.offset == 5)
    }

    // MARK: Memory and files

    @Test func largeAttachmentsAreKeptInOneFile() async throws {
        let scratch = try Scratch()
        var limits = AttachmentLimits()
        limits.memoryBytesPerPart = 1000
        limits.memoryBytes = 1500
        limits.temporaryFolder = scratch.path
        var random = SystemRandomNumberGenerator()
        let sizes = [1000, 1001, 0, 400, 200, 300_000, 100]
        let contents = sizes.map { size in (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) } }
        var bytes = Array("--b\r\n\r\n<e/>".utf8)
        for content in contents { bytes += Array("\r\n--b\r\n\r\n".utf8) + content }
        bytes += Array("\r\n--b--".utf8)
        for size in [1, 700, 65_536, bytes.count] {
            let receiver = try MultipartReceiver(contentType: "multipart/related; boundary=b", limits: limits)
            var rest = bytes[...]
            while !rest.isEmpty {
                try await receiver.receive(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            let received = try receiver.finish()
            #expect(received.attachments.map(\.count) == sizes)
            #expect(try received.attachments.map { try $0.bytes() } == contents)
            let kept = received.attachments.map { if case .kept = $0.content { true } else { false } }
            #expect(kept == [false, true, false, false, true, true, false])
            // The file has no name.
            #expect(scratch.names == [])
            try await received.attachments[5].save(to: "\(scratch.path)/saved")
            #expect(try MessageAttachment(file: "\(scratch.path)/saved").bytes() == contents[5])
            try FileManager.default.removeItem(atPath: "\(scratch.path)/saved")
        }
    }

    @Test func theFileIsClosedWithTheLastAttachment() throws {
        weak var file: AttachmentFile?
        var limits = AttachmentLimits()
        limits.memoryBytes = 0
        var attachments = try ReceivedMessage(
            message(["\r\n<e/>", "\r\nabc", "\r\ndef"]), contentType: "multipart/related; boundary=b", limits: limits
        ).attachments
        if case .kept(let kept, _, _)? = attachments.first?.content { file = kept }
        attachments.removeFirst()
        #expect(file != nil)
        #expect(try attachments.first?.bytes() == Array("def".utf8))
        attachments.removeFirst()
        #expect(file == nil)
    }

    @Test func aMissingTemporaryFolderIsReported() throws {
        var limits = AttachmentLimits()
        limits.memoryBytes = 0
        limits.temporaryFolder = "/nowhere/at/all"
        let error = #expect(throws: AttachmentError.self) {
            try ReceivedMessage(
                message(["\r\n<e/>", "\r\nabc"]), contentType: "multipart/related; boundary=b", limits: limits)
        }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.contains("/nowhere/at/all") == true)
    }
}
