package import Foundation
import SignetDynamic
import SignetGeneratorCore
import SignetWSDL

/// Loads a WSDL, makes Swift of it, and lets what was planned read and write instances of all its messages.
package struct CorpusChecker: Sendable {
    /// Instances by chance for each message, beside the smallest and the largest.
    var samples: Int
    /// Nil to do without them.
    var judges: Judges?
    /// Where instances are kept while the validators read them.
    var work: URL
    /// WSDLs that are to be refused.
    var broken: BrokenList
    /// Nil to interpret only.
    var compiler: SwiftCompiler?
    /// The validators get no more instances of one WSDL.
    private static let judged = 400

    package init(
        samples: Int, judges: Judges?, work: URL, broken: BrokenList = BrokenList(), compiler: SwiftCompiler? = nil
    ) {
        self.samples = samples
        self.judges = judges
        self.work = work
        self.broken = broken
        self.compiler = compiler
    }

    package func check(_ item: CorpusCase) async -> CorpusReport {
        var report = CorpusReport(name: item.name)
        let clock = ContinuousClock()
        let start = clock.now
        do { try await check(item, &report) } catch { report.fail("\(error)") }
        if let reason = broken.reason(for: report) {
            report.outcome = .refused
            report.note("broken: \(reason)")
        }
        report.seconds = start.duration(to: clock.now).inSeconds
        return report
    }

    private func check(_ item: CorpusCase, _ report: inout CorpusReport) async throws {
        let (definitions, documents) = try item.load()
        var instances: [Instance] = []
        let services = try ServiceUnderTest.all(definitions, &report)
        for service in services {
            report.services.append(service.name)
            report.operations += service.operations
            roundTrip(service, definitions, &instances, &report)
        }
        report.instances = instances.count
        if report.outcome == .passed {
            let answers = await MockCheck.check(definitions, samples: samples, &report)
            let requests = FirstRequests.all(definitions, samples: samples, &report)
            take(answers + requests, services, definitions, &instances, &report)
        }
        guard judges != nil || compiler != nil else { return }
        let folder = work.appending(path: item.name.replacing("/", with: "_"), directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try compile(services, instances, definitions, in: folder, &report)
        let messages = services.flatMap(\.messages)
        let wrappers = Self.wrappers(of: messages, definitions)
        // What SOAP's encoding allows no schema says; nor does one what stands in a URL or a form.
        let isJudged = messages.map { $0.isDeclared || $0.wrapper.map(wrappers.contains) == true }
        let judged = instances.filter { isJudged[$0.message] }
        if judges != nil, judged.count < instances.count {
            report.note("the judges are not asked about \(isJudged.count { !$0 }) messages that no schema describes")
        }
        try judge(judged, documents, wrappers, in: folder, &report)
    }

    private func roundTrip(
        _ service: ServiceUnderTest, _ definitions: WSDLDefinitions, _ instances: inout [Instance],
        _ report: inout CorpusReport
    ) {
        var comparison = InstanceComparison(definitions.schema)
        let styles = [.minimal, .maximal] + (0..<samples).map { InstanceStyle.random(UInt64($0)) }
        for message in service.messages {
            let declaration = message.declaration
            let number = report.messages
            report.messages += 1
            for style in styles {
                let what = "\(declaration.name.localName) (\(style))"
                do {
                    var maker = InstanceMaker(
                        definitions.schema, style, isEncoded: message.isEncoded, isMessageNillable: message.isNillable)
                    let original = try maker.instance(of: declaration)
                    instances.append(Instance(what: what, message: number, original: original, again: nil))
                    let again = try service.roundTrip(original, message)
                    instances[instances.count - 1].again = again
                    for difference in try comparison.differences(original, again, declaration) {
                        report.fail("\(what): \(difference)")
                    }
                } catch {
                    report.fail("\(what): \(error)")
                }
            }
        }
    }

    /// Lets what was planned read the answers of a mock, as a client with generated code does.
    private func take(
        _ answers: [MockCheck.Answer], _ services: [ServiceUnderTest], _ definitions: WSDLDefinitions,
        _ instances: inout [Instance], _ report: inout CorpusReport
    ) {
        var comparison = InstanceComparison(definitions.schema)
        let messages = services.flatMap { service in service.messages.map { (service, $0) } }
        for answer in answers {
            let name = QName(answer.element.namespaceURI, answer.element.localName)
            guard let number = messages.firstIndex(where: { $0.1.declaration.name == name }) else {
                if !messages.contains(where: \.1.isContentOfBody) {
                    report.fail("\(answer.what): no message has the element \(name)")
                }
                continue
            }
            let (service, message) = messages[number]
            let original = answer.element.bytes
            if answer.isRequest { report.requests += 1 } else { report.answers += 1 }
            do {
                let again = try service.roundTrip(original, message)
                instances.append(
                    Instance(
                        what: answer.what, message: number, original: original, again: again,
                        isRequest: answer.isRequest))
                // What the rules of SOAP's encoding let a sender write in more than one way is not compared.
                guard !message.isEncoded else { continue }
                for difference in try comparison.differences(original, again, message.declaration) {
                    // Generated code writes the type of each array.
                    if difference.contains(": the array  became ") { continue }
                    report.fail("\(answer.what): \(difference)")
                }
            } catch { report.fail("\(answer.what): \(error)") }
        }
    }

    /// An instance as it was made up, and as it was written after it was read.
    private struct Instance {
        var what: String
        /// The message's number, counted through all services.
        var message: Int
        var original: [UInt8]
        /// Nil when it could not be read or written.
        var again: [UInt8]?
        /// Whether the judges must accept it as it was made up.
        var isRequest = false
    }

    /// Lets compiled code do what was interpreted.
    private func compile(
        _ services: [ServiceUnderTest], _ instances: [Instance], _ definitions: WSDLDefinitions, in folder: URL,
        _ report: inout CorpusReport
    ) throws {
        guard let compiler else { return }
        let clock = ContinuousClock()
        let start = clock.now
        let compiled = try CompiledServices(services, with: compiler, in: folder)
        report.compileSeconds = start.duration(to: clock.now).inSeconds
        let answers = try compiled.roundTrip(instances.map { ($0.message, $0.original) })
        var comparison = InstanceComparison(definitions.schema)
        let messages = services.flatMap(\.messages)
        for (instance, answer) in zip(instances, answers) {
            switch (instance.again, answer) {
            case (nil, .failure): break
            case (nil, .success): report.fail("\(instance.what): compiled code does not fail")
            case (_, .failure(let error)): report.fail("\(instance.what): compiled code fails: \(error)")
            case (let again?, .success(let written)) where again != written:
                let declaration = messages[instance.message].declaration
                for difference in try comparison.differences(again, written, declaration) {
                    report.fail("\(instance.what): interpreted and compiled code disagree: \(difference)")
                }
            default: break
            }
        }
        if answers.count < instances.count {
            report.fail("\(instances[answers.count].what): the compiled code stopped")
        }
        if compiler.isOptimising { try measure(compiled, instances, in: folder, &report) }
    }

    /// Measures the largest instance that can be read, beside libxml2's SAX that does nothing with it.
    private func measure(
        _ compiled: CompiledServices, _ instances: [Instance], in folder: URL, _ report: inout CorpusReport
    ) throws {
        guard let largest = instances.filter({ $0.again != nil }).max(by: { $0.original.count < $1.original.count })
        else { return }
        let times = try compiled.times(of: largest.message, largest.original, seconds: 0.3)
        let file = folder.appending(path: "largest.xml")
        try Data(largest.original).write(to: file)
        let log = folder.appending(path: "xmllint")
        let said = try SwiftCompiler.run(
            URL(filePath: "/usr/bin/env"),
            ["xmllint", "--sax", "--noout", "--huge", "--repeat", "--timing", file.path], log: log
        ).said
        // It parses the file 100 times, and says how many milliseconds that took.
        let milliseconds = said.split(separator: " ").compactMap { Double($0) }.last
        report.times = CorpusReport.Times(
            message: largest.what, bytes: largest.original.count, reading: times.reading, writing: times.writing,
            libxml2: milliseconds.map { $0 * 10 })
    }

    /// The elements of messages that no schema declares. Of a name that means several things judges are told nothing.
    private static func wrappers(
        of messages: [MessageUnderTest], _ definitions: WSDLDefinitions
    ) -> [Judges.Wrapper] {
        let wrappers = Dictionary(grouping: Set(messages.compactMap(\.wrapper))) { QName($0.namespace, $0.name) }
        return wrappers.filter { $0.value.count == 1 && definitions.schema.elements[$0.key] == nil }
            .sorted { $0.key < $1.key }.flatMap(\.value)
    }

    private func judge(
        _ instances: [Instance], _ documents: [URL], _ wrappers: [Judges.Wrapper], in folder: URL,
        _ report: inout CorpusReport
    ) throws {
        guard let judges else { return }
        let step = max(1, (instances.count + Self.judged - 1) / Self.judged)
        var files: [(instance: Instance, original: String, again: String)] = []
        for (number, instance) in instances.enumerated() where number % step == 0 || instance.isRequest {
            guard let again = instance.again else { continue }
            let names = ["\(number)a.xml", "\(number)b.xml"].map { folder.appending(path: $0) }
            try Data(instance.original).write(to: names[0])
            try Data(again).write(to: names[1])
            files.append((instance, names[0].path, names[1].path))
        }
        guard !files.isEmpty else { return }
        let question = Judges.Question(
            documents: documents.map(\.path), catalog: [:], wrappers: wrappers,
            instances: files.flatMap { [$0.original, $0.again] })
        for (judge, verdict) in try judges.ask(question, work: folder).sorted(by: { $0.key < $1.key }) {
            if let reason = verdict.unusable { report.note("\(judge) cannot read the schemas: \(reason)") }
            for file in files {
                let refused = verdict.refused ?? [:]
                if let reason = refused[file.original], file.instance.isRequest,
                    !FirstRequests.isKnown(reason, of: report.name)
                {
                    report.fail("\(judge) refuses \(file.instance.what): \(reason)")
                } else if let reason = refused[file.original] {
                    report.note("\(judge) refuses \(file.instance.what): \(reason)")
                } else if let reason = refused[file.again] {
                    let text = "\(judge) refuses what was written of \(file.instance.what): \(reason)"
                    // xmllint compares fixed values as texts. That the value is the same has been found already.
                    if reason.contains("fixed value constraint") { report.note(text) } else { report.fail(text) }
                }
            }
        }
    }
}

extension CorpusChecker {
    /// Checks so many at a time; `done` gets each report as soon as those before it are done.
    package func checkAll(
        _ cases: [CorpusCase], jobs: Int, done: (CorpusReport) -> Void
    ) async -> [CorpusReport] {
        var reports = [CorpusReport?](repeating: nil, count: cases.count)
        var told = 0
        await withTaskGroup(of: (Int, CorpusReport).self) { group in
            var next = 0
            func begin() {
                guard next < cases.count else { return }
                let number = next
                let item = cases[number]
                next += 1
                group.addTask {
                    (number, await check(item))
                }
            }
            for _ in 0..<jobs { begin() }
            for await (number, report) in group {
                reports[number] = report
                begin()
                while told < reports.count, let report = reports[told] {
                    done(report)
                    told += 1
                }
            }
        }
        return reports.compactMap { $0 }
    }
}

extension Duration {
    /// To the millisecond.
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds / 1_000_000_000_000_000) / 1000
    }
}
