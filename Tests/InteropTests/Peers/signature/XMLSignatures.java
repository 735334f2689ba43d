import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.util.*;
import javax.xml.crypto.*;
import javax.xml.crypto.dom.DOMStructure;
import javax.xml.crypto.dsig.*;
import javax.xml.crypto.dsig.dom.*;
import javax.xml.crypto.dsig.keyinfo.*;
import javax.xml.crypto.dsig.spec.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.*;

/**
 * XML signatures of the JDK, and of Santuario, over javax.xml.crypto.
 *
 * XMLSignatures jdk|santuario verify DOCUMENT CERTIFICATE       succeeds when the certificate's key signed the document
 * XMLSignatures jdk|santuario sign TEMPLATE STORE PASSWORD     prints the document, signed with the key of a PKCS#12 file
 *
 * A template is a document whose Signature has empty values; its algorithms and its place are used. The attribute Id identifies
 * elements.
 */
public class XMLSignatures {
    static final String DS = XMLSignature.XMLNS;

    public static void main(String[] arguments) throws Exception {
        XMLSignatureFactory factory = arguments[0].equals("jdk")
            ? XMLSignatureFactory.getInstance("DOM")
            : XMLSignatureFactory.getInstance("DOM", new org.apache.jcp.xml.dsig.internal.dom.XMLDSigRI());
        DocumentBuilderFactory builders = DocumentBuilderFactory.newInstance();
        builders.setNamespaceAware(true);
        Document document = builders.newDocumentBuilder().parse(new File(arguments[2]));
        identify(document.getDocumentElement());
        Element signature = (Element) document.getElementsByTagNameNS(DS, "Signature").item(0);
        if (arguments[1].equals("verify")) {
            verify(factory, signature, arguments[3]);
        } else {
            sign(factory, signature, arguments[3], arguments[4].toCharArray());
            Transformer transformer = TransformerFactory.newInstance().newTransformer();
            transformer.transform(new DOMSource(document), new StreamResult(System.out));
        }
    }

    static void identify(Element element) {
        if (element.hasAttributeNS(null, "Id")) element.setIdAttributeNS(null, "Id", true);
        for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling())
            if (child instanceof Element) identify((Element) child);
    }

    static void verify(XMLSignatureFactory factory, Element element, String file) throws Exception {
        X509Certificate certificate;
        try (InputStream stream = new FileInputStream(file)) {
            certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(stream);
        }
        DOMValidateContext context = new DOMValidateContext(certificate.getPublicKey(), element);
        context.setProperty("org.jcp.xml.dsig.secureValidation", Boolean.TRUE);
        XMLSignature signature = factory.unmarshalXMLSignature(context);
        if (!signature.getSignatureValue().validate(context)) throw new SignatureException("The value is wrong.");
        for (Object reference : signature.getSignedInfo().getReferences())
            if (!((Reference) reference).validate(context)) throw new SignatureException("A digest is wrong.");
    }

    static void sign(XMLSignatureFactory factory, Element template, String file, char[] password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream stream = new FileInputStream(file)) { store.load(stream, password); }
        String alias = store.aliases().nextElement();
        Key key = store.getKey(alias, password);
        List<Transform> transforms = new ArrayList<>();
        NodeList all = template.getElementsByTagNameNS(DS, "Transform");
        for (int index = 0; index < all.getLength(); index++)
            transforms.add(factory.newTransform(algorithm((Element) all.item(index)), (TransformParameterSpec) null));
        Reference reference = factory.newReference(
            first(template, "Reference").getAttribute("URI"),
            factory.newDigestMethod(algorithm(first(template, "DigestMethod")), null), transforms, null, null);
        SignedInfo info = factory.newSignedInfo(
            factory.newCanonicalizationMethod(
                algorithm(first(template, "CanonicalizationMethod")), (C14NMethodParameterSpec) null),
            factory.newSignatureMethod(algorithm(first(template, "SignatureMethod")), null),
            Collections.singletonList(reference));
        KeyInfoFactory keys = factory.getKeyInfoFactory();
        KeyInfo keyInfo = keys.newKeyInfo(Collections.singletonList(
            keys.newX509Data(Collections.singletonList(store.getCertificate(alias)))));
        Node parent = template.getParentNode(), next = template.getNextSibling();
        parent.removeChild(template);
        DOMSignContext context = next == null
            ? new DOMSignContext(key, parent) : new DOMSignContext(key, parent, next);
        factory.newXMLSignature(info, keyInfo).sign(context);
    }

    static Element first(Element element, String name) {
        return (Element) element.getElementsByTagNameNS(DS, name).item(0);
    }

    static String algorithm(Element element) { return element.getAttribute("Algorithm"); }
}
