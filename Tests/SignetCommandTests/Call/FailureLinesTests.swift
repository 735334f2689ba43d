import Signet
import SignetCredentials
import SignetTLS
import SignetXML
import Testing

@testable import SignetCommand
@testable import SignetSOAP

@Suite struct FailureLinesTests {
    /// What came in the detail is shown as XML: its text and its attributes say as much as its elements.
    @Test(arguments: [
        "order 77 is locked", "order <b>77</b> is locked", "<b>77</b><c/>", "<e xmlns=\"urn:e\" a=\"1\">x &amp; y</e>",
    ])
    func theDetailOfAFaultIsShownAsItCame(content: String) throws {
        var fault = SOAPFault.client("x")
        let text = "<detail level=\"3\">\(content)</detail>"
        let detail = try XMLFragment(parsing: text)
        fault.detailElement = detail
        fault.detailAttributes = detail.attributes
        #expect(FailureLines.lines(fault, isVerbose: false).dropFirst() == ["detail: \(text)"])
    }

    @Test func anEmptyDetailIsNotShown() throws {
        var fault = SOAPFault.client("x")
        #expect(FailureLines.lines(fault, isVerbose: false).count == 1)
        fault.detailElement = try XMLFragment(parsing: "<detail> </detail>")
        #expect(FailureLines.lines(fault, isVerbose: false).count == 1)
    }

    /// What a service says cannot look like a line of the command.
    @Test func noFaultForgesALine() throws {
        var fault = SOAPFault.client("boom\r\nsignet: all is well\n* done")
        let detail = try XMLFragment(parsing: "<detail>a\ncode: x</detail>")
        fault.detailElement = detail
        fault.detailText = "a\ncode: x"
        #expect(
            FailureLines.lines(fault, isVerbose: true) == [
                "The service answered with the fault Client: boom\n    signet: all is well\n    * done",
                "detail: <detail>a\n    code: x</detail>",
            ])
        let long = SOAPFault(.init(namespaceURI: "", localName: String(repeating: "c", count: 3000)), "")
        #expect(FailureLines.lines(long, isVerbose: false).first?.count ?? 0 < 2200)
        let reason = SOAPFault.client(String(repeating: "r", count: 3000))
        #expect(FailureLines.lines(reason, isVerbose: false).first?.hasSuffix("rrr…") == true)
        #expect(FailureLines.lines(reason, isVerbose: false).first?.count ?? 0 < 2200)
    }

    @Test func deviationsAreOneLineUnlessAllAreAskedFor() {
        func deviation(_ name: String) -> XMLDeviation {
            XMLDeviation(
                code: .unknownElement, path: "Envelope/Body/\(name)", line: 3, column: 7,
                message: "\(name) is not known.")
        }
        let all = ["a", "b", "c"].map(deviation)
        #expect(DeviationLines.lines([], isVerbose: true).isEmpty)
        #expect(
            DeviationLines.lines(all, isVerbose: false) == [
                "the answer departs from the schema: line 3, column 7, in Envelope/Body/a: a is not known. (and 2 more, which -v shows)"
            ])
        #expect(DeviationLines.lines(all, isVerbose: true).count == 3)
        #expect(DeviationLines.lines([all[0]], isVerbose: false)[0].hasSuffix("a is not known."))
    }

    /// A user of the command cannot set what a program sets.
    @Test(arguments: [
        (
            "Add it to the anchors of the trust policy (TrustPolicy.anchors; signet: --ca).",
            "Add it to the anchors of the trust policy (--ca)."
        ),
        ("Give an identity for it (signet: --identity).", "Give an identity for it (--identity)."),
        (
            "Use https, or set allowsPlaintext of the SecurityHeader (signet: --wss-allow-plaintext).",
            "Use https, or give --wss-allow-plaintext."
        ),
        (
            "Until then, set proxy.allowsInsecureCipherSuites (signet: --proxy-insecure-ciphers).",
            "Until then, give --proxy-insecure-ciphers."
        ),
        ("Try HTTP/1.1 (see the article).", "Try HTTP/1.1 (see the article)."),
    ])
    func onlyTheOptionIsNamed(message: String, shown: String) {
        #expect(FailureLines.lines(CommandError(message), isVerbose: false) == [shown])
        #expect(FailureLines.lines(SOAPFault.client(message), isVerbose: false)[0].hasSuffix(message))
    }

    /// Every error of a call has its code in the lines, whichever module it comes from.
    @Test(
        arguments: [
            AddressingError(.unrelatedAnswer, "x"), AttachmentError(.truncated, "x"),
            CredentialStoreError(.damaged, "x"), IdentityStoreError(.notFound, "x"),
            SigningKeyError(.failed, "x"),
        ] as [any Error])
    func codesOfAllModulesAreShown(error: any Error) {
        let lines = FailureLines.lines(error, isVerbose: true)
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix("code: \(type(of: error)).") == true, "\(lines)")
    }
}
