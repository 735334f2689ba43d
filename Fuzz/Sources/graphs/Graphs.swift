import Foundation
import SignetGeneratorCore
import SignetSOAP
import SignetWSDL
import Support

@testable import SignetDynamic

/// Schemas and policies that are graphs: for a graph of four times the size, each step needs at most about four times
/// the work, or refuses the graph.
@main enum GraphsTarget {
    private static let steps: [(name: String, run: @Sendable (WSDLDefinitions) -> Void)] = [
        (
            "inspect",
            { definitions in
                var tree = SchemaTree(definitions.schema, depth: 32)
                for name in definitions.schema.elements.keys.sorted() { _ = tree.element(name) }
            }
        ),
        ("generate", { _ = Generator.generate($0, base: "graph", source: "graph.wsdl") }),
        ("diff", { _ = ContractComparison.changes(from: $0, to: $0) }),
        ("sample", { _ = try? (try DynamicService($0)).sample(of: "Op0") }),
        (
            "decode",
            { definitions in
                guard let element = definitions.schema.elements[QName("urn:t", "Op0")] else { return }
                var maker = InstanceMaker(definitions.schema, .maximal)
                guard let bytes = try? maker.instance(of: element),
                    let fragment = try? XMLFragment(parsing: String(decoding: bytes, as: UTF8.self)),
                    let tree = try? XMLTree(fragment)
                else { return }
                var decoder = Decoder(definitions.schema)
                _ = try? decoder.value(tree, element)
            }
        ),
    ]

    static func main() {
        run { start, count in
            var input = Input(start, count)
            let kind = SchemaGraph.Kind.allCases[input.number(below: SchemaGraph.Kind.allCases.count)]
            let shapes: [SchemaGraph.Shape] = [.chain, .ladder, .star, .random(UInt64(input.byte()))]
            let shape = shapes[input.number(below: shapes.count)]
            GraphsTarget.check(kind, shape, size: 8 + input.number(below: 120))
            return 0
        }
    }

    private static func load(_ text: String) -> WSDLDefinitions? {
        try? WSDLLoader { _ in nil }.load(Array(text.utf8), path: "graph.wsdl")
    }

    private static func check(_ kind: SchemaGraph.Kind, _ shape: SchemaGraph.Shape, size: Int) {
        let texts = [size, 4 * size].map { SchemaGraph(kind, shape, size: $0).wsdl }
        guard let small = load(texts[0]), let large = load(texts[1]) else { return }
        // Work that does not depend on the size is part of the work of reading the document.
        let unit = work { _ = load(texts[1]) }
        for step in steps {
            let (first, second) = (work { step.run(small) }, work { step.run(large) })
            require(
                second <= 12 * first + 100 * unit,
                "\(step.name) of \(kind), \(shape), \(size): four times the size took \(second / max(1, first)) times the work"
            )
        }
    }

    /// The CPU time of this thread, in nanoseconds.
    private static func work(_ body: () -> Void) -> UInt64 {
        func now() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
        let start = now()
        body()
        return now() - start
    }
}
