import Foundation
import SignetDynamic
import Testing

/// Threads other than the main one have 512 KB of stack on Apple's systems.
@Suite struct StackTests {
    /// Runs `body` on threads with a stack of 512 KB.
    private func onSmallStack<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withTaskExecutorPreference(SmallStacks()) {
            #expect(SmallStacks.isCurrent)
            return try await body()
        }
    }

    private func nested(_ depth: Int, _ key: String = "r") -> String {
        String(repeating: "{\"\(key)\":", count: depth) + "{}" + String(repeating: "}", count: depth)
    }

    private func recursive() throws -> DynamicService {
        try service(
            "<xs:element name=\"Do\" type=\"t:Rec\"/><xs:complexType name=\"Rec\"><xs:sequence><xs:element name=\"r\" type=\"t:Rec\" minOccurs=\"0\"/></xs:sequence></xs:complexType>"
        )
    }

    @Test(arguments: [63, 64, 90, 120]) func deepValues(depth: Int) async throws {
        let (service, json) = (try recursive(), nested(depth))
        let code = try await onSmallStack { try service.refusal(json)?.code }
        #expect(code == (depth < 64 ? nil : .limitExceeded))
    }

    @Test func deepMessages() async throws {
        let service = try recursive()
        let answer =
            "<Do xmlns=\"urn:t\">\(String(repeating: "<r>", count: 63))\(String(repeating: "</r>", count: 63))</Do>"
        let json = try await onSmallStack { try await service.decoded(answer) }
        #expect(json == nested(63))
        let deeper =
            "<Do xmlns=\"urn:t\">\(String(repeating: "<r>", count: 64))\(String(repeating: "</r>", count: 64))</Do>"
        let error = await #expect(throws: DynamicError.self) {
            try await onSmallStack { try await service.decoded(deeper) }
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func deepMixedMarkup() async throws {
        let service = try service(type: "<xs:sequence><xs:element name=\"v\" type=\"xs:anyType\"/></xs:sequence>")
        let deep = String(repeating: "<a>x", count: 62) + String(repeating: "</a>", count: 62)
        let json = try await onSmallStack { try await service.decoded("<Do xmlns=\"urn:t\"><v>x\(deep)</v></Do>") }
        #expect(json.contains("#xml"))
    }

    /// Elements that each have a type with groups as deep as they may be.
    @Test func deepGroupsInDeepValues() async throws {
        let (open, close) = (0..<15).reduce(("", "")) { text, _ in
            ("\(text.0)<xs:sequence><xs:choice>", "</xs:choice></xs:sequence>\(text.1)")
        }
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:Rec\"/><xs:complexType name=\"Rec\"><xs:sequence minOccurs=\"0\">\(open)<xs:element name=\"r\" type=\"t:Rec\"/>\(close)</xs:sequence></xs:complexType>"
        )
        let json = nested(63)
        #expect(try await onSmallStack { try service.refusal(json) } == nil)
        #expect(try await onSmallStack { try service.sample(of: "Do") } == .object([]))
    }

    /// Required groups and elements in each other, beyond what an example may have.
    @Test func deepGroupsInDeepExamples() async throws {
        let (open, close) = (String(repeating: "<xs:choice>", count: 3), String(repeating: "</xs:choice>", count: 3))
        let types = (0..<30).map {
            "<xs:complexType name=\"T\($0)\">\(open)<xs:element name=\"r\" type=\"t:T\($0 + 1)\"/>\(close)</xs:complexType>"
        }
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:T0\"/>" + types.joined()
                + "<xs:complexType name=\"T30\"><xs:sequence/></xs:complexType>")
        let error = await #expect(throws: DynamicError.self) {
            try await onSmallStack { try service.sample(of: "Do") }
        }
        #expect(error?.code == .brokenSchema)
    }

    @Test func groupsThatAreTooDeepAreRefused() async throws {
        let (open, close) = (
            String(repeating: "<xs:sequence>", count: 33), String(repeating: "</xs:sequence>", count: 33)
        )
        let service = try service(type: "\(open)<xs:element name=\"a\" type=\"xs:int\"/>\(close)")
        #expect(try await onSmallStack { try service.refusal(#"{"a":1}"#)?.code } == .brokenSchema)
    }

    /// Required elements in each other, each of another type, until the example must end.
    @Test(arguments: [14, 60]) func deepExamples(depth: Int) async throws {
        let types = (0..<depth).map {
            "<xs:complexType name=\"T\($0)\"><xs:sequence><xs:element name=\"r\" type=\"t:T\($0 + 1)\"/></xs:sequence></xs:complexType>"
        }
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:T0\"/>" + types.joined()
                + "<xs:complexType name=\"T\(depth)\"><xs:sequence/></xs:complexType>")
        let json = try await onSmallStack { try? service.sample(of: "Do").json() }
        #expect(json == (depth == 14 ? nested(14) : nil))
    }

    /// A chain of derivation as long as it may be, where the example is as deep as it may be.
    @Test func longDerivations() async throws {
        let wrap = (0..<12).map {
            "<xs:complexType name=\"W\($0)\"><xs:sequence><xs:element name=\"r\" type=\"t:\($0 == 11 ? "T62" : "W\($0 + 1)")\"/></xs:sequence></xs:complexType>"
        }
        let chain = (0..<62).map {
            "<xs:complexType name=\"T\($0 + 1)\"><xs:complexContent><xs:extension base=\"t:T\($0)\"><xs:sequence><xs:element name=\"e\($0)\" type=\"t:S62\"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
        }
        let simple = (0..<62).map {
            "<xs:simpleType name=\"S\($0 + 1)\"><xs:restriction base=\"t:S\($0)\"/></xs:simpleType>"
        }
        let unions = (0..<7).map {
            "<xs:simpleType name=\"\($0 == 0 ? "S0" : "U\($0)")\"><xs:union memberTypes=\"\($0 == 6 ? "xs:int" : "t:U\($0 + 1)")\"/></xs:simpleType>"
        }
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:W0\"/><xs:complexType name=\"T0\"><xs:sequence/></xs:complexType>"
                + (wrap + chain + simple + unions).joined())
        let sample = try await onSmallStack { try service.sample(of: "Do") }
        #expect(sample.json().contains(#""e61":"#))
        #expect(try await onSmallStack { try service.refusal(sample.json()) } == nil)
    }
}

/// Runs every job on a new thread with a small stack.
private final class SmallStacks: TaskExecutor {
    private static let stackSize = 512 << 10

    static var isCurrent: Bool { Thread.current.stackSize == stackSize }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        let thread = Thread { job.runSynchronously(on: executor) }
        thread.stackSize = Self.stackSize
        thread.start()
    }
}
