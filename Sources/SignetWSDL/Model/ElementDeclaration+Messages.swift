/// Elements that messages use although no schema declares them.
extension ElementDeclaration {
    /// One child of a message: the global element that a part names, or an unqualified element of the part's type.
    package struct Accessor: Sendable {
        package enum Content: Sendable {
            case element(QName)
            case type(QName, isNillable: Bool)
            /// Any number of elements of a type.
            case items(QName)
        }

        package var name: String
        package var content: Content
        package var location: SourceLocation

        package init(name: String, content: Content, location: SourceLocation) {
            self.name = name
            self.content = content
            self.location = location
        }
    }

    /// An element with a child for each part of a message (WSDL 1.1 §3.5).
    package static func message(
        _ name: QName, _ accessors: [Accessor], at location: SourceLocation
    ) -> ElementDeclaration {
        let children = accessors.map { accessor in
            var minimum = 1
            var maximum: Int? = 1
            let term: Particle.Term =
                switch accessor.content {
                case .element(let name): .reference(name)
                case .type(let type, let isNillable):
                    .element(.message(QName("", accessor.name), type, isNillable: isNillable, at: accessor.location))
                case .items(let type): .element(.message(QName("", accessor.name), type, at: accessor.location))
                }
            if case .items = accessor.content { (minimum, maximum) = (0, nil) }
            return Particle(term: term, minimum: minimum, maximum: maximum, location: accessor.location)
        }
        let sequence = Particle(term: .group(.sequence, children), minimum: 1, maximum: 1, location: location)
        let type = ComplexType(
            isAbstract: false, isMixed: false, content: .particle(sequence), attributes: AttributeGroup(),
            location: location)
        return ElementDeclaration(
            name: name, type: .anonymous(.complex(type)), isNillable: false, isAbstract: false, location: location)
    }

    /// An element of the type that a part names.
    package static func message(
        _ name: QName, _ type: QName, isNillable: Bool = false, at location: SourceLocation
    ) -> ElementDeclaration {
        ElementDeclaration(
            name: name, type: .named(type), isNillable: isNillable, isAbstract: false, location: location)
    }
}
