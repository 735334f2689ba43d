extension SwiftName {
    /// Whether a type of a service must not have this name, because it would hide a type that generated code uses, or a
    /// common type that programs use beside it.
    static func isReservedType(_ name: String) -> Bool { reservedTypes.contains(name) || name.hasPrefix("XSD") }

    /// Whether a type's name, such as `[Nillable<XSDDate>]`, names a type of the runtime.
    ///
    /// - Parameter isExternal: whether the configuration names the type, which may come from any module.
    static func namesRuntime(_ type: String, isExternal: Bool = false) -> Bool {
        type.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.contains { name in
            !isExternal && name.hasPrefix("XSD") || reservedRuntime.contains(String(name))
                || name.hasPrefix("Signet") && name.contains(".")
        }
    }

    private static let reservedRuntime = runtime.union(
        BuiltInType.allCases.map(\.swiftName).filter { $0.hasPrefix("XSD") } + ["XSDList"])

    /// The names for ``isReservedType(_:)`` that are listed individually; a test compares them with the library.
    static let reservedTypes = Set(BuiltInType.allCases.map(\.swiftName)).union(runtime).union(standard)
        .union(serviceMembers)

    /// The declarations inside the enum of a service.
    private static let serviceMembers: Set<String> = ["API", "Client", "Headers", "Operations", "Ports", "Service"]

    private static let standard: Set<String> = [
        "Any", "AnyHashable", "AnyObject", "Array", "Bool", "Character", "Codable", "Collection", "Comparable",
        "CustomStringConvertible", "Decodable", "Dictionary", "Double", "Encodable", "Equatable", "Error", "Float",
        "Hashable", "Hasher", "Identifiable", "Int", "Int8", "Int16", "Int32", "Int64", "Never", "Optional", "Protocol",
        "Range", "RawRepresentable", "Result", "Self", "Sendable", "Sequence", "Set", "String", "Substring", "Swift",
        "Task", "Type", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Void",
    ]

    private static let runtime: Set<String> = [
        "AnswerAttachments", "AnswerHeaderBlocks", "MessageAttachment", "AttachmentError", "AttachmentLimits",
        "AttachmentPieces",
        "AttachmentSettings", "CallMiddleware", "ClientRequest", "ClientResponse", "ClientTransport", "CookieJar",
        "CookiePolicy",
        "Deadlines", "DeclaredFault", "Endpoint", "EndpointError", "ExchangeReport", "FaultBinding", "HTTPBody",
        "HTTPInput", "HTTPOperation", "HTTPVerb",
        "HeaderBlock", "HeaderElement", "Nillable", "NillableMessage", "OneWayOperation", "OperationAnswer",
        "Origin", "PeerDescription",
        "Proxy",
        "ProxyExceptions", "ProxyLogin", "ProxyRules",
        "ReceivedHeaderBlock", "ReceivedName", "RedirectPolicy", "RedirectingTransport", "SOAPFault", "SOAPMessage",
        "SOAPRole",
        "SOAPVersion", "SecretName", "ServerRequest", "ServiceAnswer",
        "ServiceCall",
        "ServiceCaller", "ServiceClient", "OperationContext", "ServiceDispatcher", "ServiceError",
        "ServiceMiddleware", "ServiceOperation",
        "ServicePort", "ServiceRequirement", "ServiceRoute", "ServiceStream", "TransportError", "XMLAny",
        "XMLAnyAttribute", "XMLBox",
        "XMLChoice",
        "XMLDerivable",
        "XMLDerived", "XMLDeviation", "XMLDoctype", "XMLElementSequence", "XMLEnumeration",
        "XMLError", "XMLExcerpt", "XMLFielded", "XMLFields", "XMLFragment", "XMLFramer", "XMLInclusion",
        "XMLInclusionSource",
        "XMLIndentation",
        "XMLLimits", "XMLName",
        "XMLNamespace", "XMLDocumentPrefix", "XMLReader", "XMLCanonicalization", "XMLCanonicalSegment", "XMLStructure",
        "XMLTable",
        "XMLTolerance",
        "XMLTypeRegistry",
        "XMLUnion", "XMLUnionMember", "XMLValue", "XMLViolation", "XMLWriter",
    ]
}
