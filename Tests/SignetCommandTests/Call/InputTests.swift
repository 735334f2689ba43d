import SignetDynamic
import Testing

@testable import SignetCommand

@Suite struct InputTests {
    private func input(_ arguments: String..., over base: String? = nil) throws -> String {
        let base = try base.map { try DynamicValue(json: $0) } ?? .object([])
        return try DynamicValue.assembled(arguments.map { try InputAssignment($0) }, over: base).json()
    }

    @Test func pathsBecomeObjectsAndLists() throws {
        #expect(try input() == "{}")
        #expect(try input("a=1", "b.c=2", "b.d=3") == #"{"a":"1","b":{"c":"2","d":"3"}}"#)
        #expect(try input("a[]=x", "a[]=y") == #"{"a":["x","y"]}"#)
        #expect(try input("a[0].b=1", "a[0].c=2", "a[1].b=3") == #"{"a":[{"b":"1","c":"2"},{"b":"3"}]}"#)
        #expect(try input("a[].b=1", "a[].b=2") == #"{"a":[{"b":"1"},{"b":"2"}]}"#)
        #expect(try input("a[][]=1") == #"{"a":[["1"]]}"#)
        #expect(try input("a.@unit=kg", "a.#text=80") == ##"{"a":{"@unit":"kg","#text":"80"}}"##)
    }

    @Test func valuesAreTextUnlessMarkedAsJSON() throws {
        #expect(try input("a=") == #"{"a":""}"#)
        #expect(try input("a=1=2") == #"{"a":"1=2"}"#)
        #expect(try input("a=null") == #"{"a":"null"}"#)
        #expect(try input("a:=null", "b:=[1.50,{}]") == #"{"a":null,"b":[1.50,{}]}"#)
        #expect(try input(#"a\.b=1"#) == #"{"a.b":"1"}"#)
        #expect(try input("a=-5") == #"{"a":"-5"}"#)
        #expect(try input("Straße=Grüße 😀") == #"{"Straße":"Grüße 😀"}"#)
    }

    @Test func argumentsChangeTheInputFromAFile() throws {
        let base = #"{"a":1,"list":[1,null],"part":{"x":1}}"#
        #expect(try input("a=2", over: base) == #"{"a":"2","list":[1,null],"part":{"x":1}}"#)
        #expect(try input("list[]=3", "part.y=2", over: base) == #"{"a":1,"list":[1,null,"3"],"part":{"x":1,"y":"2"}}"#)
        #expect(try input("list[1].z=3", over: base) == #"{"a":1,"list":[1,{"z":"3"}],"part":{"x":1}}"#)
        #expect(try input("part:={}", over: base) == #"{"a":1,"list":[1,null],"part":{}}"#)
    }

    @Test(arguments: [
        "", "a", "=1", ".a=1", "a.=1", "a..b=1", "a[=1", "a[x]=1", "a[-1]=1", "a[+1]=1", "a[0]b=1", "a b=1", "a]=1",
        "@=1",
        #"a\=1"#, "a:={", "a:=", "a[99999999999999999999]=1",
        String(repeating: "a.", count: 64) + "a=1", String(repeating: "a.", count: 1000) + "a=1",
    ])
    func brokenPathsAreRefused(argument: String) {
        #expect(throws: CommandError.self) { try InputAssignment(argument) }
    }

    @Test func theErrorDoesNotRepeatAnArgumentWithoutAPath() {
        let error = #expect(throws: CommandError.self) { try InputAssignment("hunter2secret") }
        #expect(error?.message.contains("path=value") == true)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func contradictionsAreRefused() throws {
        for (arguments, words) in [
            (["a=1", "a=2"], "twice"), (["a=1", "a.b=2"], "value of its own"), (["a.b=1", "a=2"], "has parts"),
            (["a[]=1", "a=2"], "has parts"), (["a[1]=1"], "gap"), (["a=1", "a[]=2"], "not a list"),
            (["a[]=1", "a.b=2"], "is a list"), (["p=1", "p.@cur=EUR"], "--set 'p.#text=…'"),
            (["a[0].p=1", "a[0].p.@cur=EUR"], "“a[0].p.#text”"), (["p.@cur=EUR", "p=1"], "“p.#text”"),
        ] {
            let assignments = try arguments.map { try InputAssignment($0) }
            let error = #expect(throws: CommandError.self) { try DynamicValue.assembled(assignments) }
            #expect(error?.message.contains(words) == true, "\(arguments): \(String(describing: error))")
        }
        #expect(throws: CommandError.self) { try DynamicValue.assembled([InputAssignment("a=1")], over: .array([])) }
    }
}
