import Signet

/// What the user of the app does next.
enum NextStep: Sendable, Hashable {
    /// Register the device: it has no identity, or one that the service no longer accepts.
    case enroll
    /// Type in the password.
    case typePassword
    /// Try again later; nothing is wrong with the app.
    case tryAgain
    /// Accept nothing: the server did not prove that it is the right one. An app for patients has no button to go on
    /// nevertheless.
    case acceptNothing
    /// Send ``Problem/report`` to the support.
    case askSupport
}

/// What went wrong, for the user.
struct Problem: Sendable, Hashable {
    /// A sentence or two.
    let text: String
    /// Nil when there is nothing to do.
    let nextStep: NextStep?
    /// A page for the support, without secrets.
    let report: String

    /// - Parameter error: what a call, or an enrollment, has thrown.
    init(_ error: any Error) {
        let diagnosis = error.diagnosis
        report = diagnosis?.text ?? "\(error)"
        let title = diagnosis?.mostLikely?.title ?? "\(error)"
        switch error {
        case is DeclaredFault<WebEase.EntryNotFound>:
            (text, nextStep) = ("This entry is gone already.", nil)
        case let fault as DeclaredFault<WebEase.RegistrationRefused>:
            (text, nextStep) = (fault.detail.explanation, .askSupport)
        case let error as AuthenticationError where error.code == .credentialsRequired:
            (text, nextStep) = ("The service asks for your password.", .typePassword)
        case let error as AuthenticationError where error.code == .credentialsRefused:
            (text, nextStep) = ("The password is wrong.", .typePassword)
        case is TrustError:
            (text, nextStep) = ("This may not be the real service, and nothing was sent. \(title)", .acceptNothing)
        case let error as IdentityStoreError where error.code == .notFound:
            (text, nextStep) = ("This device is not registered yet.", .enroll)
        default:
            // The diagnosis says who has to act.
            switch diagnosis?.mostLikely {
            case let finding? where Self.enrollmentHelps.contains(finding.code): (text, nextStep) = (title, .enroll)
            case let finding? where finding.party == .network || error is TransportError:
                (text, nextStep) = (title, .tryAgain)
            default: (text, nextStep) = (title, .askSupport)
            }
        }
    }

    /// The findings about a certificate in whose place the device can have a new one.
    private static let enrollmentHelps: Set<Diagnosis.Finding.Code> = [
        .clientCertificateRequired, .identityExpired, .identityRevoked, .certificateNotRegistered,
    ]
}
