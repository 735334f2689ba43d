import SignetCollections
import Support

/// A file that is offered as a collection of requests, of any format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    do throws(CollectionError) {
        let collection = try RequestCollection(input.rest(), name: "file")
        require(collection.requests.count <= RequestCollection.maximumRequests, "there are too many requests")
        require(collection.keyStores.count <= RequestCollection.maximumKeyStores, "there are too many key stores")
        for request in collection.requests {
            require(
                request.problem != nil || request.content?.isEmpty == false,
                "a request without a message has no problem")
            require(request.problem != nil || request.isSOAP12 != nil, "a request without an envelope has no problem")
            require((request.problem?.unicodeScalars.count ?? 0) < 4_000, "a problem repeats too much of the file")
        }
    } catch {
        require(error.file == "file" && !error.message.isEmpty, "an error does not say what is wrong and where")
    }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}
