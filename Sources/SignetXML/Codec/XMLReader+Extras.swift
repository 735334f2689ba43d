extension XMLReader {
    /// What is needed only where groups are read, or a document deviates from its schema.
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

    /// Where the deviation found last stands.
    var deviationPlace: UnsafePointer<UInt8>? {
        get { extras?.deviationPlace }
        _modify { yield &makeExtras().deviationPlace }
    }

    /// The elements, by where their names begin, in which one was passed over that has no place there.
    var unknownIn: Set<UnsafePointer<UInt8>> {
        get { extras?.unknownIn ?? [] }
        _modify { yield &makeExtras().unknownIn }
    }

    /// The elements, by where their names begin, in which a group has ended that lacks one.
    var incomplete: Set<UnsafePointer<UInt8>> {
        get { extras?.incomplete ?? [] }
        _modify { yield &makeExtras().incomplete }
    }

    /// The elements that may have another name than their table says.
    var accessor: Accessor? {
        get { extras?.accessor }
        _modify { yield &makeExtras().accessor }
    }

    /// The text that stands before the tag read last.
    var heldText: String {
        get { extras?.heldText ?? "" }
        _modify { yield &makeExtras().heldText }
    }

    /// The items that lead to the place of the element whose start tag was read last, from group to group, outermost last.
    var route: [Int] {
        get { extras?.route ?? [] }
        _modify { yield &makeExtras().route }
    }

    /// What the group that is about to be read stands in.
    var entered: Entered {
        get { extras?.entered ?? Entered() }
        _modify { yield &makeExtras().entered }
    }

    /// Where content is found that the document only refers to; nil where references are not followed.
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
