// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses Signet builds it. `run` builds and runs it; see there.
let package = Package(
    name: "signet-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "signet", path: "..")],
    targets: [
        .target(name: "CallCounters"),
        .executableTarget(
            name: "CallBenchmark", dependencies: ["CallCounters", .product(name: "Signet", package: "signet")],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .executableTarget(
            name: "CodecBenchmark",
            dependencies: [
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
