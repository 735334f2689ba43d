import ReferenceServices
import SignetSOAP
import SignetSignature
import SignetTLS
import SignetTesting
import SignetXML
import Testing

/// Generated values that are signed, sent in a message, and read from what was signed.
@Suite struct SignedValueTests {
    private static let name = XMLName("urn:signet:example:constructs:types", "Trike")
    private static let now = Int64(1)

    private let identity: Identity

    init() async throws {
        identity = try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
            subject: .init(commonName: "Clerk"), notBefore: 0, notAfter: 1 << 32)
    }

    /// In the form of Brazil's NF-e, and in that of Croatia's fiscalization.
    @Test(arguments: [true, false]) func aSignedValueIsSentAndRead(isOld: Bool) async throws {
        var signer = try XMLSigner(identity)
        if isOld { (signer.algorithm, signer.digest) = (.insecureRSASHA1, .insecureSHA1) }
        signer.prefix = isOld ? "" : "ds"
        signer.canonicalization = XMLCanonicalization(isOld ? .inclusive10 : .exclusive10)
        let value = Constructs.Trike(wheels: 3, id: "NFe35")
        let signed = try await signer.sign(value, as: Self.name, covering: .element(id: "NFe35"))
        #expect(signed.isElement(Self.name))
        let text = String(decoding: signed.bytes, as: UTF8.self)
        #expect(text.contains(isOld ? "<Signature xmlns=" : "<ds:Signature "), "\(text)")

        // Through a message, to a service that answers with what it has verified.
        let certificate = identity.leaf
        let operation = ServiceOperation<XMLAny, XMLAny>(
            name: "Send", soapAction: "", version: .soap12, input: XMLName("urn:a", "Send"),
            output: XMLName("urn:a", "Send"))
        let dispatcher = ServiceDispatcher(
            name: "Registry", versions: [.soap12],
            routes: [
                operation.route { input, _ in
                    var verifier = XMLSignatureVerifier(signers: [certificate])
                    verifier.acceptsSHA1 = isOld
                    guard let fragment = input.children.first else { throw SOAPFault.client("Nothing was sent.") }
                    do {
                        let (trike, signature) = try verifier.verify(
                            Constructs.Trike.self, in: fragment, covering: .element(Self.name), at: Self.now)
                        return try XMLAny(text: "\(trike.id) of \(signature.signer.subject)")
                    } catch { throw SOAPFault.client("\(error)") }
                }
            ])
        var caller = ServiceCaller(
            endpoint: try Endpoint("https://localhost/"), transport: InProcessTransport(dispatcher))
        caller.version = .soap12
        let answer = try await caller.call(operation, XMLAny(children: [signed]))
        #expect(answer.text == "NFe35 of CN=Clerk")
        let changed = try XMLFragment(parsing: text.replacing(">3<", with: ">4<"))
        let fault = await #expect(throws: SOAPFault.self) {
            try await caller.call(operation, XMLAny(children: [changed]))
        }
        #expect(fault?.description.contains("is not what was signed") == true)
    }

    @Test func whatIsNoSuchValueIsAnError() async throws {
        let signer = try XMLSigner(identity)
        let value = Constructs.Trike(wheels: 3, id: "t")
        await #expect(throws: XMLSignatureError.self) {
            try await signer.sign(value, as: Self.name, covering: .element(id: "other"))
        }
        await #expect(throws: XMLSignatureError.self) {
            try await signer.sign(Constructs.Trike(wheels: 3, id: "\u{1}"), as: Self.name, covering: .root)
        }
        let signed = try await signer.sign(value, as: Self.name, covering: .root)
        let verifier = XMLSignatureVerifier(signers: [identity.leaf])
        let error = #expect(throws: XMLSignatureError.self) {
            try verifier.verify(Constructs.Tree.self, in: signed, covering: .root, at: Self.now)
        }
        #expect(error?.message.contains("is no Tree") == true, "\(String(describing: error))")
        #expect(try verifier.verify(Constructs.Trike.self, in: signed, covering: .root, at: Self.now).value.wheels == 3)
    }
}
