"""The enrollment services of a Windows authority (MS-XCEP, MS-WSTEP) on ssl and cryptography: ces_server.py FOLDER PORT [MODE …].

FOLDER has ca.pem, ca.key, server.pem and server.key. /CEP answers GetPolicies, /CES RequestSecurityToken. The client is known by
a certificate of ca.pem, or with the mode username by a UsernameToken of device and "enroll me". What it was sent is in
FOLDER/log, a line a request.

MODE is one of: pending (two polls before the certificate), forever, denied (a poll gets the fault of a denied request), lost (a poll gets the fault of an unknown one), mute (no
disposition, no token, no number), html, other-key, template (a fault for requests that name no template), no-encoding (leaves
EncodingType out), cr (writes references to carriage returns into the token), alone (no PKCS#7 beside the token), nil (the
policies and authorities are nil), renewal-only (the services take renewals only), kerberos (the client is known by Negotiate, bound to
the channel; KRB5_KTNAME names the key table).
"""
import base64, datetime, http.server, json, os, ssl, sys, threading
from xml.etree import ElementTree
from xml.sax.saxutils import escape
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import ExtendedKeyUsageOID, ObjectIdentifier

sys.dont_write_bytecode = True  # the folder of the tests stays as it is
import tls_server

folder, port, modes = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
load = lambda name: open(os.path.join(folder, name), "rb").read()
ca = x509.load_pem_x509_certificate(load("ca.pem"))
ca_key = serialization.load_pem_private_key(load("ca.key"), None)
SOAP, WSA = "http://www.w3.org/2003/05/soap-envelope", "http://www.w3.org/2005/08/addressing"
WST, ENROLL = "http://docs.oasis-open.org/ws-sx/ws-trust/200512", "http://schemas.microsoft.com/windows/pki/2009/01/enrollment"
POLICY = "http://schemas.microsoft.com/windows/pki/2009/01/enrollmentpolicy"
BASE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
WSSE, WSU = BASE + "wssecurity-secext-1.0.xsd", BASE + "wssecurity-utility-1.0.xsd"
TEMPLATE = "1.3.6.1.4.1.311.21.8.15"
NAME = ObjectIdentifier("1.3.6.1.4.1.311.20.2")
lock, requests = threading.Lock(), {}


def note(**more):
    with lock, open(os.path.join(folder, "log"), "a") as log:
        log.write(json.dumps(more) + "\n")


def issue(request):
    now = datetime.datetime.utcnow()
    key = ec.generate_private_key(ec.SECP256R1()).public_key() if "other-key" in modes else request.public_key()
    builder = x509.CertificateBuilder(ca.subject, request.subject, key, x509.random_serial_number(),
                                      now - datetime.timedelta(days=2), now + datetime.timedelta(days=30))
    builder = builder.add_extension(x509.BasicConstraints(False, None), True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)
    return builder.sign(ca_key, hashes.SHA256())


def token(data, kind):
    text = base64.encodebytes(data).decode()
    if "cr" in modes:
        text = text.replace("\n", "&#xD;\n")
    if "double" in modes:
        text = text.replace("\n", "&amp;#xD;\n")
    encoding = "" if "no-encoding" in modes else f' EncodingType="{WSSE}#base64binary"'
    return f'<BinarySecurityToken ValueType="{kind}"{encoding} xmlns="{WSSE}">{text}</BinarySecurityToken>'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proof = None

    def log_message(self, *_):
        pass

    def answer(self, status, body, type="application/soap+xml; charset=utf-8"):
        body = body.encode()
        self.send_response(status)
        if self.proof:
            self.send_header("WWW-Authenticate", "Negotiate " + self.proof)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def envelope(self, action, body, status=200):
        self.answer(status, f'<s:Envelope xmlns:s="{SOAP}" xmlns:a="{WSA}"><s:Header><a:Action s:mustUnderstand="1">{action}'
                    f'</a:Action><a:RelatesTo>{escape(self.message)}</a:RelatesTo></s:Header><s:Body>{body}</s:Body></s:Envelope>')

    def fault(self, reason, code=None, number=None):
        detail = "" if code is None else (
            f'<s:Detail><CertificateEnrollmentWSDetail xmlns="{ENROLL}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">'
            f'<BinaryResponse i:nil="true"/><ErrorCode>{code}</ErrorCode><InvalidRequest>false</InvalidRequest>'
            f'<RequestID>{number or ""}</RequestID></CertificateEnrollmentWSDetail></s:Detail>')
        self.envelope(ENROLL + "/RSTRC/fault", f'<s:Fault><s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason>'
                      f'<s:Text xml:lang="en-US">{escape(reason)}</s:Text></s:Reason>{detail}</s:Fault>', 500)

    def response(self, disposition, tokens, number):
        self.envelope(ENROLL + "/RSTRC/wstep", f'<RequestSecurityTokenResponseCollection xmlns="{WST}"><RequestSecurityTokenResponse>'
                      f'<TokenType>{BASE}x509-token-profile-1.0#X509v3</TokenType>'
                      f'<DispositionMessage xml:lang="en-US" xmlns="{ENROLL}">{disposition}</DispositionMessage>{tokens}'
                      f'<RequestID xmlns="{ENROLL}">{number}</RequestID></RequestSecurityTokenResponse>'
                      f'</RequestSecurityTokenResponseCollection>')

    def issued(self, request, number):
        certificate = issue(request)
        der = certificate.public_bytes(serialization.Encoding.DER)
        chain = "" if "alone" in modes else token(pkcs7.serialize_certificates([certificate, ca], serialization.Encoding.DER),
                                                  WSSE + "#PKCS7")
        self.response("Issued", chain + "<RequestedSecurityToken>" + token(der, BASE + "x509-token-profile-1.0#X509v3")
                      + "</RequestedSecurityToken>", number)

    def pending(self, number):
        # As Windows does, with a response that has the authority's certificate.
        chain = token(pkcs7.serialize_certificates([ca], serialization.Encoding.DER), WSSE + "#PKCS7")
        self.response("Taken Under Submission", chain +
                      f'<RequestedSecurityToken><SecurityTokenReference xmlns="{WSSE}"><Reference URI="https://localhost:{port}/CES"/>'
                      "</SecurityTokenReference></RequestedSecurityToken>", number)

    def negotiated(self):
        """Whether a ticket that is bound to the channel came with the request."""
        import negotiate
        client, proof = negotiate.accepted(self.headers.get("Authorization"), negotiate.binding(os.path.join(folder, "server.pem")))
        if client is not None:
            self.proof = proof
            return True
        self.send_response(401)
        self.send_header("WWW-Authenticate", "Negotiate")
        self.send_header("Content-Length", "0")
        self.end_headers()
        return False

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        root = ElementTree.fromstring(body)
        find = lambda path: root.find(".//" + path)
        text = lambda path: (find(path).text or "") if find(path) is not None else ""
        self.message = text(f"{{{WSA}}}MessageID")
        action, user = text(f"{{{WSA}}}Action"), text(f"{{{WSSE}}}Username")
        shown = self.connection.getpeercert(True)
        pkcs10, asked = text(f"{{{WSSE}}}BinarySecurityToken"), text(f"{{{ENROLL}}}RequestID")
        note(path=self.path, action=action, shown=bool(shown), user=user, asked=asked, body=pkcs10,
             timestamp=find(f"{{{WSU}}}Timestamp") is not None, to=text(f"{{{WSA}}}To"), type=self.headers["Content-Type"],
             authorization=self.headers.get("Authorization", ""), requestType=text(f"{{{WST}}}RequestType"))
        if "kerberos" in modes:
            if not self.negotiated():
                return
        elif "username" in modes:
            if (user, text(f"{{{WSSE}}}Password")) != ("device", "enroll me"):
                return self.fault("An error occurred when verifying security for the message.")
        elif not shown:
            return self.answer(403, "403 - Forbidden: Access is denied.\n", "text/html")
        if "html" in modes:
            return self.answer(200, "<!DOCTYPE html><html><title>Portal</title></html>", "text/html")
        if self.path == "/CEP":
            return self.policies()
        with lock:
            if asked:
                known = requests.get(int(asked))
                if known is None:
                    return self.fault("The request is not known.", -2146877438, asked)
                known[1] += 1
                number, waits = int(asked), known[1]
            else:
                request = x509.load_der_x509_csr(base64.b64decode(pkcs10))
                assert request.is_signature_valid
                number, waits = len(requests) + 7, 0
                requests[number] = known = [request, 0]
        request = known[0]
        if "template" in modes and not asked:
            names = [extension.value for extension in request.extensions
                     if extension.oid.dotted_string in ("1.3.6.1.4.1.311.20.2", "1.3.6.1.4.1.311.21.7")]
            if not names:
                return self.fault("The request contains no certificate template information.", -2146875391, number)
            note(template=[value.public_bytes().hex() for value in names])
        if "denied" in modes and asked:
            return self.fault("The request was denied by a certificate manager or CA administrator.", -2146877420, number)
        if "lost" in modes and asked:
            return self.fault("The request does not exist.", -2146877438, number)
        if "mute" in modes:
            return self.response("Denied by Policy Module  0x80094806", "", "")
        if "forever" in modes or "pending" in modes and waits < 2 or "denied" in modes or "lost" in modes:
            return self.pending(number)
        self.issued(request, number)

    def policies(self):
        nil = 'xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        if "nil" in modes:
            body = f"<response><policyID/><policyFriendlyName {nil}/><policies {nil}/></response><cAs {nil}/><oIDs {nil}/>"
        else:
            only = "true" if "renewal-only" in modes else "false"
            service = lambda kind, path, priority: (
                f"<cAURI><clientAuthentication>{kind}</clientAuthentication><uri>https://localhost:{port}/{path}</uri>"
                f"<priority>{priority}</priority><renewalOnly>{only}</renewalOnly></cAURI>")
            policy = lambda name, oid, enroll, bits, algorithm, authorities: (
                f"<policy><policyOIDReference>{oid}</policyOIDReference><cAs>{authorities}</cAs><attributes><commonName>{name}"
                f"</commonName><policySchema>3</policySchema><certificateValidity><validityPeriodSeconds>31536000"
                f"</validityPeriodSeconds><renewalPeriodSeconds>3628800</renewalPeriodSeconds></certificateValidity><permission>"
                f"<enroll>{enroll}</enroll><autoEnroll>false</autoEnroll></permission><privateKeyAttributes><minimalKeyLength>{bits}"
                f"</minimalKeyLength><keySpec>1</keySpec><keyUsageProperty {nil}/><permissions {nil}/>{algorithm}"
                f"<cryptoProviders><provider>Microsoft Software Key Storage Provider</provider></cryptoProviders>"
                f"</privateKeyAttributes><revision><majorRevision>100</majorRevision><minorRevision>4</minorRevision></revision>"
                f"<supersededPolicies {nil}/><privateKeyFlags>16842752</privateKeyFlags><subjectNameFlags>1</subjectNameFlags>"
                f"<enrollmentFlags>0</enrollmentFlags><generalFlags>131680</generalFlags><hashAlgorithmOIDReference {nil}/>"
                f"<rARequirements {nil}/><keyArchivalAttributes {nil}/><extensions><extension><oIDReference>31</oIDReference>"
                f"<critical>false</critical><value>{base64.b64encode(bytes.fromhex('3012060a2b060104018237150815020164020104')).decode()}"
                f"</value></extension></extensions></attributes></policy>")
            every = "<cAReference>0</cAReference>"
            oid = lambda value, group, number: (f"<oID><value>{value}</value><group>{group}</group><oIDReferenceID>{number}"
                                                f"</oIDReferenceID><defaultName>x</defaultName></oID>")
            body = (
                f"<response><policyID>{{9DA0CB31-3F04-4D65-9E6C-8A6E5A5A0FB0}}</policyID><policyFriendlyName>Bank</policyFriendlyName>"
                f"<nextUpdateHours>8</nextUpdateHours><policiesNotChanged {nil}/><policies>"
                + policy("BankDevice", 30, "true", 256, "<algorithmOIDReference>32</algorithmOIDReference>", every)
                + policy("OldDevice", 30, "true", 3072, f"<algorithmOIDReference {nil}/>", every)
                + policy("Forbidden", 30, "false", 2048, f"<algorithmOIDReference {nil}/>", every)
                + f"</policies></response><cAs><cA><uris>{service(8, 'later', 2)}{service(8, 'CES', 1)}{service(4, 'CES', 1)}{service(2, 'CES', 1)}</uris>"
                f"<certificate>{base64.b64encode(ca.public_bytes(serialization.Encoding.DER)).decode()}</certificate>"
                f"<enrollPermission>true</enrollPermission><cAReferenceID>0</cAReferenceID></cA></cAs><oIDs>"
                + oid(TEMPLATE, 9, 30) + oid("1.3.6.1.4.1.311.21.7", 6, 31) + oid("1.2.840.10045.2.1", 3, 32) + "</oIDs>")
        self.envelope(POLICY + "/IPolicy/GetPoliciesResponse", f'<GetPoliciesResponse xmlns="{POLICY}">{body}</GetPoliciesResponse>')


tls_server.serve(folder, port, Handler)
