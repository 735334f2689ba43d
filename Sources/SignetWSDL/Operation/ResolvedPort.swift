/// The operations of a port: which can be used, and how their messages travel. Generated code and dynamic calls are
/// both based on it.
package struct ResolvedPort: Sendable {
    package var port: Port
    package var binding: Binding
    /// The operations of the binding, in its order.
    package var operations: [ResolvedOperation]
    /// Diagnostics about operations of the portType that the binding does not have.
    package var unbound: [Diagnostic]
    /// The error that concerns the whole port: the binding names a portType that does not exist.
    package var defect: Diagnostic?
}

extension WSDLDefinitions {
    /// Resolves the operations of a port.
    ///
    /// The result includes each unusable operation with the reason, and each omission from other operations; nothing is
    /// left out silently.
    ///
    /// - Returns: nil when the port's binding does not exist; ``reasonNotUsable(_:)`` gives the reason.
    package func resolved(_ port: Port) -> ResolvedPort? {
        guard let binding = bindings[port.binding] else { return nil }
        guard let portType = portTypes[binding.portType] else {
            let defect = Diagnostic(
                .error,
                "the binding ‘\(binding.name.localName)’ names the portType \(binding.portType), which is not there.",
                at: binding.location)
            return ResolvedPort(port: port, binding: binding, operations: [], unbound: [], defect: defect)
        }
        let matching = OperationMatching(binding, portType)
        let resolver = OperationResolver(definitions: self, binding: binding)
        let names = Self.distinctNames(binding.operations.map(\.name))
        var told: Set<String> = []
        let operations = zip(binding.operations.indices, names).map { index, name in
            let bound = binding.operations[index]
            let pairing = told.insert(bound.name).inserted ? matching.remarks[bound.name].map { [$0] } ?? [] : []
            let place = matching.places[index]
            let abstract = (try? place.get()).map { portType.operations[$0] }
            let (exchange, remarks) = resolver.resolve(bound, place.map { portType.operations[$0] })
            return ResolvedOperation(
                name: bound.name, distinctName: name, bindingIndex: index, portTypeIndex: try? place.get(),
                bound: bound, abstract: abstract, exchange: exchange, remarks: pairing + remarks)
        }
        return ResolvedPort(
            port: port, binding: binding, operations: operations, unbound: Self.unbound(operations, portType))
    }

    private static func unbound(_ operations: [ResolvedOperation], _ portType: PortType) -> [Diagnostic] {
        let bound = Set(operations.compactMap(\.portTypeIndex))
        // When overloads cannot be told apart, it is unknown which of them are not bound; the refusals name them all.
        let refused = Set(operations.filter { $0.portTypeIndex == nil }.map(\.name))
        return portType.operations.enumerated().compactMap { index, operation in
            if bound.contains(index) || refused.contains(operation.name) { return nil }
            return Diagnostic(
                .warning, "the operation ‘\(operation.name)’ is not bound; it is left out.", at: operation.location,
                operation: operation.name, isOmission: true)
        }
    }

    /// Makes names distinct: the first of several equal names stays, the others get the next free number from 2.
    package static func distinctNames(_ names: [String]) -> [String] {
        var taken = Set(names)
        var passed: Set<String> = []
        var numbers: [String: Int] = [:]
        return names.map { name in
            if passed.insert(name).inserted { return name }
            var number = numbers[name] ?? 2
            while !taken.insert("\(name)\(number)").inserted { number += 1 }
            numbers[name] = number + 1
            return "\(name)\(number)"
        }
    }
}
