"""A SOAP service that demands an assertion in the Security header, as xmlsec1 and lxml verify it, and answers with an echo of the Body.

relying_party.py FOLDER PORT [--plain] [--issuer NAME] [--audience URI …] [--recipient URI …] [--holder] [--once]

FOLDER is that of token_service.py; its sts.pem and sts-ec.pem may sign. Port 0 takes a free one; the port is the first line printed.
Without --audience, https://localhost:PORT/ and http://localhost:PORT/ are meant, with any path. --holder refuses bearer assertions, --once an
assertion that was shown before. A holder of a key proves it by a signature over Body and Timestamp, or by TLS.

Faults: wsse:SecurityTokenUnavailable without an assertion or when KeyInfo refers to another, wsse:InvalidSecurityToken when it does not
hold, wsse:FailedAuthentication when the holder does not prove the key, wsse:FailedCheck when the signature of the message does not hold.
Each request is a line of JSON in FOLDER/relying_party.log; its "bytes" tell how the assertion arrived: exact (as it was issued), declared (the
start tag has gained declarations of namespaces, and no more), different, or unknown (issued elsewhere). GET /count: served and refused.
"""
import collections, json, os, sys

sys.dont_write_bytecode = True
from token_service import *

count, shown_before = collections.Counter(), set()
METHODS = {"urn:oasis:names:tc:SAML:2.0:cm:": SAML2, "urn:oasis:names:tc:SAML:1.0:cm:": SAML1}


def refuse(unless, code, reason):
    if not unless:
        raise Refused("wsse", code, reason)


def decrypted(part, folder):
    """The bytes of an assertion from EncryptedAssertion or EncryptedData."""
    made = xmlsec("--decrypt", part, "--privkey-pem", os.path.join(folder, "server.key"))
    _, start, end, scope = elements(made, f"{{{SAML2}}}Assertion", f"{{{SAML1}}}Assertion")[0]
    return standing_alone(made[start:end], scope)


def compared(part, id, folder):
    path = os.path.join(folder, "issued", os.path.basename(id) + ".xml")
    if not os.path.exists(path):
        return "unknown"
    issued = open(path, "rb").read()
    # Where the start tag ends, in either; attributes hold no > here.
    bare = lambda whole: re.sub(rb"\sxmlns(:[\w.-]+)?\s*=\s*(\"[^\"]*\"|'[^']*')", b"", whole[:whole.index(b">")]) + whole[whole.index(b">"):]
    return "exact" if part == issued else "declared" if bare(part) == bare(issued) else "different"


def issuer_signature(alone, made, envelope, version, id, folder):
    """That exactly one signature, a child of the assertion, covers it as it is: enveloped, and in exclusive canonical form."""
    signed = made.findall("ds:Signature", NAMES)
    refuse(len(signed) == 1 and len(list(made.iter(f"{{{DS}}}Signature"))) == 1, "InvalidSecurityToken", "The assertion has not one signature.")
    references = signed[0].findall("ds:SignedInfo/ds:Reference", NAMES)
    transforms = [one.get("Algorithm") for one in signed[0].iter(f"{{{DS}}}Transform")]
    method = signed[0].find("ds:SignedInfo/ds:SignatureMethod", NAMES).get("Algorithm")
    refuse(len(references) == 1 and references[0].get("URI") == "#" + id and transforms == [ENVELOPED, EXC], "InvalidSecurityToken",
           "The signature is over something else, or transforms it.")
    refuse(references[0].find("ds:DigestMethod", NAMES).get("Algorithm") == XENC + "sha256" and method in (RSA_SHA256, ECDSA_SHA256)
           and signed[0].find("ds:SignedInfo/ds:CanonicalizationMethod", NAMES).get("Algorithm") == EXC, "InvalidSecurityToken", "Another algorithm.")
    names = ("ID", "AssertionID", "Id", "id", f"{{{WSU}}}Id", "{http://www.w3.org/XML/1998/namespace}id")
    ids = [e for root in (made, envelope) for e in root.iter() if isinstance(e.tag, str) and id in map(e.get, names)]
    # Of an encrypted one, the envelope has no copy.
    refuse(sum(e.getroottree().getroot() is made for e in ids) == 1 and len(ids) <= 2, "InvalidSecurityToken", "Two elements have that ID.")
    for name in ["sts", "sts-ec"]:
        trusted = certificate(os.path.join(folder, name + ".pem")).public_key()
        if isinstance(trusted, rsa.RSAPublicKey) == (method == RSA_SHA256):
            try:
                return verify(alone, trusted, in_assertion(id))
            except ValueError:
                pass
    raise Refused("wsse", "InvalidSecurityToken", "The signature is not that of the token service.")


def timely(text, late):
    return text is None or (moment(text) > now() - datetime.timedelta(seconds=2) if late else moment(text) < now() + datetime.timedelta(seconds=2))


def conditions(made, version, options):
    found = made.findall(f"{{{version}}}Conditions")
    refuse(len(found) == 1 and found[0].get("NotOnOrAfter"), "InvalidSecurityToken", "The assertion never ends.")
    refuse(timely(found[0].get("NotBefore"), False) and timely(found[0].get("NotOnOrAfter"), True), "InvalidSecurityToken", "The assertion does not hold now.")
    restrictions = [[a.text or "" for a in one] for one in found[0] if etree.QName(one).localname.startswith("AudienceRestriction")]
    meant = lambda uri: uri in options.audience if options.audience else re.match(rf"https?://(localhost|127\.0\.0\.1):{options.actual}(/|$)", uri)
    refuse(restrictions and all(any(meant(uri) for uri in some) for some in restrictions), "InvalidSecurityToken", "The assertion is for others.")
    known = {"AudienceRestriction", "AudienceRestrictionCondition", "OneTimeUse", "DoNotCacheCondition", "ProxyRestriction"}
    refuse(all(etree.QName(one).localname in known for one in found[0]), "InvalidSecurityToken", "A condition is not known.")
    return any(etree.QName(one).localname in ("OneTimeUse", "DoNotCacheCondition") for one in found[0])


def subject(made, version, options):
    """Name, method of confirmation and, of a holder, the key."""
    whose = made.findall(f"{{{version}}}Subject") if version == SAML2 else list(made.iter(f"{{{version}}}Subject"))
    refuse(whose, "InvalidSecurityToken", "The assertion is of nobody.")
    found = set()
    for one in whose:
        named = one.find(f"{{{version}}}" + ("NameID" if version == SAML2 else "NameIdentifier"))
        refuse(named is not None and len(named) == 0, "InvalidSecurityToken", "The name is not text.")
        confirmed = one.findall(f"{{{version}}}SubjectConfirmation")
        refuse(len(confirmed) == 1, "InvalidSecurityToken", "Not one way of confirmation.")
        method = (confirmed[0].get("Method") if version == SAML2 else confirmed[0].findtext(f"{{{version}}}ConfirmationMethod")) or ""
        data = confirmed[0].find(f"{{{version}}}SubjectConfirmationData")
        if data is not None:
            refuse(timely(data.get("NotBefore"), False) and timely(data.get("NotOnOrAfter"), True), "InvalidSecurityToken", "The confirmation is over.")
            refuse(not data.get("Recipient") or data.get("Recipient") in options.recipient, "InvalidSecurityToken", "The assertion is for another recipient.")
        if version == SAML2 and method.endswith(":bearer"):
            refuse(data is not None and data.get("NotOnOrAfter"), "InvalidSecurityToken", "The confirmation never ends.")
        key = key_of(confirmed[0])[0]
        found.add((named.text, method, public_pem(key) if key else None))
    refuse(len(found) == 1, "InvalidSecurityToken", "Several subjects.")
    name, method, key = found.pop()
    space, _, kind = method.rpartition(":")
    refuse(METHODS.get(space + ":") == version and kind in ("bearer", "holder-of-key"), "InvalidSecurityToken", "Another way of confirmation.")
    refuse((kind == "holder-of-key") == (key is not None), "InvalidSecurityToken", "A key is missing, or too many.")
    return name, kind, serialization.load_pem_public_key(key) if key else None


def proved(document, envelope, security, version, id, key, tls, noted):
    """That the sender has the key: by the signature of the message, or by TLS."""
    signed = security.findall("ds:Signature", NAMES)
    if not signed:
        refuse(tls is not None and public_pem(tls.public_key()) == public_pem(key), "FailedAuthentication", "The key is not proved.")
        noted["proof"] = "tls"
        return
    reference = signed[0].find("ds:KeyInfo/wsse:SecurityTokenReference", NAMES)
    named = reference.find("wsse:KeyIdentifier", NAMES) if reference is not None else None
    refuse(len(signed) == 1 and named is not None and named.get("ValueType") == IDENTIFIERS[version] and (named.text or "").strip() == id,
           "SecurityTokenUnavailable", "KeyInfo does not refer to the assertion.")
    noted["tokenType"] = reference.get(f"{{{WSSE11}}}TokenType")
    try:
        covered = check_message(document, signed[0], key)
    except Exception as problem:
        raise Refused("wsse", "FailedCheck", f"The signature of the message does not hold: {problem}")
    refuse(local(envelope, "Body") in covered and security.find("wsu:Timestamp", NAMES) in covered, "FailedAuthentication", "Body and Timestamp are not both signed.")
    noted |= {"proof": "signature", "signed": [etree.QName(one).localname for one in covered]}


def checked(document, envelope, tls, options, noted):
    headers = envelope.findall("{*}Header")
    securities = [one for header in headers for one in header.findall("wsse:Security", NAMES)]
    refuse(len(headers) == 1 and len(securities) == 1, "SecurityTokenUnavailable", "There is not one Security header.")
    security = securities[0]
    stampings = security.findall("wsu:Timestamp", NAMES)
    refuse(len(stampings) == 1, "InvalidSecurity", "There is not one Timestamp.")
    refuse(timely(stampings[0].findtext("wsu:Expires", None, NAMES), True), "InvalidSecurity", "The Timestamp has expired.")
    spans = elements(document, *(f"{{{space}}}Assertion" for space in (SAML2, SAML1)), f"{{{SAML2}}}EncryptedAssertion", f"{{{XENC}}}EncryptedData")
    spans = [one for one in spans if not any(other[1] < one[1] and one[2] < other[2] for other in spans)]
    children = [one for one in security if isinstance(one.tag, str) and one.tag in {span[0] for span in spans}]
    refuse(len(spans) == 1 and len(children) == 1, "SecurityTokenUnavailable", "There is not one assertion, in the Security header.")
    tag, start, end, scope = spans[0]
    part = document[start:end]
    alone = standing_alone(part, scope)
    if not tag.endswith("}Assertion"):
        alone, noted["encrypted"] = decrypted(alone, options.folder), True
    made = etree.fromstring(alone, etree.XMLParser(remove_comments=True))  # signatures do not cover comments
    version = etree.QName(made).namespace
    id = made.get(ID[version]) or ""
    noted |= {"id": id, "version": "2.0" if version == SAML2 else "1.1", "bytes": compared(part, id, options.folder)}
    refuse(re.fullmatch(r"[\w.-]+", id) and (made.get("Version") == "2.0" if version == SAML2 else made.get("MajorVersion") == "1"), "InvalidSecurityToken", "Another version.")
    issuer_signature(alone, made, envelope, version, id, options.folder)
    named = (made.findtext("saml2:Issuer", None, NAMES) if version == SAML2 else made.get("Issuer")) or ""
    refuse(named == options.issuer, "InvalidSecurityToken", "Another issuer.")
    once = conditions(made, version, options)
    name, kind, key = subject(made, version, options)
    noted |= {"subject": name, "confirmation": kind}
    if kind == "holder-of-key":
        proved(document, envelope, security, version, id, key, tls, noted)
    refuse(kind != "bearer" or security.find("ds:Signature", NAMES) is None, "FailedCheck", "There is no key for the signature of the message.")
    refuse(kind != "bearer" or not options.holder, "InvalidSecurityToken", "A bearer is not enough.")
    path = os.path.join(options.folder, "revoked")
    refuse(not os.path.exists(path) or id not in open(path).read().split(), "InvalidSecurityToken", "The assertion was revoked.")
    with lock:
        refuse(id not in shown_before or not (once or options.once), "InvalidSecurityToken", "The assertion was shown before.")
        shown_before.add(id)


class RelyingParty(Handler):
    def do_GET(self):
        self.send(200, json.dumps({"served": count["served"], "refused": count["refused"]}).encode(), "application/json")

    def do_POST(self):
        document, noted, soap = self.received(), {"path": self.path}, SOAP11
        self.options.actual = self.server.server_address[1]
        try:
            try:
                elements(document)  # refuses a DTD
                envelope = etree.fromstring(document, etree.XMLParser(resolve_entities=False, no_network=True))
            except (etree.XMLSyntaxError, expat.ExpatError, ValueError) as problem:
                raise Refused("", "Sender", str(problem))
            soap = SOAP12 if etree.QName(envelope).namespace == SOAP12 else SOAP11
            try:
                checked(document, envelope, self.shown(), self.options, noted)
            except (ValueError, AttributeError, TypeError, KeyError) as problem:
                raise Refused("wsse", "InvalidSecurityToken", f"The message cannot be read: {problem}")
            body = local(envelope, "Body")
            status, content = 200, "".join(etree.tostring(one, with_tail=False).decode() for one in body)
        except Refused as refused:
            status, content = 401 if self.options.unauthorized else 500, fault(soap, refused, TRUST13)
            noted |= {"refused": refused.code, "reason": str(refused)}
        with lock:
            count["served" if status == 200 else "refused"] += 1
        self.note("relying_party.log", noted)
        self.soap(status, enveloped(soap, "", content).encode(), soap)


if __name__ == "__main__":
    arguments = parser(__doc__)
    arguments.add_argument("--audience", nargs="*", default=[]), arguments.add_argument("--recipient", nargs="*", default=[])
    arguments.add_argument("--holder", action="store_true"), arguments.add_argument("--once", action="store_true")
    arguments.add_argument("--unauthorized", action="store_true")  # faults come with the status 401
    serve(RelyingParty, arguments.parse_args())
