import Foundation
import SignetGeneratorCore
import SignetSOAP
import SignetWSDL

@testable import SignetCommand
@testable import SignetDynamic

/// What is done with a WSDL, and how much work of the processor each takes.
enum GraphStep: String, CaseIterable, Sendable {
    case load, inspect, generate, diff, sample, decode

    /// Does it; a refusal is an end like any other.
    func run(_ text: String, _ definitions: WSDLDefinitions) {
        switch self {
        case .load: _ = try? WSDLLoader { _ in nil }.load(Array(text.utf8), path: "graph.wsdl")
        case .inspect:
            var inspector = Inspector(definitions, file: "graph.wsdl", operation: nil, depth: 32)
            let report = inspector.report()
            _ = DescriptionText(report, style: Style(isColoured: false)).lines
            _ = try? JSONEncoder().encode(report)
        case .generate: _ = Generator.generate(definitions, base: "graph", source: "graph.wsdl")
        case .diff: _ = ContractComparison.changes(from: definitions, to: definitions)
        case .sample:
            guard let service = try? DynamicService(definitions) else { return }
            for operation in service.operations.prefix(20) { _ = try? service.sample(of: operation.name) }
        case .decode:
            for name in (0..<20).map({ QName("urn:t", "Op\($0)") }) {
                guard let element = definitions.schema.elements[name] else { return }
                var maker = InstanceMaker(definitions.schema, .maximal)
                guard let bytes = try? maker.instance(of: element),
                    let fragment = try? XMLFragment(parsing: String(decoding: bytes, as: UTF8.self)),
                    let tree = try? XMLTree(fragment)
                else { continue }
                var decoder = Decoder(definitions.schema)
                _ = try? decoder.value(tree, element)
            }
        }
    }

    /// The least work of several times, in nanoseconds of this thread: other threads and other processes do not count.
    func work(_ text: String, _ definitions: WSDLDefinitions, times: Int = 2) -> UInt64 {
        (0..<times).map { _ in
            let start = clock_gettime_nsec_of_thread()
            run(text, definitions)
            return clock_gettime_nsec_of_thread() &- start
        }.min() ?? 0
    }
}

private func clock_gettime_nsec_of_thread() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
