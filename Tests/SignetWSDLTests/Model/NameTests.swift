import Testing

@testable import SignetWSDL

@Suite struct NameTests {
    /// XML 1.0 §1.2: characters that Unicode takes for equal are not the same.
    @Test func namesAreTheSameCharacterByCharacter() {
        let names = [
            QName("urn:a", "\u{E9}"), QName("urn:a", "e\u{301}"), QName("urn:\u{E9}", "e"), QName("urn:e\u{301}", "e"),
        ]
        #expect(Set(names).count == 4)
        for (left, right) in [(names[0], names[1]), (names[2], names[3])] {
            #expect(left != right)
            #expect((left < right) != (right < left))
        }
        #expect(QName("urn:a", "\u{E9}") == names[0])
        #expect(!(names[0] < names[0]))
    }

    private static func wildcard(_ namespaces: Wildcard.Namespaces) -> Wildcard {
        Wildcard(namespaces: namespaces, processing: .lax, location: SourceLocation(file: "test"))
    }

    /// XML Schema Part 1 §3.10.6, and the sets that come out.
    @Test(
        arguments: [
            (Wildcard.Namespaces.any, .these(["a"]), "abc-", "a"),
            (.these(["a", "b"]), .these(["b", ""]), "ab-", "b"),
            (.other(than: "a"), .these(["a", "b", ""]), "abc-", "b"),
            (.other(than: "a"), .other(than: "a"), "bc", "bc"),
            (.other(than: ""), .other(than: "a"), "abc", "bc"), (.other(than: "a"), .any, "abc-", "bc"),
            (.other(than: "a"), .these(["a"]), "abc", ""), (.other(than: "a"), .these(["a", ""]), "abc-", ""),
            (.other(than: "a"), .these(["b"]), "bc", "b"), (.other(than: ""), .these(["a"]), "abc", "a"),
        ] as [(Wildcard.Namespaces, Wildcard.Namespaces, String, String)])
    func wildcardsAreUnitedAndIntersected(
        left: Wildcard.Namespaces, right: Wildcard.Namespaces, union: String, intersection: String
    ) {
        for (one, other) in [(left, right), (right, left)] {
            let (one, other) = (Self.wildcard(one), Self.wildcard(other))
            func letIn(_ wildcard: Wildcard) -> Set<Character> {
                Set("abc-".filter { wildcard.allows($0 == "-" ? "" : String($0)) })
            }
            #expect(letIn(one.intersected(with: other)) == Set(intersection), "\(one), \(other)")
            #expect(letIn(one.united(with: other)) == Set(union), "\(one), \(other)")
        }
    }
}
