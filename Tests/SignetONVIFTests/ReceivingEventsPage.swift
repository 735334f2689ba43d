import Signet
import SignetONVIF
import SignetWSSecurity

/// The code of the article ReceivingEvents, which is compiled and not run. A test of Signet compares the articles with
/// such files.
private struct ReceivingEventsPage {
    private struct Archive { func readAgain() async {} }
    /// Stands for generated code.
    private struct LicensePlate: XMLStructure {
        var plate = ""
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names("urn:example:vendor", elements: "plate")
            fields.field(&x.plate)
        }
    }

    private func loop(_ camera: ONVIFDevice) async throws {
        let motion = ONVIFTopic.onvif("RuleEngine/CellMotionDetector/Motion")
        try await camera.withNotifications(matching: .init(topics: [motion])) { notifications in
            for try await notification in notifications {
                guard let isMotion = notification.data.value("IsMotion", as: Bool.self) else { continue }
                print(notification.source["Rule"] ?? "-", isMotion ? "moves" : "is quiet")
            }
        }
    }

    private func own(_ notification: ONVIFNotification) throws {
        if let element = notification.data.elements["LicensePlate"] {
            print(try element.structure(LicensePlate.self).plate)
        }
        print(try notification.decode(as: XMLAny.self).children.count)
    }

    private func gaps(_ camera: ONVIFDevice, _ archive: Archive) async throws {
        try await camera.withNotifications(onGap: { gap in
            print("Events may be lost:", gap.cause)
            await archive.readAgain()
        }) { notifications in
            for try await notification in notifications { print(notification) }
        }
    }
}
