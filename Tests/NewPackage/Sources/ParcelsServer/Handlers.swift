import Signet

extension Parcels {
    /// What the server does for each operation.
    struct Handlers: Service {
        /// Takes a parcel.
        ///
        /// It takes the header blocks `Headers.session` and `Headers.priority`.
        ///
        /// It gives the header block `Headers.usage`.
        ///
        /// - Throws: `DeclaredFault<AddressProblem>`, as the WSDL declares, beside what any call throws.
        func send(_ input: Send, _ context: OperationContext) async throws -> SendResponse {
            throw SOAPFault.server("The operation send is not built yet.")
        }

        /// Says where a parcel is.
        ///
        /// - Throws: `DeclaredFault<Text>`, as the WSDL declares, beside what any call throws.
        func track(_ input: Track, _ context: OperationContext) async throws -> TrackResponse {
            throw SOAPFault.server("The operation track is not built yet.")
        }

        /// Reports what has not arrived; nobody answers.
        ///
        /// It takes the header block `Headers.session`.
        func lost(_ input: Lost, _ context: OperationContext) async throws {
            throw SOAPFault.server("The operation lost is not built yet.")
        }
    }
}
