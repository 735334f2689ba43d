import java.io.*;
import java.util.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.*;
import org.apache.ws.security.components.crypto.*;
import org.apache.ws.security.message.*;
import org.w3c.dom.*;

/**
 * Signed messages of WSS4J.
 *
 * SignedMessages verify ENVELOPE STORE PASSWORD           prints the names of the signed elements, sorted
 * SignedMessages sign ENVELOPE STORE PASSWORD REFERENCE   prints the envelope with a Timestamp and a signature over both
 *
 * STORE is a PKCS#12 file with one key. REFERENCE says how the signature names the certificate: direct, path, issuer, ski or
 * thumbprint.
 */
public class SignedMessages {
    public static void main(String[] arguments) throws Exception {
        DocumentBuilderFactory builders = DocumentBuilderFactory.newInstance();
        builders.setNamespaceAware(true);
        Document document = builders.newDocumentBuilder().parse(new File(arguments[1]));
        Properties properties = new Properties();
        properties.setProperty("org.apache.ws.security.crypto.provider", Merlin.class.getName());
        properties.setProperty("org.apache.ws.security.crypto.merlin.keystore.type", "PKCS12");
        properties.setProperty("org.apache.ws.security.crypto.merlin.keystore.file", arguments[2]);
        properties.setProperty("org.apache.ws.security.crypto.merlin.keystore.password", arguments[3]);
        Crypto crypto = CryptoFactory.getInstance(properties);
        if (arguments[0].equals("verify")) verify(document, crypto); else sign(document, crypto, arguments[3], arguments[4]);
    }

    static void verify(Document document, Crypto crypto) throws Exception {
        SortedSet<String> names = new TreeSet<>();
        for (WSSecurityEngineResult result : new WSSecurityEngine().processSecurityHeader(document, null, null, crypto)) {
            Object action = result.get(WSSecurityEngineResult.TAG_ACTION);
            if (!action.equals(WSConstants.SIGN)) continue;
            for (Object reference : (List<?>) result.get(WSSecurityEngineResult.TAG_DATA_REF_URIS))
                names.add(((WSDataRef) reference).getName().getLocalPart());
        }
        System.out.println(String.join(" ", names));
    }

    static void sign(Document document, Crypto crypto, String password, String reference) throws Exception {
        WSSecHeader header = new WSSecHeader();
        header.insertSecurityHeader(document);
        WSSecTimestamp timestamp = new WSSecTimestamp();
        timestamp.setTimeToLive(60);
        timestamp.build(document, header);
        WSSecSignature signature = new WSSecSignature();
        signature.setUserInfo(((Merlin) crypto).getKeyStore().aliases().nextElement(), password);
        signature.setUseSingleCertificate(!reference.equals("path"));
        signature.setKeyIdentifierType(
            reference.equals("issuer") ? WSConstants.ISSUER_SERIAL
                : reference.equals("ski") ? WSConstants.SKI_KEY_IDENTIFIER
                : reference.equals("thumbprint") ? WSConstants.THUMBPRINT_IDENTIFIER : WSConstants.BST_DIRECT_REFERENCE);
        signature.setSignatureAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
        signature.setDigestAlgo("http://www.w3.org/2001/04/xmlenc#sha256");
        signature.setParts(Arrays.asList(
            new WSEncryptionPart("Body", document.getDocumentElement().getNamespaceURI(), ""),
            new WSEncryptionPart("Timestamp", WSConstants.WSU_NS, "")));
        signature.build(document, crypto, header);
        Transformer transformer = TransformerFactory.newInstance().newTransformer();
        transformer.transform(new DOMSource(document), new StreamResult(System.out));
    }
}
