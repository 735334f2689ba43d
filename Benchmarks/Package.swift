// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that no user of Signet builds it. `codec` and `call` build and run it; see there.
let package = Package(
    name: "signet-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "signet", path: "..", traits: ["Server"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.18.2"),
    ],
    targets: [
        .target(name: "CallCounters"),
        .target(
            name: "CallCost", dependencies: ["CallCounters"],
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("InternalImportsByDefault")]),
        .executableTarget(
            name: "CallBenchmark",
            dependencies: [
                "CallCost", "CallCounters", .product(name: "Signet", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .executableTarget(
            name: "CallRivals",
            dependencies: [
                "CallCost", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .target(
            name: "CodecCost", swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]),
        .executableTarget(
            name: "CodecRivals",
            dependencies: ["CodecCost", .product(name: "XMLCoder", package: "XMLCoder")],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .executableTarget(
            name: "SignatureBenchmark",
            dependencies: [
                .product(name: "Signet", package: "signet"), .product(name: "SignetSignature", package: "signet"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .executableTarget(
            name: "DefectBenchmark",
            dependencies: [
                .product(name: "Signet", package: "signet"), .product(name: "SignetSignature", package: "signet"),
                .product(name: "SignetWSSecurity", package: "signet"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .executableTarget(
            name: "CodecBenchmark",
            dependencies: [
                "CodecCost",
                .product(name: "SignetXML", package: "signet"),
                .product(name: "SignetSOAP", package: "signet"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
    ]
)
