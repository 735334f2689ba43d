import Observation
import Signet
import SignetTesting

/// The logic of an app without its views: a program plays the user, against a service in the same process.
@main @MainActor enum Example {
    static func main() async throws {
        let authority = try CertificateAuthority(commonName: "WebEase authority")
        let server = try Hospital(authority: authority).server(try authority.issueServer(dnsNames: ["localhost"]))
        var service = try ServiceConfiguration("https://localhost:\(try await server.start())/soap")
        service.trust = .anchors(authority.bundle)

        let identities = MemoryIdentityStore(["app": try authority.issueClient(commonName: "WebEase app")])
        let device = Device(service, user: "P-4711", identities: identities)
        let client = try device.diary()
        let model = DiaryModel(of: "P-4711", in: client, on: device)
        let screen = Screen(model)

        screen.user("opens the app")
        await model.load()
        screen.user("registers the device")
        await model.enroll(serialNumber: "WE-7")
        screen.user("types a wrong password, then the right one")
        await model.signIn(password: "black tea")
        await model.signIn(password: Hospital.password)
        screen.user("adds two entries")
        await model.add(systolic: 128, diastolic: 82, weight: "81.4", on: "2026-11-01")
        await model.add(systolic: 141, diastolic: 90, weight: "81.9", on: "2026-11-02")
        screen.user("deletes one of them, twice")
        for _ in 0..<2 { await model.delete(1) }
        screen.user("loads the diary again, and cancels that")
        let loading = Task { await model.load() }
        while !model.isLoading { await Task.yield() }
        model.cancel()
        await loading.value

        screen.user("comes into a network where another server answers")
        var elsewhere = service
        elsewhere.trust = .anchors(try CertificateAuthority(commonName: "Another authority").bundle)
        let intercepted = Device(elsewhere, user: "P-4711", identities: identities)
        let interceptedClient = try intercepted.diary()
        let other = DiaryModel(of: "P-4711", in: interceptedClient, on: intercepted)
        await other.load()
        Screen(other).draw()

        screen.user("loads the diary while the service is down")
        await server.shutdown()
        await model.load()
        screen.draw()
        try await client.shutdown()
        try await interceptedClient.shutdown()
    }
}

/// Stands for a view: it prints the state of the model whenever that changes.
@MainActor final class Screen {
    private let model: DiaryModel
    private var shown = ""

    init(_ model: DiaryModel) {
        self.model = model
        watch()
    }

    func user(_ action: String) {
        draw()
        print("The user \(action).")
    }

    private func watch() {
        withObservationTracking {
            draw()
        } onChange: {
            // The change comes after this.
            Task { @MainActor in self.watch() }
        }
    }

    func draw() {
        let entries = model.entries.map { "\($0.systolic)/\($0.diastolic)" }.joined(separator: ", ")
        var text = model.isLoading ? "loading…" : "entries: \(entries.isEmpty ? "none" : entries)"
        if let problem = model.problem, !model.isLoading {
            text += "\n      \(problem.text)\n      next: \(problem.nextStep.map { "\($0)" } ?? "nothing")"
        }
        if text != shown { print("   ", text) }
        shown = text
    }
}
