"""A SCEP server (RFC 8894) on cryptography, with its own reader and writer of DER: scep_server.py FOLDER PORT [MODE …].

FOLDER has ca.pem and ca.key (RSA). The challenge password is "enroll me". What it was sent is in FOLDER/log, a line a request.

MODE is one of: pending (answers PENDING twice before a certificate), forever (always PENDING), denied, html, missing (404),
other-key, expired, server-usage, other-subject, other-ca, huge, nonce (of another request), transaction (of another request),
unsigned (a signature by another key), stranger (a signature by a device of the same authority), named-stranger (GetCACert
has that device), sha1, des, ra (a registration
authority in ra.pem and ra.key), get (no POST), des3 (no AES), old (SHA-1
only), plain (no GetCACaps), no-renewal, other-digest (of another content), garbled (encrypted content is damaged).
"""
import base64, datetime, hashlib, http.server, json, os, sys, threading, urllib.parse
from cryptography import x509
from cryptography.hazmat.primitives import hashes, padding as block, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes as cipher_modes
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

try:
    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
except ImportError:
    from cryptography.hazmat.primitives.ciphers.algorithms import TripleDES

folder, port, modes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
load = lambda name: open(os.path.join(folder, name), "rb").read()
certificate = lambda name: x509.load_pem_x509_certificate(load(name + ".pem"))
private = lambda name: serialization.load_pem_private_key(load(name + ".key"), None)
ca, ca_key = certificate("ca"), private("ca")
own, own_key = (certificate("ra"), private("ra")) if "ra" in modes else (ca, ca_key)
lock, waits, requests = threading.Lock(), {}, {}


def note(**more):
    with lock, open(os.path.join(folder, "log"), "a") as log:
        log.write(json.dumps(more) + "\n")


# --- DER

def der(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    length = bytes([size]) if size < 128 else (lambda digits: bytes([0x80 | len(digits)]) + digits)(
        size.to_bytes((size.bit_length() + 7) // 8, "big"))
    return bytes([tag]) + length + content


def oid(text):
    numbers = [int(part) for part in text.split(".")]
    result = bytes([numbers[0] * 40 + numbers[1]])
    for number in numbers[2:]:
        digits = [number & 0x7F]
        while number := number >> 7:
            digits.append(number & 0x7F | 0x80)
        result += bytes(reversed(digits))
    return der(6, result)


class Value:
    """A value of DER: its tag, its content, and its whole encoding."""

    def __init__(self, data):
        self.tag, length, start = data[0], data[1], 2
        if length & 0x80:
            start += length & 0x7F
            length = int.from_bytes(data[2:start], "big")
        self.content, self.encoded = data[start:start + length], data[:start + length]
        assert len(self.content) == length

    def parts(self):
        rest, result = self.content, []
        while rest:
            result.append(Value(rest))
            rest = rest[len(result[-1].encoded):]
        return result


sequence = lambda *parts: der(0x30, *parts)
members = lambda *parts: der(0x31, *parts)
octets = lambda data: der(4, data)
number = lambda value: der(2, value.to_bytes(value.bit_length() // 8 + 1, "big"))
null = der(5)
DATA, SIGNED, ENVELOPED = (oid("1.2.840.113549.1.7." + last) for last in "123")
RSA = sequence(oid("1.2.840.113549.1.1.1"), null)
SHA256, SHA1 = oid("2.16.840.1.101.3.4.2.1"), oid("1.3.14.3.2.26")
AES, DES3, DES = oid("2.16.840.1.101.3.4.1.2"), oid("1.2.840.113549.3.7"), oid("1.3.14.3.2.7")
scep = lambda last: oid("2.16.840.1.113733.1.9." + str(last))
name_of = lambda it: sequence(it.issuer.public_bytes(), number(it.serial_number))
encoded = lambda it: it.public_bytes(serialization.Encoding.DER)


# --- CMS

def opened(data, key):
    """The content of EnvelopedData, and the identifier of its cipher."""
    kind, content = Value(data).parts()
    assert kind.encoded == ENVELOPED
    _, recipients, body = Value(content.content).parts()
    wrapped = recipients.parts()[0].parts()[3].content
    secret = key.decrypt(wrapped, padding.PKCS1v15())
    _, algorithm, bits = body.parts()
    cipher, vector = algorithm.parts()
    kinds = {AES: (algorithms.AES, 128), DES3: (TripleDES, 64)}
    make, size = kinds[cipher.encoded]
    plain = Cipher(make(secret), cipher_modes.CBC(vector.content)).decryptor()
    unpadder = block.PKCS7(size).unpadder()
    return unpadder.update(plain.update(bits.content)) + unpadder.finalize(), cipher.encoded


def sealed(data, recipient):
    """EnvelopedData for a certificate."""
    size = 64 if "des" in modes or "des3" in modes else 128
    secret, vector = os.urandom(8 if "des" in modes else 24 if "des3" in modes else 16), os.urandom(size // 8)
    make = TripleDES if size == 64 else algorithms.AES
    padder = block.PKCS7(size).padder()
    encryptor = Cipher(make(secret * 3 if "des" in modes else secret), cipher_modes.CBC(vector)).encryptor()
    bits = encryptor.update(padder.update(data) + padder.finalize())
    if "garbled" in modes:
        bits = bits[:-1] + bytes([bits[-1] ^ 1])
    wrapped = recipient.public_key().encrypt(secret, padding.PKCS1v15())
    kind = DES if "des" in modes else DES3 if "des3" in modes else AES
    info = sequence(number(0), name_of(recipient), RSA, octets(wrapped))
    return sequence(ENVELOPED, der(0xA0, sequence(
        number(0), members(info), sequence(DATA, sequence(kind, octets(vector)), der(0x80, bits)))))


def signed(content, attributes):
    """SignedData with attributes."""
    digest, hash = (SHA1, hashes.SHA1()) if "sha1" in modes else (SHA256, hashes.SHA256())
    named = hashlib.new("sha1" if "sha1" in modes else "sha256", b"other" if "other-digest" in modes else content or b"")
    all = [sequence(oid("1.2.840.113549.1.9.3"), members(DATA)),
           sequence(oid("1.2.840.113549.1.9.4"), members(octets(named.digest())))]
    all = members(*sorted(all + [sequence(kind, members(value)) for kind, value in attributes]))
    signer, key = own, own_key
    if "unsigned" in modes:
        key = rsa.generate_private_key(65537, 2048)
    if "stranger" in modes or "named-stranger" in modes:
        signer, key = certificate("stranger"), private("stranger")
    signature = key.sign(all, padding.PKCS1v15(), hash)
    algorithm = sequence(digest, null)
    info = sequence(number(1), name_of(signer), algorithm, der(0xA0, Value(all).content), RSA, octets(signature))
    inner = sequence(DATA, der(0xA0, octets(content))) if content is not None else sequence(DATA)
    return sequence(SIGNED, der(0xA0, sequence(
        number(1), members(algorithm), inner, der(0xA0, encoded(signer)), members(info))))


class Message:
    """A request, whose signature is checked with the certificate in it."""

    def __init__(self, data):
        kind, content = Value(data).parts()
        assert kind.encoded == SIGNED
        _, _, inner, certificates, infos = Value(content.content).parts()
        self.signer = x509.load_der_x509_certificate(certificates.parts()[0].encoded)
        self.content = Value(inner.parts()[1].content).content
        _, name, digest, attributes, _, signature = infos.parts()[0].parts()
        assert name.encoded == name_of(self.signer) and digest.parts()[0].encoded == SHA256
        self.signer.public_key().verify(signature.content, der(0x31, attributes.content), padding.PKCS1v15(), hashes.SHA256())
        self.attributes = {part.parts()[0].encoded: part.parts()[1].parts()[0].content for part in attributes.parts()}
        assert self.attributes[oid("1.2.840.113549.1.9.4")] == hashlib.sha256(self.content).digest()
        self.type = self.attributes[scep(2)].decode()
        self.transaction = self.attributes[scep(7)].decode()
        self.nonce = self.attributes[scep(5)]
        assert len(self.nonce) == 16


# --- The authority

def issue(request):
    now = datetime.datetime.utcnow()
    name, issuer, signer = request.subject, ca.subject, ca_key
    if "other-subject" in modes:
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "another device")])
    if "other-ca" in modes:
        signer = rsa.generate_private_key(65537, 2048)
        issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "another authority")])
    public = rsa.generate_private_key(65537, 2048).public_key() if "other-key" in modes else request.public_key()
    usage = ExtendedKeyUsageOID.SERVER_AUTH if "server-usage" in modes else ExtendedKeyUsageOID.CLIENT_AUTH
    end = now + datetime.timedelta(days=-1 if "expired" in modes else 30)
    builder = x509.CertificateBuilder(
        issuer, name, public, x509.random_serial_number(), now - datetime.timedelta(days=2), end)
    builder = builder.add_extension(x509.BasicConstraints(False, None), True)
    return builder.add_extension(x509.ExtendedKeyUsage([usage]), False).sign(signer, hashes.SHA256())


def answer(message):
    status, content, more = "0", None, []
    fail = lambda code, text: ("2", None, [(scep(4), der(0x13, code)), (oid("1.3.6.1.5.5.7.24.1"), der(0x0C, text.encode()))])
    plain, cipher = opened(message.content, own_key)
    challenge = None
    if message.type == "20":
        issuer, subject = Value(plain).parts()
        request = requests.get(message.transaction)
        assert issuer.encoded == ca.subject.public_bytes()
        assert request is None or subject.encoded == request.subject.public_bytes()
    else:
        request = x509.load_der_x509_csr(plain)
        assert request.is_signature_valid
        try:
            challenge = request.attributes.get_attribute_for_oid(ObjectIdentifier("1.2.840.113549.1.9.7")).value.decode()
        except x509.AttributeNotFound:
            pass
        requests[message.transaction] = request
    own_subject = message.signer.issuer == message.signer.subject
    note(type=message.type, transaction=message.transaction, plain=base64.b64encode(plain).decode(), challenge=challenge,
         cipher="des3" if cipher == DES3 else "aes", signer=message.signer.subject.rfc4514_string(), selfSigned=own_subject)
    if message.type == "17":
        ca_key.public_key().verify(message.signer.signature, message.signer.tbs_certificate_bytes,
                                   padding.PKCS1v15(), message.signer.signature_hash_algorithm)
    elif message.type == "19":
        assert own_subject and message.signer.public_key() == request.public_key()
    with lock:
        waits[message.transaction] = waits.get(message.transaction, 0) + 1
        wait = "forever" in modes or "pending" in modes and waits[message.transaction] <= 2
    if request is None:
        status, content, more = fail(b"4", "There is no such request.")
    elif message.type == "19" and challenge != "enroll me":
        status, content, more = fail(b"2", "The challenge password is wrong.")
    elif "denied" in modes:
        status, content, more = fail(b"2", "An operator denied the request.")
    elif wait:
        status = "3"
    else:
        content = sealed(pkcs7.serialize_certificates([issue(request)], serialization.Encoding.DER), message.signer)
    nonce = os.urandom(16) if "nonce" in modes else message.nonce
    transaction = "1" if "transaction" in modes else message.transaction
    printable = lambda text: der(0x13, text.encode())
    return signed(content, [(scep(2), printable("3")), (scep(3), printable(status)), (scep(5), octets(os.urandom(16))),
                            (scep(6), octets(nonce)), (scep(7), printable(transaction))] + more)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", type="text/plain"):
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply(self, data):
        if "html" in modes:
            return self.send(200, b"<!DOCTYPE html><html><title>Portal</title></html>", "text/html")
        if "huge" in modes:
            return self.send(200, b"\x30\x84\x00\x10\x00\x00" + b"\0" * (1 << 20), "application/x-pki-message")
        self.send(200, answer(Message(data)), "application/x-pki-message")

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        operation = query.get("operation")
        note(method="GET", path=parts.path, operation=operation, message=query.get("message", "")[:64])
        if "missing" in modes:
            return self.send(404)
        if operation == "GetCACaps":
            words = ["AES", "DES3", "SHA-1", "SHA-256", "SHA-512", "POSTPKIOperation", "Renewal", "SCEPStandard"]
            without = {"get": ["POSTPKIOperation", "SCEPStandard"], "des3": ["AES", "SCEPStandard"], "no-renewal": ["Renewal"],
                       "old": ["AES", "SHA-256", "SHA-512", "SCEPStandard"]}
            for mode in modes:
                words = [word for word in words if word not in without.get(mode, [])]
            return self.send(404) if "plain" in modes else self.send(200, "\n".join(words).encode())
        if operation == "GetCACert":
            if "ra" in modes:
                data = pkcs7.serialize_certificates([own, ca], serialization.Encoding.DER)
                return self.send(200, data, "application/x-x509-ca-ra-cert")
            if "named-stranger" in modes:
                data = pkcs7.serialize_certificates([certificate("stranger"), ca], serialization.Encoding.DER)
                return self.send(200, data, "application/x-x509-ca-ra-cert")
            return self.send(200, encoded(ca), "application/x-x509-ca-cert")
        if operation == "PKIOperation":
            return self.reply(base64.b64decode(query["message"]))
        self.send(400)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        note(method="POST", path=self.path, type=self.headers.get("Content-Type"))
        if "get" in modes:
            return self.send(405)
        self.reply(body)


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
