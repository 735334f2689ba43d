import HostileDocuments

#if os(Linux)
import Glibc

let usage = """
    Usage: hostile-documents [--milliseconds N] [--all]

    Reads every hostile document in several ways and prints what the worst of them took: the document's size, the
    time, and the memory over the document itself. To be built for release.

      --milliseconds N   what the refusal of a document may take, 100 unless it is given
      --all              print a line for the small documents too
      --help             this text

    Exit status 1 when a document is judged wrongly, refused too slowly, or takes, with itself, more than 1 MB and four
    times its size.
    """

var milliseconds = 100
var printsAll = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--milliseconds":
        guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else { fail(usage) }
        milliseconds = number
    case "--all": printsAll = true
    case "--help", "-h":
        print(usage)
        exit(0)
    default: fail("there is no option '\(argument)'.\n\(usage)")
    }
}

Memory.check()
let small = HostileDocument.small
let large = HostileDocument.large(kilobytes: 65_536)
// What is made once in a process is not a document's doing.
for document in small.prefix(200) { for reading in HostileReading.allCases { _ = document.complaint(reading) } }

print("     bytes  microseconds       memory  slowest    document")
var report = Report(allowed: .milliseconds(milliseconds))
for document in small { report.add(Measurement(document), shown: printsAll) }
for document in large { report.add(Measurement(document), shown: true) }
report.finish()
#else
print("hostile-documents measures memory through /proc, which only Linux has.")
#endif
