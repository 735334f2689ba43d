import SignetXML
import Testing

/// Comments and processing instructions (XML 1.0 §2.5, §2.6).
@Suite struct CommentTests {
    @Test(arguments: ["<!-- c -->", "<?pi d?>"])
    func refusedWhereAsked(markup: String) throws {
        func read(_ document: String, refusing: Bool) throws(XMLError) -> String {
            try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
                try reader.root()
                reader.refusesCommentsAndInstructions = refusing
                let text = try reader.elementText()
                reader.refusesCommentsAndInstructions = false
                try reader.finish()
                return text
            }
        }
        #expect(try read("\(markup)<a>x\(markup)y</a>\(markup)", refusing: false) == "xy")
        #expect(try read("\(markup)<a>xy</a>\(markup)", refusing: true) == "xy")
        let error = #expect(throws: XMLError.self) { try read("<a>x\(markup)y</a>", refusing: true) }
        #expect(error?.code == .unexpected)
        #expect(error?.offset == 4)
        #expect(error?.path == "a")
    }

    /// Their ends are looked for eight bytes at a time: each place within a word must be found, and no other.
    @Test func endsAreFoundAtEveryPlace() throws {
        for length in 0..<40 {
            let filler = String(repeating: "-,]?>", count: 8).prefix(length)
            #expect(try trace("<a><!--\(filler) --></a>") == "<a></>")
            #expect(try trace("<a><?p \(filler.replacing("?>", with: "?!"))??></a>") == "<a></>")
            #expect(try trace("<a><![CDATA[\(filler)]]]></a>") == "<a>\(filler)]</>")
            for tail in ["--->", "-- >"] {
                let error = #expect(throws: XMLError.self) { try trace("<a><!--\(filler),\(tail)</a>") }
                #expect(error?.code == .malformed)
                #expect(error?.offset == 8 + length)
            }
            let text = #expect(throws: XMLError.self) { try trace("<a>\(filler),]]]></a>") }
            #expect(text?.offset == 5 + length)
        }
    }
}
