import NIOSSL
import SignetTLS
import Testing

@testable import SignetNIOTLS

@Suite(.timeLimit(.minutes(5))) struct AlertTests {
    @Test func errorsThatAreNoAlertsAreNotTakenForOne() {
        #expect(TLSAlert.received(in: .eofDuringHandshake) == nil)
        #expect(BoringSSLError.zeroReturn.stack.isEmpty)
        #expect(TLSAlert(code: 48).description == "unknown_ca")
        #expect(TLSAlert(code: 200).description == "alert 200")
        #expect(TLSAlert(code: 112).meaning.contains("name"))
        #expect(TLSAlert(code: 200).meaning.contains("no standard"))
        #expect(TLSAlert.certificateRequired.concernsCertificate)
        #expect(!TLSAlert(code: 70).concernsCertificate)
    }
}
