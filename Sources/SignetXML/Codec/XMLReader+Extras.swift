extension XMLReader {
    /// The state that is needed only when groups are read, or when a document deviates from its schema.
    final class Extras {
        var deviations: [XMLDeviation] = []
        var intolerable: XMLError?
        var deviationPlace: UnsafePointer<UInt8>?
        var unknownIn: Set<UnsafePointer<UInt8>> = []
        var incomplete: Set<UnsafePointer<UInt8>> = []
        var accessor: Accessor?
        var heldText = ""
        var route: [Int] = []
        var entered = Entered()
        var alternative = Alternative()
        var inclusions: (any XMLInclusionSource)?
        var inclusion: (any XMLInclusion)?
    }

    private mutating func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    /// The deviations found so far, 1,000 at most.
    public internal(set) var deviations: [XMLDeviation] {
        get { extras?.deviations ?? [] }
        _modify { yield &makeExtras().deviations }
    }

    /// The first deviation that is not tolerated.
    var intolerable: XMLError? {
        get { extras?.intolerable }
        _modify { yield &makeExtras().intolerable }
    }

    /// The place of the last deviation.
    var deviationPlace: UnsafePointer<UInt8>? {
        get { extras?.deviationPlace }
        _modify { yield &makeExtras().deviationPlace }
    }

    /// The elements, identified by where their names begin, in which an element was skipped that is not allowed there.
    var unknownIn: Set<UnsafePointer<UInt8>> {
        get { extras?.unknownIn ?? [] }
        _modify { yield &makeExtras().unknownIn }
    }

    /// The elements, identified by where their names begin, in which a group has ended that lacks an element.
    var incomplete: Set<UnsafePointer<UInt8>> {
        get { extras?.incomplete ?? [] }
        _modify { yield &makeExtras().incomplete }
    }

    /// The elements whose names may differ from those of their table.
    var accessor: Accessor? {
        get { extras?.accessor }
        _modify { yield &makeExtras().accessor }
    }

    /// The text before the tag read last.
    var heldText: String {
        get { extras?.heldText ?? "" }
        _modify { yield &makeExtras().heldText }
    }

    /// The items that lead to the element whose start tag was read last, from group to group, the outermost last.
    var route: [Int] {
        get { extras?.route ?? [] }
        _modify { yield &makeExtras().route }
    }

    /// The surroundings of the group that is about to be read.
    var entered: Entered {
        get { extras?.entered ?? Entered() }
        _modify { yield &makeExtras().entered }
    }

    /// Finds content to which the document only refers; nil when references are not followed.
    package var inclusions: (any XMLInclusionSource)? {
        get { extras?.inclusions }
        _modify { yield &makeExtras().inclusions }
    }

    var inclusionBeingRead: (any XMLInclusion)? {
        get { extras?.inclusion }
        _modify { yield &makeExtras().inclusion }
    }

    /// The alternative that is being read.
    @usableFromInline package var alternative: Alternative {
        get { extras?.alternative ?? Alternative() }
        _modify { yield &makeExtras().alternative }
    }
}
