#if CommandLine
import HTTPTypes
import Signet
import SignetWSDL

/// Fetches a WSDL and what it imports, as far as the rules allow.
struct Fetcher {
    /// A document as received.
    struct Document: Hashable {
        /// Its address after all redirects.
        var address: WebAddress
        /// The addresses that redirected there.
        var aliases: [WebAddress] = []
        var content: [UInt8]
        var references: [DocumentReference]
    }

    /// A reference that was not followed.
    struct Omission: Hashable {
        var address: String
        var reason: String
    }

    struct Outcome {
        /// The documents; the first one is the requested one.
        var documents: [Document] = []
        var omissions: [Omission] = []
    }

    /// Requests a document; the last argument is the maximum size of the answer, in bytes.
    typealias Get = (_ endpoint: Endpoint, _ party: FetchRules.Party, _ maximumBytes: Int) async throws ->
        ClientResponse

    let rules: FetchRules
    let get: Get

    func run() async throws -> Outcome {
        guard let start = WebAddress(rules.start.url) else {
            throw CommandError("“\(rules.start)” is no address.")
        }
        var outcome = Outcome()
        var seen: Set<WebAddress> = [start]
        var queue: ArraySlice = [start]
        var omitted: Set<Omission> = []
        var bytesLeft = rules.bytes
        // Missing documents and repeated ones also cost a request.
        var asked = 0
        while let next = queue.popFirst() {
            asked += 1
            guard asked <= rules.documents else {
                throw CommandError(
                    "There are more than \(rules.documents) documents behind this address. Allow more with "
                        + "--maximum-documents.")
            }
            let isFirst = outcome.documents.isEmpty
            let document: Document
            do { document = try await fetch(next, bytesLeft) } catch let reason as Refusal where !isFirst {
                outcome.omissions.append(Omission(address: next.description, reason: reason.message))
                continue
            }
            seen.insert(document.address)
            bytesLeft -= document.content.count
            if let index = outcome.documents.firstIndex(where: { $0.address == document.address }) {
                // Another address redirected to the same document.
                outcome.documents[index].aliases += document.aliases
                continue
            }
            for reference in document.references {
                follow(reference, from: document.address, &seen, &queue, &omitted, &outcome)
            }
            outcome.documents.append(document)
        }
        return outcome
    }

    private func follow(
        _ reference: DocumentReference, from address: WebAddress, _ seen: inout Set<WebAddress>,
        _ queue: inout ArraySlice<WebAddress>, _ omitted: inout Set<Omission>, _ outcome: inout Outcome
    ) {
        guard let target = address.resolving(reference.location) else {
            let omission = Omission(address: reference.location, reason: "it is no address of a web server")
            if !reference.isStandard, omitted.insert(omission).inserted { outcome.omissions.append(omission) }
            return
        }
        guard seen.insert(target).inserted else { return }
        // The well-known address of a standard schema is not requested, unless the user wants its own copy.
        if reference.isStandard, (try? rules.check(target)) == nil { return }
        queue.append(target)
    }

    /// The reason why one document is left out while the others are still fetched.
    private struct Refusal: Error, CustomStringConvertible {
        var address: WebAddress
        var message: String
        var description: String { "“\(address)” is not fetched: \(message)." }
    }

    private func fetch(_ address: WebAddress, _ bytesLeft: Int) async throws -> Document {
        var aliases: [WebAddress] = []
        var address = address
        while true {
            let (endpoint, party): (Endpoint, FetchRules.Party)
            do { (endpoint, party) = try rules.check(address) } catch {
                throw Refusal(address: address, message: error.message)
            }
            let response: ClientResponse
            do { response = try await get(endpoint, party, max(bytesLeft, 1)) } catch let error as TransportError
                where error.code == .responseTooLarge
            {
                throw CommandError(
                    "The documents behind this address have more than \(rules.bytes) bytes. Allow more with "
                        + "--maximum-bytes.")
            }
            switch response.status.code {
            case 200:
                guard response.body.count <= bytesLeft else {
                    throw CommandError(
                        "The documents behind this address have more than \(rules.bytes) bytes. Allow more with "
                            + "--maximum-bytes.")
                }
                let references = try DocumentReference.all(in: response.body, file: address.description)
                return Document(
                    address: address, aliases: aliases, content: response.body, references: references)
            case 301, 302, 303, 307, 308:
                let location = response.fields[.location]
                guard let target = location.flatMap({ address.resolving($0) }) else {
                    throw CommandError(
                        "“\(address)” redirects to \(location.map { "“\($0)”, which is no address of a web server" } ?? "nowhere")."
                    )
                }
                guard target != address, !aliases.contains(target) else {
                    throw CommandError("“\(address)” redirects in a circle. Is it the address of the WSDL?")
                }
                guard aliases.count < rules.redirects else {
                    throw CommandError(
                        "“\(address)” redirects to “\(target)”. Fetch that, or follow with --redirects \(aliases.count + 1)."
                    )
                }
                aliases.append(address)
                address = target
            case 404, 410: throw Refusal(address: address, message: "the server has no such document")
            case let status:
                let advice =
                    switch status {
                    case 401, 403: "Authenticate with --user or --identity."
                    case 500...: "Try again later, or ask the operator of the service."
                    default: "Is it the address of the WSDL?"
                    }
                throw CommandError("“\(address)” was answered with the status \(status). \(advice)")
            }
        }
    }
}
#endif
