"""Demands Kerberos with each request, by MIT's library, over TLS, and wants it bound to the channel.

gssapi_acceptor.py PORT CERTIFICATE KEY [wrong]; KRB5_KTNAME names the key table. With `wrong` it stands behind somebody who has
another certificate: its binding is not the one that a client sees.
"""
import http.server
import ssl
import sys

sys.dont_write_bytecode = True  # the folder of the tests stays as it is
import negotiate

port, certificate, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
channel = negotiate.binding(certificate, b"another" if sys.argv[4:] == ["wrong"] else b"")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        client, said = negotiate.accepted(self.headers.get("authorization"), channel)
        if client is None:
            return self.answer(401, "Negotiate", said)
        self.answer(200, f"Negotiate {said}")

    def answer(self, status, challenge, text=""):
        self.send_response(status)
        self.send_header("WWW-Authenticate", challenge)
        self.send_header("X-Says", text)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
