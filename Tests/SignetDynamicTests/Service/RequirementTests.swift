import SignetSOAP
import SignetWSDL
import Testing

@testable import SignetDynamic

/// The words stand in two modules that know nothing of each other.
@Suite struct RequirementTests {
    @Test(arguments: [
        PolicyRequirement.tls, .clientCertificate, .httpAuthentication("Digest"), .timestamp,
        .usernameToken(.noPassword),
        .usernameToken(.text), .usernameToken(.textWithNonce), .usernameToken(.digest), .addressing, .mtom,
    ])
    func requirementsReadTheSameInAWSDLAndInACall(requirement: PolicyRequirement) {
        #expect(ServiceRequirement(requirement).description == requirement.description)
    }
}
