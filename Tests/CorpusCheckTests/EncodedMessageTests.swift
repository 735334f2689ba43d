import CorpusCheck
import SignetWSDL
import Testing

/// Messages by the rules of SOAP's encoding are read and written as generated code does it.
@Suite struct EncodedMessageTests {
    private static let wsdl = """
        <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"
            xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
            xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
          <types><xs:schema targetNamespace="urn:t">
            <xs:complexType name="Base"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence></xs:complexType>
            <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>
              <xs:element name="b" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
            <xs:complexType name="Bases"><xs:complexContent><xs:restriction base="enc:Array">
              <xs:attribute ref="enc:arrayType" wsdl:arrayType="t:Base[]"/></xs:restriction></xs:complexContent></xs:complexType>
            <xs:complexType name="Grid"><xs:complexContent><xs:restriction base="enc:Array">
              <xs:attribute ref="enc:arrayType" wsdl:arrayType="xs:int[,]"/></xs:restriction></xs:complexContent></xs:complexType>
            <xs:complexType name="Rows"><xs:complexContent><xs:restriction base="enc:Array">
              <xs:attribute ref="enc:arrayType" wsdl:arrayType="xs:int[][]"/></xs:restriction></xs:complexContent></xs:complexType>
          </xs:schema></types>
          <message name="In"><part name="one" type="t:Base"/><part name="all" type="t:Bases"/><part name="grid" type="t:Grid"/>
            <part name="rows" type="t:Rows"/><part name="any" type="xs:anyType"/></message>
          <message name="Out"/>
          <portType name="P"><operation name="send"><input message="t:In"/><output message="t:Out"/></operation></portType>
          <binding name="B" type="t:P"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
            <operation name="send"><soap:operation soapAction=""/>
              <input><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
              <output><soap:body use="encoded" namespace="urn:t" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output>
            </operation></binding>
          <service name="S"><port name="P" binding="t:B"><soap:address location="http://localhost/"/></port></service>
        </definitions>
        """

    private static func differences(_ parts: String) throws -> [String] {
        let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "encoded.wsdl")
        var report = CorpusReport(name: "encoded")
        let service = try #require(ServiceUnderTest.all(definitions, &report).first)
        let message = """
            <t:send xmlns:t="urn:t" xmlns:enc="http://schemas.xmlsoap.org/soap/encoding/"
                xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\(parts)</t:send>
            """
        return try service.differences(Array(message.utf8))
    }

    @Test func arraysAndTypedElementsComeBackUnchanged() throws {
        let found = try Self.differences(
            """
            <one xsi:type="t:More"><a>1</a><b>x</b></one>
            <all enc:arrayType="t:Base[2]"><item><a>2</a></item><item xsi:type="t:More"><a>3</a><b>y</b></item></all>
            <grid enc:arrayType="xs:int[2,2]"><x>1</x><x>2</x><x>3</x><x>4</x></grid>
            <rows enc:arrayType="xs:int[][2]"><item enc:arrayType="xs:int[1]"><i>1</i></item><item enc:arrayType="xs:int[0]"/></rows>
            <any xsi:type="xs:int">5</any>
            """)
        #expect(found == [])
    }

    @Test func theTypeOfANilElementIsNotCompared() throws {
        let found = try Self.differences(
            """
            <one xsi:type="t:More" xsi:nil="true"/><all enc:arrayType="t:Base[0]"/><grid enc:arrayType="xs:int[0,0]"/>
            <rows enc:arrayType="xs:int[][0]"/><any/>
            """)
        #expect(found == [])
    }

    @Test func lostArrayItemsAreReported() throws {
        let found = try Self.differences(
            """
            <one><a>1</a></one><all enc:arrayType="t:Base[2]"><item><a>2</a></item></all>
            <grid enc:arrayType="xs:int[0,0]"/><rows enc:arrayType="xs:int[][0]"/><any/>
            """)
        #expect(found.contains { $0.contains("Base[2]") })
    }
}
