"""An EST server (RFC 7030, RFC 8951) on ssl and cryptography: est_server.py FOLDER PORT [MODE …].

FOLDER has ca.pem, ca.key, server.pem and server.key. The server asks for a client certificate of ca.pem and takes calls without
one; then Basic or Digest with device and "enroll me" is demanded. What it was sent is in FOLDER/log, a line a request.

MODE is one of: pending (answers 202 twice before a certificate), forever (always 202), html, other-key, expired, server-usage,
other-subject, other-ca, huge, refuse, der, life:SECONDS (how long certificates are valid, from now on), below (an
authority in middle.pem and middle.key issues, and the answer has the certificate alone), attributes:HEX (of csrattrs, in DER), digest (in
place of Basic), required (each connection needs a client certificate).
"""
import base64, datetime, hashlib, json, os, ssl, sys, threading
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

sys.dont_write_bytecode = True  # the folder of the tests stays as it is
import tls_server

folder, port, modes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
attributes = next((bytes.fromhex(mode[11:]) for mode in modes if mode.startswith("attributes:")), None)
life = next((int(mode[5:]) for mode in modes if mode.startswith("life:")), 0)
load = lambda name: open(os.path.join(folder, name), "rb").read()
ca = x509.load_pem_x509_certificate(load("ca.pem"))
ca_key = serialization.load_pem_private_key(load("ca.key"), None)
authorities = [ca]
if "below" in modes:
    authorities.insert(0, x509.load_pem_x509_certificate(load("middle.pem")))
    ca_key = serialization.load_pem_private_key(load("middle.key"), None)
lock, waits = threading.Lock(), {}


def note(**more):
    with lock, open(os.path.join(folder, "log"), "a") as log:
        log.write(json.dumps(more) + "\n")


def issue(request, key=None):
    now = datetime.datetime.utcnow()
    name, issuer, signer = request.subject, authorities[0].subject, ca_key
    if "other-subject" in modes:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "somebody else")])
    if "other-ca" in modes:
        signer = ec.generate_private_key(ec.SECP256R1())
        issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "another authority")])
    public = ec.generate_private_key(ec.SECP256R1()).public_key() if "other-key" in modes else key or request.public_key()
    usage = ExtendedKeyUsageOID.SERVER_AUTH if "server-usage" in modes else ExtendedKeyUsageOID.CLIENT_AUTH
    days = -1 if "expired" in modes else 30
    begin, end = now - datetime.timedelta(days=2), now + datetime.timedelta(days=days)
    if life:
        begin, end = now, now + datetime.timedelta(seconds=life)
    builder = x509.CertificateBuilder(issuer, name, public, x509.random_serial_number(), begin, end)
    builder = builder.add_extension(x509.BasicConstraints(False, None), True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), False)
    for extension in request.extensions:
        if isinstance(extension.value, x509.SubjectAlternativeName):
            builder = builder.add_extension(extension.value, extension.critical)
    return builder.sign(signer, hashes.SHA256())


def wrapped(data):
    return data if "der" in modes else base64.encodebytes(data)


class Handler(tls_server.Handler):
    def certificates(self, *certificates):
        data = pkcs7.serialize_certificates(list(certificates), serialization.Encoding.DER)
        self.answer(200, wrapped(data), "application/pkcs7-mime; smime-type=certs-only")

    def shown(self):
        der = self.connection.getpeercert(True)
        return x509.load_der_x509_certificate(der) if der else None

    def authorized(self):
        text = self.headers.get("Authorization", "")
        if self.shown() is not None and not "both" in modes:
            return True
        if "digest" in modes:
            if text.startswith("Digest "):
                parts = dict(part.strip().split("=", 1) for part in text[7:].split(","))
                get = lambda name: parts[name].strip('"')
                digest = lambda value: hashlib.sha256(value.encode()).hexdigest()
                proof = digest(":".join([digest("device:est:enroll me"), get("nonce"), get("nc"), get("cnonce"), get("qop"),
                                         digest(f"{self.command}:{get('uri')}")]))
                if proof == get("response"):
                    return True
            self.answer(401, WWW_Authenticate='Digest realm="est", qop="auth", algorithm=SHA-256, nonce="' + os.urandom(8).hex() + '"')
        elif text == "Basic " + base64.b64encode(b"device:enroll me").decode():
            return True
        else:
            self.answer(401, WWW_Authenticate='Basic realm="est"')
        return False

    def do_GET(self):
        note(method="GET", path=self.path, shown=bool(self.shown()), authorization=self.headers.get("Authorization", ""))
        if self.path.endswith("/cacerts"):
            self.certificates(*authorities)
        elif self.path.endswith("/csrattrs") and attributes is not None:
            self.answer(200, wrapped(attributes), "application/csrattrs")
        else:
            self.answer(204 if self.path.endswith("/csrattrs") else 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        shown = self.shown()
        note(method="POST", path=self.path, shown=shown.subject.rfc4514_string() if shown else None, body=body.decode(),
             type=self.headers.get("Content-Type"), encoding=self.headers.get("Content-Transfer-Encoding"))
        if not self.authorized():
            return
        operation = self.path.rsplit("/", 1)[1]
        request = x509.load_der_x509_csr(base64.b64decode(body))
        assert request.is_signature_valid
        if operation == "simplereenroll" and (shown is None or shown.subject != request.subject):
            return self.answer(400, b"The subject is not that of the certificate.\n")
        if "refuse" in modes:
            return self.answer(403, b"This device is not known here.\n")
        key = request.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        with lock:
            waits[key] = waits.get(key, 0) + 1
            wait = "forever" in modes or "pending" in modes and waits[key] <= 2
        if wait:
            return self.answer(202, b"Wait.\n", Retry_After="1")
        if "html" in modes:
            return self.answer(200, b"<!DOCTYPE html><html><title>Portal</title></html>", "text/html")
        if "huge" in modes:
            return self.answer(200, wrapped(b"\x30\x84\x00\x10\x00\x00" + b"\0" * (1 << 20)), "application/pkcs7-mime")
        if operation == "serverkeygen":
            made = ec.generate_private_key(ec.SECP256R1())
            pem = made.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            parts = [("application/pkcs8", base64.encodebytes(pem)),
                     ("application/pkcs7-mime; smime-type=certs-only", base64.encodebytes(
                         pkcs7.serialize_certificates([issue(request, made.public_key()), ca], serialization.Encoding.DER)))]
            text = b"".join(b"--limit\r\nContent-Type: " + type.encode() + b"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + part + b"\r\n"
                            for type, part in parts) + b"--limit--\r\n"
            return self.answer(200, text, "multipart/mixed; boundary=limit")
        self.certificates(issue(request))


tls_server.serve(folder, port, Handler, "required" in modes, ssl.TLSVersion.TLSv1_2 if "tls12" in modes else None)
