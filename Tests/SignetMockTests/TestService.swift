import SignetDynamic
import SignetWSDL

/// A small service.
enum TestService {
    static func diary() throws -> DynamicService { try DynamicService(definitions()) }

    static func definitions(services: String? = nil) throws -> WSDLDefinitions {
        let usual = """
            <service name="Diary"><port name="A" binding="w:B"><s:address location="https://diary.example/soap/v1?x=1"/></port></service>
            """
        return try WSDLLoader { _ in nil }.load(Array(wsdl(services ?? usual).utf8), path: "diary.wsdl")
    }

    static func wsdl(_ services: String) -> String {
        """
        <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:t="urn:t" xmlns:s="\(Namespaces.soap11)"
            xmlns:h="http://schemas.xmlsoap.org/wsdl/http/" xmlns:xs="\(Namespaces.schema)">
        <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
          <xs:element name="Find"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/>
            <xs:element name="password" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="FindResponse"><xs:complexType><xs:sequence><xs:element name="entry" minOccurs="0" maxOccurs="unbounded">
            <xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/><xs:element name="text" type="xs:string" minOccurs="0"/>
            <xs:element name="token" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
          <xs:element name="NotFound"><xs:complexType><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Tell" type="xs:string"/>
        </xs:schema></types>
        <message name="Find"><part name="p" element="t:Find"/></message><message name="Found"><part name="p" element="t:FindResponse"/></message>
        <message name="NotFound"><part name="p" element="t:NotFound"/></message><message name="Tell"><part name="p" element="t:Tell"/></message>
        <portType name="P"><operation name="Find"><input message="w:Find"/><output message="w:Found"/><fault name="F" message="w:NotFound"/></operation>
          <operation name="Tell"><input message="w:Tell"/></operation></portType>
        <binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Find"><s:operation soapAction="urn:find"/><input><s:body use="literal"/></input><output><s:body use="literal"/></output>
            <fault name="F"><s:fault name="F" use="literal"/></fault></operation>
          <operation name="Tell"><s:operation soapAction="urn:tell"/><input><s:body use="literal"/></input></operation></binding>
        <binding name="Plain" type="w:P"><h:binding verb="GET"/></binding>
        \(services)
        </definitions>
        """
    }

    static func port(_ name: String, at address: String) -> String {
        "<port name=\"\(name)\" binding=\"w:B\"><s:address location=\"\(address)\"/></port>"
    }
}
