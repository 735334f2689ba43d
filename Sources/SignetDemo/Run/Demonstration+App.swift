#if CommandLine
import Foundation
import Signet
import SignetEnrollment
import SignetTesting

/// The app: its first start, and its daily work.
extension Demonstration {
    static let serialNumber = "WE-0815"
    static let patient = "P-4711"

    var appSteps: [Step] {
        [
            Step(title: "The service is up", run: describeService),
            Step(title: "First start: the distribution certificate becomes the device's own", run: register),
            Step(title: "The device makes a key of its own, and the authority certifies it", run: renew),
            Step(title: "The device writes its diary", run: create),
            Step(title: "A question: entries between two dates", run: query),
            Step(title: "An entry is changed, and a change of what was changed meanwhile is refused", run: update),
            Step(title: "An entry is deleted, and is gone", run: delete),
        ]
    }

    private func describeService(_ step: inout StepReport) async throws {
        step.say("WebEase at \(world.address), entries in SQLite")
        step.say("it proves itself by \(world.serverIdentity.leaf.subject), issued by the demo's own authority")
        step.say("it demands: a client certificate of the device authority, and HTTP Basic for the service account")
    }

    private func register(_ step: inout StepReport) async throws {
        let file = try [UInt8](contentsOfFile: world.folder.appendingPathComponent("distribution.p12").path)
        let distribution = try Identity(pkcs12: file, password: world.distributionPassword)
        try await world.identities.store(distribution, label: World.distributionLabel)
        step.say("the app has only \(distribution.leaf.subject), from a password-protected PKCS#12 file")

        let app = WebEase.Client(try world.configuration(identity: World.distributionLabel))
        let answer = try await app.register(.init(serialNumber: Self.serialNumber, model: "Tensio 3"))
        step.say(world.report)
        let own = try Identity(pkcs12: answer.identity.bytes, password: answer.password)
        step.say("registered: received \(own.leaf.subject) as PKCS#12, \(answer.identity.bytes.count) bytes")

        try await replacement(app).replace(with: own)
        try await app.shutdown()
        step.say(world.report)
        let labels = try await world.identities.labels()
        guard labels == [World.deviceLabel] else { throw Failure("The store holds \(labels).") }
        step.say("kept under the label “\(World.deviceLabel)”; the distribution identity is dropped")
    }

    /// A new identity must have worked in a call before the one in use is removed.
    private func replacement(_ app: WebEase.Client) throws -> IdentityReplacement {
        let service = try world.configuration(identity: nil)
        let proof = IdentityProof(trust: service.trust, over: transport(service)) { transport in
            _ = try await app.with { $0.transport = transport }.logEntryQuery(.init(patientId: Self.patient))
        }
        var replacement = IdentityReplacement(
            of: World.deviceLabel, in: world.identities, retiring: World.distributionLabel, provedBy: proof)
        replacement.requirements.authorities = .anchors(world.deviceAuthority.bundle)
        return replacement
    }

    private func transport(_ service: ServiceConfiguration) -> IdentityTransport {
        { identity, trust in
            var service = service
            service.identity = identity.map { .fixed($0) }
            service.trust = trust
            return try service.makeTransport()
        }
    }

    func enrollment(_ app: WebEase.Client) throws -> Enrollment {
        let service = try world.configuration(identity: nil)
        let enroller = try ESTEnroller(
            at: Endpoint(world.registrationAddress), trust: service.trust, over: transport(service))
        return Enrollment(
            with: enroller, as: try SubjectName("CN=WebEase device \(Self.serialNumber)"), into: try replacement(app))
    }

    private func renew(_ step: inout StepReport) async throws {
        let app = try world.device()
        let sent = try await world.identities.identity(label: World.deviceLabel)
        let own = try await enrollment(app).run()
        try await app.shutdown()
        guard let sent, own.leaf.subject == sent.leaf.subject, own.leaf.publicKeySHA256 != sent.leaf.publicKeySHA256
        else { throw Failure("The device has the certificate \(own.leaf.subject).") }
        step.say("the service made the first key, and knows it; the device made another one, which it does not send")
        step.say("EST at \(world.registrationAddress): the device proved itself by the first identity")
        step.say("certified: \(own.leaf.subject), until \(own.leaf.notAfter.map(UnixTime.text) ?? "an unknown time")")
        step.say(world.report)
        step.say("the service accepted it in a call; it has taken the place of the first one")
    }

    private func create(_ step: inout StepReport) async throws {
        let device = try world.device()
        let entries: [(String, Int32, Int32, String, Nillable<String>?, WebEase.EntryKind, [String])] = [
            ("2026-10-30", 131, 84, "81.40", nil, .device, []),
            ("2026-11-02", 142, 91, "81.9", "after the <stairs> & in a hurry", .device, ["evening", "sport"]),
            ("2026-11-09", 128, 82, "81.05", .null, .manual, ["morning"]),
            ("2026-11-21", 135, 86, "80.7", "Grüße 😀", .imported, []),
        ]
        for (date, systolic, diastolic, weight, note, kind, tags) in entries {
            guard let date = XSDDate(date), let weight = XSDDecimal(weight) else { throw Failure("A bad value.") }
            _ = try await device.logEntryCreate(
                .init(
                    entry: .init(
                        patientId: Self.patient, entryDate: date, systolic: systolic, diastolic: diastolic,
                        weight: weight,
                        pulse: 71, flagged: systolic > 140, note: note, kind: kind, tag: tags,
                        attachment: XSDBase64Binary([0, 1, 2, 255]), source: Self.serialNumber)))
        }
        step.say("\(entries.count) entries written over one connection")
        step.say(world.report)
        try await device.shutdown()
    }

    private func query(_ step: inout StepReport) async throws {
        let (first, last): (XSDDate, XSDDate) = ("2026-11-01", "2026-11-15")
        let device = try world.device()
        let answer = try await device.logEntryQuery(
            .init(patientId: Self.patient, entryDate: .init(operator: .between, value: first, upper: last)))
        step.lines += EntryTable.lines(answer.entry)
        step.say(world.report)
        let dates = answer.entry.map(\.entryDate.lexicalForm)
        guard dates == ["2026-11-02", "2026-11-09"], answer.entry.first?.note == "after the <stairs> & in a hurry",
            answer.entry.last?.note == .null, answer.entry.first?.weight == "81.9",
            answer.entry.first?.attachment?.bytes == [0, 1, 2, 255], answer.entry.first?.source == Self.serialNumber
        else { throw Failure("These are not the entries that were written: \(dates).") }
        try await device.shutdown()
    }

    private func entries(_ device: WebEase.Client) async throws -> [WebEase.LogEntry] {
        try await device.logEntryQuery(.init(patientId: Self.patient)).entry
    }

    private func update(_ step: inout StepReport) async throws {
        let device = try world.device()
        guard var entry = try await entries(device).first else { throw Failure("There is no entry.") }
        let old = entry
        entry.flagged = true
        entry.kind = .corrected
        entry.tag = ["checked"]
        let changed = try await device.logEntryUpdate(.init(entry: entry)).entry
        step.lines += EntryTable.lines([changed])
        guard changed.revision == old.revision + 1, changed.kind == .corrected, changed.tag == ["checked"] else {
            throw Failure("The change did not arrive.")
        }
        do {
            _ = try await device.logEntryUpdate(.init(entry: old))
            throw Failure("A change of an old revision was accepted.")
        } catch let fault as DeclaredFault<WebEase.EntryConflict> {
            step.say("the old revision again: \(fault.fault.reason) It is at \(fault.detail.currentRevision) now.")
        }
        step.say(world.report)
        try await device.shutdown()
    }

    private func delete(_ step: inout StepReport) async throws {
        let device = try world.device()
        guard let entry = try await entries(device).last else { throw Failure("There is no entry.") }
        _ = try await device.logEntryDelete(.init(id: entry.id))
        do {
            _ = try await device.logEntryDelete(.init(id: entry.id))
            throw Failure("A deleted entry was deleted again.")
        } catch let fault as DeclaredFault<WebEase.EntryNotFound> {
            step.say("entry \(entry.id) is deleted; once more: \(fault.fault.reason)")
        }
        step.lines += EntryTable.lines(try await entries(device))
        step.say(world.report)
        try await device.shutdown()
    }
}
#endif
