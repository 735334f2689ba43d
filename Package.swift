// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Of tests less is asked: which module of the system a C type belongs to is not the same everywhere.
let strictest = strict + [.enableUpcomingFeature("MemberImportVisibility")]

/// A module of ours. Each use of what is unsafe is marked, but in SignetXML: there nearly each line of the reader would be, and the
/// marks would say nothing.
func ours(_ name: String, _ dependencies: [Target.Dependency] = [], plugins: [Target.PluginUsage] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: name == "SignetXML" ? ["Codec/README.md"] : [],
        swiftSettings: strictest + (name == "SignetXML" ? [] : [.strictMemorySafety()]), plugins: plugins)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name)] + dependencies, exclude: exclude,
        swiftSettings: strict)
}

let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioCompression: Target.Dependency = .product(name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHTTPTypes: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP2: Target.Dependency = .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")

let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

// What only some programs need is fetched for those that ask for it by a trait; see the article ProductsAndTraits.
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"]))
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"]))
let inMemoryTracing: Target.Dependency = .product(
    name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Observability"]))
let metrics: Target.Dependency = .product(
    name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Observability"]))
let metricsTestKit: Target.Dependency = .product(
    name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Observability"]))
let tracing: Target.Dependency = .product(
    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Observability"]))
let hummingbird: Target.Dependency = .product(
    name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Server"]))
let hummingbirdCore: Target.Dependency = .product(
    name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Server"]))
let configuration: Target.Dependency = .product(
    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Server"]))
let serviceLifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Server"]))
let unixSignals: Target.Dependency = .product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Server"]))

let package = Package(
    name: "signet",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Signet", targets: ["Signet"]),
        .library(name: "SignetAEAT", targets: ["SignetAEAT"]),
        .library(name: "SignetAuthentication", targets: ["SignetAuthentication"]),
        .library(name: "SignetCredentialsPostgreSQL", targets: ["SignetCredentialsPostgreSQL"]),
        .library(name: "SignetCredentialsSQLite", targets: ["SignetCredentialsSQLite"]),
        .library(name: "SignetDiscovery", targets: ["SignetDiscovery"]),
        .library(name: "SignetDynamic", targets: ["SignetDynamic"]),
        .library(name: "SignetEnrollment", targets: ["SignetEnrollment"]),
        .library(name: "SignetEnrollmentSOAP", targets: ["SignetEnrollmentSOAP"]),
        .library(name: "SignetObservability", targets: ["SignetObservability"]),
        .library(name: "SignetONVIF", targets: ["SignetONVIF"]),
        .library(name: "SignetServer", targets: ["SignetServer"]),
        .library(name: "SignetServerConfiguration", targets: ["SignetServerConfiguration"]),
        .library(name: "SignetSignature", targets: ["SignetSignature"]),
        .library(name: "SignetSOAP", targets: ["SignetSOAP"]),
        .library(name: "SignetURLSession", targets: ["SignetURLSession"]),
        .library(name: "SignetWSSecurity", targets: ["SignetWSSecurity"]),
        .library(name: "SignetTesting", targets: ["SignetTesting"]),
        .library(name: "SignetXML", targets: ["SignetXML"]),
        .executable(name: "signet", targets: ["SignetCommand"]),
        .executable(name: "signet-generator", targets: ["signet-generator"]),
        .plugin(name: "SignetBuildTool", targets: ["SignetBuildTool"]),
        .plugin(name: "SignetGenerate", targets: ["SignetGenerate"]),
    ],
    traits: [
        .trait(name: "Observability", description: "Metrics, traces and a line a call: SignetObservability."),
        .trait(name: "Server", description: "Hosting services: SignetServer."),
        .trait(
            name: "SQLite", description: "One file for credentials, identities and exceptions: SignetCredentialsSQLite."
        ),
        .trait(
            name: "CommandLine", description: "The command line: signet, and its demonstration.",
            enabledTraits: ["Server", "SQLite"]),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        ours("SignetXML"),
        ours("SignetHTTP", [httpTypes]),
        ours("SignetAuthentication", [asn1, crypto, cryptoExtras]),
        ours("SignetKerberos", ["SignetAuthentication"]),
        ours(
            "SignetOAuth", ["SignetAuthentication", "SignetHTTP", "SignetTLS", httpTypes, crypto, cryptoExtras]),
        ours("SignetTLS", [asn1, crypto, cryptoExtras]),
        ours("SignetNIOTLS", ["SignetTLS", nioCore, nioSSL]),
        ours("SignetCredentials", ["SignetAuthentication", "SignetTLS", crypto, cryptoExtras]),
        ours(
            "SignetConnection", ["SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetTLS", logging]),
        ours("SignetCredentialsPostgreSQL", ["SignetAuthentication", "SignetCredentials", "SignetTLS"]),
        ours(
            "SignetCredentialsSQLite",
            ["SignetAuthentication", "SignetCredentials", "SignetTLS", crypto, cryptoExtras, grdb]),
        ours(
            "SignetNIOTransport",
            [
                "SignetHTTP", "SignetAuthentication", "SignetConnection", "SignetCredentials", "SignetTLS",
                "SignetNIOTLS", httpTypes, logging, nioCore, nioCompression, nioEmbedded, nioPosix,
                nioHTTP1, nioHTTP2, nioTLS, nioSSL,
            ]),
        ours(
            "SignetURLSession",
            [
                "SignetHTTP", "SignetAuthentication", "SignetConnection", "SignetCredentials", "SignetTLS", httpTypes,
                logging,
            ]),
        ours(
            "SignetEnrollment",
            ["SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetTLS", httpTypes, serviceLifecycle]),
        ours("SignetSOAP", ["SignetXML", "SignetHTTP", logging]),
        ours(
            "SignetDiagnosis", ["SignetAuthentication", "SignetHTTP", "SignetSOAP", "SignetTLS", httpTypes]),
        ours(
            "SignetObservability",
            [
                "SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetSOAP", "SignetTLS", httpTypes,
                logging, metrics, tracing,
            ]),
        ours(
            "SignetWSSecurity",
            ["SignetCredentials", "SignetSOAP", "SignetSignature", "SignetTLS", "SignetXML", crypto, httpTypes]),
        ours("SignetSignature", ["SignetTLS", "SignetXML", crypto, cryptoExtras]),
        ours("SignetAEAT", ["SignetSOAP", "SignetTLS"]),
        ours(
            "SignetEnrollmentSOAP",
            [
                "SignetAuthentication", "SignetEnrollment", "SignetHTTP", "SignetSOAP", "SignetTLS", "SignetWSSecurity",
                "SignetXML",
            ]),
        ours("SignetONVIF", ["SignetSOAP", "SignetWSSecurity"]),
        ours("SignetDiscovery", ["SignetHTTP", "SignetSOAP", "SignetTLS", "SignetXML", nioCore, nioPosix]),
        ours("SignetWSDL", ["SignetXML"]),
        ours("SignetDynamic", ["SignetWSDL", "SignetSOAP"]),
        ours("SignetCollections", ["SignetDynamic", "SignetXML"]),
        ours("SignetGeneratorCore", ["SignetWSDL", "SignetXML"]),
        ours("SignetGeneratorConfiguration", ["SignetGeneratorCore", "SignetWSDL", yams]),
        // Named like its product: a plugin finds a tool by its product's name.
        .executableTarget(
            name: "signet-generator", dependencies: ["SignetGeneratorConfiguration", "SignetGeneratorCore"],
            path: "Sources/SignetGeneratorTool",
            swiftSettings: strictest),
        .plugin(name: "SignetBuildTool", capability: .buildTool(), dependencies: ["signet-generator"]),
        .plugin(
            name: "SignetGenerate",
            capability: .command(
                intent: .custom(
                    verb: "signet-generate", description: "Makes Swift from WSDLs and puts it among a target's sources."
                ),
                permissions: [
                    .writeToPackageDirectory(reason: "The generated Swift is written into each target's folder.")
                ]),
            dependencies: ["signet-generator"]),
        ours(
            "SignetServer",
            [
                "SignetSOAP", "SignetHTTP", "SignetTLS", "SignetNIOTLS", "SignetAuthentication", "SignetConnection",
                "SignetCredentials", "SignetNIOTransport", hummingbirdCore, httpTypes, logging, nioCore, nioHTTP1,
                nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP2, nioPosix, nioTLS, serviceLifecycle,
            ]),
        ours(
            "SignetServerConfiguration",
            [
                "SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetServer", "SignetTLS", "SignetWSDL",
                configuration, logging, serviceLifecycle, unixSignals, yams,
            ]),
        ours(
            "SignetMock",
            [
                "SignetAuthentication", "SignetCredentials", "SignetDynamic", "SignetHTTP", "SignetServer",
                "SignetSOAP", "SignetWSDL", "SignetXML", httpTypes, logging,
            ]),
        ours(
            "SignetDoctor",
            [
                "SignetDiagnosis", "SignetConnection", "SignetHTTP", "SignetTLS", "SignetNIOTLS", "SignetNIOTransport",
                "SignetAuthentication", httpTypes, logging, nioCore, nioHTTP1, nioPosix, nioTLS,
            ]),
        ours(
            "SignetTesting",
            [
                "SignetHTTP", "SignetTLS", "SignetAuthentication", "SignetCredentials", asn1, x509, crypto,
                cryptoExtras,
            ]),
        ours(
            "Signet",
            [
                "SignetSOAP", "SignetHTTP", "SignetTLS", "SignetAuthentication", "SignetConnection",
                "SignetCredentials", "SignetDiagnosis", "SignetKerberos", "SignetNIOTransport", "SignetOAuth",
                httpTypes, logging,
            ]),
        ours(
            "SignetDemo",
            ["Signet", "SignetEnrollment", "SignetServer", "SignetTesting", crypto, grdb, nioCore, nioPosix],
            plugins: ["SignetBuildTool"]),
        .executableTarget(
            name: "SignetCommand",
            dependencies: [
                "Signet", "SignetCollections", "SignetCredentialsSQLite", "SignetDemo", "SignetDiscovery",
                "SignetDoctor",
                "SignetDynamic", "SignetEnrollment", "SignetEnrollmentSOAP", "SignetGeneratorConfiguration",
                "SignetGeneratorCore",
                "SignetMock", "SignetServer", "SignetSignature", "SignetTesting", "SignetWSDL", "SignetWSSecurity",
                "SignetXML",
                argumentParser, httpTypes, hummingbird, hummingbirdCore, nioCore, serviceLifecycle, unixSignals, yams,
            ],
            resources: [
                // The page of the console is part of the program, which is then one file.
                .embedInCode("Console/Page/basics.js"), .embedInCode("Console/Page/console.css"),
                .embedInCode("Console/Page/console.js"), .embedInCode("Console/Page/form.js"),
                .embedInCode("Console/Page/index.html"), .embedInCode("Console/Page/views.js"),
            ],
            swiftSettings: strictest),
        // Generated code, checked in: compared as text, compiled, and run.
        .target(
            name: "ReferenceServices", dependencies: ["SignetSOAP"], path: "Tests/ReferenceServices",
            exclude: [
                "Archive/Archive.wsdl", "BankCertificates/BankCertificates.wsdl", "Census/Census.wsdl",
                "Constructs/Constructs.wsdl", "Ledger/Ledger.wsdl", "Parcels/Parcels.wsdl",
                "PlainForms/PlainForms.wsdl", "PlainQueries/PlainQueries.wsdl", "Shapes/Shapes.wsdl",
                "Subscriptions/Subscriptions.wsdl", "TaxNumbers/TaxNumbers.wsdl",
            ],
            swiftSettings: strict),

        .target(
            name: "HostileDocuments", dependencies: ["SignetXML"], path: "Tests/HostileDocuments", swiftSettings: strict
        ),
        .executableTarget(
            name: "hostile-documents", dependencies: ["HostileDocuments"], path: "Tests/HostileDocumentsTool",
            swiftSettings: strict),
        // Kills processes that write into one store: scripts/torture-stores.
        .executableTarget(
            name: "store-torture",
            dependencies: ["SignetAuthentication", "SignetCredentials", "SignetCredentialsSQLite"],
            path: "Tests/StoreTortureTool", swiftSettings: strict),
        // Sends each message to two servers that share a state: scripts/torture-state.
        .executableTarget(
            name: "state-torture",
            dependencies: [
                "Signet", "SignetCredentialsPostgreSQL", "SignetCredentialsSQLite", "SignetServer", "SignetWSSecurity",
            ],
            path: "Tests/StateTortureTool", swiftSettings: strict),
        // Demands proof of clients that have none: scripts/besiege.
        .executableTarget(
            name: "siege-server", dependencies: ["Signet", "SignetServer", "SignetTesting", "SignetWSSecurity"],
            path: "Tests/SiegeServerTool", swiftSettings: strict),
        // Checks folders of WSDLs: scripts/check-corpus.
        .target(
            name: "CorpusCheck",
            dependencies: [
                "CorpusDriver", "SignetDynamic", "SignetGeneratorCore", "SignetMock", "SignetSOAP", "SignetWSDL",
                "SignetXML", logging,
            ],
            path: "Tests/CorpusCheck", exclude: ["broken.tsv", "judge.py", "sample.txt"], swiftSettings: strict),
        // What the programs made of generated code have in common.
        .target(
            name: "CorpusDriver", dependencies: ["SignetSOAP"], path: "Tests/CorpusDriver", swiftSettings: strict),
        .executableTarget(
            name: "corpus-check", dependencies: ["CorpusCheck"], path: "Tests/CorpusCheckTool", swiftSettings: strict),
        .testTarget(
            name: "CorpusCheckTests", dependencies: ["CorpusCheck", "CorpusDriver", "CorpusFiles", "SignetWSDL"],
            swiftSettings: strict
        ),
        // Examples that the tests against real peers run.
        .executableTarget(
            name: "SmartCard", dependencies: ["Signet"], path: "Examples/Sources/SmartCard", swiftSettings: strict),
        .executableTarget(
            name: "OwnClient", dependencies: ["SignetAuthentication"], path: "Examples/Sources/OwnClient",
            swiftSettings: strict),
        .executableTarget(
            name: "Invoices", dependencies: ["Signet", "SignetAEAT", "SignetServer", "SignetTesting", crypto],
            path: "Examples/Sources/Invoices", swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: ["SignetBuildTool"]),
        // What `signet new` makes, checked in: compared as text, compiled, and run.
        .executableTarget(
            name: "ParcelsServer", dependencies: ["Signet", "SignetServer", "SignetServerConfiguration"],
            path: "Tests/NewPackage/Sources/ParcelsServer", swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: ["SignetBuildTool"]),
        .testTarget(
            name: "ParcelsServerTests", dependencies: ["ParcelsServer", "SignetDynamic"],
            path: "Tests/NewPackage/Tests/ParcelsServerTests", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(name: "CorpusFiles", path: "Tests/CorpusFiles", swiftSettings: strict),
        // What the tests of several modules share.
        .target(
            name: "TestSupport",
            dependencies: ["SignetCredentials", "SignetSignature", "SignetTLS", "SignetXML", logging, crypto],
            path: "Tests/TestSupport", swiftSettings: strict),
        // Counts the blocks of memory that the tests ask for.
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        .target(
            name: "GreetingService", dependencies: ["SignetSOAP"], path: "Tests/GreetingService",
            swiftSettings: strict),
        tests(of: "SignetXML", ["AllocationCounter", "CorpusFiles", "HostileDocuments", "TestSupport"]),
        tests(of: "SignetHTTP", [httpTypes]),
        tests(of: "SignetAuthentication", ["CorpusFiles"]),
        tests(of: "SignetTLS", ["CorpusFiles", "SignetTesting", "TestSupport", asn1, x509, crypto, cryptoExtras]),
        tests(of: "SignetNIOTLS", ["SignetTLS", "SignetTesting", nioCore, nioPosix, nioTLS, nioSSL]),
        tests(
            of: "SignetConnection",
            ["SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetTLS", "SignetTesting", "TestSupport"]),
        tests(of: "SignetCredentials", ["SignetAuthentication", "SignetTLS", "SignetTesting", "TestSupport"]),
        tests(
            of: "SignetCredentialsSQLite",
            ["SignetAuthentication", "SignetCredentials", "SignetTLS", "SignetTesting", "store-torture", grdb]),
        tests(
            of: "SignetNIOTransport",
            [
                "AllocationCounter", "CorpusFiles", "SignetAuthentication", "SignetConnection", "SignetCredentials",
                "SignetDiagnosis", "SignetHTTP", "SignetSOAP", "SignetTLS", "SignetTesting", "SignetWSSecurity",
                "TestSupport", crypto,
                httpTypes,
                logging, nioCore, nioEmbedded, nioHTTP1, nioPosix,
            ], exclude: ["Curl/differences.tsv"]),
        tests(
            of: "SignetURLSession",
            [
                "SignetAuthentication", "SignetConnection", "SignetCredentials", "SignetHTTP", "SignetTLS",
                "SignetTesting", "TestSupport", httpTypes,
            ]),
        tests(of: "SignetTesting", ["SignetTLS"]),
        tests(
            of: "SignetSOAP", ["CorpusFiles", "GreetingService", "SignetTesting", "TestSupport", httpTypes, logging]),
        tests(
            of: "SignetObservability",
            [
                "GreetingService", "Signet", "SignetCredentials", "SignetServer", "SignetSOAP", "SignetTLS",
                "SignetTesting", "TestSupport", httpTypes, inMemoryTracing, logging, metricsTestKit, tracing,
            ]),
        tests(
            of: "SignetDiagnosis",
            ["SignetAuthentication", "SignetHTTP", "SignetSOAP", "SignetTLS", "SignetTesting", httpTypes]),
        tests(
            of: "SignetEnrollment",
            ["SignetCredentials", "SignetHTTP", "SignetTLS", "SignetTesting", "TestSupport", httpTypes]),
        tests(
            of: "SignetEnrollmentSOAP",
            ["SignetEnrollment", "SignetHTTP", "SignetSOAP", "SignetTLS", "SignetTesting", "TestSupport", httpTypes]),
        tests(
            of: "SignetSignature",
            [
                "CorpusFiles", "ReferenceServices", "SignetSOAP", "SignetTLS", "SignetTesting", "SignetXML",
                "TestSupport",
            ]),
        tests(
            of: "SignetWSSecurity",
            [
                "SignetCredentials", "SignetHTTP", "SignetSignature", "SignetSOAP", "SignetTLS", "SignetTesting",
                "SignetXML", "TestSupport", httpTypes, logging,
            ]),
        tests(of: "SignetAEAT", ["SignetSOAP", "SignetTLS"]),
        tests(
            of: "SignetDiscovery", ["Signet", "SignetONVIF", "SignetSOAP", "SignetTLS", "SignetWSSecurity", nioCore]),
        tests(of: "SignetONVIF", ["Signet", "SignetAEAT", "SignetSOAP", "SignetWSSecurity", httpTypes]),
        tests(of: "SignetWSDL", ["CorpusFiles"]),
        tests(of: "SignetCollections", exclude: ["Files"]),
        tests(of: "SignetDynamic", ["CorpusFiles", "SignetSOAP", "SignetWSDL", httpTypes]),
        tests(
            of: "SignetGeneratorCore",
            ["CorpusFiles", "SignetWSDL", "ReferenceServices", "SignetSOAP", "signet-generator"]),
        tests(of: "SignetGeneratorConfiguration", ["SignetGeneratorCore", "SignetWSDL"]),
        tests(
            of: "SignetServer",
            [
                "GreetingService", "SignetAuthentication", "SignetCredentials", "SignetHTTP", "SignetSOAP", "SignetTLS",
                "SignetTesting", "TestSupport", httpTypes, hummingbird, logging, nioCore, serviceLifecycle,
            ]),
        tests(
            of: "Signet",
            [
                "ReferenceServices", "SignetCredentialsPostgreSQL", "SignetCredentialsSQLite", "SignetEnrollment",
                "SignetEnrollmentSOAP", "SignetObservability", "SignetServer", "SignetServerConfiguration",
                "SignetSignature", "SignetTesting",
                "SignetURLSession",
                "SignetWSSecurity", logging, serviceLifecycle,
            ]),
        tests(
            of: "SignetMock",
            [
                "CorpusFiles", "SignetDynamic", "SignetHTTP", "SignetServer", "SignetSOAP", "SignetWSDL", httpTypes,
                logging,
            ]),
        tests(
            of: "SignetServerConfiguration", ["GreetingService", "SignetServer", "SignetTLS", "SignetTesting", logging]),
        tests(of: "SignetDemo"),
        tests(
            of: "SignetCommand",
            [
                "Signet", "SignetDemo", "SignetDynamic", "SignetGeneratorConfiguration", "SignetGeneratorCore",
                "SignetServer", "SignetTesting", "SignetWSDL", "TestSupport", httpTypes,
            ]),
    ]
)

// WSDLs made by others are not kept here. Where their folder is named, `scripts/test` copies what the tests against real
// peers need beside this target, and the plugin generates from it.
let hasCorpus = Context.environment["SIGNET_CORPUS"] != nil
if hasCorpus {
    package.targets.append(
        ours("CorpusServices", ["SignetSOAP"], plugins: ["SignetBuildTool"]).at("Tests/CorpusServices"))
}
package.targets.append(
    .testTarget(
        name: "InteropTests",
        dependencies: [
            "CorpusFiles", "Invoices", "SignetAEAT", "SignetCommand", "OwnClient", "ParcelsServer", "SmartCard",
            "SignetDemo", "Signet", "SignetDiscovery",
            "SignetDoctor",
            "SignetCredentials", "SignetCredentialsPostgreSQL", "SignetCredentialsSQLite", "SignetEnrollment",
            "SignetEnrollmentSOAP", "SignetDynamic", "SignetMock", "SignetNIOTransport", "SignetTesting",
            "SignetServer",
            "SignetONVIF", "SignetSignature",
            "SignetWSSecurity",
            "ReferenceServices", "TestSupport", httpTypes, logging,
        ]
            + (hasCorpus ? ["CorpusServices"] : []),
        exclude: ["Peers"], swiftSettings: strict + (hasCorpus ? [.define("CORPUS")] : [])))

// The programs of the package in the folder Examples, which compiles all of this package again. `.ci/run` builds them here.
if Context.environment["SIGNET_EXAMPLES"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"))
    func example(
        _ name: String, _ dependencies: [Target.Dependency] = [], plugins: [Target.PluginUsage] = ["SignetBuildTool"]
    ) -> Target {
        .executableTarget(
            name: name, dependencies: ["Signet"] + dependencies, path: "Examples/Sources/\(name)",
            swiftSettings: [.treatAllWarnings(as: .error)], plugins: plugins)
    }
    package.targets += [
        example("BehindProxy"), example("Camera", ["SignetONVIF", "SignetServer", "SignetWSSecurity"]),
        example("Diary", ["SignetDynamic", "SignetServer", "SignetTesting"]),
        example("Gateway", ["SignetEnrollment", "SignetServer", "SignetTesting", hummingbird, serviceLifecycle]),
        example("HostedService", ["SignetServer", serviceLifecycle]),
        example("Observed", ["SignetObservability", "SignetServer", "SignetTesting", inMemoryTracing, metricsTestKit]),
        example(
            "OtherTransports",
            [
                "SignetTesting", .product(name: "AsyncHTTPClient", package: "async-http-client"), nioCore, nioHTTP1,
                nioPosix, nioSSL,
            ], plugins: []),
        example("PinnedApp", ["SignetSOAP", "SignetURLSession"], plugins: []),
        example("SignedRequests", ["SignetObservability", crypto, inMemoryTracing]),
        example("Tool", ["SignetServer", "SignetTesting", argumentParser]),
        example("WebEaseApp", ["SignetEnrollment", "SignetServer", "SignetTesting"]), example("WithoutNetwork"),
        .testTarget(
            name: "WebEaseAppTests", dependencies: ["WebEaseApp", "Signet"], path: "Examples/Tests/WebEaseAppTests",
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
}

extension Target {
    func at(_ path: String) -> Target {
        self.path = path
        return self
    }
}
