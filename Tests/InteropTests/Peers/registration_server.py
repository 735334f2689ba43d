"""A registration service on ssl and cryptography: registration_server.py FOLDER PORT [MODE …].

FOLDER has ca.pem, ca.key, server.pem and server.key. Clients show a certificate of ca.pem, or give Basic with device and "enroll me".
/soap has the operations of registration.wsdl; /identity answers with PKCS#12, whose password is "agreed". What it was sent is in
FOLDER/log, a line a request.

MODE is one of: pending (Certify answers without a certificate once), pem, pkcs7 (the form of the certificate; otherwise base64), base64 (of
/identity), other-key, html, refuse, once (/identity answers only the first time).
"""
import base64, datetime, html, json, os, re, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7, pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

sys.dont_write_bytecode = True  # the folder of the tests stays as it is
import tls_server

folder, port, modes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
load = lambda name: open(os.path.join(folder, name), "rb").read()
ca = x509.load_pem_x509_certificate(load("ca.pem"))
ca_key = serialization.load_pem_private_key(load("ca.key"), None)
asked = 0


def issue(name, public):
    if "other-key" in modes:
        public = ec.generate_private_key(ec.SECP256R1()).public_key()
    now = datetime.datetime.utcnow()
    builder = x509.CertificateBuilder(ca.subject, name, public, x509.random_serial_number(), now - datetime.timedelta(days=1),
                                      now + datetime.timedelta(days=30))
    builder = builder.add_extension(x509.BasicConstraints(False, None), True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)
    return builder.sign(ca_key, hashes.SHA256())


def made(name, password):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    return pkcs12.serialize_key_and_certificates(b"device", key, issue(name, key.public_key()), [ca],
                                                 serialization.BestAvailableEncryption(password))


def certified(text):
    global asked
    asked += 1
    if "pending" in modes and asked < 2:
        return "<state>waits</state>"
    # A request in PEM or in the base64 of its DER.
    der = text.encode() if "BEGIN" in text else base64.b64decode(text)
    request = (x509.load_pem_x509_csr if "BEGIN" in text else x509.load_der_x509_csr)(der)
    assert request.is_signature_valid
    certificate = issue(request.subject, request.public_key())
    answer = base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()
    if "pem" in modes:
        answer = certificate.public_bytes(serialization.Encoding.PEM).decode()
    if "pkcs7" in modes:
        answer = base64.encodebytes(pkcs7.serialize_certificates([certificate, ca], serialization.Encoding.DER)).decode()
    return f"<state>issued</state><certificate>{answer}</certificate>"


class Handler(tls_server.Handler):
    def admitted(self, body):
        der = self.connection.getpeercert(True)
        shown = x509.load_der_x509_certificate(der).subject.rfc4514_string() if der else None
        with open(os.path.join(folder, "log"), "a") as log:
            log.write(json.dumps({"method": self.command, "path": self.path, "shown": shown, "body": body.decode()}) + "\n")
        if shown or self.headers.get("Authorization") == "Basic " + base64.b64encode(b"device:enroll me").decode():
            return True
        self.answer(401, WWW_Authenticate='Basic realm="registration"')
        return False

    def identity(self):
        if "html" in modes:
            return self.answer(200, b"<html><title>Portal</title></html>", "text/html")
        if "refuse" in modes:
            return self.answer(403, b"No.")
        global asked
        asked += 1
        if "once" in modes and asked > 1:
            return self.answer(410, b"It was given already.")
        file = made("device 7", b"agreed")
        self.answer(200, base64.encodebytes(file) if "base64" in modes else file, "application/x-pkcs12")

    def do_GET(self):
        if self.admitted(b""):
            self.identity()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.admitted(body):
            return
        if self.path == "/identity":
            return self.identity()
        text = body.decode()
        value = lambda name: html.unescape(re.search(rf"<(?:\w+:)?{name}\b[^>]*>([^<]*)<", text)[1])
        if "Certify" in text:
            assert value("customer") == "4711"
            answer = "Certify", certified(value("request"))
        else:
            file = base64.b64encode(made("device " + value("serialNumber"), b"from the answer")).decode()
            answer = "Register", f"<identity>{file}</identity><password>from the answer</password>"
        name, content = answer
        self.answer(200, f'''<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><{name}Response
            xmlns="urn:example:registration">{content}</{name}Response></s:Body></s:Envelope>'''.encode(), "text/xml; charset=utf-8")


tls_server.serve(folder, port, Handler)
