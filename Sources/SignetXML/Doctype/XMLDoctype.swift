/// What a reader does with a document type declaration (`<!DOCTYPE …>`, XML 1.0 §2.8).
public enum XMLDoctype: Sendable, Hashable {
    /// The reader refuses it. Use this for every message: SOAP forbids document type declarations (SOAP 1.1 §3, SOAP
    /// 1.2 Part 1 §5).
    case refused
    /// The reader evaluates it, for schemas and other documents that people write: references to the internal general
    /// entities that it declares are replaced by their text, and the default values and types of attributes that it
    /// declares are applied (§3.3.2, §3.3.3).
    ///
    /// Nothing is ever fetched. The reader skips an external subset, whose declarations have no effect. It refuses a
    /// reference to an external entity, and also one to a parameter entity, because its text might change declarations.
    /// It checks only the form of element types and notations, and validates nothing. ``XMLLimits/entities`` and
    /// ``XMLLimits/expandedBytes`` limit the work.
    case internalEntities
}
