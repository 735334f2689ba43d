"""Demands NTLM or Negotiate once a connection, by pyspnego, over HTTP or TLS.

acceptor.py PORT SEEN [CERTIFICATE KEY]; NTLM_USER_FILE names the users (DOMAIN:USER:PASSWORD).

Below /ntlm NTLM is offered, below /negotiate Negotiate, below /both both. Whoever comes with another scheme over a connection that
was let in is taken for its user. What came is written to SEEN, a line each: connection, scheme, status, user.
"""
import base64
import hashlib
import http.server
import itertools
import ssl
import sys
import threading

import spnego
import spnego.channel_bindings

port, seen = int(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
binding = None
numbers = itertools.count(1)
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    context = None
    user = None
    number = 0

    def setup(self):
        super().setup()
        self.number = next(numbers)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        offered = {"/ntlm": ["NTLM"], "/negotiate": ["Negotiate"]}.get(self.path, ["Negotiate", "NTLM"])
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        if self.path == "/forgetful":
            self.user = None if not token else self.user
        if not token or scheme not in ("NTLM", "Negotiate"):
            return self.answer(200 if self.user else 401, [] if self.user else offered, scheme)
        if self.context is None:
            options = spnego.NegotiateOptions
            self.context = spnego.server(
                protocol="ntlm" if scheme == "NTLM" else "negotiate",
                options=options.use_ntlm if scheme == "NTLM" else options.use_negotiate,
                channel_bindings=binding,
            )
        try:
            out = self.context.step(base64.b64decode(token))
        except Exception as error:
            self.context = None
            return self.answer(401, offered, f"{scheme} {type(error).__name__}")
        more = [f"{scheme} {base64.b64encode(out).decode()}"] if out else []
        if not self.context.complete:
            return self.answer(401, more, scheme)
        self.user, self.context = self.context.client_principal, None
        self.answer(200, more, scheme)

    do_GET = do_POST

    def answer(self, status, challenges, scheme):
        with lock:
            seen.write(f"{self.number} {scheme or '-'} {status} {self.user or '-'}\n")
        content = (self.user or "").encode()
        self.send_response(status)
        for challenge in challenges:
            self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    leaf = ssl.PEM_cert_to_DER_cert(open(sys.argv[3]).read().split("-----END CERTIFICATE-----")[0] + "-----END CERTIFICATE-----\n")
    binding = spnego.channel_bindings.GssChannelBindings(
        application_data=b"tls-server-end-point:" + hashlib.sha256(leaf).digest()
    )
    if len(sys.argv) > 5:
        # Somebody between has another certificate.
        binding = spnego.channel_bindings.GssChannelBindings(application_data=b"tls-server-end-point:" + bytes(32))
server.serve_forever()
