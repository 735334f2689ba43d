import Foundation
import Signet
import SignetDynamic

/// Calls the same service with only its WSDL: for apps that call services unknown at build time.
enum WithoutGeneratedCode {
    static func run(_ caller: ServiceCaller) async throws {
        let wsdl = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "WebEase.wsdl")
        let webEase = DynamicClient(
            try DynamicService(contentsOfFile: wsdl.path(percentEncoded: false), port: "WebEasePort"), caller)
        let answer = try await webEase.call("LogEntryQuery", ["patientId": "4711"])
        print(answer.json(pretty: true))
        do {
            _ = try await webEase.call("LogEntryDelete", ["id": 99])
        } catch let fault as DynamicFault {
            print(fault.element, fault.detail.json(pretty: false))
        }
    }
}
