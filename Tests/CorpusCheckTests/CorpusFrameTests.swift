import CorpusDriver
import Testing

/// Documents on their way to a program made of generated code, and back.
@Suite struct CorpusFrameTests {
    @Test func writtenFramesAreReadAgain() {
        let contents: [[UInt8]] = [Array("<a>\n1 2\n</a>".utf8), [], [0, 255, 10]]
        let frames = contents.enumerated().map { CorpusFrame(number: $0, content: $1) }
        let read = CorpusFrame.all(in: Array(frames.map(\.bytes).joined()))
        #expect(read.map(\.number) == [0, 1, 2])
        #expect(read.map(\.content) == contents)
    }

    @Test(arguments: ["", "0 3\nab", "0 -1\n", "0\nab", "Fatal error: 1 2 3\n", "0 9999999999999999999\nab"])
    func incompleteFramesAreLeftOut(rest: String) {
        let whole = CorpusFrame(number: 7, content: [1, 2])
        #expect(CorpusFrame.all(in: whole.bytes + Array(rest.utf8)).map(\.number) == [7])
    }
}
