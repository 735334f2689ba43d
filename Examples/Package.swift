// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "signet-examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "signet", path: "..", traits: ["Server", "Observability"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "BehindProxy", dependencies: [.product(name: "Signet", package: "signet")],
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
