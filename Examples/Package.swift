// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "signet-examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "signet", path: "..", traits: ["Server", "Observability"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "Gateway",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetEnrollment", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "OtherTransports",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(
            name: "Tool",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "BehindProxy", dependencies: [.product(name: "Signet", package: "signet")],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "Camera",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetONVIF", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetWSSecurity", package: "signet"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "Diary",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetDynamic", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "HostedService",
            dependencies: [
                .product(name: "Signet", package: "signet"), .product(name: "SignetServer", package: "signet"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "Invoices",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetAEAT", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "Observed",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetObservability", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "OwnClient", dependencies: [.product(name: "SignetAuthentication", package: "signet")]),
        .executableTarget(
            name: "PinnedApp",
            dependencies: [
                .product(name: "SignetSOAP", package: "signet"), .product(name: "SignetURLSession", package: "signet"),
            ]),
        .executableTarget(
            name: "WebEaseApp",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetEnrollment", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetTesting", package: "signet"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .testTarget(
            name: "WebEaseAppTests", dependencies: ["WebEaseApp", .product(name: "Signet", package: "signet")]),
        .executableTarget(
            name: "WithoutNetwork", dependencies: [.product(name: "Signet", package: "signet")],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(
            name: "SignedRequests",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetObservability", package: "signet"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .executableTarget(name: "SmartCard", dependencies: [.product(name: "Signet", package: "signet")]),
    ]
)
