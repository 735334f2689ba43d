import Testing

@testable import SignetDiscovery

/// Answers as devices write them.
enum AnswerText {
    static let camera = "urn:uuid:5f5a69c2-e0ae-504f-829b-00aaaaaaaa01"

    /// One ProbeMatch or ResolveMatch.
    static func match(
        _ address: String = camera, types: String = "dn:NetworkVideoTransmitter", scopes: String = "",
        addresses: String = "http://192.0.2.7/onvif/device_service", metadata: String = "1", name: String = "ProbeMatch"
    ) -> String {
        """
        <d:\(name)><a:EndpointReference><a:Address>\(address)</a:Address></a:EndpointReference>\
        <d:Types>\(types)</d:Types><d:Scopes>\(scopes)</d:Scopes><d:XAddrs>\(addresses)</d:XAddrs>\
        <d:MetadataVersion>\(metadata)</d:MetadataVersion></d:\(name)>
        """
    }

    /// A whole datagram.
    static func datagram(
        in version: DiscoveryVersion = .v2005, relatesTo: String = "urn:uuid:question", messageID: String? = nil,
        header: String = "", _ matches: String..., body: String = "ProbeMatches"
    ) -> [UInt8] {
        let identifier = messageID ?? DiscoveryRequest.newMessageID()
        return Array(
            """
            <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="\(version.addressing.namespace)" \
            xmlns:d="\(version.namespace)" xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><s:Header>\
            <a:MessageID>\(identifier)</a:MessageID><a:RelatesTo>\(relatesTo)</a:RelatesTo>\
            <a:To s:mustUnderstand="1">\(version.addressing.anonymous)</a:To>\
            <a:Action>\(version.namespace)/\(body)</a:Action>\
            <d:AppSequence InstanceId="1" MessageNumber="1"/>\(header)</s:Header>\
            <s:Body><d:\(body)>\(matches.joined())</d:\(body)></s:Body></s:Envelope>
            """.utf8)
    }
}

extension DiscoveryCollector {
    /// A search for all devices, whose question has the identifier of `AnswerText`.
    static func probing(
        hosts: Set<String>? = nil, at ownAddresses: Set<[UInt8]> = [],
        _ change: (inout DiscoveryLimits) -> Void = { _ in }
    ) -> DiscoveryCollector {
        var limits = DiscoveryLimits()
        change(&limits)
        return DiscoveryCollector(
            .probe(types: [], scopes: [], nil), questions: ["urn:uuid:question"], hosts: hosts,
            ownAddresses: ownAddresses, limits: limits)
    }

    mutating func receive(_ datagram: [UInt8], from host: String = "192.0.2.7") {
        receive(from: host, size: datagram.count) { datagram }
    }

    /// The one that is new or has changed first.
    mutating func first() throws -> DiscoveredDevice {
        let device = next()
        return try #require(device)
    }

    /// All that is new or has changed.
    mutating func all() -> [DiscoveredDevice] {
        var devices: [DiscoveredDevice] = []
        while let device = next() { devices.append(device) }
        return devices
    }
}
