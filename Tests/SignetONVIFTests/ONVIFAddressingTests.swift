import SignetONVIF
import SignetSOAP
import Testing

@Suite struct ONVIFAddressingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var addressing = ONVIFAddressing.reached
        var device = "http://192.168.0.10/onvif/device_service"
        let reported: String
        /// Nil when the address must be refused.
        let expected: String?
        var testDescription: String { "\(addressing): \(reported)" }
    }

    private static let named = ONVIFAddressing.reported(hosts: ["Media.example"])
    private static let far = "https://camera.example:8443/onvif/device_service"

    @Test(arguments: [
        Row(reported: "http://192.168.0.10/onvif/media", expected: "http://192.168.0.10/onvif/media"),
        // Behind NAT, on another port, without a host, by an old or a foreign name.
        Row(device: far, reported: "http://10.0.0.7/onvif/media", expected: "https://camera.example:8443/onvif/media"),
        Row(reported: "http://192.168.0.10:8899/onvif/media", expected: "http://192.168.0.10/onvif/media"),
        Row(reported: "http://0.0.0.0:80/onvif/media", expected: "http://192.168.0.10/onvif/media"),
        Row(reported: "https://evil.example/onvif/media", expected: "http://192.168.0.10/onvif/media"),
        Row(reported: "http://user:secret@evil.example/onvif", expected: "http://192.168.0.10/onvif"),
        Row(reported: "HTTP://[fe80::1%25eth0]/onvif/ptz", expected: "http://192.168.0.10/onvif/ptz"),
        Row(device: "http://[fd00::7]:8080/x", reported: "http://h/y", expected: "http://[fd00::7]:8080/y"),
        // Path and query are the device's.
        Row(
            reported: "http://h/onvif/Events/PullSub?Idx=0&x=%20",
            expected: "http://192.168.0.10/onvif/Events/PullSub?Idx=0&x=%20"),
        Row(reported: "http://h?x=1", expected: "http://192.168.0.10/?x=1"),
        Row(reported: "http://h#f", expected: "http://192.168.0.10/"),
        Row(reported: "http://h", expected: "http://192.168.0.10/"),
        Row(reported: "/onvif/ptz", expected: "http://192.168.0.10/onvif/ptz"),
        Row(reported: "//evil.example/x", expected: "http://192.168.0.10//evil.example/x"),
        Row(reported: " http://h/a\n http://i/b ", expected: "http://192.168.0.10/a"),
        // Not addresses.
        Row(reported: "", expected: nil),
        Row(reported: "#f", expected: nil),
        Row(reported: "onvif/media", expected: nil),
        Row(reported: "rtsp://192.168.0.10/stream", expected: nil),
        Row(reported: "@evil.example/x", expected: nil),
        Row(reported: "http://h/ä", expected: nil),
        Row(reported: "http://h/a@evil.example", expected: nil),

        Row(addressing: .reportedPort, reported: "http://0.0.0.0:8899/ptz", expected: "http://192.168.0.10:8899/ptz"),
        Row(addressing: .reportedPort, reported: "https://10.0.0.7/ptz", expected: "https://192.168.0.10/ptz"),
        Row(addressing: .reportedPort, reported: "/ptz", expected: "http://192.168.0.10/ptz"),
        Row(
            addressing: .reportedPort, device: far, reported: "https://x:1/ptz",
            expected: "https://camera.example:1/ptz"),
        Row(addressing: .reportedPort, device: far, reported: "http://x:1/ptz", expected: nil),
        Row(addressing: .reportedPort, reported: "http://x:99999/ptz", expected: nil),

        Row(addressing: named, reported: "http://media.example:81/m", expected: "http://media.example:81/m"),
        Row(addressing: named, reported: "http://192.168.0.10:82/m", expected: "http://192.168.0.10:82/m"),
        Row(addressing: named, reported: "http://evil.example/m", expected: nil),
        Row(addressing: named, reported: "http://media.example@evil.example/m", expected: nil),
        Row(addressing: named, device: far, reported: "http://media.example/m", expected: nil),
        Row(addressing: named, reported: "/m", expected: "http://192.168.0.10/m"),
    ])
    func reportedAddressesAreCorrected(row: Row) throws {
        let device = try Endpoint(row.device)
        let found = Result { () throws(EndpointError) in
            try row.addressing.endpoint(of: row.reported, reachedAt: device)
        }
        switch found {
        case .success(let endpoint): #expect(endpoint.url == row.expected)
        case .failure(let error): #expect(row.expected == nil, "\(error)")
        }
    }

    @Test func errorsHoldNoPassword() throws {
        let device = try Endpoint("https://camera.example/onvif/device_service")
        for address in ["http://user:secret@camera.example/x", "ftp://user:secret@camera.example/x"] {
            let error = #expect(throws: EndpointError.self) {
                try ONVIFAddressing.reportedPort.endpoint(of: address, reachedAt: device)
            }
            #expect(error?.description.contains("secret") == false)
        }
    }
}
