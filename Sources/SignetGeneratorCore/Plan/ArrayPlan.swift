import SignetWSDL

/// An array of SOAP's encoding.
struct ArrayPlan {
    /// An item; any may be nil.
    var item: FieldPlan
    /// The element of an item.
    var element: QName
    /// The type that `arrayType` names, with the ranks of arrays inside.
    var type: QName
    var ranks: String
    var dimensions: Int
    /// The entry of the table for the items' type.
    var tableTypes: String
}

extension Planner {
    func plan(_ array: BoundArray) -> ArrayPlan {
        ArrayPlan(
            item: plan(array.item, "items"), element: array.item.name, type: array.itemType,
            ranks: array.ranks, dimensions: array.dimensions, tableTypes: array.tableTypes)
    }
}
