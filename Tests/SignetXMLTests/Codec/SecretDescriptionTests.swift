import Testing

@_spi(Generated) @testable import SignetXML

private struct Login: XMLStructure {
    var user = ""
    var password: String?
    /// An element that is called otherwise.
    var code: String?
    var tokens: [String] = []
    var key: Key?
    var proof: Proof?
    var bankNumber: String?
    var pin: String?

    init(_decoding: Void) {}
    init(_ change: (inout Login) -> Void) { change(&self) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:l"], elements: "user password? userPassword? tokens* key? {0}? bankNumber?", attributes: "PINCode?",
            groups: [Proof.xmlTable])
        fields.value(&x.user)
        fields.optionalValue(&x.password)
        fields.optionalValue(&x.code)
        fields.values(&x.tokens)
        fields.optionalStructure(&x.key)
        fields.optionalChoice(&x.proof)
        fields.optionalValue(&x.bankNumber)
        fields.optionalValue(&x.pin)
    }
}

private struct Key: XMLStructure {
    var algorithm: String?
    var value = ""
    init(_decoding: Void) {}
    init(_ algorithm: String, _ value: String) { (self.algorithm, self.value) = (algorithm, value) }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:l"], attributes: "algorithm?", text: true)
        fields.optionalValue(&x.algorithm)
        fields.value(&x.value)
    }
}

/// Simple content whose type says what it is.
private struct Passphrase: XMLStructure {
    var value = ""
    init(_decoding: Void) {}
    init(_ value: String) { self.value = value }
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:l"], text: true)
        fields.value(&x.value)
    }
}

private enum Proof: XMLChoice {
    case otp(String)
    case finger(String)
    static let xmlTable = XMLTable(choice: ["urn:l"], elements: "otp finger")
    static func decode(_ index: Int, from reader: inout XMLReader) -> Proof? { nil }
    func encode(to writer: inout XMLWriter) {}
    static var _placeholder: Proof { .otp("") }
}

@Suite struct SecretDescriptionTests {
    @Test private func secretsAreHiddenByTheNameOfPropertyOrElement() {
        let login = Login {
            $0.user = "ada"
            $0.password = "hunter2"
            $0.code = "hunter2"
            $0.tokens = ["hunter2", "hunter2"]
            $0.key = Key("rsa", "shown")
            $0.proof = .otp("hunter2")
            $0.pin = "hunter2"
        }
        #expect(
            login.description
                == #"Login(user: "ada", password: [redacted], code: [redacted], tokens: [redacted], key: Key(algorithm: "rsa", value: "shown"), proof: .otp([redacted]), pin: [redacted])"#
        )
        for text in ["\(login)", String(reflecting: login), "\([login])", "\(Optional(login) as Any)"] {
            #expect(!text.contains("hunter2"), "\(text)")
        }
        #expect(Passphrase("hunter2").description == "Passphrase(value: [redacted])")
        #expect(Login { $0.proof = .finger("left") }.description == #"Login(user: "", proof: .finger("left"))"#)
    }

    /// The list belongs to the whole program: these names are used by no other test.
    @Test private func addedSecretNamesAreHiddenEverywhere() throws {
        let login = Login { $0.bankNumber = "DE02120300000000202051" }
        #expect(login.description.contains("DE02"))
        SecretName.add("bankNumber", "", "--", "ZEBRA", "quagga-id")
        #expect(login.description == #"Login(user: "", bankNumber: [redacted])"#)
        for name in [
            "bankNumber", "BankNumber", "BANKNUMBER", "bank-number", "bank_number", "customerBankNumber",
            "bankNumberOfCustomer", "zebra", "myZEBRACount", "zebra1", "QuaggaID", "quaggaId", "oldQuaggaId",
        ] {
            #expect(SecretName.matches(name), "\(name)")
        }
        for name in ["bank", "number", "numberBank", "zebras", "bankNumbers", "quagga", "embankNumber", ""] {
            #expect(!SecretName.matches(name), "\(name)")
        }
    }

    @Test(arguments: ["PINCode", "newPIN", "userTAN", "APIKey", "TANList", "pin1"]) func acronymsAreWords(
        _ name: String
    ) {
        #expect(SecretName.matches(name))
    }

    @Test(arguments: ["spinning", "SPINNING", "tangent", "sidewalk", "Identification"])
    func partsOfWordsAreNoWords(_ name: String) {
        #expect(!SecretName.matches(name))
    }

    @Test private func errorsDoNotShowUnreadableSecrets() {
        SecretName.add("okapiNumber")
        struct Count: XMLStructure {
            var okapiNumber: Int32 = 0
            init(_decoding: Void) {}
            static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
                fields.names(["urn:l"], elements: "okapiNumber")
                fields.value(&x.okapiNumber)
            }
        }
        let error = #expect(throws: XMLError.self) {
            try XMLReader.read(Array("<a xmlns='urn:l'><okapiNumber>hunter2</okapiNumber></a>".utf8)) { reader in
                try reader.root()
                return try reader.structure() as Count
            }
        }
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }
}
