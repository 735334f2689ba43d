import CodecCost
import SignetXML

/// An answer of `Messages.wsdl`, a kind of values each.
enum Kind: String, CaseIterable {
    case numbers, decimals, doubles, dates, enumerations, lists, attributes, base64, array

    /// Writes a message: of so many items, or, for `base64`, of one value of so many bytes.
    func make(_ count: Int, to path: String) throws { try answer.make(count, path) }

    func run(_ arguments: ArraySlice<String>) throws { try answer.run(arguments) }

    private var answer: Answer {
        switch self {
        case .numbers:
            Answer("Numbers", items: \Messages.Numbers.item, Messages.Numbers.init(item:), Self.number) { sum, item in
                for text in ["\(item.int)", "\(item.long)", "\(item.short)", "\(item.unsignedShort)"] { sum.add(text) }
                sum.add("\(item.unsignedLong)")
                sum.add(item.boolean ? "1" : "0")
            }
        case .decimals:
            Answer("Decimals", items: \Messages.Decimals.item, Messages.Decimals.init(item:)) { index in
                XSDDecimal("\(index % 3 == 0 ? "-" : "")\(index * 7919).\(1 + index % 9)") ?? 0
            } add: { sum, item in
                sum.add(item.description)
            }
        case .doubles:
            Answer("Doubles", items: \Messages.Doubles.item, Messages.Doubles.init(item:)) { index in
                [1, -1, 1e-9, 1e12][index % 4] * (Double(index) + 0.1) / 3
            } add: { sum, item in
                sum.add("\(item.bitPattern)")
            }
        case .dates:
            Answer("Dates", items: \Messages.Dates.item, Messages.Dates.init(item:), Self.moment) { sum, item in
                sum.add(item.day.description)
                sum.add("\(item.time.secondsSinceEpoch)")
                sum.add(item.length.description)
            }
        case .enumerations:
            Answer("Enumerations", items: \Messages.Enumerations.item, Messages.Enumerations.init(item:)) { index in
                [.red, .orange, .yellow, .green, .cyan, .blue, .violet, .magenta][index * 5 % 8]
            } add: { sum, item in
                sum.add(item.rawValue)
            }
        case .lists:
            Answer("Lists", items: \Messages.Lists.item, Messages.Lists.init(item:)) { index in
                Messages.Row(
                    ints: XSDList((0..<10).map { Int32(index * 31 + $0 * 997) }),
                    tokens: XSDList((0..<10).map { "t\(index % 7)-\($0)" }))
            } add: { sum, item in
                // gSOAP keeps a list as text.
                sum.add(item.ints.items.map { "\($0)" }.joined(separator: " "))
                sum.add(item.tokens.items.joined(separator: " "))
            }
        case .attributes:
            Answer("Attributes", items: \Messages.Attributes.item, Messages.Attributes.init(item:)) { index in
                Messages.Point(
                    x: Int32(index * 3), y: Int32(-index), name: "point-\(index)",
                    label: index % 2 == 0 ? "even & more" : nil)
            } add: { sum, item in
                sum.add("\(item.x)")
                sum.add("\(item.y)")
                sum.add(item.name)
                sum.add(item.label ?? "-")
            }
        case .base64:
            Answer("Base64") { count in
                Messages.Base64(
                    item: XSDBase64Binary((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 8) }))
            } checksum: { value in
                var sum = Checksum()
                sum.add(value.item.bytes)
                return sum.description(of: value.item.bytes.count, "bytes")
            }
        case .array:
            Answer("GetArrayResponse", isEncoded: true, items: \.given, Messages.GetArrayResponse.init(given:)) {
                index in
                Messages.Item(number: Int32(index), text: "Nr. \(index)", ratio: Double(index) / 8)
            } add: { sum, item in
                sum.add("\(item.number)")
                sum.add(item.text)
                sum.add("\(item.ratio.bitPattern)")
            }
        }
    }

    private static func number(_ index: Int) -> Messages.Number {
        Messages.Number(
            int: Int32(index * 65_537 - 30_000_000), long: Int64(index) * -1_000_000_007, short: Int16(index % 30_000),
            unsignedShort: UInt16(index % 60_000), unsignedLong: 18_000_000_000_000_000_000 + UInt64(index),
            boolean: index % 2 == 0)
    }

    private static func moment(_ index: Int) -> Messages.Moment {
        Messages.Moment(
            day: XSDDate(year: 2026, month: 1 + index % 12, day: 1 + index % 28) ?? ._placeholder,
            time: XSDDateTime(secondsSinceEpoch: 1_767_225_600 + Int64(index) * 61) ?? ._placeholder,
            length: XSDDuration("P\(1 + index % 9)DT\(1 + index % 23)H\(1 + index % 59)M") ?? ._placeholder)
    }
}

extension Messages.GetArrayResponse {
    fileprivate init(given: [Messages.Item]) { self.init(items: Messages.Items(given)) }

    fileprivate var given: [Messages.Item] { items?.items.compactMap { $0 } ?? [] }
}

/// What is done with one kind of answer, its type forgotten.
private struct Answer {
    var make: (_ count: Int, _ path: String) throws -> Void
    var run: (ArraySlice<String>) throws -> Void

    init<Value: XMLStructure>(
        _ name: String, isEncoded: Bool = false, _ value: @escaping (Int) -> Value,
        checksum: @escaping (Value) -> String
    ) {
        let namespace = "urn:signet:benchmark:messages" + (isEncoded ? "" : ":types")
        let message = Message<Value>(namespace, name, isEncoded: isEncoded)
        make = { try File.write(message.encode(value($0)), to: $1) }
        run = { try message.program(checksum).run($0) }
    }

    init<Value: XMLStructure, Item>(
        _ name: String, isEncoded: Bool = false, items: KeyPath<Value, [Item]>, _ value: @escaping ([Item]) -> Value,
        _ item: @escaping (Int) -> Item, add: @escaping (inout Checksum, Item) -> Void
    ) {
        self.init(name, isEncoded: isEncoded) { count in
            value((0..<count).map(item))
        } checksum: { value in
            var sum = Checksum()
            for item in value[keyPath: items] { add(&sum, item) }
            return sum.description(of: value[keyPath: items].count, "items")
        }
    }
}

extension Message {
    /// The commands, for this message.
    func program(_ checksum: @escaping (Value) -> String) -> Program<[UInt8], Value> {
        var program = Program<[UInt8], Value>(File.read)
        program.decode = decode
        program.encode = { try encode($0).count }
        program.bytes = encode
        program.checksum = checksum
        return program
    }
}
