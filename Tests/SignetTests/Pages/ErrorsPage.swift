import ReferenceServices
import Signet

// The code of the article Errors.

private func diagnose(
    _ webEase: WebEase.Client, _ input: WebEase.LogEntryQuery, logger: Logger, renew: () async -> Void
) async {
    do {
        _ = try await webEase.logEntryQuery(input)
    } catch {
        logger.error("\(error)", metadata: ["diagnosis": "\(error.diagnosis?.summary ?? "none")"])
        if error.diagnosis?.mostLikely?.code == .identityExpired { await renew() }
    }
}

private func meetErrors(_ webEase: WebEase.Client) async throws {
    do {
        _ = try await webEase.register(.init(serialNumber: "0815"))
    } catch let fault as DeclaredFault<WebEase.RegistrationRefused> {
        print(fault.detail.explanation)  // a fault that the WSDL declares, with a typed detail
    } catch let fault as SOAPFault {
        print(fault.code, fault.reason)  // any other fault of the service
    } catch let error as ServiceError {  // the answer is not what the WSDL promises, or the call could not be written
        print(error.code, error.answer?.status ?? 0)
    } catch let error as TrustError {  // the client does not trust the server
        print(error.code, error.rule?.reference ?? "")
    } catch let error as AuthenticationError {  // the server does not accept the credentials
        print(error.code, error.space?.realm ?? "")
    } catch let error as TransportError {  // no connection, no answer in time, or the client certificate was refused
        print(error.code, error.mayHaveBeenProcessed)
    }
}
