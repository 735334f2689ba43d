import SignetTesting
import Testing

@testable import SignetTLS

@Suite struct PBMAC1Tests {
    @Test(arguments: RFC9579.files) func readsTheFilesOfTheStandard(file: RFC9579.File) throws {
        let bytes = try #require(Text.bytes(base64: file.base64.utf8))
        guard file.isValid else {
            #expect(throws: IdentityError.self, "\(file.name)") { try KeyFile(bytes, password: "1234") }
            return
        }
        let read = try KeyFile(bytes, password: "1234")
        #expect(read.keys.map(\.algorithm) == ["RSA 2048"])
        #expect(read.protections.first?.hasPrefix("PBMAC1: PBKDF2-HMAC-SHA-") == true)
        #expect(try read.identities().count == 1)
        #expect(throws: IdentityError(.wrongPassword, "")) { try KeyFile(bytes, password: "12345") }
    }
}
