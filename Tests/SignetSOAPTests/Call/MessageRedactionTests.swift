import SignetSOAP
import Testing

@Suite struct MessageRedactionTests {
    @Test(arguments: [
        ("<a><password>abc</password>x</a>", "<a><password>[redacted]</password>x</a>"),
        ("\u{FEFF}<a b='1'><pin>123</pin></a>", "\u{FEFF}<a b='1'><pin>[redacted]</pin></a>"),
        ("<Password value='abc'/>", "<Password value='[redacted]'/>"),
        ("<a userPin='abc' shopping='list'/>", "<a userPin='[redacted]' shopping='list'/>"),
        ("<password><!--abc--><b c='abc'>abc</b><?p abc?></password>", "<password>[redacted]</password>"),
        ("<n:newPin xmlns:n='urn:n'><![CDATA[abc]]></n:newPin>", "<n:newPin xmlns:n='urn:n'>[redacted]</n:newPin>"),
        (
            "<a><apiKey>abc</apiKey><session-id>abc</session-id></a>",
            "<a><apiKey>[redacted]</apiKey><session-id>[redacted]</session-id></a>"
        ),
        (
            "<a><spinning>abc</spinning><identityCard>abc</identityCard></a>",
            "<a><spinning>abc</spinning><identityCard>[redacted]</identityCard></a>"
        ),
        ("<a><password></password><password/>x</a>", "<a><password></password><password/>x</a>"),
    ])
    func secretsAreReplaced(message: String, expected: String) {
        #expect(MessageRedaction.redacted(Array(message.utf8)) == expected)
    }

    @Test func whatCannotBeReadIsNotShown() {
        #expect(
            MessageRedaction.redacted(Array("<password>abc".utf8))
                == "(not shown: 13 bytes that are not well-formed XML)")
    }
}
