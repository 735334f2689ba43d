import SwiftASN1
import Testing

@testable import SignetAuthentication

/// RFC 4178.
@Suite struct SPNEGOTests {
    private let space = ProtectionSpace(scheme: "https", host: "h.example", port: 443, realm: "")

    private func bytes(_ digits: String) -> [UInt8] {
        var digits = digits[...]
        var result: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            result.append(byte)
            digits = digits.dropFirst(2)
        }
        return result
    }

    @Test func theClientEncodesItsFirstMessage() throws {
        #expect(
            try SPNEGO.initial(SPNEGO.ntlm, token: [1, 2, 3])
                == bytes("602306062b0601050502a0193017a00e300c060a2b06010401823702020aa2050403010203"))
        #expect(try SPNEGO.list(SPNEGO.ntlm) == bytes("300c060a2b06010401823702020a"))
    }

    @Test func serverTokensAreDecoded() throws {
        let read = try SPNEGO.ServerToken(
            bytes("a11c301aa0030a0101a10c060a2b06010401823702020aa2050403aabbcc"), space: space)
        #expect(read.state == .incomplete)
        #expect(read.mechanism == SPNEGO.ntlm)
        #expect(read.token == [0xAA, 0xBB, 0xCC])
        #expect(read.code == nil)
        let done = try SPNEGO.ServerToken(bytes("a1123010a0030a0100a3090407ffffffffffffff"), space: space)
        #expect(done.state == .accepted)
        #expect(done.code == Array(repeating: 0xFF, count: 7))
        #expect(try SPNEGO.ServerToken(SPNEGO.response(token: [7], code: [8]), space: space).token == [7])
    }

    @Test(arguments: [
        "", "a1", "a100", "3000", "a1023000ff", "a1073005a0030a0109", "a1073005a0030a0201", "a10930070a0100a2030401",
        "a1073005a203020101", "a1803000", "4e544c4d5353500002000000",
    ])
    func malformedTokensAreRefused(digits: String) {
        let error = #expect(throws: AuthenticationError.self) { try SPNEGO.ServerToken(bytes(digits), space: space) }
        #expect(error?.code == .malformedChallenge)
    }

    @Test func aMessageHasALimit() {
        let long = [UInt8](repeating: 0x30, count: SPNEGO.maximumBytes + 1)
        #expect(throws: AuthenticationError.self) { try SPNEGO.ServerToken(long, space: space) }
    }
}
