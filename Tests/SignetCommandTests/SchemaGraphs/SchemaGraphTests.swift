import Foundation
import SignetWSDL
import Testing

/// Schemas and policies that are graphs: four times the document may take little more than four times the work, or be
/// refused.
///
/// A few shapes of each kind are tried; with `SIGNET_ALL_CASES=1` in the environment larger ones, and many made by
/// chance: `SIGNET_ALL_CASES=1 swift test --filter SchemaGraphTests`. In place of 1 may stand the names of some kinds,
/// apart by commas.
@Suite(.serialized) struct SchemaGraphTests {
    private static let wanted = ProcessInfo.processInfo.environment["SIGNET_ALL_CASES"] ?? ""
    static let isWhole = !wanted.isEmpty
    private static let names = wanted.isEmpty || wanted == "1" ? nil : wanted.split(separator: ",").map(String.init)
    private static let kinds = names.map { $0.compactMap(SchemaGraph.Kind.init) } ?? SchemaGraph.Kind.allCases
    /// What four times the size may take; work that grows with the square takes sixteen.
    private static let most = 12.0

    private static let shapes: [SchemaGraph.Shape] =
        [.chain, .ladder, .star] + (1...(isWhole ? 12 : 1)).map { .random($0) }

    @Test func requestedKindsOfGraphsExist() {
        for name in Self.names ?? [] {
            #expect(SchemaGraph.Kind(rawValue: name) != nil, "“\(name)” is no kind of graph")
        }
    }

    private func definitions(_ text: String) throws -> WSDLDefinitions {
        try WSDLLoader { _ in nil }.load(Array(text.utf8), path: "graph.wsdl")
    }

    @Test(.timeLimit(.minutes(isWhole ? 30 : 5)), arguments: kinds)
    func workGrowsWithTheDocument(kind: SchemaGraph.Kind) throws {
        let size = Self.isWhole ? 2500 : 250
        var count = 0
        var tried: Set<String> = []
        let start = ContinuousClock.now
        // A node with one target makes a chain of a ladder.
        for shape in Self.shapes where Self.isWhole || !kind.hasOneTarget || shape == .chain || shape == .star {
            let texts = [size, 4 * size].map { SchemaGraph(kind, shape, size: $0).wsdl }
            // Kinds whose nodes refer to nothing look alike in all shapes.
            guard tried.insert(texts[1]).inserted else { continue }
            let loaded = try texts.map(definitions)
            // Less than this is lost in what is always done.
            let unit = GraphStep.load.work(texts[1], loaded[1], times: 1) / 2
            for step in GraphStep.allCases {
                count += 1
                let large = step.work(texts[1], loaded[1], times: 1)
                if large <= unit { continue }
                let ratio = { Double(step.work(texts[1], loaded[1])) / Double(max(1, step.work(texts[0], loaded[0]))) }
                // A page fault or another user of the caches may come between: once more, before anything is said.
                let found = Double(large) / Double(max(1, step.work(texts[0], loaded[0])))
                let growth = found < Self.most ? found : min(ratio(), ratio())
                #expect(
                    growth < Self.most,
                    "\(step) of \(kind), \(shape): four times the size took \(growth) times the work, \(large / 1_000_000) ms"
                )
            }
        }
        print("Schema graphs, \(kind): \(count) cases of \(size) and \(4 * size) nodes, \(ContinuousClock.now - start)")
    }
}
