"""What the servers of authorities have in common: answers over HTTP/1.1, and TLS with a folder's server.pem, server.key and ca.pem."""
import http.server, os, ssl


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", type="text/plain", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if body:
            self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(folder, port, handler, required=False, newest=None):
    """Asks for a client certificate of ca.pem, which the client must show when it is required."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    context.load_verify_locations(os.path.join(folder, "ca.pem"))
    context.verify_mode = ssl.CERT_REQUIRED if required else ssl.CERT_OPTIONAL
    if newest:
        context.maximum_version = newest
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()
