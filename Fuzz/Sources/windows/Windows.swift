import SignetEnrollment
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetWSSecurity
import Support

@testable import SignetEnrollmentSOAP

private let key = try? KeyPair.generate(.p256)

/// What the enrollment services of Windows answer: certificates, policies, and the details of faults.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.number(below: 3)
    guard let fragment = try? XMLFragment(parsing: input.rest()) else { return 0 }
    switch kind {
    case 0:
        guard let answer = try? fragment.structure() as SecurityTokenResponses,
            let origin = try? Endpoint("https://ca.example/").origin, let key
        else { return 0 }
        do {
            switch try WSTEPAnswer(answer, from: origin, asking: nil, for: key) {
            case .issued(let certificates): require(!certificates.isEmpty, "issued without a certificate")
            case .pending(let number): require(Int(number) ?? 0 >= 0, "the number \(number)")
            }
        } catch { require(!"\(error)".isEmpty, "an error says nothing") }
    case 1:
        guard let answer = try? fragment.structure() as XCEP.Answer else { return 0 }
        let policies = EnrollmentPolicies(answer)
        for policy in policies.policies {
            if let bits = (try? policy.demands())?.key?.rsaBits {
                require((2048...4096).contains(bits), "a key of \(bits) bits")
            }
            for authentication in [EnrollmentPolicies.Authentication.certificate, .kerberos] {
                guard let found = try? policies.service(for: policy.name, by: authentication) else { continue }
                require(found.service.endpoint.origin.scheme == .https, "a service without TLS")
            }
        }
    default:
        if let detail = try? fragment.structure() as WSTEPDetail { _ = detail.advice }
    }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}
