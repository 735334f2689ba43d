import Signet

/// Reads only the needed parts of an answer, into a dictionary and into a type of its own.
enum OnlyPieces {
    struct Pressure: Hashable {
        var systolic: Int32 = 0
        var diastolic: Int32 = 0
    }

    static func run(_ caller: ServiceCaller) async throws {
        // The generated operation with another output: the answer's element as received.
        let query = WebEase.Operations.logEntryQuery
        let operation = ServiceOperation<WebEase.LogEntryQuery, XMLAny>(
            name: query.name, soapAction: query.soapAction, version: query.version, input: query.input,
            output: query.output, faults: query.faults)
        let answer = try await caller.call(operation, .init(patientId: "4711"))

        let pressures = try answer.read { reader in
            var pressures: [String: Pressure] = [:]
            while try reader.nextChild() {
                guard reader.elementName == "entry" else {
                    try reader.skipElement()
                    continue
                }
                var day = ""
                var pressure = Pressure()
                while try reader.nextChild() {
                    switch reader.elementName {
                    case "entryDate": day = try reader.elementText()
                    case "systolic": pressure.systolic = try reader.value()
                    case "diastolic": pressure.diastolic = try reader.value()
                    default: try reader.skipElement()
                    }
                }
                pressures[day] = pressure
            }
            return pressures
        }
        for (day, pressure) in pressures.sorted(by: { $0.key < $1.key }) {
            print(day, "\(pressure.systolic)/\(pressure.diastolic)")
        }
    }
}
