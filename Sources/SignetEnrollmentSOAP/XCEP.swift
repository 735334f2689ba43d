import SignetSOAP

/// The messages of MS-XCEP (§3.1.4.1). Everything in an answer may be absent or nil, and numbers and flags are texts: what
/// cannot be read matters only for the policies that need it.
enum XCEP {
    static let namespace = "http://schemas.microsoft.com/windows/pki/2009/01/enrollmentpolicy"
    private static func name(_ local: String) -> XMLName { XMLName(XMLNamespace(namespace), local) }

    static let operation = ServiceOperation<Request, Answer>(
        name: "GetPolicies", soapAction: namespace + "/IPolicy/GetPolicies", version: .soap12,
        input: name("GetPolicies"), output: name("GetPoliciesResponse"))

    struct Request: XMLStructure {
        var client = Client()
        private var filter: String?

        init() {}
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "client requestFilter")
            fields.field(&x.client)
            fields.nillableField(&x.filter)
        }
    }

    struct Client: XMLStructure {
        private var lastUpdate: String?
        private var preferredLanguage: String?

        init() {}
        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "lastUpdate preferredLanguage")
            fields.nillableField(&x.lastUpdate)
            fields.nillableField(&x.preferredLanguage)
        }
    }

    struct Answer: XMLStructure {
        var response: Response?
        var authorities: Authorities?
        var identifiers: Identifiers?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "response? cAs? oIDs?")
            fields.field(&x.response)
            fields.field(&x.authorities)
            fields.field(&x.identifiers)
        }
    }

    struct Response: XMLStructure {
        var name: String?
        var policies: Policies?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "policyFriendlyName? policies?")
            fields.field(&x.name)
            fields.field(&x.policies)
        }
    }

    struct Policies: XMLStructure {
        var all: [Policy] = []

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "policy*")
            fields.field(&x.all)
        }
    }

    struct Policy: XMLStructure {
        var identifier: String?
        var authorities: References?
        var attributes: Attributes?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "policyOIDReference? cAs? attributes?")
            fields.field(&x.identifier)
            fields.field(&x.authorities)
            fields.field(&x.attributes)
        }
    }

    struct References: XMLStructure {
        var all: [String] = []

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "cAReference*")
            fields.field(&x.all)
        }
    }

    struct Attributes: XMLStructure {
        var name: String?
        var validity: Validity?
        var permission: Permission?
        var key: KeyAttributes?
        var keyFlags: String?
        var agents: Agents?
        var extensions: Extensions?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(
                [XCEP.namespace],
                elements:
                    "commonName? certificateValidity? permission? privateKeyAttributes? privateKeyFlags? rARequirements? extensions?"
            )
            fields.field(&x.name)
            fields.field(&x.validity)
            fields.field(&x.permission)
            fields.field(&x.key)
            fields.field(&x.keyFlags)
            fields.field(&x.agents)
            fields.field(&x.extensions)
        }
    }

    struct Validity: XMLStructure {
        var validity: String?
        var renewal: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "validityPeriodSeconds? renewalPeriodSeconds?")
            fields.field(&x.validity)
            fields.field(&x.renewal)
        }
    }

    struct Permission: XMLStructure {
        var mayEnroll: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "enroll?")
            fields.field(&x.mayEnroll)
        }
    }

    struct KeyAttributes: XMLStructure {
        var bits: String?
        var algorithm: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "minimalKeyLength? algorithmOIDReference?")
            fields.field(&x.bits)
            fields.field(&x.algorithm)
        }
    }

    /// Registration authorities that must sign as well.
    struct Agents: XMLStructure {
        var signatures: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "rASignatures?")
            fields.field(&x.signatures)
        }
    }

    struct Extensions: XMLStructure {
        var all: [Extension] = []

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "extension*")
            fields.field(&x.all)
        }
    }

    struct Extension: XMLStructure {
        var identifier: String?
        var isCritical: String?
        var value: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "oIDReference? critical? value?")
            fields.field(&x.identifier)
            fields.field(&x.isCritical)
            fields.field(&x.value)
        }
    }

    struct Authorities: XMLStructure {
        var all: [Authority] = []

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "cA*")
            fields.field(&x.all)
        }
    }

    struct Authority: XMLStructure {
        var services: Services?
        var certificate: String?
        var mayEnroll: String?
        var reference: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(
                [XCEP.namespace], elements: "uris? certificate? enrollPermission? cAReferenceID?")
            fields.field(&x.services)
            fields.field(&x.certificate)
            fields.field(&x.mayEnroll)
            fields.field(&x.reference)
        }
    }

    struct Services: XMLStructure {
        var all: [Service] = []

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "cAURI*")
            fields.field(&x.all)
        }
    }

    struct Service: XMLStructure {
        var authentication: String?
        var uri: String?
        var priority: String?
        var isForRenewal: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(
                [XCEP.namespace], elements: "clientAuthentication? uri? priority? renewalOnly?")
            fields.field(&x.authentication)
            fields.field(&x.uri)
            fields.field(&x.priority)
            fields.field(&x.isForRenewal)
        }
    }

    struct Identifiers: XMLStructure {
        var all: [Identifier] = []

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "oID*")
            fields.field(&x.all)
        }
    }

    struct Identifier: XMLStructure {
        var value: String?
        var reference: String?

        init(_decoding: Void) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([XCEP.namespace], elements: "value? oIDReferenceID?")
            fields.field(&x.value)
            fields.field(&x.reference)
        }
    }
}
