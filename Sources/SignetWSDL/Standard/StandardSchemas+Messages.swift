extension StandardSchemas {
    /// The element of XML Schema itself that a message may hold: a schema, as in the DataSets of .NET.
    static let schemaOfSchemas = """
        <xs:element name="schema"><xs:complexType><xs:sequence>
        <xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/>
        </xs:sequence><xs:anyAttribute processContents="skip"/></xs:complexType></xs:element>
        """

    /// XML 1.0 §2.10 and §2.12, XML Base, xml:id. An empty language means that no language applies.
    static let xml = """
        <xs:attribute name="lang"><xs:simpleType><xs:restriction base="xs:token">
        <xs:pattern value="[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*"/><xs:pattern value=""/></xs:restriction></xs:simpleType>
        </xs:attribute>
        <xs:attribute name="space"><xs:simpleType><xs:restriction base="xs:NCName">
        <xs:enumeration value="default"/><xs:enumeration value="preserve"/></xs:restriction></xs:simpleType></xs:attribute>
        <xs:attribute name="base" type="xs:anyURI"/>
        <xs:attribute name="id" type="xs:ID"/>
        <xs:attributeGroup name="specialAttrs"><xs:attribute ref="xml:base"/><xs:attribute ref="xml:lang"/>
        <xs:attribute ref="xml:space"/><xs:attribute ref="xml:id"/></xs:attributeGroup>
        """

    /// WSDL 1.1 §2.1.3, §2.2.
    static let wsdl = """
        <xs:attribute name="required" type="xs:boolean"/><xs:attribute name="arrayType" type="xs:string"/>
        """

    /// SOAP 1.1 §5. Its simple types are aliases of the built-in types: the decoder of SOAP's encoding handles the
    /// attributes `id` and `href`.
    static let encoding11 =
        simpleTypes + """
            <xs:attributeGroup name="commonAttributes"><xs:attribute name="id" type="xs:ID"/>
            <xs:attribute name="href" type="xs:anyURI"/><xs:anyAttribute namespace="##other" processContents="lax"/>
            </xs:attributeGroup>
            <xs:attribute name="arrayType" type="xs:string"/><xs:attribute name="offset" type="xs:string"/>
            <xs:attribute name="position" type="xs:string"/><xs:attribute name="root" type="xs:boolean"/>
            <xs:attributeGroup name="arrayAttributes"><xs:attribute ref="t:arrayType"/><xs:attribute ref="t:offset"/>
            </xs:attributeGroup>
            <xs:attributeGroup name="arrayMemberAttributes"><xs:attribute ref="t:position"/></xs:attributeGroup>
            <xs:group name="Array">\(items)</xs:group><xs:group name="Struct">\(items)</xs:group>
            <xs:complexType name="Array"><xs:group ref="t:Array" minOccurs="0"/>
            <xs:attributeGroup ref="t:arrayAttributes"/><xs:attributeGroup ref="t:commonAttributes"/></xs:complexType>
            <xs:complexType name="Struct"><xs:group ref="t:Struct" minOccurs="0"/>
            <xs:attributeGroup ref="t:commonAttributes"/></xs:complexType>
            <xs:element name="Array" type="t:Array"/><xs:element name="Struct" type="t:Struct"/>
            <xs:simpleType name="base64"><xs:restriction base="xs:base64Binary"/></xs:simpleType>
            """

    /// SOAP 1.2 Part 2 §3. `arrayType` is SOAP 1.1's, but gSOAP writes WSDLs for SOAP 1.2 that refer to it in this
    /// namespace.
    static let encoding12 =
        simpleTypes + """
            <xs:attribute name="arrayType" type="xs:string"/>
            <xs:attribute name="arraySize" type="xs:string"/><xs:attribute name="itemType" type="xs:QName"/>
            <xs:attribute name="id" type="xs:ID"/><xs:attribute name="ref" type="xs:IDREF"/>
            <xs:attribute name="nodeType" type="xs:NMTOKEN"/>
            <xs:attributeGroup name="commonAttributes"><xs:attribute ref="t:id"/><xs:attribute ref="t:ref"/>
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:attributeGroup>
            <xs:attributeGroup name="arrayAttributes"><xs:attribute ref="t:arraySize"/><xs:attribute ref="t:itemType"/>
            </xs:attributeGroup>
            <xs:group name="Array">\(items)</xs:group><xs:group name="Struct">\(items)</xs:group>
            <xs:complexType name="Array"><xs:group ref="t:Array" minOccurs="0"/>
            <xs:attributeGroup ref="t:arrayAttributes"/><xs:attributeGroup ref="t:commonAttributes"/></xs:complexType>
            <xs:complexType name="Struct"><xs:group ref="t:Struct" minOccurs="0"/>
            <xs:attributeGroup ref="t:commonAttributes"/></xs:complexType>
            <xs:element name="Array" type="t:Array"/><xs:element name="Struct" type="t:Struct"/>
            """

    private static let items = """
        <xs:sequence><xs:any namespace="##any" minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence>
        """

    private static let simpleTypes = [
        "string", "boolean", "decimal", "float", "double", "duration", "dateTime", "time", "date", "gYearMonth",
        "gYear",
        "gMonthDay", "gDay", "gMonth", "hexBinary", "base64Binary", "anyURI", "QName", "NOTATION", "normalizedString",
        "token", "language", "Name", "NMTOKEN", "NMTOKENS", "NCName", "ID", "IDREF", "IDREFS", "ENTITY", "ENTITIES",
        "integer", "nonPositiveInteger", "negativeInteger", "long", "int", "short", "byte", "nonNegativeInteger",
        "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "positiveInteger",
    ].map { name in
        "<xs:simpleType name=\"\(name)\"><xs:restriction base=\"xs:\(name)\"/></xs:simpleType>"
            + "<xs:element name=\"\(name)\" type=\"t:\(name)\" nillable=\"true\"/>"
    }.joined()

    /// SOAP 1.1 §4.
    static let envelope11 = """
        <xs:element name="Envelope" type="t:Envelope"/><xs:element name="Header" type="t:Header"/>
        <xs:element name="Body" type="t:Body"/><xs:element name="Fault" type="t:Fault"/>
        <xs:attribute name="mustUnderstand" type="xs:boolean"/><xs:attribute name="actor" type="xs:anyURI"/>
        <xs:attribute name="encodingStyle" type="t:encodingStyle"/>
        <xs:simpleType name="encodingStyle"><xs:list itemType="xs:anyURI"/></xs:simpleType>
        <xs:attributeGroup name="encodingStyle"><xs:attribute ref="t:encodingStyle"/></xs:attributeGroup>
        <xs:complexType name="Envelope"><xs:sequence><xs:element ref="t:Header" minOccurs="0"/>
        <xs:element ref="t:Body"/></xs:sequence><xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="Header">\(items)<xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="Body">\(items)<xs:anyAttribute processContents="lax"/></xs:complexType>
        <xs:complexType name="detail">\(items)<xs:anyAttribute processContents="lax"/></xs:complexType>
        <xs:complexType name="Fault"><xs:sequence><xs:element name="faultcode" type="xs:QName" form="unqualified"/>
        <xs:element name="faultstring" type="xs:string" form="unqualified"/>
        <xs:element name="faultactor" type="xs:anyURI" minOccurs="0" form="unqualified"/>
        <xs:element name="detail" type="t:detail" minOccurs="0" form="unqualified"/></xs:sequence></xs:complexType>
        """

    /// SOAP 1.2 Part 1 §5.
    static let envelope12 = """
        <xs:element name="Envelope" type="t:Envelope"/><xs:element name="Header" type="t:Header"/>
        <xs:element name="Body" type="t:Body"/><xs:element name="Fault" type="t:Fault"/>
        <xs:attribute name="mustUnderstand" type="xs:boolean"/><xs:attribute name="role" type="xs:anyURI"/>
        <xs:attribute name="relay" type="xs:boolean"/><xs:attribute name="encodingStyle" type="xs:anyURI"/>
        <xs:complexType name="Envelope"><xs:sequence><xs:element ref="t:Header" minOccurs="0"/>
        <xs:element ref="t:Body"/></xs:sequence><xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="Header">\(items)<xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="Body">\(items)<xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="detail">\(items)<xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="reasontext"><xs:simpleContent><xs:extension base="xs:string">
        <xs:attribute ref="xml:lang" use="required"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="faultreason"><xs:sequence>
        <xs:element name="Text" type="t:reasontext" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
        <xs:complexType name="subcode"><xs:sequence><xs:element name="Value" type="xs:QName"/>
        <xs:element name="Subcode" type="t:subcode" minOccurs="0"/></xs:sequence></xs:complexType>
        <xs:complexType name="faultcode"><xs:sequence><xs:element name="Value" type="xs:QName"/>
        <xs:element name="Subcode" type="t:subcode" minOccurs="0"/></xs:sequence></xs:complexType>
        <xs:complexType name="Fault"><xs:sequence><xs:element name="Code" type="t:faultcode"/>
        <xs:element name="Reason" type="t:faultreason"/><xs:element name="Node" type="xs:anyURI" minOccurs="0"/>
        <xs:element name="Role" type="xs:anyURI" minOccurs="0"/>
        <xs:element name="Detail" type="t:detail" minOccurs="0"/></xs:sequence></xs:complexType>
        """

    static let apacheSOAP = """
        <xs:complexType name="mapItem"><xs:sequence><xs:element name="key" nillable="true"/>
        <xs:element name="value" nillable="true"/></xs:sequence></xs:complexType>
        <xs:complexType name="Map"><xs:sequence>
        <xs:element name="item" type="t:mapItem" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
        <xs:complexType name="Vector"><xs:sequence>
        <xs:element name="item" nillable="true" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
        <xs:complexType name="Element"><xs:sequence><xs:any processContents="skip"/></xs:sequence></xs:complexType>
        <xs:complexType name="Document"><xs:sequence><xs:any processContents="skip"/></xs:sequence></xs:complexType>
        <xs:complexType name="DocumentFragment"><xs:sequence>
        <xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
        """

    static let xmime = """
        <xs:attribute name="contentType"><xs:simpleType><xs:restriction base="xs:string"><xs:minLength value="3"/>
        </xs:restriction></xs:simpleType></xs:attribute>
        <xs:attribute name="expectedContentTypes" type="xs:string"/>
        <xs:complexType name="base64Binary"><xs:simpleContent><xs:extension base="xs:base64Binary">
        <xs:attribute ref="t:contentType"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="hexBinary"><xs:simpleContent><xs:extension base="xs:hexBinary">
        <xs:attribute ref="t:contentType"/></xs:extension></xs:simpleContent></xs:complexType>
        """

    /// The drafts use another name for one of the attributes.
    static let xmimeDraft = xmime + "<xs:attribute name=\"expectedMediaType\" type=\"xs:string\"/>"

    static let swaRef = """
        <xs:simpleType name="swaRef"><xs:restriction base="xs:anyURI"/></xs:simpleType>
        """

    static let microsoftMessage = """
        <xs:complexType name="MessageBody"><xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
        <xs:simpleType name="StreamBody"><xs:restriction base="xs:base64Binary"/></xs:simpleType>
        """

    static let microsoftTypes = """
        <xs:simpleType name="char"><xs:restriction base="xs:unsignedShort"/></xs:simpleType>
        <xs:simpleType name="TimeSpan"><xs:restriction base="xs:duration"/></xs:simpleType>
        <xs:simpleType name="dateTimeOffset"><xs:restriction base="xs:dateTime"/></xs:simpleType>
        <xs:simpleType name="guid"><xs:restriction base="xs:string">
        <xs:pattern value="[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"/></xs:restriction></xs:simpleType>
        """

    static let serialization = """
        <xs:simpleType name="char"><xs:restriction base="xs:int"/></xs:simpleType>
        <xs:simpleType name="duration"><xs:restriction base="xs:duration"/></xs:simpleType>
        <xs:simpleType name="guid"><xs:restriction base="xs:string"/></xs:simpleType>
        <xs:element name="char" type="t:char" nillable="true"/><xs:element name="guid" type="t:guid" nillable="true"/>
        <xs:element name="duration" type="t:duration" nillable="true"/>
        <xs:attribute name="FactoryType" type="xs:QName"/><xs:attribute name="Id" type="xs:ID"/>
        <xs:attribute name="Ref" type="xs:IDREF"/>
        """
        + [
            "anyType", "anyURI", "base64Binary", "boolean", "byte", "dateTime", "decimal", "double", "float", "int",
            "long",
            "QName", "short", "string", "unsignedByte", "unsignedInt", "unsignedLong", "unsignedShort",
        ].map { "<xs:element name=\"\($0)\" type=\"xs:\($0)\" nillable=\"true\"/>" }.joined()

    /// WS-Addressing 1.0 Core §2 and §3.
    static let addressing = addressing(
        unique: "RelationshipTypeOpenEnum",
        more: """
            <xs:element name="Metadata" type="t:MetadataType"/><xs:complexType name="MetadataType">\(items)
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
            <xs:element name="ReferenceParameters" type="t:ReferenceParametersType"/>
            <xs:element name="ProblemHeaderQName" type="t:AttributedQNameType"/>
            <xs:element name="ProblemIRI" type="t:AttributedURIType"/>
            <xs:element name="ProblemAction" type="t:ProblemActionType"/>
            <xs:complexType name="ProblemActionType"><xs:sequence><xs:element ref="t:Action" minOccurs="0"/>
            <xs:element name="SoapAction" type="xs:anyURI" minOccurs="0"/></xs:sequence>
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
            <xs:complexType name="AttributedUnsignedLongType"><xs:simpleContent><xs:extension base="xs:unsignedLong">
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
            <xs:complexType name="AttributedQNameType"><xs:simpleContent><xs:extension base="xs:QName">
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
            <xs:attribute name="IsReferenceParameter" type="xs:boolean"/>
            <xs:element name="RetryAfter" type="t:AttributedUnsignedLongType"/>
            """,
        reference: """
            <xs:element ref="t:ReferenceParameters" minOccurs="0"/><xs:element ref="t:Metadata" minOccurs="0"/>
            """, uri: "AttributedURIType", relation: "xs:anyURI")

    /// WS-Addressing of August 2004, §2 and §3.
    static let addressing2004 = addressing(
        unique: "RelationshipTypeValues",
        more: """
            <xs:complexType name="ReferencePropertiesType">\(items)</xs:complexType>
            <xs:complexType name="ServiceNameType"><xs:simpleContent><xs:extension base="xs:QName">
            <xs:attribute name="PortName" type="xs:NCName"/><xs:anyAttribute namespace="##other" processContents="lax"/>
            </xs:extension></xs:simpleContent></xs:complexType>
            <xs:complexType name="AttributedQName"><xs:simpleContent><xs:extension base="xs:QName">
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
            <xs:complexType name="ReplyAfterType"><xs:simpleContent><xs:extension base="xs:nonNegativeInteger">
            <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
            <xs:element name="ReplyAfter" type="t:ReplyAfterType"/><xs:attribute name="Action" type="xs:anyURI"/>
            """,
        reference: """
            <xs:element name="ReferenceProperties" type="t:ReferencePropertiesType" minOccurs="0"/>
            <xs:element name="ReferenceParameters" type="t:ReferenceParametersType" minOccurs="0"/>
            <xs:element name="PortType" type="t:AttributedQName" minOccurs="0"/>
            <xs:element name="ServiceName" type="t:ServiceNameType" minOccurs="0"/>
            """, uri: "AttributedURI", relation: "xs:QName")

    /// The declarations that both versions of WS-Addressing have.
    private static func addressing(unique: String, more: String, reference: String, uri: String, relation: String)
        -> String
    {
        """
        <xs:element name="EndpointReference" type="t:EndpointReferenceType"/>
        <xs:complexType name="EndpointReferenceType"><xs:sequence><xs:element name="Address" type="t:\(uri)"/>
        \(reference)<xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="ReferenceParametersType">\(items)
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="\(uri)"><xs:simpleContent><xs:extension base="xs:anyURI">
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="RelatesToType"><xs:simpleContent><xs:extension base="xs:anyURI">
        <xs:attribute name="RelationshipType" type="\(relation)"/>
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:simpleType name="\(unique)"><xs:restriction base="\(relation)"/></xs:simpleType>
        <xs:element name="MessageID" type="t:\(uri)"/><xs:element name="RelatesTo" type="t:RelatesToType"/>
        <xs:element name="To" type="t:\(uri)"/><xs:element name="Action" type="t:\(uri)"/>
        <xs:element name="From" type="t:EndpointReferenceType"/>
        <xs:element name="ReplyTo" type="t:EndpointReferenceType"/>
        <xs:element name="FaultTo" type="t:EndpointReferenceType"/>
        \(more)
        """
    }
}
