// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses Signet builds it. `scripts/fuzz` builds it with the sanitizers it needs and
// runs it; see there.
let xml: Target.Dependency = .product(name: "SignetXML", package: "signet")

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A program whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["Support"] + dependencies, path: "Sources/\(name)",
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "signet-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "signet", path: "..")],
    targets: [
        .target(name: "Support", dependencies: [xml], swiftSettings: strict),
        fuzzer("dates", [xml]),
        fuzzer("doctype", [xml]),
        fuzzer("encodings", [xml]),
        fuzzer("numbers", [xml]),
        fuzzer("reader", [xml]),
        fuzzer("scanner", [xml]),
        fuzzer("strings", [xml]),
        fuzzer("structure", [xml]),
        fuzzer("writer", [xml]),
    ]
)
