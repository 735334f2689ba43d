extension StandardSchemas {
    /// XML Signature §4.
    static let signature = """
        <xs:simpleType name="CryptoBinary"><xs:restriction base="xs:base64Binary"/></xs:simpleType>
        <xs:simpleType name="HMACOutputLengthType"><xs:restriction base="xs:integer"/></xs:simpleType>
        <xs:simpleType name="DigestValueType"><xs:restriction base="xs:base64Binary"/></xs:simpleType>
        <xs:complexType name="SignatureValueType"><xs:simpleContent><xs:extension base="xs:base64Binary">
        <xs:attribute name="Id" type="xs:ID"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="SignatureType"><xs:sequence><xs:element ref="t:SignedInfo"/>
        <xs:element ref="t:SignatureValue"/><xs:element ref="t:KeyInfo" minOccurs="0"/>
        <xs:element ref="t:Object" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
        <xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="SignedInfoType"><xs:sequence><xs:element ref="t:CanonicalizationMethod"/>
        <xs:element ref="t:SignatureMethod"/><xs:element ref="t:Reference" maxOccurs="unbounded"/></xs:sequence>
        <xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="CanonicalizationMethodType" mixed="true">\(anyContent)
        <xs:attribute name="Algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="SignatureMethodType" mixed="true"><xs:sequence>
        <xs:element name="HMACOutputLength" type="t:HMACOutputLengthType" minOccurs="0"/>\(others)</xs:sequence>
        <xs:attribute name="Algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="ReferenceType"><xs:sequence><xs:element ref="t:Transforms" minOccurs="0"/>
        <xs:element ref="t:DigestMethod"/><xs:element ref="t:DigestValue"/></xs:sequence>
        <xs:attribute name="Id" type="xs:ID"/><xs:attribute name="URI" type="xs:anyURI"/>
        <xs:attribute name="Type" type="xs:anyURI"/></xs:complexType>
        <xs:complexType name="TransformsType"><xs:sequence><xs:element ref="t:Transform" maxOccurs="unbounded"/>
        </xs:sequence></xs:complexType>
        <xs:complexType name="TransformType" mixed="true"><xs:choice minOccurs="0" maxOccurs="unbounded">
        <xs:any namespace="##other" processContents="lax"/><xs:element name="XPath" type="xs:string"/></xs:choice>
        <xs:attribute name="Algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="DigestMethodType" mixed="true"><xs:sequence>\(others)</xs:sequence>
        <xs:attribute name="Algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="KeyInfoType" mixed="true"><xs:choice maxOccurs="unbounded"><xs:element ref="t:KeyName"/>
        <xs:element ref="t:KeyValue"/><xs:element ref="t:RetrievalMethod"/><xs:element ref="t:X509Data"/>
        <xs:element ref="t:PGPData"/><xs:element ref="t:SPKIData"/><xs:element ref="t:MgmtData"/>
        <xs:any namespace="##other" processContents="lax"/></xs:choice><xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="KeyValueType" mixed="true"><xs:choice><xs:element ref="t:DSAKeyValue"/>
        <xs:element ref="t:RSAKeyValue"/><xs:any namespace="##other" processContents="lax"/></xs:choice></xs:complexType>
        <xs:complexType name="RetrievalMethodType"><xs:sequence><xs:element ref="t:Transforms" minOccurs="0"/>
        </xs:sequence><xs:attribute name="URI" type="xs:anyURI"/><xs:attribute name="Type" type="xs:anyURI"/></xs:complexType>
        <xs:complexType name="X509DataType"><xs:sequence maxOccurs="unbounded"><xs:choice>
        <xs:element name="X509IssuerSerial" type="t:X509IssuerSerialType"/>
        <xs:element name="X509SKI" type="xs:base64Binary"/><xs:element name="X509SubjectName" type="xs:string"/>
        <xs:element name="X509Certificate" type="xs:base64Binary"/><xs:element name="X509CRL" type="xs:base64Binary"/>
        <xs:any namespace="##other" processContents="lax"/></xs:choice></xs:sequence></xs:complexType>
        <xs:complexType name="X509IssuerSerialType"><xs:sequence><xs:element name="X509IssuerName" type="xs:string"/>
        <xs:element name="X509SerialNumber" type="xs:integer"/></xs:sequence></xs:complexType>
        <xs:complexType name="PGPDataType"><xs:choice><xs:sequence><xs:element name="PGPKeyID" type="xs:base64Binary"/>
        <xs:element name="PGPKeyPacket" type="xs:base64Binary" minOccurs="0"/>\(others)</xs:sequence><xs:sequence>
        <xs:element name="PGPKeyPacket" type="xs:base64Binary"/>\(others)</xs:sequence></xs:choice></xs:complexType>
        <xs:complexType name="SPKIDataType"><xs:sequence maxOccurs="unbounded">
        <xs:element name="SPKISexp" type="xs:base64Binary"/>
        <xs:any namespace="##other" processContents="lax" minOccurs="0"/></xs:sequence></xs:complexType>
        <xs:complexType name="ObjectType" mixed="true">\(anyContent)<xs:attribute name="Id" type="xs:ID"/>
        <xs:attribute name="MimeType" type="xs:string"/><xs:attribute name="Encoding" type="xs:anyURI"/></xs:complexType>
        <xs:complexType name="ManifestType"><xs:sequence><xs:element ref="t:Reference" maxOccurs="unbounded"/>
        </xs:sequence><xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="SignaturePropertiesType"><xs:sequence>
        <xs:element ref="t:SignatureProperty" maxOccurs="unbounded"/></xs:sequence>
        <xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="SignaturePropertyType" mixed="true"><xs:choice maxOccurs="unbounded">
        <xs:any namespace="##other" processContents="lax"/></xs:choice>
        <xs:attribute name="Target" type="xs:anyURI" use="required"/><xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="DSAKeyValueType"><xs:sequence><xs:sequence minOccurs="0">
        <xs:element name="P" type="t:CryptoBinary"/><xs:element name="Q" type="t:CryptoBinary"/></xs:sequence>
        <xs:element name="G" type="t:CryptoBinary" minOccurs="0"/><xs:element name="Y" type="t:CryptoBinary"/>
        <xs:element name="J" type="t:CryptoBinary" minOccurs="0"/><xs:sequence minOccurs="0">
        <xs:element name="Seed" type="t:CryptoBinary"/><xs:element name="PgenCounter" type="t:CryptoBinary"/></xs:sequence>
        </xs:sequence></xs:complexType>
        <xs:complexType name="RSAKeyValueType"><xs:sequence><xs:element name="Modulus" type="t:CryptoBinary"/>
        <xs:element name="Exponent" type="t:CryptoBinary"/></xs:sequence></xs:complexType>
        <xs:element name="KeyName" type="xs:string"/><xs:element name="MgmtData" type="xs:string"/>
        """
        + elements(
            "Signature", "SignatureValue", "SignedInfo", "CanonicalizationMethod", "SignatureMethod", "Reference",
            "Transforms", "Transform", "DigestMethod", "DigestValue", "KeyInfo", "KeyValue", "RetrievalMethod",
            "X509Data", "PGPData", "SPKIData", "Object", "Manifest", "SignatureProperties", "SignatureProperty",
            "DSAKeyValue", "RSAKeyValue")

    /// XML Encryption §3.
    static let encryption = """
        <xs:complexType name="EncryptedType" abstract="true"><xs:sequence>
        <xs:element name="EncryptionMethod" type="t:EncryptionMethodType" minOccurs="0"/>
        <xs:element ref="ds:KeyInfo" minOccurs="0"/><xs:element ref="t:CipherData"/>
        <xs:element ref="t:EncryptionProperties" minOccurs="0"/></xs:sequence><xs:attribute name="Id" type="xs:ID"/>
        <xs:attribute name="Type" type="xs:anyURI"/><xs:attribute name="MimeType" type="xs:string"/>
        <xs:attribute name="Encoding" type="xs:anyURI"/></xs:complexType>
        <xs:simpleType name="KeySizeType"><xs:restriction base="xs:integer"/></xs:simpleType>
        <xs:complexType name="EncryptionMethodType" mixed="true"><xs:sequence>
        <xs:element name="KeySize" type="t:KeySizeType" minOccurs="0"/>
        <xs:element name="OAEPparams" type="xs:base64Binary" minOccurs="0"/>\(others)</xs:sequence>
        <xs:attribute name="Algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="CipherDataType"><xs:choice><xs:element name="CipherValue" type="xs:base64Binary"/>
        <xs:element ref="t:CipherReference"/></xs:choice></xs:complexType>
        <xs:complexType name="CipherReferenceType"><xs:choice>
        <xs:element name="Transforms" type="t:TransformsType" minOccurs="0"/></xs:choice>
        <xs:attribute name="URI" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="TransformsType"><xs:sequence><xs:element ref="ds:Transform" maxOccurs="unbounded"/>
        </xs:sequence></xs:complexType>
        <xs:complexType name="EncryptedDataType"><xs:complexContent><xs:extension base="t:EncryptedType"/>
        </xs:complexContent></xs:complexType>
        <xs:complexType name="EncryptedKeyType"><xs:complexContent><xs:extension base="t:EncryptedType"><xs:sequence>
        <xs:element ref="t:ReferenceList" minOccurs="0"/>
        <xs:element name="CarriedKeyName" type="xs:string" minOccurs="0"/></xs:sequence>
        <xs:attribute name="Recipient" type="xs:string"/></xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="AgreementMethodType" mixed="true"><xs:sequence>
        <xs:element name="KA-Nonce" type="xs:base64Binary" minOccurs="0"/>\(others)
        <xs:element name="OriginatorKeyInfo" type="ds:KeyInfoType" minOccurs="0"/>
        <xs:element name="RecipientKeyInfo" type="ds:KeyInfoType" minOccurs="0"/></xs:sequence>
        <xs:attribute name="Algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:element name="ReferenceList"><xs:complexType><xs:choice maxOccurs="unbounded">
        <xs:element name="DataReference" type="t:ReferenceType"/><xs:element name="KeyReference" type="t:ReferenceType"/>
        </xs:choice></xs:complexType></xs:element>
        <xs:complexType name="ReferenceType"><xs:sequence>\(others)</xs:sequence>
        <xs:attribute name="URI" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="EncryptionPropertiesType"><xs:sequence>
        <xs:element ref="t:EncryptionProperty" maxOccurs="unbounded"/></xs:sequence>
        <xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        <xs:complexType name="EncryptionPropertyType" mixed="true"><xs:choice maxOccurs="unbounded">
        <xs:any namespace="##other" processContents="lax"/></xs:choice><xs:attribute name="Target" type="xs:anyURI"/>
        <xs:attribute name="Id" type="xs:ID"/></xs:complexType>
        """
        + elements(
            "CipherData", "CipherReference", "EncryptedData", "EncryptedKey", "AgreementMethod", "EncryptionProperties",
            "EncryptionProperty")

    /// WS-Security 1.0: the schema on which the other one builds.
    static let securityUtility = """
        <xs:attribute name="Id" type="xs:ID"/>
        <xs:attributeGroup name="commonAtts"><xs:attribute ref="t:Id"/>
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:attributeGroup>
        <xs:complexType name="AttributedDateTime"><xs:simpleContent><xs:extension base="xs:string">
        <xs:attributeGroup ref="t:commonAtts"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="AttributedURI"><xs:simpleContent><xs:extension base="xs:anyURI">
        <xs:attributeGroup ref="t:commonAtts"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="TimestampType"><xs:sequence><xs:element ref="t:Created" minOccurs="0"/>
        <xs:element ref="t:Expires" minOccurs="0"/>\(others)</xs:sequence>
        <xs:attributeGroup ref="t:commonAtts"/></xs:complexType>
        <xs:element name="Timestamp" type="t:TimestampType"/><xs:element name="Created" type="t:AttributedDateTime"/>
        <xs:element name="Expires" type="t:AttributedDateTime"/>
        """

    /// WS-Security 1.0: header block, tokens and references.
    static let securityExtension = """
        <xs:complexType name="AttributedString"><xs:simpleContent><xs:extension base="xs:string">\(identified)
        </xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="PasswordString"><xs:simpleContent><xs:extension base="t:AttributedString">
        <xs:attribute name="Type" type="xs:anyURI"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="EncodedString"><xs:simpleContent><xs:extension base="t:AttributedString">
        <xs:attribute name="EncodingType" type="xs:anyURI"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="BinarySecurityTokenType"><xs:simpleContent><xs:extension base="t:EncodedString">
        <xs:attribute name="ValueType" type="xs:anyURI"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="KeyIdentifierType"><xs:simpleContent><xs:extension base="t:EncodedString">
        <xs:attribute name="ValueType" type="xs:anyURI"/></xs:extension></xs:simpleContent></xs:complexType>
        <xs:complexType name="UsernameTokenType"><xs:sequence><xs:element name="Username" type="t:AttributedString"/>
        <xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>\(identified)</xs:complexType>
        <xs:simpleType name="tUsage"><xs:list itemType="xs:anyURI"/></xs:simpleType>
        <xs:attribute name="Usage" type="t:tUsage"/>
        <xs:complexType name="ReferenceType"><xs:attribute name="URI" type="xs:anyURI"/>
        <xs:attribute name="ValueType" type="xs:anyURI"/><xs:anyAttribute namespace="##other" processContents="lax"/>
        </xs:complexType>
        <xs:complexType name="EmbeddedType">\(anyContent)<xs:attribute name="ValueType" type="xs:anyURI"/>
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="SecurityTokenReferenceType">\(anyContent)<xs:attribute ref="t:Usage"/>\(identified)
        </xs:complexType>
        <xs:complexType name="SecurityHeaderType">\(anyContent)
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:complexType name="TransformationParametersType">\(anyContent)
        <xs:anyAttribute namespace="##other" processContents="lax"/></xs:complexType>
        <xs:simpleType name="FaultcodeEnum"><xs:restriction base="xs:QName"/></xs:simpleType>
        <xs:element name="Security" type="t:SecurityHeaderType"/><xs:element name="Password" type="t:PasswordString"/>
        <xs:element name="Nonce" type="t:EncodedString"/>
        """
        + elements(
            "UsernameToken", "BinarySecurityToken", "Reference", "Embedded", "KeyIdentifier", "SecurityTokenReference",
            "TransformationParameters")

    /// A global element for each type, with a name derived from it.
    private static func elements(_ names: String...) -> String {
        names.map { "<xs:element name=\"\($0)\" type=\"t:\($0)Type\"/>" }.joined()
    }

    private static let anyContent = """
        <xs:sequence><xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
        """

    private static let others = """
        <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
        """

    private static let identified = """
        <xs:attribute ref="wsu:Id"/><xs:anyAttribute namespace="##other" processContents="lax"/>
        """
}
