import Testing

@testable import SignetCredentials

@Suite struct PasswordHashTests {
    /// RFC 7914 §12.
    @Test func theVectorOfTheStandardMatches() throws {
        let text =
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw"
        let hash = try #require(PasswordHash(text))
        #expect(hash.text == text)
        #expect(try hash.matches(SecretBytes("pleaseletmein")))
        #expect(try !hash.matches(SecretBytes("pleaseletmeim")))
        #expect(try !hash.matches(SecretBytes("")))
    }

    @Test func eachHashHasASaltOfItsOwn() throws {
        let password = SecretBytes("pässword")
        let cost = PasswordHash.Cost(logarithm: 13, blockSize: 8, parallelism: 1)
        let hashes = try (0..<2).map { _ in try PasswordHash(hashing: password, cost) }
        #expect(hashes[0] != hashes[1])
        for hash in hashes {
            #expect(hash.text.hasPrefix("$scrypt$ln=13,r=8,p=1$"))
            #expect(try hash.matches(password))
            #expect(PasswordHash(hash.text) == hash)
            #expect("\(hash) \(String(reflecting: hash))".contains("hidden"))
            var dumped = ""
            dump(hash, to: &dumped)
            #expect(!dumped.contains(hash.text) && !dumped.contains("salt"))
        }
        #expect(try !PasswordHash.decoy(cost).matches(password))
        #expect(PasswordHash.decoy().text.hasPrefix("$scrypt$ln=14,r=8,p=5$"))
    }

    @Test(arguments: [
        "", "$", "scrypt", "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ",
        "$argon2id$ln=14,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=12,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=22,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=21,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=16,r=1,p=2$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=17,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=33,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=8,p=17$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=8,p=0$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=014,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=99999999999999999999,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$r=8,ln=14,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=8$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=8,p=1$c2Fsd$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ=$aGFzaGhhc2hoYXNoaGFzaA",
        "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$aGFzaA", "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFza!",
        "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA$",
        "$scrypt$ln=14,r=8,p=-1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA",
    ]) func otherTextsAreNoHashes(text: String) { #expect(PasswordHash(text) == nil) }
}
