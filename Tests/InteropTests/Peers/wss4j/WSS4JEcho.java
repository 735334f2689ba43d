// Tells who calls by what WSS4J makes of the Security header block, and calls such a service: `WSS4JEcho serve PORT`,
// `WSS4JEcho call URL VERSION USER PASSWORD-FILE FORM…` with 11 or 12 for the version. Who calls is "clerk", the password "wäy in".
//
// The client prints what came back as JSON, a line a message. FORM is digest, text, or timed, which is a digest beside a Timestamp; twice
// sends the bytes of timed twice; stale and future are digests an hour away from now, and expired is a Timestamp of an hour ago.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.Principal;
import java.util.Arrays;
import java.util.Date;
import javax.security.auth.callback.Callback;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.WSConstants;
import org.apache.ws.security.WSPasswordCallback;
import org.apache.ws.security.WSSConfig;
import org.apache.ws.security.WSSecurityEngine;
import org.apache.ws.security.WSSecurityEngineResult;
import org.apache.ws.security.WSSecurityException;
import org.apache.ws.security.cache.MemoryReplayCache;
import org.apache.ws.security.cache.ReplayCache;
import org.apache.ws.security.handler.RequestData;
import org.apache.ws.security.message.WSSecHeader;
import org.apache.ws.security.message.WSSecTimestamp;
import org.apache.ws.security.message.WSSecUsernameToken;
import org.apache.ws.security.util.WSSecurityUtil;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

public final class WSS4JEcho {
    private static final String NAMESPACE = "urn:signet:example:echo";
    private static final String SOAP11 = "http://schemas.xmlsoap.org/soap/envelope/";
    private static final String SOAP12 = "http://www.w3.org/2003/05/soap-envelope";

    private final WSSConfig config = WSSConfig.getNewInstance();
    private final ReplayCache nonces = new MemoryReplayCache();

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            WSS4JEcho echo = new WSS4JEcho();
            HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), Integer.parseInt(arguments[1])), 50);
            server.createContext("/", echo::serve);
            server.start();
        } else {
            String password = new String(Files.readAllBytes(Paths.get(arguments[4])), StandardCharsets.UTF_8);
            for (String form : Arrays.copyOfRange(arguments, 5, arguments.length))
                call(arguments[1], arguments[2].equals("11") ? SOAP11 : SOAP12, arguments[3], password, form);
        }
    }

    // The service

    private void serve(HttpExchange exchange) throws IOException {
        try {
            Document request = parse(exchange.getRequestBody());
            String soap = request.getDocumentElement().getNamespaceURI();
            Document answer;
            int status = 200;
            try {
                answer = envelope(soap, user(request));
                new WSSecTimestamp(config).build(answer, header(answer));
            } catch (WSSecurityException refusal) {
                answer = fault(soap, refusal);
                status = soap.equals(SOAP11) ? 500 : 400;
            }
            byte[] content = bytes(answer);
            exchange.getResponseHeaders().set("Content-Type", mediaType(soap));
            exchange.sendResponseHeaders(status, content.length);
            exchange.getResponseBody().write(content);
        } catch (Exception problem) {
            problem.printStackTrace();
            exchange.sendResponseHeaders(500, -1);
        } finally {
            exchange.close();
        }
    }

    /** Who calls, as WSS4J's own judgement has it. */
    private String user(Document request) throws WSSecurityException {
        Element security = WSSecurityUtil.getSecurityHeader(request, null);
        if (security == null) throw new WSSecurityException(WSSecurityException.INVALID_SECURITY);
        RequestData data = new RequestData();
        data.setWssConfig(config);
        data.setNonceReplayCache(nonces);
        data.setCallbackHandler(callbacks -> {
            for (Callback callback : callbacks) {
                WSPasswordCallback asked = (WSPasswordCallback) callback;
                if (asked.getIdentifier().equals("clerk")) asked.setPassword("wäy in");
            }
        });
        WSSecurityEngine engine = new WSSecurityEngine();
        engine.setWssConfig(config);
        for (WSSecurityEngineResult result : engine.processSecurityHeader(security, data)) {
            Principal principal = (Principal) result.get(WSSecurityEngineResult.TAG_PRINCIPAL);
            if (principal != null) return principal.getName();
        }
        throw new WSSecurityException(WSSecurityException.INVALID_SECURITY);
    }

    private static Document fault(String soap, WSSecurityException refusal) throws Exception {
        // Its default is a code that does not say which.
        QName code = refusal.getFaultCode() == null ? new QName(WSConstants.WSSE_NS, "InvalidSecurity") : refusal.getFaultCode();
        Document document = envelope(soap, null);
        Element fault = add((Element) document.getDocumentElement().getLastChild(), soap, "s:Fault", null);
        fault.setAttributeNS("http://www.w3.org/2000/xmlns/", "xmlns:c", code.getNamespaceURI());
        if (soap.equals(SOAP11)) {
            add(fault, null, "faultcode", "c:" + code.getLocalPart());
            add(fault, null, "faultstring", refusal.getMessage());
        } else {
            Element outer = add(fault, soap, "s:Code", null);
            add(outer, soap, "s:Value", "s:Sender");
            add(add(outer, soap, "s:Subcode", null), soap, "s:Value", "c:" + code.getLocalPart());
            Element text = add(add(fault, soap, "s:Reason", null), soap, "s:Text", refusal.getMessage());
            text.setAttributeNS("http://www.w3.org/XML/1998/namespace", "xml:lang", "en");
        }
        return document;
    }

    // The client

    private static void call(String url, String soap, String user, String password, String form) throws Exception {
        long away = form.equals("future") ? 3_600_000 : form.equals("stale") || form.equals("expired") ? -3_600_000 : 0;
        WSSConfig config = WSSConfig.getNewInstance();
        config.setCurrentTime(() -> new Date(System.currentTimeMillis() + away));
        Document document = envelope(soap, "from WSS4J");
        WSSecHeader header = header(document);
        // What is built last stands first.
        WSSecUsernameToken token = new WSSecUsernameToken(form.equals("expired") ? WSSConfig.getNewInstance() : config);
        boolean isText = form.equals("text");
        token.setPasswordType(isText ? WSConstants.PASSWORD_TEXT : WSConstants.PASSWORD_DIGEST);
        token.setUserInfo(user, password);
        if (isText) {
            token.addNonce();
            token.addCreated();
        }
        token.build(document, header);
        if (form.equals("timed") || form.equals("twice") || form.equals("expired")) {
            WSSecTimestamp timestamp = new WSSecTimestamp(config);
            timestamp.setTimeToLive(60);
            timestamp.build(document, header);
        }
        byte[] message = bytes(document);
        for (int i = 0; i < (form.equals("twice") ? 2 : 1); i++) System.out.println(post(url, soap, message));
    }

    /** What the service says to a message, as JSON. */
    private static String post(String url, String soap, byte[] message) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        connection.setConnectTimeout(60_000);
        connection.setReadTimeout(60_000);
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", mediaType(soap));
        if (soap.equals(SOAP11)) connection.setRequestProperty("SOAPAction", "\"urn:echo\"");
        connection.getOutputStream().write(message);
        boolean isFault = connection.getResponseCode() >= 400;
        try (InputStream stream = isFault ? connection.getErrorStream() : connection.getInputStream()) {
            Document answer = parse(stream);
            if (!isFault) {
                // WSS4J reads the Timestamp of an answer, if there is one.
                new WSSecurityEngine().processSecurityHeader(answer, null, null, null);
                return "{\"text\": \"" + answer.getElementsByTagNameNS(NAMESPACE, "text").item(0).getTextContent() + "\"}";
            }
            Node code = soap.equals(SOAP11)
                ? answer.getElementsByTagName("faultcode").item(0)
                : answer.getElementsByTagNameNS(soap, "Subcode").item(0).getFirstChild();
            String[] name = code.getTextContent().split(":");
            return "{\"code\": \"{" + code.lookupNamespaceURI(name[0]) + "}" + name[1] + "\"}";
        }
    }

    // Both

    /** An envelope of an Echo; its body is empty without a text. */
    private static Document envelope(String soap, String text) throws WSSecurityException {
        try {
            Document document = factory().newDocumentBuilder().newDocument();
            Element envelope = document.createElementNS(soap, "s:Envelope");
            document.appendChild(envelope);
            Element body = add(envelope, soap, "s:Body", null);
            if (text != null) add(add(body, NAMESPACE, "e:Echo", null), NAMESPACE, "e:text", text);
            return document;
        } catch (Exception problem) {
            throw new WSSecurityException("no envelope", problem);
        }
    }

    private static WSSecHeader header(Document document) throws WSSecurityException {
        WSSecHeader header = new WSSecHeader();
        header.insertSecurityHeader(document);
        return header;
    }

    private static Element add(Element parent, String namespace, String name, String text) {
        Element element = parent.getOwnerDocument().createElementNS(namespace, name);
        if (text != null) element.setTextContent(text);
        parent.appendChild(element);
        return element;
    }

    private static String mediaType(String soap) {
        return (soap.equals(SOAP11) ? "text/xml" : "application/soap+xml") + "; charset=utf-8";
    }

    private static DocumentBuilderFactory factory() throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory;
    }

    private static Document parse(InputStream stream) throws Exception { return factory().newDocumentBuilder().parse(stream); }

    private static byte[] bytes(Document document) throws Exception {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        TransformerFactory.newInstance().newTransformer().transform(new DOMSource(document), new StreamResult(stream));
        return stream.toByteArray();
    }
}
