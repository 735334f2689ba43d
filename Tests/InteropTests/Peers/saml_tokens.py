"""Assertions of SAML and their signatures, for the token service, the relying party and the attacks: pysaml2, lxml and xmlsec1.

saml_tokens.py FOLDER   makes the keys that FOLDER lacks, each as NAME.key and NAME.pem, and an authority, ca.pem and ca.key:
server      TLS of both services (localhost, 127.0.0.1), and what assertions are encrypted to
sts         signs assertions with RSA; sts-ec with P-256; partner: another issuer
client      a holder of a key, RSA; client-ec with P-256; other: another holder
stranger    a certificate that the authority has not issued
"""
import base64, datetime, io, ipaddress, os, re, subprocess, sys, tempfile, uuid
from copy import deepcopy
from xml.parsers import expat
import saml2
from saml2 import saml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.x509.oid import NameOID
from lxml import etree

OASIS = "http://docs.oasis-open.org/wss/"
SAML2, SAML1, DS = saml.NAMESPACE, "urn:oasis:names:tc:SAML:1.0:assertion", "http://www.w3.org/2000/09/xmldsig#"
WSSE, WSU = (OASIS + f"2004/01/oasis-200401-wss-wssecurity-{name}-1.0.xsd" for name in ("secext", "utility"))
WSSE11 = OASIS + "oasis-wss-wssecurity-secext-1.1.xsd"
XENC, EXC, XSI = "http://www.w3.org/2001/04/xmlenc#", "http://www.w3.org/2001/10/xml-exc-c14n#", "http://www.w3.org/2001/XMLSchema-instance"
XS = "http://www.w3.org/2001/XMLSchema"
SOAP11, SOAP12 = "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"
BASE64 = OASIS + "2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary"
X509V3 = OASIS + "2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"
STR_TRANSFORM = OASIS + "2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform"
ENVELOPED = DS + "enveloped-signature"
NAMES = {"saml2": SAML2, "saml": SAML1, "ds": DS, "wsse": WSSE, "wsu": WSU, "wsse11": WSSE11, "xenc": XENC, "ec": EXC, "xsi": XSI, "xs": XS}
TOKEN_TYPES = {SAML2: OASIS + "oasis-wss-saml-token-profile-1.1#SAMLV2.0", SAML1: OASIS + "oasis-wss-saml-token-profile-1.1#SAMLV1.1"}
IDENTIFIERS = {SAML2: OASIS + "oasis-wss-saml-token-profile-1.1#SAMLID", SAML1: OASIS + "oasis-wss-saml-token-profile-1.0#SAMLAssertionID"}
ID = {SAML2: "ID", SAML1: "AssertionID"}
RSA_SHA256, ECDSA_SHA256 = ("http://www.w3.org/2001/04/xmldsig-more#" + name for name in ("rsa-sha256", "ecdsa-sha256"))
HASHES = {XENC + "sha256": hashes.SHA256, DS + "sha1": hashes.SHA1}


# Keys

def make_keys(folder):
    os.makedirs(folder, exist_ok=True)
    now = datetime.datetime.utcnow()
    path = lambda name: os.path.join(folder, name)

    def write(name, key, issuer, issuer_key, authority=False):
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost" if name == "server" else name)])
        builder = x509.CertificateBuilder(issuer or subject, subject, key.public_key(), x509.random_serial_number(),
                                          now - datetime.timedelta(days=1), now + datetime.timedelta(days=30))
        builder = builder.add_extension(x509.BasicConstraints(authority, None), True)
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key((issuer_key or key).public_key()), False)
        if name == "server":
            names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        with open(os.open(path(name + ".key"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        with open(path(name + ".pem"), "wb") as file:
            file.write(builder.sign(issuer_key or key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    if not os.path.exists(path("ca.key")):
        write("ca", ec.generate_private_key(ec.SECP256R1()), None, None, True)
    ca, ca_key = certificate(path("ca.pem")), private_key(path("ca.key"))
    for name in ["server", "sts", "sts-ec", "partner", "client", "client-ec", "other", "stranger"]:
        if not os.path.exists(path(name + ".key")):
            key = ec.generate_private_key(ec.SECP256R1()) if name.endswith("-ec") else rsa.generate_private_key(65537, 2048)
            write(name, key, *((None, None) if name == "stranger" else (ca.subject, ca_key)))


def private_key(path):
    return serialization.load_pem_private_key(open(path, "rb").read(), None)


def certificate(path):
    return x509.load_pem_x509_certificate(open(path, "rb").read())


def der64(certificate):
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()


def public_pem(key):
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def integer64(number):
    return base64.b64encode(number.to_bytes((number.bit_length() + 7) // 8, "big")).decode()


def key_info(shown):
    """KeyInfo with a certificate, or with a key of RSA."""
    info = etree.Element(f"{{{DS}}}KeyInfo", nsmap={"ds": DS})

    def add(parent, name, text=None):
        made = etree.SubElement(parent, f"{{{DS}}}{name}")
        made.text = text
        return made

    if isinstance(shown, x509.Certificate):
        add(add(info, "X509Data"), "X509Certificate", der64(shown))
    else:
        value, numbers = add(add(info, "KeyValue"), "RSAKeyValue"), shown.public_numbers()
        add(value, "Modulus", integer64(numbers.n)), add(value, "Exponent", integer64(numbers.e))
    return info


def key_of(info):
    """The public key, and the certificate where there is one, of a KeyInfo or of anything around it."""
    text = info.findtext(f".//{{{DS}}}X509Certificate")
    if text:
        shown = x509.load_der_x509_certificate(base64.b64decode(text))
        return shown.public_key(), shown
    modulus, exponent = (info.findtext(f".//{{{DS}}}{name}") for name in ("Modulus", "Exponent"))
    if not modulus:
        return None, None
    number = lambda text: int.from_bytes(base64.b64decode(text), "big")
    return rsa.RSAPublicNumbers(number(exponent), number(modulus)).public_key(), None


# Assertions

def new_id():
    return "_" + uuid.uuid4().hex


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def stamp(moment, milliseconds=True):
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{moment.microsecond // 1000:03d}Z" if milliseconds else "Z")


def moment(text):
    return datetime.datetime.fromisoformat(re.sub(r"\.\d+", "", text).replace("Z", "+00:00"))


def assertion(version, id, issuer, subject, created, expires, audiences=(), confirmation="bearer", holder=None, attributes=None,
              recipient=None, confirmed_until=None, one_time=False, milliseconds=True):
    """An assertion without its signature. Audiences are lists, a restriction each. Expires may be None, and so is what is not given."""
    made = {SAML2: assertion2, SAML1: assertion1}[version]
    at = lambda moment: moment and stamp(moment, milliseconds)
    return made(id, issuer, subject, at(created), at(expires), audiences, confirmation, holder, attributes or {}, recipient,
                at(confirmed_until), one_time)


def assertion2(id, issuer, subject, created, expires, audiences, confirmation, holder, attributes, recipient, confirmed_until, one_time):
    data = saml.SubjectConfirmationData(recipient=recipient, not_on_or_after=confirmed_until)
    if holder:
        data.extension_elements.append(saml2.extension_element_from_string(etree.tostring(key_info(holder)).decode()))
    method = f"urn:oasis:names:tc:SAML:2.0:cm:{confirmation}"
    confirmed = [saml.SubjectConfirmation(method=method, subject_confirmation_data=data if holder or recipient or confirmed_until else None)]
    conditions = saml.Conditions(not_before=created, not_on_or_after=expires, one_time_use=[saml.OneTimeUse()] if one_time else [],
        audience_restriction=[saml.AudienceRestriction(audience=[saml.Audience(text=a) for a in some]) for some in audiences])
    statements = [saml.AttributeStatement(attribute=[
        saml.Attribute(name=name, name_format=saml.NAME_FORMAT_URI, attribute_value=[saml.AttributeValue(text=value) for value in values])
        for name, values in attributes.items()])] if attributes else []
    context = saml.AuthnContext(authn_context_class_ref=saml.AuthnContextClassRef(text=saml.AUTHN_PASSWORD))
    made = saml.Assertion(
        id=id, version="2.0", issue_instant=created or stamp(now()), issuer=saml.Issuer(text=issuer), conditions=conditions,
        subject=saml.Subject(name_id=saml.NameID(text=subject, format=saml.NAMEID_FORMAT_UNSPECIFIED), subject_confirmation=confirmed),
        authn_statement=[saml.AuthnStatement(authn_instant=created or stamp(now()), authn_context=context)], attribute_statement=statements)
    return etree.fromstring(made.to_string())


def assertion1(id, issuer, subject, created, expires, audiences, confirmation, holder, attributes, recipient, confirmed_until, one_time):
    def add(parent, name, text=None, **fields):
        element = etree.SubElement(parent, f"{{{SAML1}}}{name}", {key: value for key, value in fields.items() if value})
        element.text = text
        return element

    def about(statement):
        who = add(statement, "Subject")
        add(who, "NameIdentifier", subject, Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified")
        confirmed = add(who, "SubjectConfirmation")
        add(confirmed, "ConfirmationMethod", f"urn:oasis:names:tc:SAML:1.0:cm:{confirmation}")
        if holder:
            confirmed.append(key_info(holder))

    root = etree.Element(f"{{{SAML1}}}Assertion", MajorVersion="1", MinorVersion="1", AssertionID=id, Issuer=issuer,
                         IssueInstant=created or stamp(now()))
    conditions = add(root, "Conditions", NotBefore=created, NotOnOrAfter=expires)
    for some in audiences:
        restriction = add(conditions, "AudienceRestrictionCondition")
        for audience in some:
            add(restriction, "Audience", audience)
    if one_time:
        add(conditions, "DoNotCacheCondition")
    statement = add(root, "AuthenticationStatement", AuthenticationMethod="urn:oasis:names:tc:SAML:1.0:am:password",
                    AuthenticationInstant=created or stamp(now()))
    about(statement)
    if attributes:
        statement = add(root, "AttributeStatement")
        about(statement)
        for name, values in attributes.items():
            space, _, local = name.rpartition("/")
            attribute = add(statement, "Attribute", AttributeName=local, AttributeNamespace=space or "urn:example:claims")
            for value in values:
                add(attribute, "AttributeValue", value)
    return root


def signature(id, key, shown=None, inclusive="", transforms=None, digest=XENC + "sha256", method=None, canonical=EXC, uri=None):
    """A Signature to be filled in, for an assertion. Transforms are elements or URIs, the last of them exclusive canonical form otherwise."""
    add = lambda parent, name, **fields: etree.SubElement(parent, f"{{{DS}}}{name}", **fields)
    root = etree.Element(f"{{{DS}}}Signature", nsmap={"ds": DS})
    info = add(root, "SignedInfo")
    add(info, "CanonicalizationMethod", Algorithm=canonical)
    add(info, "SignatureMethod", Algorithm=method or (RSA_SHA256 if isinstance(key, rsa.RSAPrivateKey) else ECDSA_SHA256))
    reference = add(info, "Reference", URI=f"#{id}" if uri is None else uri)
    listed = add(reference, "Transforms")
    for transform in transforms or [ENVELOPED, EXC]:
        if isinstance(transform, str):
            element = add(listed, "Transform", Algorithm=transform)
            if transform == EXC and inclusive:
                etree.SubElement(element, f"{{{EXC}}}InclusiveNamespaces", PrefixList=inclusive)
        else:
            listed.append(transform)
    add(reference, "DigestMethod", Algorithm=digest), add(reference, "DigestValue"), add(root, "SignatureValue")
    if shown is not None:
        root.append(key_info(shown))
    return root


def put_signature(made, signature):
    """Behind the Issuer in 2.0, last in 1.1."""
    made.insert(1 if made.tag.startswith("{" + SAML2) else len(made), signature)
    return made


def render(node, prefixes=None, outside=(), quote='"', indent=None, depth=0, scope=None):
    """An element as text. Prefixes are by namespace, None for the default one; those of `outside` are declared around it already."""
    prefixes = dict(prefixes or {uri: prefix for prefix, uri in NAMES.items()})
    scope = dict(scope) if scope is not None else {prefix: uri for uri, prefix in prefixes.items() if prefix in outside}
    declared, escape = [], lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#xD;")

    def name(tag):
        space, local = etree.QName(tag).namespace, etree.QName(tag).localname
        if not space:
            return local
        use(space)
        return f"{prefixes[space]}:{local}" if prefixes[space] else local

    def use(space):
        prefix = prefixes.setdefault(space, node.prefix)
        if scope.get(prefix) != space:
            scope[prefix] = space
            declared.append((f"xmlns:{prefix}" if prefix else "xmlns", space))

    if not isinstance(node.tag, str):
        return etree.tostring(node, with_tail=False).decode()
    tag, fields = name(node.tag), []
    for key, value in node.attrib.items():
        fields.append((name(key), value))
        if key == f"{{{XSI}}}type":
            use(XS)
    quoted = lambda value: quote + escape(value).replace(quote, f"&#{ord(quote)};") + quote
    fields = "".join(f" {key}={quoted(value)}" for key, value in declared + fields)
    children = "".join(
        (f"\n{indent * (depth + 1)}" if indent and not node.text else "") + render(child, prefixes, (), quote, indent, depth + 1, scope)
        + escape(child.tail or "") for child in node)
    if children and indent and not node.text:
        children += "\n" + indent * depth
    return f"<{tag}{fields}>{escape(node.text or '')}{children}</{tag}>"


# Signatures and bytes

def elements(document, *tags):
    """The bytes of the elements with one of the names {namespace}local, as (tag, start, end), and the namespaces declared around each."""
    parser, found, open_, scopes = expat.ParserCreate(), [], [], [{}]

    def refuse(*_):
        raise ValueError("a DTD")

    def start(name, fields):
        scope = dict(scopes[-1])
        scope.update({key.partition(":")[2]: value for key, value in fields.items() if key == "xmlns" or key.startswith("xmlns:")})
        prefix, _, local = name.rpartition(":")
        open_.append(("{%s}%s" % (scope.get(prefix, ""), local), parser.CurrentByteIndex, scopes[-1]))
        scopes.append(scope)

    def end(_):
        tag, begin, scope = open_.pop()
        scopes.pop()
        if tag in tags:
            # Of an empty element, the end begins where the start does.
            found.append((tag, begin, document.index(b">", parser.CurrentByteIndex) + 1, scope))
    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = start, end, refuse
    parser.Parse(document, True)
    return sorted(found, key=lambda one: one[1])


def standing_alone(part, scope):
    """The bytes of an element, with the declarations from around it that it lacks."""
    tag = part[:part.index(b">")]
    lacking = "".join(f' xmlns{":" if p else ""}{p}="{uri}"' for p, uri in scope.items()
                      if not re.search(rb"\sxmlns" + (b":" + p.encode() if p else b"") + rb"\s*=", tag))
    cut = re.match(rb"<[^\s/>]+", part).end()
    return part[:cut] + lacking.encode() + part[cut:]


def xmlsec(command, document, *options):
    """Runs xmlsec1 and returns what it prints. Options that are bytes become files."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name, content: (open(os.path.join(folder, name), "wb").write(content), os.path.join(folder, name))[1]
        options = [path(f"option{i}", o) if isinstance(o, bytes) else o for i, o in enumerate(options)]
        result = subprocess.run(["xmlsec1", command, *LAX, *options, "--output", os.path.join(folder, "out"), path("in.xml", document)],
                                capture_output=True)
        if result.returncode:
            raise ValueError("xmlsec1: " + result.stderr.decode().strip().splitlines()[-1])
        return open(os.path.join(folder, "out"), "rb").read() if os.path.exists(os.path.join(folder, "out")) else b""


LAX = ["--lax-key-search"] if re.search(r"1\.[3-9]\.", subprocess.run(["xmlsec1", "--version"], capture_output=True).stdout.decode()) else []
IDS = [f"--id-attr:ID {SAML2}:Assertion", f"--id-attr:AssertionID {SAML1}:Assertion", f"--id-attr:Id {WSU}:Timestamp", f"--id-attr:Id {SOAP11}:Body",
       f"--id-attr:Id {SOAP12}:Body", f"--id-attr:Id {WSSE}:BinarySecurityToken", f"--id-attr:Id {WSSE}:UsernameToken",
       f"--id-attr:Id {WSSE}:SecurityTokenReference"]
IDS += [f"--id-attr:Id http://www.w3.org/2005/08/addressing:{name}" for name in ("Action", "To", "MessageID", "ReplyTo")]
IDS = [part for option in IDS for part in option.split(" ", 1)]
ALONE = ["--enabled-key-data", "key-name"]  # the key that is given, whatever KeyInfo says


def in_assertion(id):
    return f"//*[local-name()='Assertion' and (@ID='{id}' or @AssertionID='{id}')]/*[local-name()='Signature']"


def fill(document, key, xpath, options=None):
    """Fills in DigestValue and SignatureValue, which must be empty, as xmlsec1 computes them; all other bytes stay as they are."""
    made = xmlsec("--sign", document, *(options or ["--privkey-pem", key]), *ALONE, *IDS, "--node-xpath", xpath)
    signed = etree.fromstring(made).xpath(xpath)[0]
    for name in ["DigestValue", "SignatureValue"]:
        value = signed.findtext(f".//{{{DS}}}{name}")
        at = [start for _, start, end, _ in elements(document, f"{{{DS}}}{name}")
              if re.fullmatch(rb"<[^>]*></[^>]*>", document[start:end])]
        cut = document.index(b">", at[0]) + 1
        document = document[:cut] + value.encode() + document[cut:]
    return document


def verify(document, public, xpath):
    """That the key has made the signature, as xmlsec1 sees it; it does not tell what is signed."""
    xmlsec("--verify", document, "--pubkey-pem", public_pem(public), *ALONE, "--enabled-reference-uris", "empty,same-doc", *IDS, "--node-xpath", xpath)


def canonical(element, inclusive="", default=False):
    """Exclusive canonical form, without comments. With `default`, as STR-Transform wants it: the outermost element says xmlns=""."""
    form = etree.tostring(element, method="c14n", exclusive=True, with_comments=False, inclusive_ns_prefixes=inclusive.split() or None,
                          with_tail=False)
    if default and None not in element.nsmap:
        form = re.sub(rb"^<[^\s/>]+", lambda m: m[0] + b' xmlns=""', form, count=1)
    return form


def digest(content, algorithm=XENC + "sha256"):
    made = hashes.Hash(HASHES[algorithm]())
    made.update(content)
    return base64.b64encode(made.finalize()).decode()


def sign_bytes(key, content):
    if isinstance(key, rsa.RSAPrivateKey):
        return base64.b64encode(key.sign(content, padding.PKCS1v15(), hashes.SHA256())).decode()
    r, s = decode_dss_signature(key.sign(content, ec.ECDSA(hashes.SHA256())))
    return base64.b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode()


def check_bytes(key, method, value, content):
    raw = base64.b64decode(value)
    if method == RSA_SHA256 and isinstance(key, rsa.RSAPublicKey):
        return key.verify(raw, content, padding.PKCS1v15(), hashes.SHA256())
    if method == ECDSA_SHA256 and isinstance(key, ec.EllipticCurvePublicKey):
        half = len(raw) // 2
        return key.verify(encode_dss_signature(int.from_bytes(raw[:half], "big"), int.from_bytes(raw[half:], "big")), content, ec.ECDSA(hashes.SHA256()))
    raise ValueError("the algorithm does not fit the key")


def sign_message(document, key, reference, ids, described=None):
    """A signature over the elements with these IDs, put last into Security. Reference is the SecurityTokenReference of its KeyInfo;
    where `described` is an assertion's ID, that assertion is signed through STR-Transform. xmlsec1 knows no STR-Transform: this is lxml."""
    envelope = etree.fromstring(document)
    parts, transform = [], f'<ds:Transform Algorithm="{EXC}"/>'
    for id in ids:
        part = envelope.xpath("//*[@wsu:Id=$id or @ID=$id or @AssertionID=$id]", namespaces=NAMES, id=id)[0]
        parts.append((id, transform, digest(canonical(part))))
    if described:
        part = envelope.xpath("//*[@ID=$id or @AssertionID=$id]", id=described)[0]
        parameters = f'<wsse:TransformationParameters><ds:CanonicalizationMethod Algorithm="{EXC}"/></wsse:TransformationParameters>'
        parts.append(("STR", f'<ds:Transform Algorithm="{STR_TRANSFORM}">{parameters}</ds:Transform>', digest(canonical(part, default=True))))
    method = RSA_SHA256 if isinstance(key, rsa.RSAPrivateKey) else ECDSA_SHA256
    references = "".join(f'<ds:Reference URI="#{id}"><ds:Transforms>{how}</ds:Transforms><ds:DigestMethod Algorithm="{XENC}sha256"/>'
                         f"<ds:DigestValue>{value}</ds:DigestValue></ds:Reference>" for id, how, value in parts)
    info = (f'<ds:SignedInfo><ds:CanonicalizationMethod Algorithm="{EXC}"/><ds:SignatureMethod Algorithm="{method}"/>{references}</ds:SignedInfo>')
    around = f'<ds:Signature xmlns:ds="{DS}" xmlns:wsse="{WSSE}" xmlns:wsu="{WSU}">{info}%s</ds:Signature>'
    value = sign_bytes(key, canonical(etree.fromstring(around % "")[0]))
    made = (around % f"<ds:SignatureValue>{value}</ds:SignatureValue><ds:KeyInfo>{reference}</ds:KeyInfo>").encode()
    _, start, end, _ = elements(document, f"{{{WSSE}}}Security")[0]
    cut = document.rindex(b"</", start, end)
    return document[:cut] + made + document[cut:]


def assertion_reference(version, id):
    return (f'<wsse:SecurityTokenReference xmlns:wsse="{WSSE}" xmlns:wsse11="{WSSE11}" xmlns:wsu="{WSU}" wsu:Id="STR" wsse11:TokenType="{TOKEN_TYPES[version]}">'
            f'<wsse:KeyIdentifier ValueType="{IDENTIFIERS[version]}">{id}</wsse:KeyIdentifier></wsse:SecurityTokenReference>')


def check_message(document, signed, key):
    """Verifies a signature of a message by its elements; returns the elements that it covers. Without STR-Transform xmlsec1 must agree."""
    envelope, covered, plain = signed.getroottree().getroot(), [], True
    info, find = signed.find("ds:SignedInfo", NAMES), lambda e, path: e.find(path, NAMES)
    if find(info, "ds:CanonicalizationMethod").get("Algorithm") != EXC:
        raise ValueError("another canonical form")
    listed = lambda e: e.get("PrefixList", "") if e is not None else ""
    for reference in info.findall("ds:Reference", NAMES):
        uri = reference.get("URI", "")
        found = envelope.xpath("//*[@wsu:Id=$id or @ID=$id or @AssertionID=$id or @Id=$id]", namespaces=NAMES, id=uri[1:])
        transforms = reference.findall("ds:Transforms/ds:Transform", NAMES)
        if not uri.startswith("#") or len(found) != 1 or len(transforms) != 1:
            raise ValueError("a reference to nothing, to two elements, or with other transforms")
        part, how = found[0], transforms[0].get("Algorithm")
        if how == STR_TRANSFORM:
            plain = False
            id = part.findtext("wsse:KeyIdentifier", None, NAMES)
            found = envelope.xpath("//*[@ID=$id or @AssertionID=$id]", id=id)
            if len(found) != 1 or find(transforms[0], ".//ds:CanonicalizationMethod").get("Algorithm") != EXC:
                raise ValueError("STR-Transform of nothing, or of two")
            part, form = found[0], canonical(found[0], default=True)
        elif how == EXC:
            form = canonical(part, listed(find(transforms[0], "ec:InclusiveNamespaces")))
        else:
            raise ValueError("another transform")
        if digest(form, find(reference, "ds:DigestMethod").get("Algorithm")) != "".join(reference.findtext("ds:DigestValue", None, NAMES).split()):
            raise ValueError("a digest differs")
        covered.append(part)
    form = canonical(info, listed(find(info, "ds:CanonicalizationMethod/ec:InclusiveNamespaces")))
    check_bytes(key, find(info, "ds:SignatureMethod").get("Algorithm"), signed.findtext("ds:SignatureValue", None, NAMES), form)
    if plain:
        verify(document, key, "//*[local-name()='Security']/*[local-name()='Signature']")
    return covered


if __name__ == "__main__":
    make_keys(sys.argv[1])
