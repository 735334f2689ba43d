/// Which alternative of each choice stands for a value until it is read, so that none needs itself.
struct Placeholders {
    /// By the key of a choice, the number of a field.
    private(set) var branches: [TypeKey: Int] = [:]
    /// Types that have no finite value, sorted.
    private(set) var defects: [TypeKey] = []

    init(_ schema: BoundSchema) {
        let types = schema.types.filter { !$0.value.isEnumeration }
        // How many required fields of a structure wait for a value of another type; a choice waits for any of its own.
        var missing: [TypeKey: Int] = [:]
        var users: [TypeKey: [(key: TypeKey, field: Int)]] = [:]
        var ready: [TypeKey] = []
        for (key, type) in types.sorted(by: { $0.key < $1.key }) {
            var waits = 0
            for (index, field) in type.fields.enumerated() {
                guard field.occurrence == .required, !field.isNillable, case .declared(let inner) = field.type,
                    types[inner] != nil
                else {
                    if type.isChoice && branches[key] == nil { branches[key] = index }
                    continue
                }
                waits += 1
                users[inner, default: []].append((key, index))
            }
            missing[key] = waits
            if type.isChoice ? branches[key] != nil : waits == 0 { ready.append(key) }
        }
        var done: Set<TypeKey> = []
        while let key = ready.popLast() {
            guard done.insert(key).inserted else { continue }
            for user in users[key] ?? [] {
                if types[user.key]?.isChoice == true {
                    if branches[user.key] == nil {
                        branches[user.key] = user.field
                        ready.append(user.key)
                    }
                } else {
                    missing[user.key, default: 0] -= 1
                    if missing[user.key] == 0 { ready.append(user.key) }
                }
            }
        }
        defects = types.keys.filter { !done.contains($0) }.sorted()
    }
}
