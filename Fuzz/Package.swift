// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses Signet builds it. `scripts/fuzz` builds it with the sanitizers it needs and
// runs it; see there.
//
// The modules of ours are links into ../Sources: a dependency on the package around this one would fetch all that it depends on,
// and build what its plugins need with the sanitizers too.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Our own modules only: the cryptography of others would take minutes to build with them, and is not what is tried here.
let sanitized = strict + [.unsafeFlags(["-sanitize=fuzzer,address"])]

/// A program whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["Support"] + dependencies, path: "Sources/\(name)",
        // Some files are those of the command, which stand behind its trait.
        swiftSettings: sanitized + [.unsafeFlags(["-parse-as-library"]), .define("CommandLine")],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
}

let package = Package(
    name: "signet-fuzz",
    platforms: [.macOS(.v15)],
    // What the package around has fetched; `scripts/fuzz` sees to it.
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
            // The targets reach inside: past the check that would stop every changed file, to the counters of work.
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
            name: "SignetSOAP",
            dependencies: ["SignetXML", "SignetHTTP", .product(name: "Logging", package: "swift-log")],
            swiftSettings: sanitized),
        .target(
            name: "SignetWSSecurity", dependencies: ["SignetSOAP", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(name: "SignetWSDL", dependencies: ["SignetXML"], swiftSettings: sanitized),
        .target(name: "SignetGeneratorCore", dependencies: ["SignetWSDL"], swiftSettings: sanitized),
        .target(
            name: "SignetDynamic", dependencies: ["SignetWSDL", "SignetSOAP"],
            swiftSettings: sanitized + [.unsafeFlags(["-enable-testing"])]),
        .target(name: "Support", dependencies: ["SignetXML"], swiftSettings: sanitized),
        fuzzer("certificate", ["SignetTLS"]),
        fuzzer("keyfile", ["SignetTLS", .product(name: "SwiftASN1", package: "swift-asn1")]),
        fuzzer("path", ["SignetTLS", .product(name: "Crypto", package: "swift-crypto")]),
        fuzzer("pem", ["SignetTLS"]),
        fuzzer("pkcs7", ["SignetTLS"]),
        fuzzer("challenge", ["SignetAuthentication"]),
        fuzzer("negotiation", ["SignetAuthentication"]),
        fuzzer("dates", ["SignetXML"]),
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
        fuzzer("wssecurity", ["SignetWSSecurity"]),
    ]
)
