import Foundation
import Signet
import SignetDynamic
import Testing

@testable import ParcelsServer

/// Calls the handlers without a network, with an example that is made from the schema.
@Suite struct HandlersTests {
    private static let wsdl = URL(filePath: #filePath)
        .appending(path: "../../../Sources/ParcelsServer/Parcels.wsdl").standardized.path

    @Test(arguments: ["send", "track", "lost"])
    func eachOperationIsAnswered(operation: String) async throws {
        let service = try DynamicService(contentsOfFile: Self.wsdl)
        let dispatcher = Parcels.dispatcher(Parcels.Handlers())
        let client = DynamicClient(
            service,
            ServiceCaller(
                endpoint: try Endpoint("http://parcels-server.test"), transport: InProcessTransport(dispatcher)))
        do {
            _ = try await client.call(operation, service.sample(of: operation))
        } catch let fault as SOAPFault {
            // Expect an answer instead, as soon as the handler gives one.
            #expect(fault.reason == "The operation \(operation) is not built yet.")
        }
    }
}
