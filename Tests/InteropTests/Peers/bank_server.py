"""A bank's certificate service on ssl, cryptography and signxml: bank_server.py FOLDER PORT [MODE …].

FOLDER has ca.pem, ca.key, server.pem, server.key, and bank.pem and bank.key, which sign the answers. A customer is known by the
transfer key 1234567890123456, which is good once, or by a signature with the key of a certificate of ca.pem. What was sent is in
FOLDER/log, a line for each request.

MODE is one of: other-key, unsigned, changed (after it was signed), other-signer (the server's key signs), html (in the place of
the answer's document).
"""
import base64, datetime, json, os, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID
from lxml import etree
from signxml import XMLSigner, XMLVerifier
from signxml.algorithms import CanonicalizationMethod

sys.dont_write_bytecode = True  # the folder of the tests stays as it is
import tls_server

folder, port, modes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
load = lambda name: open(os.path.join(folder, name), "rb").read()
ca = x509.load_pem_x509_certificate(load("ca.pem"))
ca_key = serialization.load_pem_private_key(load("ca.key"), None)
SOAP, SERVICE = "http://schemas.xmlsoap.org/soap/envelope/", "http://bxd.fi/CertificateService"
DOCUMENT, DS = "http://op.fi/mlp/xmldata/", "http://www.w3.org/2000/09/xmldsig#"
transfer_keys = {"1234567890123456"}
parser = etree.XMLParser(resolve_entities=False, no_network=True)


class Refusal(Exception):
    pass


def issue(request):
    key = ec.generate_private_key(ec.SECP256R1()).public_key() if "other-key" in modes else request.public_key()
    now = datetime.datetime.utcnow()
    builder = x509.CertificateBuilder(ca.subject, request.subject, key, x509.random_serial_number(),
                                      now - datetime.timedelta(days=1), now + datetime.timedelta(days=30))
    builder = builder.add_extension(x509.BasicConstraints(False, None), True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)
    return builder.sign(ca_key, hashes.SHA256())


def customer(document):
    """How the customer is known: the former certificate's serial number, or “transfer key”."""
    if document.find(f"{{{DS}}}Signature") is not None:
        # Only what was signed is read from here on.
        text = document.findtext(f".//{{{DS}}}X509Certificate")
        certificate = x509.load_der_x509_certificate(base64.b64decode(text))
        certificate.verify_directly_issued_by(ca)
        signed = XMLVerifier().verify(document, x509_cert=certificate).signed_xml
        return signed, f"{certificate.serial_number:x}"
    key = document.findtext(f"{{{DOCUMENT}}}TransferKey")
    if key not in transfer_keys:
        raise Refusal("26", "Wrong transfer key")
    transfer_keys.discard(key)
    return document, "transfer key"


def answered(content):
    document = etree.fromstring(content, parser)
    if document.tag != f"{{{DOCUMENT}}}CertApplicationRequest":
        raise Refusal("12", "Schema validation failed")
    document, known = customer(document)
    value = lambda name: document.findtext(f"{{{DOCUMENT}}}{name}")
    names = [etree.QName(child).localname for child in document if etree.QName(child).namespace == DOCUMENT]
    request = x509.load_der_x509_csr(base64.b64decode(value("Content")))
    if not request.is_signature_valid:
        raise Refusal("30", "Signature of PKCS#10 invalid")
    with open(os.path.join(folder, "log"), "a") as log:
        log.write(json.dumps({"customer": value("CustomerId"), "known": known, "names": names, "body": base64.b64encode(content).decode()}) + "\n")
    return issue(request)


def response(content):
    code, text, certificates = "00", "OK.", ""
    try:
        certificate = answered(content).public_bytes(serialization.Encoding.DER)
        certificates = f"""<Certificates><Certificate><Name>device</Name><Certificate>{base64.b64encode(certificate).decode()}
            </Certificate><CertificateFormat>X509v3</CertificateFormat></Certificate></Certificates>"""
    except Refusal as refusal:
        code, text = refusal.args
    now = datetime.datetime.utcnow().strftime("%Y-%m-%dT%H:%M:%SZ")
    document = etree.fromstring(f"""<CertApplicationResponse xmlns="{DOCUMENT}"><CustomerId>4711</CustomerId><Timestamp>{now}</Timestamp>
        <ResponseCode>{code}</ResponseCode><ResponseText>{text}</ResponseText>{certificates}</CertApplicationResponse>""")
    signer = "server" if "other-signer" in modes else "bank"
    if "unsigned" not in modes:
        document = XMLSigner(c14n_algorithm=CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0).sign(
            document, key=load(f"{signer}.key"), cert=load(f"{signer}.pem").decode())
    result = etree.tostring(document)
    return result.replace(b">4711<", b">4712<") if "changed" in modes else result


class Handler(tls_server.Handler):
    def do_POST(self):
        body = etree.fromstring(self.rfile.read(int(self.headers.get("Content-Length", 0))), parser)
        content = body.findtext(f".//{{{SERVICE}}}ApplicationRequest")
        header = body.find(f".//{{{SERVICE}}}RequestHeader")
        identifier = header.findtext(f"{{{SERVICE}}}RequestId")
        document = b"<html>maintenance</html>" if "html" in modes else response(base64.b64decode(content))
        now = datetime.datetime.utcnow().strftime("%Y-%m-%dT%H:%M:%SZ")
        self.answer(200, f"""<s:Envelope xmlns:s="{SOAP}"><s:Body><getCertificateout xmlns="{SERVICE}"><ResponseHeader>
            <SenderId>4711</SenderId><RequestId>{identifier}</RequestId><Timestamp>{now}</Timestamp><ResponseCode>00</ResponseCode>
            <ResponseText>OK.</ResponseText></ResponseHeader><ApplicationResponse>{base64.b64encode(document).decode()}</ApplicationResponse>
            </getCertificateout></s:Body></s:Envelope>""".encode(), "text/xml; charset=utf-8")


tls_server.serve(folder, port, Handler)
