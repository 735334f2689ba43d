"""Demands Kerberos with each request, by MIT's library, over TLS, and wants it bound to the channel.

gssapi_acceptor.py PORT CERTIFICATE KEY [wrong]; KRB5_KTNAME names the key table. With `wrong` it stands behind somebody who has
another certificate: its binding is not the one that a client sees.
"""
import base64
import hashlib
import http.server
import ssl
import sys

import gssapi

port, certificate, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
der = ssl.PEM_cert_to_DER_cert(open(certificate).read().split("-----END")[0] + "-----END CERTIFICATE-----\n")
if sys.argv[4:] == ["wrong"]:
    der += b"another"
# RFC 5929 §4.1, for signatures with SHA-256.
bindings = gssapi.raw.ChannelBindings(application_data=b"tls-server-end-point:" + hashlib.sha256(der).digest())
credentials = gssapi.Credentials(usage="accept")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        if scheme != "Negotiate":
            return self.answer(401, "Negotiate")
        context = gssapi.SecurityContext(creds=credentials, usage="accept", channel_bindings=bindings)
        # Otherwise an error would wait for the next message.
        context.__DEFER_STEP_ERRORS__ = False
        try:
            out = context.step(base64.b64decode(token))
        except gssapi.exceptions.GSSError as error:
            return self.answer(401, "Negotiate", type(error).__name__)
        if not context.complete:
            return self.answer(401, "Negotiate", "unfinished")
        self.answer(200, f"Negotiate {base64.b64encode(out or b'').decode()}")

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
