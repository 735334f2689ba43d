import Foundation

/// The WSDL that is part of this package.
enum TestWSDL {
    static let webEase = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/SignetDemo/WebEase.wsdl").standardized
}
