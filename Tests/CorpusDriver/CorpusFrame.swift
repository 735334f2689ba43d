/// A document on its way to or from a program made of generated code: a line with two numbers, the second that of the
/// bytes that follow.
package struct CorpusFrame {
    package static let success = 0
    package static let failure = 1

    /// On the way there the message's, on the way back how it went.
    package var number: Int
    package var content: [UInt8]

    package init(number: Int, content: [UInt8]) {
        self.number = number
        self.content = content
    }

    package var bytes: [UInt8] { Array("\(number) \(content.count)\n".utf8) + content }

    /// Those that are whole.
    package static func all(in bytes: [UInt8]) -> [CorpusFrame] {
        var frames: [CorpusFrame] = []
        var rest = bytes[...]
        while let line = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let numbers = String(decoding: rest[..<line], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
            rest = rest[(line + 1)...]
            guard numbers.count == 2, (0...rest.count).contains(numbers[1]) else { break }
            frames.append(CorpusFrame(number: numbers[0], content: Array(rest.prefix(numbers[1]))))
            rest = rest.dropFirst(numbers[1])
        }
        return frames
    }
}
