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

/// A program whose `main` is libFuzzer's.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "fuzz-\(name)", dependencies: ["Support"] + dependencies, path: "Sources/\(name)",
        swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "signet-fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "SignetXML", swiftSettings: strict),
        .target(name: "Support", dependencies: ["SignetXML"], swiftSettings: strict),
        fuzzer("dates", ["SignetXML"]),
        fuzzer("doctype", ["SignetXML"]),
        fuzzer("encodings", ["SignetXML"]),
        fuzzer("numbers", ["SignetXML"]),
        fuzzer("reader", ["SignetXML"]),
        fuzzer("scanner", ["SignetXML"]),
        fuzzer("strings", ["SignetXML"]),
        fuzzer("structure", ["SignetXML"]),
        fuzzer("writer", ["SignetXML"]),
    ]
)
