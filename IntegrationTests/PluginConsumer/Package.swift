// swift-tools-version: 6.2
import PackageDescription

// A package of a user: scripts/check-plugins copies it out of the tree and builds it there.
let package = Package(
    name: "plugin-consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "signet", path: "../..")],
    targets: [
        .target(name: "Shared"),
        .executableTarget(
            name: "Billing", dependencies: ["Shared", .product(name: "SignetSOAP", package: "signet")],
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
    ]
)
