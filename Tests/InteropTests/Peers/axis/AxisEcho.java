// The SoapBuilders' second round with Axis 1.4, as a service and as a client: `AxisEcho serve PORT CONFIG`, `AxisEcho call URL`.
// Both send every value apart and refer to it (SOAP 1.1 §5.2.1), as Axis does unless told otherwise.
import java.io.FileInputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import javax.xml.namespace.QName;
import javax.xml.rpc.ParameterMode;
import org.apache.axis.Constants;
import org.apache.axis.MessageContext;
import org.apache.axis.client.Call;
import org.apache.axis.client.Service;
import org.apache.axis.configuration.FileProvider;
import org.apache.axis.encoding.ser.ArrayDeserializerFactory;
import org.apache.axis.encoding.ser.ArraySerializerFactory;
import org.apache.axis.encoding.ser.BeanDeserializerFactory;
import org.apache.axis.encoding.ser.BeanSerializerFactory;
import org.apache.axis.transport.http.HTTPConstants;
import org.apache.axis.transport.http.SimpleAxisServer;

public final class AxisEcho {
    private static final String NAMESPACE = "http://soapinterop.org/";
    private static final String TYPES = "http://soapinterop.org/xsd";

    // The service

    public String echoString(String value) { return value; }
    public String[] echoStringArray(String[] value) { return value; }
    public int echoInteger(int value) { return value; }
    public int[] echoIntegerArray(int[] value) { return value; }
    public SOAPStruct echoStruct(SOAPStruct value) { return value; }
    public SOAPStruct[] echoStructArray(SOAPStruct[] value) { return value; }
    public byte[] echoBase64(byte[] value) { return value; }
    public BigDecimal echoDecimal(BigDecimal value) { return value; }
    public boolean echoBoolean(boolean value) { return value; }
    public void echoVoid() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("serve")) {
            SimpleAxisServer server = new SimpleAxisServer();
            server.setMyConfig(new FileProvider(new FileInputStream(arguments[2])));
            server.setServerSocket(
                new ServerSocket(Integer.parseInt(arguments[1]), 50, InetAddress.getByName("127.0.0.1")));
            server.run();
        } else {
            callAll(arguments[1]);
        }
    }

    // The client

    private static void callAll(String url) throws Exception {
        SOAPStruct one = new SOAPStruct("eins & <zwei>", 1, 1.5f);
        SOAPStruct two = new SOAPStruct("", -2, 0f);
        check(url, "String", Constants.XSD_STRING, String.class, "Grüße & <Küsse>");
        check(url, "StringArray", type("ArrayOfstring"), String[].class, new String[] {"a", null, "c"});
        check(url, "Integer", Constants.XSD_INT, int.class, Integer.valueOf(-7));
        check(url, "IntegerArray", type("ArrayOfint"), int[].class, new int[] {1, 2, 3});
        check(url, "Struct", type("soapStruct"), SOAPStruct.class, one);
        // The same value twice is sent once.
        check(url, "StructArray", type("ArrayOfsoapStruct"), SOAPStruct[].class, new SOAPStruct[] {one, two, one});
        check(url, "Base64", Constants.XSD_BASE64, byte[].class, new byte[] {0, 1, -1});
        check(url, "Decimal", Constants.XSD_DECIMAL, BigDecimal.class, new BigDecimal("123456789012345678901.5"));
        check(url, "Boolean", Constants.XSD_BOOLEAN, boolean.class, Boolean.TRUE);
    }

    private static QName type(String name) { return new QName(TYPES, name); }

    private static void check(String url, String name, QName type, Class<?> kind, Object value) throws Exception {
        Call call = (Call) new Service().createCall();
        call.setTargetEndpointAddress(url);
        call.setOperationName(new QName(NAMESPACE, "echo" + name));
        call.setSOAPActionURI("http://");
        // As HTTP/1.0, which Axis speaks by itself, it would wait for the server to close the connection.
        call.setProperty(MessageContext.HTTP_TRANSPORT_VERSION, HTTPConstants.HEADER_PROTOCOL_V11);
        call.registerTypeMapping(
            SOAPStruct.class, type("soapStruct"), new BeanSerializerFactory(SOAPStruct.class, type("soapStruct")),
            new BeanDeserializerFactory(SOAPStruct.class, type("soapStruct")));
        if (kind.isArray() && kind != byte[].class) {
            QName item = kind == SOAPStruct[].class ? type("soapStruct") : kind == int[].class ? Constants.XSD_INT : Constants.XSD_STRING;
            call.registerTypeMapping(
                kind, type, new ArraySerializerFactory(item, null), new ArrayDeserializerFactory(item));
        }
        call.addParameter("input" + name, type, kind, ParameterMode.IN);
        call.setReturnType(type, kind);
        Object answer = call.invoke(new Object[] {value});
        Object[] pair = {value}, other = {answer};
        System.out.println((Arrays.deepEquals(pair, other) ? "same" : "DIFFERENT") + " " + name);
    }
}
