// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "parcels-server",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "parcels-server", targets: ["ParcelsServer"])],
    dependencies: [
        .package(url: "https://git.example/signet", branch: "main", traits: ["Server"])
    ],
    targets: [
        .executableTarget(
            name: "ParcelsServer",
            dependencies: [
                .product(name: "Signet", package: "signet"),
                .product(name: "SignetServer", package: "signet"),
                .product(name: "SignetServerConfiguration", package: "signet"),
            ],
            plugins: [.plugin(name: "SignetBuildTool", package: "signet")]),
        .testTarget(
            name: "ParcelsServerTests",
            dependencies: ["ParcelsServer", .product(name: "SignetDynamic", package: "signet")]),
    ])
