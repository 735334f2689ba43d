import SignetWSDL

/// An array of SOAP's encoding.
struct ArrayPlan {
    /// The Swift type of an item; any item may be nil.
    var itemType: String
    /// The element that an item is written in.
    var element: QName
    /// The type that `arrayType` names, with the ranks of arrays inside.
    var type: QName
    var ranks: String
    var dimensions: Int
    /// What the table says of the items' type.
    var tableTypes: String
}

extension Planner {
    func plan(_ array: BoundArray) -> ArrayPlan {
        ArrayPlan(
            itemType: names.name(of: array.item.type), element: array.item.name, type: array.itemType,
            ranks: array.ranks, dimensions: array.dimensions, tableTypes: array.tableTypes)
    }
}
