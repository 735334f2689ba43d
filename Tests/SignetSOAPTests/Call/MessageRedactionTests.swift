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
        (
            "<m><item name='password'>abc</item><item Name='user' value='v'>u</item><entry key='apiKey' value='abc'/></m>",
            "<m><item name='password'>[redacted]</item><item Name='user' value='v'>u</item><entry key='apiKey' value='[redacted]'/></m>"
        ),
        ("<Password key='secret12'/>", "<Password key='[redacted]'/>"),
        ("<a><password></password><password/>x</a>", "<a><password></password><password/>x</a>"),
        (
            "<a><m id='q'>abc</m><password><u v=\"it's\" href='#p'/></password><m id='p' href='#q'/><m id='o'>x</m></a>",
            "<a><m id='q'>[redacted]</m><password>[redacted]</password><m id='p' href='#q'/><m id='o'>x</m></a>"
        ),
    ])
    func secretsAreReplaced(message: String, expected: String) {
        #expect(MessageRedaction.redacted(Array(message.utf8)) == expected)
    }

    /// However long a chain of references is, what is at its end is found, and in few rounds.
    /// A sender that has an assertion can use it, and other tokens have names of their own.
    @Test func tokensInMessagesAreReplaced() {
        let wsse = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
        for saml in ["urn:oasis:names:tc:SAML:1.0:assertion", "urn:oasis:names:tc:SAML:2.0:assertion"] {
            let text = MessageRedaction.redacted(
                Array(
                    """
                    <e><w:Security xmlns:w="\(wsse)"><u:Timestamp xmlns:u="urn:u"><u:Created>time</u:Created></u:Timestamp>
                    <a:Assertion xmlns:a="\(saml)" ID="canary1"><a:Issuer>canary2</a:Issuer></a:Assertion><x:Ticket xmlns:x="urn:x">canary3</x:Ticket>
                    </w:Security><a:EncryptedAssertion xmlns:a="\(saml)"><c>canary4</c></a:EncryptedAssertion><Assertion>kept</Assertion></e>
                    """.utf8))
            #expect(!text.contains("canary"))
            #expect(text.contains("time") && text.contains("kept"))
        }
    }

    @Test func chainsOfReferencesAreFollowed() {
        let chain = (1..<2000).map { "<m id='\($0)'><n href='#\($0 + 1)'/></m>" }.joined()
        let message = "<a><password href='#1'/>\(chain)<m id='2000'>abc</m><b>open</b></a>"
        let redacted = MessageRedaction.redacted(Array(message.utf8))
        #expect(!redacted.contains("abc") && redacted.contains("<b>open</b>"))
    }

    /// The places of secrets must not be mistaken in a message that had to be converted.
    @Test func secretsInOtherEncodingsAreReplaced() {
        let message = "<?xml version='1.0' encoding='ISO-8859-1'?><a>ééé<password>abcéé</password></a>"
        let latin1 = message.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let expected = message.replacing("abcéé", with: "[redacted]")
        #expect(MessageRedaction.redacted(latin1) == expected)
        let utf16 = "\u{FEFF}<a>ééé<password>abc</password></a>".utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        }
        #expect(MessageRedaction.redacted(utf16) == "<a>ééé<password>[redacted]</password></a>")
        #expect(
            MessageRedaction.redacted(Array("<a>é<pin>1</pin></a>".utf8), charset: "iso-8859-1")
                == "<a>Ã©<pin>[redacted]</pin></a>")
    }

    @Test func malformedMessagesAreNotShown() {
        #expect(
            MessageRedaction.redacted(Array("<password>abc".utf8))
                == "(not shown: 13 bytes that are not well-formed XML)")
    }
}
