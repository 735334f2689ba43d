/// What a reader does with a document type declaration (`<!DOCTYPE …>`, XML 1.0 §2.8).
public enum XMLDoctype: Sendable, Hashable {
    /// It is refused. For every message: SOAP forbids one (SOAP 1.1 §3, SOAP 1.2 Part 1 §5).
    case refused
    /// It is read, for schemas and other documents that people write: references to the internal general entities that it
    /// declares are replaced by their text, and the default values and types of attributes that it declares are applied
    /// (§3.3.2, §3.3.3).
    ///
    /// Nothing is ever fetched. An external subset is passed over, and what it may declare does not count; a reference to an
    /// external entity is refused, and so is a reference to a parameter entity, because what stands behind it might
    /// declare things differently. Element types and notations are checked for their form only: nothing is validated.
    /// ``XMLLimits/entities`` and ``XMLLimits/expandedBytes`` bound the work.
    case internalEntities
}
