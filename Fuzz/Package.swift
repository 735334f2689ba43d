// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that users of Signet do not build it. `scripts/fuzz` builds it with the sanitizers it needs
// and runs it; see there.
//
// Signet's modules are links into ../Sources: a dependency on the surrounding package would fetch all its dependencies,
// and build what its plugins need with the sanitizers too.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// The sanitizers are for Signet's own modules only: third-party cryptography would take minutes to build with them, and
// is not under test here.
let sanitized = strict + [.unsafeFlags(["-sanitize=fuzzer,address"])]

/// A program whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["Support"] + dependencies, path: "Sources/\(name)",
        // Some files belong to the command, whose code is behind its trait.
        swiftSettings: sanitized + [.unsafeFlags(["-parse-as-library"]), .define("CommandLine")],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}

let package = Package(
    name: "signet-fuzz",
    platforms: [.macOS(.v15)],
    // The packages that the surrounding package has fetched; `scripts/fuzz` ensures that they are there.
    dependencies: [
        .package(path: "../.build/checkouts/swift-asn1"), .package(path: "../.build/checkouts/swift-crypto"),
        .package(path: "../.build/checkouts/swift-http-types"), .package(path: "../.build/checkouts/swift-log"),
    ],
    targets: [
        .target(name: "SignetXML", swiftSettings: sanitized),
        .target(
            name: "SignetTLS",
            dependencies: [
                .product(name: "SwiftASN1", package: "swift-asn1"), .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            // The targets use internals: they skip the MAC, which would stop every changed file, and read the counters
            // of work.
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "SignetAuthentication",
            dependencies: [
                .product(name: "SwiftASN1", package: "swift-asn1"), .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "SignetHTTP", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")],
            swiftSettings: sanitized),
        .target(
            name: "SignetCredentials",
            dependencies: [
                "SignetAuthentication", "SignetTLS", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: sanitized),
        .target(
            name: "SignetEnrollment",
            dependencies: [
                "SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetTLS",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "SignetSOAP",
            dependencies: ["SignetXML", "SignetHTTP", .product(name: "Logging", package: "swift-log")],
            swiftSettings: sanitized),
        .target(
            name: "SignetSignature",
            dependencies: [
                "SignetTLS", "SignetXML", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: sanitized),
        .target(
            name: "SignetWSSecurity",
            dependencies: [
                "SignetCredentials", "SignetSOAP", "SignetSignature", "SignetTLS", "SignetXML",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "SignetEnrollmentSOAP", dependencies: ["SignetEnrollment", "SignetSOAP", "SignetWSSecurity"],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        // Only what reads datagrams: the sockets need SwiftNIO.
        .target(
            name: "SignetDiscovery", dependencies: ["SignetHTTP", "SignetSOAP", "SignetTLS", "SignetXML"],
            exclude: ["Socket"], swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(name: "SignetWSDL", dependencies: ["SignetXML"], swiftSettings: sanitized),
        .target(name: "SignetGeneratorCore", dependencies: ["SignetWSDL"], swiftSettings: sanitized),
        .target(
            name: "SignetDynamic", dependencies: ["SignetWSDL", "SignetSOAP"],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(name: "Support", dependencies: ["SignetXML"], swiftSettings: sanitized),
        .target(
            name: "SignetCollections",
            dependencies: ["SignetDynamic", "SignetHTTP", "SignetSOAP", "SignetWSDL", "SignetXML"],
            swiftSettings: sanitized),
        fuzzer("certificate", ["SignetTLS"]),
        fuzzer("keyfile", ["SignetTLS", .product(name: "SwiftASN1", package: "swift-asn1")]),
        fuzzer("path", ["SignetTLS", .product(name: "Crypto", package: "swift-crypto")]),
        fuzzer("pem", ["SignetTLS"]),
        fuzzer("pkcs7", ["SignetTLS"]),
        fuzzer("handshake", ["SignetTLS"]),
        fuzzer("enrollment", ["SignetEnrollment", .product(name: "HTTPTypes", package: "swift-http-types")]),
        fuzzer("request", ["SignetTLS"]),
        fuzzer("revocation", ["SignetTLS"]),
        fuzzer("scep", ["SignetEnrollment"]),
        fuzzer("windows", ["SignetEnrollmentSOAP"]),
        fuzzer("challenge", ["SignetAuthentication"]),
        fuzzer("negotiation", ["SignetAuthentication"]),
        fuzzer("canonical", ["SignetXML"]),
        fuzzer("collections", ["SignetCollections"]),
        fuzzer("dates", ["SignetXML"]),
        fuzzer("discovery", ["SignetDiscovery"]),
        fuzzer("doctype", ["SignetXML"]),
        fuzzer("encodings", ["SignetXML"]),
        fuzzer("numbers", ["SignetXML"]),
        fuzzer("reader", ["SignetXML"]),
        fuzzer("scanner", ["SignetXML"]),
        fuzzer("strings", ["SignetXML"]),
        fuzzer("structure", ["SignetXML"]),
        fuzzer("writer", ["SignetXML"]),
        fuzzer("graphs", ["SignetDynamic", "SignetGeneratorCore", "SignetSOAP", "SignetWSDL"]),
        fuzzer("multipart", ["SignetSOAP"]),
        fuzzer("wsdl", ["SignetGeneratorCore", "SignetWSDL"]),
        fuzzer("signature", ["SignetSignature"]),
        fuzzer("message", ["SignetWSSecurity"]),
        fuzzer("encryption", ["SignetWSSecurity"]),
        fuzzer("wssecurity", ["SignetWSSecurity"]),
    ]
)
