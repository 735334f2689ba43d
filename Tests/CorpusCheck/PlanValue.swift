import SignetGeneratorCore
import SignetXML

/// A value as the planned Swift would hold it, without the Swift.
indirect enum PlanValue {
    /// Of a built-in type, a list of one, or the text of an enumeration or a union.
    case simple(any XMLValue)
    /// The values of each field.
    case structure(TypeKey, [[PlanValue]])
    /// Of SOAP's encoding; without dimensions when there is only one.
    case array(TypeKey, [PlanValue], dimensions: [Int])
    /// An alternative with its values: several when it repeats.
    case choice(TypeKey, alternative: Int, [PlanValue])
    /// Text between elements.
    case text(String)
    case any(XMLAny)
    case fragment(XMLFragment)
    case attributes([XMLAnyAttribute])
    /// `xsi:nil`.
    case null
}
