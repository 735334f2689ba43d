"""A security token service (WS-Trust 1.3, 1.4 and 2005/02) on pysaml2, lxml and xmlsec1.

token_service.py FOLDER PORT [--plain] [--mode NAME …] [--issuer NAME] [--lifetime SECONDS] [--maximum SECONDS]

FOLDER has the keys that saml_tokens.py makes. Port 0 takes a free one; the port is the first line printed. The user is "clerk" with the
password "wäy in". Modes are also taken from the path, /adfs/ec/username, beside those of the command line:

trust       13 or 2005, 11 or 12: no other version of WS-Trust, of SOAP (otherwise that of the request)
header      stamped: Security with a Timestamp, that must be understood, in the answer too (always with adfs)
who         username (text or digest), digest, certificate (of TLS), signature (WS-Security, over Body and Timestamp), kerberos (HTTP
            Negotiate, bound to the channel; KRB5_KTNAME names the key table), basic (HTTP): no other way
key         ec: signs with P-256 (otherwise RSA); keyvalue: a holder's key of RSA is named by its KeyValue
style       cxf (otherwise), adfs, vsphere
answer      two (two RSTRs, in 2005/02 too), twotokens (in one RSTR), encrypted, othertype, nolifetime, hugelifetime, expired, norefs, html, empty
faults      unauthorized: with the status 401; trustfault: wst:FailedAuthentication instead of wsse:FailedAuthentication; busy: 503 with Retry-After

GET /count answers with the requests per AppliesTo as JSON; POST /revoke makes the relying party with this FOLDER refuse all that was issued
so far. Below FOLDER: issued/ID.xml (the bytes of each assertion, or of what it is encrypted in), token_service.log (a line of JSON a request).
"""
import argparse, base64, collections, hashlib, http.server, json, os, ssl, sys, threading

sys.dont_write_bytecode = True  # the folder of the tests stays as it is
from saml_tokens import *

PASSWORD = "wäy in"
TRUST13, TRUST2005 = "http://docs.oasis-open.org/ws-sx/ws-trust/200512", "http://schemas.xmlsoap.org/ws/2005/02/trust"
ADDRESSING = ["http://www.w3.org/2005/08/addressing", "http://schemas.xmlsoap.org/ws/2004/08/addressing"]
NO_PROOF = "http://schemas.xmlsoap.org/ws/2005/05/identity/NoProofKey"
DSIG11 = "http://www.w3.org/2009/xmldsig11#"
OTHER = {SAML2: SAML1, SAML1: SAML2}
BY_TYPE = {**{uri: space for space, uri in TOKEN_TYPES.items()}, SAML2: SAML2, SAML1: SAML1, "urn:oasis:names:tc:SAML:1.1:assertion": SAML1}
counts, seen, lock = collections.Counter(), set(), threading.Lock()


class Refused(Exception):
    """A fault: space is "wst", "wsse", "wsa" or "" for the code alone (Sender, or VersionMismatch)."""
    def __init__(self, space, code, reason):
        super().__init__(reason)
        self.space, self.code = space, code


def local(node, *path):
    """The first element down a path of local names, whatever the namespaces, or None."""
    for name in path:
        node = next((c for c in node if isinstance(c.tag, str) and etree.QName(c).localname == name), None) if node is not None else None
    return node


def text(node, *path):
    found = local(node, *path)
    return None if found is None else "".join(found.itertext()).strip()


# Who asks

def username(token):
    password = token.find("wsse:Password", NAMES)
    given, created, nonce = password.text or "", token.findtext("wsu:Created", None, NAMES), token.findtext("wsse:Nonce", None, NAMES)
    if password.get("Type", "").endswith("#PasswordDigest"):
        if not created or not nonce or abs(now() - moment(created)) > datetime.timedelta(seconds=300) or nonce in seen:
            raise Refused("wsse", "InvalidSecurityToken", "The digest is stale, or was seen before.")
        seen.add(nonce)
        right = base64.b64encode(hashlib.sha1(base64.b64decode(nonce) + created.encode() + PASSWORD.encode()).digest()).decode()
        how = "digest"
    else:
        right, how = PASSWORD, "text"
    if token.findtext("wsse:Username", None, NAMES) != "clerk" or given != right:
        raise Refused("wsse", "FailedAuthentication", "The user or the password is wrong.")
    return "clerk", how


def issued_by_authority(shown, folder):
    ca = certificate(os.path.join(folder, "ca.pem"))
    try:
        ca.public_key().verify(shown.signature, shown.tbs_certificate_bytes, ec.ECDSA(shown.signature_hash_algorithm))
    except Exception:
        raise Refused("wsse", "FailedAuthentication", "The authority has not issued the certificate.")


def signer(document, security, folder):
    """The certificate of a signature over Body and Timestamp."""
    signed = security.find("ds:Signature", NAMES)
    pointed = signed.find("ds:KeyInfo/wsse:SecurityTokenReference/wsse:Reference", NAMES)
    tokens = {token.get(f"{{{WSU}}}Id"): token for token in security.findall("wsse:BinarySecurityToken", NAMES)}
    token = tokens.get(pointed.get("URI", "")[1:]) if pointed is not None else None
    if token is None:
        raise Refused("wsse", "SecurityTokenUnavailable", "KeyInfo does not refer to a BinarySecurityToken.")
    shown = x509.load_der_x509_certificate(base64.b64decode(token.text))
    issued_by_authority(shown, folder)
    try:
        covered = check_message(document, signed, shown.public_key())
    except Exception as problem:
        raise Refused("wsse", "FailedCheck", f"The signature does not hold: {problem}")
    envelope = signed.getroottree().getroot()
    if local(envelope, "Body") not in covered or security.find("wsu:Timestamp", NAMES) not in covered:
        raise Refused("wsse", "InvalidSecurity", "Body and Timestamp are not both signed.")
    return shown


def authenticated(document, envelope, tls, known, modes, folder):
    """Who asks, how that is known, and the certificate that was shown; `known` is the user that HTTP authenticated, and how."""
    security = next(iter(envelope.xpath("/*/*[local-name()='Header']/wsse:Security", namespaces=NAMES)), None)
    stampings = [] if security is None else security.findall("wsu:Timestamp", NAMES)
    for one in stampings:
        expires = one.findtext("wsu:Expires", None, NAMES)
        if expires and moment(expires) < now():
            raise Refused("wsse", "InvalidSecurity", "The Timestamp has expired.")
    if known is not None:
        return *known, tls
    allowed = modes & {"username", "digest", "certificate", "signature"} or {"username", "certificate", "signature"}
    if security is not None and security.find("ds:Signature", NAMES) is not None and "signature" in allowed:
        shown = signer(document, security, folder)
        return shown.subject.rfc4514_string(), "signature", shown
    token = None if security is None else security.find("wsse:UsernameToken", NAMES)
    if token is not None and allowed & {"username", "digest"}:
        name, how = username(token)
        if how == "text" and "username" not in allowed:
            raise Refused("wsse", "FailedAuthentication", "Only a digest is taken.")
        return name, how, tls
    if tls is not None and "certificate" in allowed:
        return tls.subject.rfc4514_string(), "certificate", tls
    raise Refused("wsse", "FailedAuthentication", "No credential of the wanted kind.")


# What is asked

class Request:
    def __init__(self, envelope):
        body = local(envelope, "Body")
        self.rst = local(body, "RequestSecurityToken") if body is not None else None
        if self.rst is None:
            raise Refused("", "Sender", "The Body has no RequestSecurityToken.")
        self.trust = etree.QName(self.rst).namespace
        if self.trust not in (TRUST13, TRUST2005):
            raise Refused("", "Sender", "Another WS-Trust.")
        field = lambda name: self.rst.findtext(f"{{{self.trust}}}{name}")
        if (field("RequestType") or "").strip() != self.trust + "/Issue":
            raise Refused("wst", "InvalidRequest", "Tokens are issued here, and no more.")
        self.token_type = (field("TokenType") or TOKEN_TYPES[SAML2]).strip()
        self.key_type = (field("KeyType") or "").strip()
        self.applies_to = text(self.rst, "AppliesTo", "EndpointReference", "Address")
        bounds = [text(self.rst, "Lifetime", name) for name in ("Created", "Expires")]
        self.seconds = (moment(bounds[1]) - (moment(bounds[0]) if bounds[0] else now())).total_seconds() if bounds[1] else None
        claims = local(self.rst, "Claims")
        self.claims = [] if claims is None else [one.get("Uri") for one in claims.iter() if isinstance(one.tag, str) and one.get("Uri")]
        self.use_key = local(self.rst, "UseKey")
        if self.token_type not in BY_TYPE:
            raise Refused("wst", "BadRequest", "There is no such type of token.")
        if self.key_type not in ("", self.trust + "/Bearer", TRUST13 + "/Bearer", NO_PROOF, self.trust + "/PublicKey"):
            raise Refused("wst", "BadRequest", "There is no such type of key.")
        self.holder_of_key = self.key_type.endswith("/PublicKey")

    def holder(self, shown):
        """The certificate or key that the token is bound to."""
        if self.use_key is not None:
            token = next(iter(self.use_key.iter(f"{{{WSSE}}}BinarySecurityToken")), None)
            if token is not None:
                return x509.load_der_x509_certificate(base64.b64decode(token.text))
            key, found = key_of(self.use_key)
            if found or key:
                return found or key
            named = next(iter(self.use_key.iter(f"{{{DSIG11}}}PublicKey")), None)
            if named is not None:
                return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), base64.b64decode(named.text))
        if shown is None:
            raise Refused("wst", "InvalidRequest", "There is no key to bind the token to.")
        return shown


# The answer

class Answer:
    """Made as text, because whose bytes are signed must not be written anew."""
    def __init__(self, request, soap, modes, options):
        self.request, self.soap, self.modes, self.options = request, soap, modes, options
        self.style = next((name for name in ("adfs", "vsphere") if name in modes), "cxf")
        self.key = os.path.join(options.folder, "sts-ec" if "ec" in modes else "sts")
        self.milliseconds = self.style != "vsphere"
        self.to_sign, self.stamp = [], ""

    def token(self, version, user, holder):
        request, modes = self.request, self.modes
        created, seconds = now(), self.options.lifetime if request.seconds is None else max(0, request.seconds)
        expires = created + datetime.timedelta(seconds=min(seconds, self.options.maximum))
        if "expired" in modes:
            created, expires = (one - datetime.timedelta(hours=2) for one in (created, created + datetime.timedelta(hours=1)))
        if "hugelifetime" in modes:
            expires = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.timezone.utc)
        self.created, self.expires, id = created, expires, new_id()
        values = {"role": ["clerk", "reader"], "name": ["Zoë <Clerk> & Co"]}
        attributes = {uri: values.get(uri.rpartition("/")[2], ["of " + uri.rpartition("/")[2]]) for uri in request.claims}
        made = assertion(version, id, self.options.issuer, user, created, expires, [[request.applies_to]] if request.applies_to else [],
                         "holder-of-key" if holder else "bearer", holder, attributes, confirmed_until=None if holder else expires,
                         milliseconds=self.milliseconds)
        key = private_key(self.key + ".key")
        inclusive = "xs" if version == SAML2 and attributes and self.style != "adfs" else ""
        put_signature(made, signature(id, key, certificate(self.key + ".pem"), inclusive))
        self.to_sign.append(id)
        if self.style == "adfs":
            prefixes = {**{uri: prefix for prefix, uri in NAMES.items()}, DS: None, **({SAML2: None} if version == SAML2 else {})}
            written = render(made, prefixes)
        elif self.style == "vsphere":
            written = render(made, None, ("saml2", "saml", "ds", "xs", "xsi"), "'", "    ")
        else:
            written = render(made)
        return id, written

    def references(self, version, id):
        type, kind = TOKEN_TYPES[version], IDENTIFIERS[version]
        written = (f'<o:SecurityTokenReference xmlns:o="{WSSE}" xmlns:k="{WSSE11}" k:TokenType="{type}"><o:KeyIdentifier ValueType="{kind}">'
                   f"{id}</o:KeyIdentifier></o:SecurityTokenReference>")
        return "".join(f"<t:Requested{name}Reference>{written}</t:Requested{name}Reference>" for name in ("Attached", "Unattached"))

    def response(self, user, holder):
        request, modes = self.request, self.modes
        asked = BY_TYPE[request.token_type]
        version = OTHER[asked] if "othertype" in modes else asked
        type = TOKEN_TYPES[version] if "othertype" in modes else request.token_type
        made = [self.token(version, user, holder) for _ in range(2 if "twotokens" in modes else 1)]
        tokens = "".join(f"<t:RequestedSecurityToken>{written}</t:RequestedSecurityToken>" for _, written in made)
        at = [stamp(one, self.milliseconds) for one in (self.created, self.expires)]
        lifetime = f'<t:Lifetime><u:Created xmlns:u="{WSU}">{at[0]}</u:Created><u:Expires xmlns:u="{WSU}">{at[1]}</u:Expires></t:Lifetime>'
        applies = (f'<p:AppliesTo xmlns:p="http://schemas.xmlsoap.org/ws/2004/09/policy"><a:EndpointReference xmlns:a="{ADDRESSING[0]}">'
                   f"<a:Address>{escaped(request.applies_to)}</a:Address></a:EndpointReference></p:AppliesTo>") if request.applies_to else ""
        references = "" if "norefs" in modes else self.references(version, made[0][0])
        type, kind = f"<t:TokenType>{type}</t:TokenType>", f"<t:KeyType>{request.key_type}</t:KeyType>" if request.key_type else ""
        lifetime = "" if "nolifetime" in modes else lifetime
        parts = {"cxf": [type, tokens, references, applies, lifetime, kind],
                 "adfs": [lifetime, applies, tokens, references, type, f"<t:RequestType>{request.trust}/Issue</t:RequestType>", kind],
                 "vsphere": [type, lifetime, tokens, kind]}[self.style]
        if self.style == "adfs" or "stamped" in modes:
            self.stamp = (f'<o:Security xmlns:o="{WSSE}" s:mustUnderstand="1"><u:Timestamp xmlns:u="{WSU}" u:Id="_0"><u:Created>{stamp(now())}</u:Created>'
                          f"<u:Expires>{stamp(now() + datetime.timedelta(minutes=5))}</u:Expires></u:Timestamp></o:Security>")
        context = request.rst.get("Context")
        context = f' Context="{escaped(context)}"' if context else ""
        return f"<t:RequestSecurityTokenResponse{context}>{''.join(parts)}</t:RequestSecurityTokenResponse>"

    def envelope(self, user, holder, header):
        prefix = {"cxf": "wst", "adfs": "trust", "vsphere": "ns4"}[self.style]
        rename = lambda written: re.sub(r"(</?|\sxmlns:)t(?=[:=])", rf"\g<1>{prefix}", written)
        responses = "".join(self.response(user, holder) for _ in range(2 if "two" in self.modes else 1))
        declared = f' xmlns:t="{self.request.trust}"'
        if self.request.trust == TRUST13 or "two" in self.modes:
            responses = f"<t:RequestSecurityTokenResponseCollection{declared}>{responses}</t:RequestSecurityTokenResponseCollection>"
        else:
            responses = responses.replace("<t:RequestSecurityTokenResponse", f"<t:RequestSecurityTokenResponse{declared}", 1)
        outside = "".join(f' xmlns:{name}="{NAMES[name]}"' for name in ("saml2", "saml", "ds", "xs", "xsi")) if self.style == "vsphere" else ""
        document = enveloped(self.soap, header + self.stamp, rename(responses), outside).encode()
        for id in self.to_sign:
            document = fill(document, self.key + ".key", in_assertion(id))
        return self.kept(document)

    def kept(self, document):
        """Stores the bytes of each assertion, encrypted before when that is wanted."""
        folder = os.path.join(self.options.folder, "issued")
        os.makedirs(folder, exist_ok=True)
        for tag, start, end, scope in reversed(elements(document, f"{{{SAML2}}}Assertion", f"{{{SAML1}}}Assertion")):
            part = document[start:end]
            id = etree.fromstring(standing_alone(part, scope)).get(ID[tag[1:].partition("}")[0]])
            if "encrypted" in self.modes:
                part = self.encrypted(standing_alone(part, scope), tag.startswith("{" + SAML2))
                document = document[:start] + part + document[end:]
            with open(os.path.join(folder, id + ".xml"), "wb") as file:
                file.write(part)
        return document

    def encrypted(self, part, wrapped):
        data = (f'<xenc:EncryptedData xmlns:xenc="{XENC}" Type="{XENC}Element"><xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>'
                f'<ds:KeyInfo xmlns:ds="{DS}"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="{XENC}rsa-oaep-mgf1p"/><xenc:CipherData><xenc:CipherValue/>'
                "</xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo><xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>").encode()
        with tempfile.NamedTemporaryFile() as file:
            file.write(part), file.flush()
            made = xmlsec("--encrypt", data, "--pubkey-cert-pem", os.path.join(self.options.folder, "server.pem"), "--session-key", "aes-256",
                          "--xml-data", file.name)
        made = re.sub(rb"^<\?xml[^>]*\?>\s*", b"", made).strip()
        return f'<saml2:EncryptedAssertion xmlns:saml2="{SAML2}">'.encode() + made + b"</saml2:EncryptedAssertion>" if wrapped else made


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def enveloped(soap, header, body, outside=""):
    return f'<s:Envelope xmlns:s="{soap}"{outside}>{f"<s:Header>{header}</s:Header>" if header else ""}<s:Body>{body}</s:Body></s:Envelope>'


def fault(soap, refused, trust):
    space = {"wsse": WSSE, "wst": trust, "wsa": ADDRESSING[0], "": None}[refused.space]
    code, reason = refused.code, escaped(str(refused))
    if soap == SOAP12:
        main, below = ("s:" + code, "") if not space else ("s:Sender", f'<s:Subcode><s:Value xmlns:c="{space}">c:{code}</s:Value></s:Subcode>')
        return f'<s:Fault><s:Code><s:Value>{main}</s:Value>{below}</s:Code><s:Reason><s:Text xml:lang="en">{reason}</s:Text></s:Reason></s:Fault>'
    name = f'<faultcode xmlns:c="{space}">c:{code}' if space else f"<faultcode>s:{'Client' if code == 'Sender' else code}"
    return f"<s:Fault>{name}</faultcode><faultstring>{reason}</faultstring></s:Fault>"


def answer_to(document, tls, known, modes, options):
    """Status, envelope, version of SOAP, and what is logged of a request."""
    noted, soap, trust, header = {}, SOAP11, TRUST13, ""
    try:
        try:
            envelope = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True))
        except etree.XMLSyntaxError as problem:
            raise Refused("", "Sender", str(problem))
        soap = etree.QName(envelope).namespace
        if soap not in (SOAP11, SOAP12) or "11" in modes and soap != SOAP11 or "12" in modes and soap != SOAP12:
            soap = SOAP11 if soap not in (SOAP11, SOAP12) else soap
            raise Refused("", "VersionMismatch", "Another SOAP.")
        heads = {etree.QName(one).localname: one for one in (local(envelope, "Header") if local(envelope, "Header") is not None else [])
                 if isinstance(one.tag, str) and etree.QName(one).namespace in ADDRESSING}
        body = local(envelope, "Body")
        named = next((one for one in body if isinstance(one.tag, str)), None) if body is not None else None
        trust = etree.QName(named).namespace if named is not None and etree.QName(named).namespace in (TRUST13, TRUST2005) else trust
        noted |= {"soap": "12" if soap == SOAP12 else "11", "trust": "13" if trust == TRUST13 else "2005",
                  "action": heads["Action"].text if "Action" in heads else None, "to": heads["To"].text if "To" in heads else None}
        if heads:
            space = etree.QName(next(iter(heads.values()))).namespace
            replied = trust + ("/RSTRC/IssueFinal" if trust == TRUST13 else "/RSTR/Issue")
            related = f'<a:RelatesTo>{escaped(heads["MessageID"].text)}</a:RelatesTo>' if "MessageID" in heads else ""
            blocks = lambda action: f"<a:Action>{action}</a:Action><a:MessageID>urn:uuid:{uuid.uuid4()}</a:MessageID>{related}"
            header = re.sub("<a:(Action|MessageID|RelatesTo)>", rf'<a:\1 xmlns:a="{space}">', blocks(replied))
            if noted["action"] != trust + "/RST/Issue":
                raise Refused("wsa", "ActionNotSupported", "Another Action.")
        if "13" in modes and trust != TRUST13 or "2005" in modes and trust != TRUST2005:
            raise Refused("", "Sender", "Another WS-Trust.")
        try:
            user, how, shown = authenticated(document, envelope, tls, known, modes, options.folder)
        except (ValueError, AttributeError, TypeError, KeyError) as problem:
            raise Refused("wsse", "InvalidSecurity", f"The Security header cannot be read: {problem}")
        noted |= {"user": user, "by": how}
        request = Request(envelope)
        noted |= {"tokenType": request.token_type, "keyType": request.key_type, "appliesTo": request.applies_to, "claims": request.claims,
                  "lifetime": request.seconds, "asked": [etree.QName(one).localname for one in request.rst if isinstance(one.tag, str)]}
        with lock:
            counts[request.applies_to or ""] += 1
        holder = request.holder(shown) if request.holder_of_key else None
        if "keyvalue" in modes and isinstance(holder, x509.Certificate):
            holder = holder.public_key()
        made = Answer(request, soap, modes, options)
        document = made.envelope(user, holder, header)
        return 200, document, soap, noted | {"issued": made.to_sign}
    except Refused as refused:
        if "trustfault" in modes and refused.space == "wsse" and refused.code == "FailedAuthentication":
            refused.space = "wst"
        header = header.replace("/RSTRC/IssueFinal", "/fault").replace("/RSTR/Issue", "/fault")
        status = 400 if soap == SOAP12 and refused.code != "VersionMismatch" else 500
        return status, enveloped(soap, header, fault(soap, refused, trust)).encode(), soap, noted | {"refused": f"{refused.space}:{refused.code}"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, timeout, options = "HTTP/1.1", 60, None

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", type="text/plain", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if body:
            self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def received(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def shown(self):
        der = self.connection.getpeercert(True) if isinstance(self.connection, ssl.SSLSocket) else None
        return x509.load_der_x509_certificate(der) if der else None

    def note(self, name, line):
        with lock, open(os.path.join(self.options.folder, name), "a") as log:
            log.write(json.dumps(line) + "\n")

    def soap(self, status, document, version, **fields):
        type = "application/soap+xml; charset=utf-8" if version == SOAP12 else "text/xml; charset=utf-8"
        self.send(status, document, type, **fields)


class TokenService(Handler):
    def do_GET(self):
        if self.path == "/count":
            return self.send(200, json.dumps(counts).encode(), "application/json")
        self.send(404)

    def do_POST(self):
        body, modes = self.received(), set(self.options.mode) | set(self.path.partition("?")[0].strip("/").split("/"))
        if self.path == "/revoke":
            folder = os.path.join(self.options.folder, "issued")
            ids = [name.removesuffix(".xml") for name in os.listdir(folder)] if os.path.isdir(folder) else []
            with open(os.path.join(self.options.folder, "revoked"), "w") as file:
                file.write("\n".join(ids))
            return self.send(200, str(len(ids)).encode())
        if "busy" in modes:
            return self.send(503, b"Later.", Retry_After="1")
        if "html" in modes or "empty" in modes:
            return self.send(200, b"<html><title>Portal</title></html>" if "html" in modes else b"", "text/html")
        known, fields = None, {}
        if modes & {"kerberos", "basic"}:
            known, challenge = self.known(modes)
            if known is None:
                self.note("token_service.log", {"path": self.path, "refused": 401, "sent": "Authorization" in self.headers})
                return self.send(401, WWW_Authenticate=challenge)
            fields = {"WWW_Authenticate": challenge} if challenge else {}
        status, document, version, noted = answer_to(body, self.shown(), known, modes, self.options)
        if status >= 400 and "unauthorized" in modes:
            status = 401
        self.note("token_service.log", {"path": self.path} | noted)
        self.soap(status, document, version, **fields)

    def known(self, modes):
        """The user and how it is known, or None; and the challenge, or the proof that the server is the right one."""
        given = self.headers.get("Authorization")
        if "basic" in modes:
            right = given == "Basic " + base64.b64encode(f"clerk:{PASSWORD}".encode()).decode()
            return (("clerk", "basic"), None) if right else (None, 'Basic realm="tokens", charset="UTF-8"')
        import negotiate
        client, said = negotiate.accepted(given, negotiate.binding(os.path.join(self.options.folder, "server.pem")))
        return (None, "Negotiate") if client is None else ((client, "kerberos"), "Negotiate " + said)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64


def serve(handler, options):
    """Asks for a client certificate of ca.pem, and prints the port."""
    handler.options = options
    server = Server(("127.0.0.1", options.port), handler)
    if not options.plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(options.folder, "server.pem"), os.path.join(options.folder, "server.key"))
        context.load_verify_locations(os.path.join(options.folder, "ca.pem"))
        context.verify_mode = ssl.CERT_OPTIONAL
        # The handshake is left to the thread of the connection: one that only connects must not stop the others.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def parser(description):
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("folder"), made.add_argument("port", type=int)
    made.add_argument("--plain", action="store_true"), made.add_argument("--issuer", default="urn:example:token-service")
    return made


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--mode", nargs="*", default=[])
    arguments.add_argument("--lifetime", type=float, default=300)
    arguments.add_argument("--maximum", type=float, default=3600)
    serve(TokenService, arguments.parse_args())
