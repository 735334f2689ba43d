import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.security.spec.AlgorithmParameterSpec;
import java.util.*;
import javax.xml.crypto.*;
import javax.xml.crypto.dsig.*;
import javax.xml.crypto.dsig.dom.*;
import javax.xml.crypto.dsig.spec.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.xml.security.c14n.Canonicalizer;
import org.w3c.dom.*;

/**
 * Signatures over attachments by javax.xml.crypto, with the transform of SOAP Messages with Attachments Profile 1.1.1 §5.4.2.
 *
 * SignedAttachments verify ENVELOPE CERTIFICATE [IDENTIFIER TYPE FILE]…
 *     prints the URIs of what the certificate's key signed; fails when a reference or the signature is wrong
 * SignedAttachments sign ENVELOPE STORE PASSWORD [IDENTIFIER TYPE FILE]…
 *     prints the envelope with a signature over all elements that have a wsu:Id, and the attachments, by the key of a PKCS#12 file
 */
public class SignedAttachments {
    static final String WSS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-";
    static final String CONTENT = "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform";
    static final Map<String, byte[]> contents = new LinkedHashMap<>();

    /** The content is already in the form that its type demands. */
    public static class Content extends TransformService {
        public void init(TransformParameterSpec parameters) {}
        public void init(XMLStructure parent, XMLCryptoContext context) {}
        public void marshalParams(XMLStructure parent, XMLCryptoContext context) {}
        public AlgorithmParameterSpec getParameterSpec() { return null; }
        public boolean isFeatureSupported(String feature) { return false; }
        public Data transform(Data data, XMLCryptoContext context) { return data; }
        public Data transform(Data data, XMLCryptoContext context, OutputStream stream) throws TransformException {
            try (InputStream content = ((OctetStreamData) data).getOctetStream()) {
                for (int next = content.read(); next >= 0; next = content.read()) stream.write(next);
            } catch (IOException error) { throw new TransformException(error); }
            return null;
        }
    }

    static class Rules extends Provider {
        Rules() {
            super("Attachments", 1.0, "");
            put("TransformService." + CONTENT, Content.class.getName());
            put("TransformService." + CONTENT + " MechanismType", "DOM");
        }
    }

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new Rules());
        org.apache.xml.security.Init.init();
        boolean verifies = arguments[0].equals("verify");
        for (int place = verifies ? 3 : 4; place < arguments.length; place += 3)
            contents.put("cid:" + arguments[place], content(arguments[place + 1], Files.readAllBytes(Paths.get(arguments[place + 2]))));
        DocumentBuilderFactory builders = DocumentBuilderFactory.newInstance();
        builders.setNamespaceAware(true);
        Document document = builders.newDocumentBuilder().parse(new File(arguments[1]));
        List<String> identifiers = new ArrayList<>();
        identify(document.getDocumentElement(), identifiers);
        XMLSignatureFactory factory = XMLSignatureFactory.getInstance("DOM");
        if (verifies) verify(factory, document, arguments[2]); else sign(factory, document, identifiers, arguments[2], arguments[3].toCharArray());
    }

    static byte[] content(String type, byte[] bytes) throws Exception {
        if (type.endsWith("xml")) return Canonicalizer.getInstance(Canonicalizer.ALGO_ID_C14N_EXCL_OMIT_COMMENTS).canonicalize(bytes);
        if (!type.startsWith("text/")) return bytes;
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.replaceAll("\r\n|\r|\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    static void identify(Element element, List<String> identifiers) {
        if (element.hasAttributeNS(WSS + "utility-1.0.xsd", "Id")) {
            element.setIdAttributeNS(WSS + "utility-1.0.xsd", "Id", true);
            identifiers.add(element.getAttributeNS(WSS + "utility-1.0.xsd", "Id"));
        }
        for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling())
            if (child instanceof Element) identify((Element) child, identifiers);
    }

    static URIDereferencer dereferencer(XMLSignatureFactory factory) {
        URIDereferencer usual = factory.getURIDereferencer();
        return (reference, context) -> {
            String uri = reference.getURI();
            if (!uri.startsWith("cid:")) return usual.dereference(reference, context);
            if (!contents.containsKey(uri)) throw new URIReferenceException("no attachment " + uri);
            return new OctetStreamData(new ByteArrayInputStream(contents.get(uri)), uri, null);
        };
    }

    static void verify(XMLSignatureFactory factory, Document document, String file) throws Exception {
        X509Certificate certificate;
        try (InputStream stream = new FileInputStream(file)) {
            certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(stream);
        }
        Element element = (Element) document.getElementsByTagNameNS(XMLSignature.XMLNS, "Signature").item(0);
        DOMValidateContext context = new DOMValidateContext(certificate.getPublicKey(), element);
        context.setURIDereferencer(dereferencer(factory));
        XMLSignature signature = factory.unmarshalXMLSignature(context);
        if (!signature.getSignatureValue().validate(context)) throw new IOException("the signature is wrong");
        List<String> uris = new ArrayList<>();
        for (Object each : signature.getSignedInfo().getReferences()) {
            Reference reference = (Reference) each;
            if (!reference.validate(context)) throw new IOException(reference.getURI() + " is not what was signed");
            uris.add(reference.getURI());
        }
        System.out.println(String.join(" ", uris));
    }

    static void sign(XMLSignatureFactory factory, Document document, List<String> identifiers, String file, char[] password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream stream = new FileInputStream(file)) { store.load(stream, password); }
        Key key = store.getKey(store.aliases().nextElement(), password);
        DigestMethod digest = factory.newDigestMethod(DigestMethod.SHA256, null);
        List<Reference> references = new ArrayList<>();
        for (String identifier : identifiers)
            references.add(factory.newReference("#" + identifier, digest, Collections.singletonList(
                factory.newTransform(CanonicalizationMethod.EXCLUSIVE, (TransformParameterSpec) null)), null, null));
        for (String uri : contents.keySet())
            references.add(factory.newReference(uri, digest, Collections.singletonList(
                factory.newTransform(CONTENT, (TransformParameterSpec) null)), null, null));
        SignedInfo info = factory.newSignedInfo(
            factory.newCanonicalizationMethod(CanonicalizationMethod.EXCLUSIVE, (C14NMethodParameterSpec) null),
            factory.newSignatureMethod("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", null), references);
        DOMSignContext context = new DOMSignContext(key, document.getElementsByTagNameNS(WSS + "secext-1.0.xsd", "Security").item(0));
        context.setURIDereferencer(dereferencer(factory));
        context.setDefaultNamespacePrefix("ds");
        factory.newXMLSignature(info, null).sign(context);
        TransformerFactory.newInstance().newTransformer().transform(new DOMSource(document), new StreamResult(System.out));
    }
}
