import org.apache.axis.transport.http.AxisServlet;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * Axis 1.4 in Jetty 9 over mutual TLS: {@code Hosting PORT FOLDER WEBAPP}. FOLDER has server.p12 and authority.p12, both with the
 * password "benchmark"; below WEBAPP is WEB-INF/server-config.wsdd.
 */
public final class Hosting {
    public static void main(String[] arguments) throws Exception {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setKeyStorePath(arguments[1] + "/server.p12");
        tls.setKeyStorePassword("benchmark");
        tls.setTrustStorePath(arguments[1] + "/authority.p12");
        tls.setTrustStorePassword("benchmark");
        tls.setNeedClientAuth(true);
        HttpConfiguration http = new HttpConfiguration();
        http.addCustomizer(new SecureRequestCustomizer());
        Server server = new Server();
        ServerConnector connector =
            new ServerConnector(server, new SslConnectionFactory(tls, "http/1.1"), new HttpConnectionFactory(http));
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[0]));
        connector.setIdleTimeout(3600_000);
        connector.setAcceptQueueSize(4096);
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
        context.setContextPath("/");
        context.setResourceBase(arguments[2]);
        context.addServlet(AxisServlet.class, "/services/*");
        server.setHandler(context);
        server.start();
        server.join();
    }
}
