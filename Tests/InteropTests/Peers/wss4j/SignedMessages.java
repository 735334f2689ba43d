import java.io.*;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.*;
import javax.security.auth.callback.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.*;
import org.apache.ws.security.components.crypto.*;
import org.apache.ws.security.message.*;
import org.w3c.dom.*;

/**
 * Signed and encrypted messages of WSS4J.
 *
 * SignedMessages verify ENVELOPE STORE PASSWORD
 *     prints the names of the signed elements, sorted, and then “, encrypted: ” with those of the encrypted ones, if there are any
 * SignedMessages sign ENVELOPE STORE PASSWORD REFERENCE [CIPHER KEY]
 *     prints the envelope with a Timestamp and a signature over both, and then encrypts the content of the Body, and with GCM the signature
 * SignedMessages call ENVELOPE STORE PASSWORD REFERENCE URL
 *     sends the signed envelope over HTTPS, and prints the status, the text of the answer and what is signed in it; it shows the
 *     certificate that javax.net.ssl.keyStore names
 *
 * STORE is a PKCS#12 file with one key. REFERENCE says how the certificate is named: direct, path, issuer, ski or thumbprint; token is
 * direct, and the token is signed as well, by STR-Transform.
 * CIPHER and KEY are the identifiers of the encryption of the content and of its key.
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
        switch (arguments[0]) {
            case "verify": verify(document, crypto, arguments[3]); break;
            case "sign": sign(document, crypto, arguments, System.out); break;
            default: call(document, crypto, arguments, builders.newDocumentBuilder());
        }
    }

    static void call(Document document, Crypto crypto, String[] arguments, DocumentBuilder builder) throws Exception {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        sign(document, crypto, Arrays.copyOf(arguments, 5), request);
        HttpURLConnection connection = (HttpURLConnection) new URL(arguments[5]).openConnection();
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "text/xml; charset=utf-8");
        connection.setRequestProperty("SOAPAction", "\"urn:echo\"");
        connection.getOutputStream().write(request.toByteArray());
        int status = connection.getResponseCode();
        Document answer = builder.parse(status < 400 ? connection.getInputStream() : connection.getErrorStream());
        System.out.println(status + " " + answer.getElementsByTagNameNS("*", "Body").item(0).getTextContent());
        verify(answer, crypto, arguments[3]);
    }

    static void verify(Document document, Crypto crypto, String password) throws Exception {
        SortedSet<String> signed = new TreeSet<>(), encrypted = new TreeSet<>();
        CallbackHandler handler = callbacks -> {
            for (Callback callback : callbacks) ((WSPasswordCallback) callback).setPassword(password);
        };
        for (WSSecurityEngineResult result : new WSSecurityEngine().processSecurityHeader(document, null, handler, crypto)) {
            Object action = result.get(WSSecurityEngineResult.TAG_ACTION);
            SortedSet<String> names = action.equals(WSConstants.SIGN) ? signed : action.equals(WSConstants.ENCR) ? encrypted : null;
            if (names == null) continue;
            for (Object reference : (List<?>) result.get(WSSecurityEngineResult.TAG_DATA_REF_URIS))
                names.add(((WSDataRef) reference).getName().getLocalPart());
        }
        System.out.println(String.join(" ", signed) + (encrypted.isEmpty() ? "" : ", encrypted: " + String.join(" ", encrypted)));
    }

    static int form(String reference) {
        return reference.equals("issuer") ? WSConstants.ISSUER_SERIAL
            : reference.equals("ski") ? WSConstants.SKI_KEY_IDENTIFIER
            : reference.equals("thumbprint") ? WSConstants.THUMBPRINT_IDENTIFIER : WSConstants.BST_DIRECT_REFERENCE;
    }

    static void sign(Document document, Crypto crypto, String[] arguments, OutputStream output) throws Exception {
        String reference = arguments[4], alias = ((Merlin) crypto).getKeyStore().aliases().nextElement();
        WSSecHeader header = new WSSecHeader();
        header.insertSecurityHeader(document);
        WSSecTimestamp timestamp = new WSSecTimestamp();
        timestamp.setTimeToLive(60);
        timestamp.build(document, header);
        WSSecSignature signature = new WSSecSignature();
        signature.setUserInfo(alias, arguments[3]);
        signature.setUseSingleCertificate(!reference.equals("path"));
        signature.setKeyIdentifierType(form(reference));
        signature.setSignatureAlgorithm("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
        signature.setDigestAlgo("http://www.w3.org/2001/04/xmlenc#sha256");
        List<WSEncryptionPart> signed = new ArrayList<>(Arrays.asList(
            new WSEncryptionPart("Body", document.getDocumentElement().getNamespaceURI(), ""),
            new WSEncryptionPart("Timestamp", WSConstants.WSU_NS, "")));
        if (reference.equals("token")) signed.add(new WSEncryptionPart("STRTransform", "", "Content"));
        signature.setParts(signed);
        signature.build(document, crypto, header);
        if (arguments.length > 5) {
            WSSecEncrypt encryption = new WSSecEncrypt();
            encryption.setUserInfo(alias);
            encryption.setKeyIdentifierType(form(reference));
            encryption.setSymmetricEncAlgorithm(arguments[5]);
            encryption.setKeyEnc(arguments[6]);
            List<WSEncryptionPart> parts = new ArrayList<>();
            parts.add(new WSEncryptionPart("Body", document.getDocumentElement().getNamespaceURI(), "Content"));
            if (arguments[5].endsWith("gcm")) parts.add(new WSEncryptionPart("Signature", WSConstants.SIG_NS, "Element"));
            encryption.setParts(parts);
            encryption.build(document, crypto, header);
        }
        Transformer transformer = TransformerFactory.newInstance().newTransformer();
        transformer.transform(new DOMSource(document), new StreamResult(output));
    }
}
