import Foundation

/// The files in `Peers`.
enum PeerFile {
    static func url(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/\(name)").standardized
    }
}
