"""Demands Digest whose response covers the content (RFC 7616, qop=auth-int), and proves with its answer that it knows the password.

digest_acceptor.py PORT [wrong]: with "wrong" the proof is wrong. The user is "clerk", the password "way in".
"""
import hashlib
import http.server
import re
import secrets
import sys

REALM = "content counts"
nonces = set()


def h(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        field = self.headers.get("authorization", "")
        if not field:
            nonce = secrets.token_hex(16)
            nonces.add(nonce)
            return self.answer(
                401, b"", ("WWW-Authenticate",
                f'Digest realm="{REALM}", nonce="{nonce}", algorithm=SHA-256, qop="auth-int", opaque="o"'))
        given = {name: (quoted or plain) for name, quoted, plain in re.findall(r'([a-z]+)=(?:"([^"]*)"|([^ ,]+))', field)}
        key = h(f"clerk:{REALM}:way in")
        middle = f"{given['nonce']}:{given['nc']}:{given['cnonce']}:{given['qop']}"
        right = h(f"{key}:{middle}:{h('POST:' + self.path + ':' + h(content))}")
        if given["qop"] != "auth-int" or given["nonce"] not in nonces or given["response"] != right:
            return self.answer(401, b"", ("WWW-Authenticate", f'Digest realm="{REALM}", nonce="x", algorithm=SHA-256, qop="auth-int"'))
        body = b"got " + content
        proof = h(f"{key}:{middle}:{h(':' + self.path + ':' + h(body))}")
        if len(sys.argv) > 2:
            proof = h(proof)
        self.answer(200, body, ("Authentication-Info", f'rspauth="{proof}", qop=auth-int, nc={given["nc"]}, cnonce="{given["cnonce"]}"'))

    def answer(self, status, content, field):
        self.send_response(status)
        self.send_header(*field)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
