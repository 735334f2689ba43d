"""Messages with assertions, right and wrong, for a service that verifies them.

saml_attacks.py FOLDER OUT --body FILE --audience URI [--recipient URI] [--issuer NAME] [--partner NAME] [--subject NAME] [--evil NAME]
                [--seconds SECONDS] [--list]

FOLDER has the keys that saml_tokens.py makes: sts (or sts-ec) signs assertions for the issuer, partner for another issuer, client holds the key
of a holder-of-key assertion, other and stranger are others. The Body of each message has the content of --body, an element in UTF-8 (- is stdin).
Writes into OUT the messages, NAME.xml or NAME-1.xml, NAME-2.xml … to be sent in turn, and cases.json: a list of

name, what   the case, and what is wrong with it
control      the right message that it derives from; null for a right one
expect       accepted; refused: the last of the files must be refused, those before are accepted; or judged: it may be accepted, but only as
             the subject that is named
subject      who the sender is when it is accepted (the name that a wrong message tries to take is that of --evil)
files        the messages, in turn
"""
import argparse, json, os, sys

sys.dont_write_bytecode = True
from saml_tokens import *

CASES = []
HOUR = datetime.timedelta(hours=1)


def case(name, control, what, expect="refused", subject=None):
    """What is made is a message or a list of them."""
    def keep(make):
        CASES.append((name, control, what, expect, subject, make))
        return make
    return keep


def xml(text):
    return etree.fromstring(text.replace(" ", f' xmlns:ds="{DS}" ', 1))


class Maker:
    def __init__(self, options):
        self.options = options
        self.key = lambda name: private_key(os.path.join(options.folder, name + ".key"))
        self.certificate = lambda name: certificate(os.path.join(options.folder, name + ".pem"))
        self.life = datetime.timedelta(seconds=options.seconds)

    def assertion(self, version=SAML2, signer="sts", shown=True, sign=True, edit=None, how=None, keys=None, **changes):
        """The text of an assertion for the audience. `edit` changes it before it is signed, `how` is said to signature()."""
        options, moment = self.options, now()
        fields = dict(id=new_id(), issuer=options.issuer, subject=options.subject, created=moment - datetime.timedelta(seconds=5),
                      expires=moment + self.life, audiences=[[options.audience]], confirmed_until=moment + self.life, recipient=options.recipient,
                      attributes={"urn:example:claims/role": ["reader"]}) | changes
        if "holder" in fields:
            fields |= {"confirmation": "holder-of-key", "confirmed_until": None, "recipient": None} | changes
        made = assertion(version, **fields)
        if edit:
            edit(made)
        if sign:
            shown = self.certificate(signer) if shown is True else shown
            put_signature(made, signature(fields["id"], self.key(signer), shown or None, **(how or {})))
        written = render(made)
        if sign and sign != "later":
            written = fill(written.encode(), os.path.join(options.folder, signer + ".key"), in_assertion(fields["id"]), keys).decode()
        return written

    def evil(self, **changes):
        return self.assertion(sign=False, subject=self.options.evil, **changes)

    def message(self, *blocks, before="", after="", envelope="", body_id="B", body=None, doctype=""):
        """A message with these blocks in its Security header."""
        moment = now()
        timestamp = (f'<wsu:Timestamp wsu:Id="TS"><wsu:Created>{stamp(moment)}</wsu:Created>'
                     f"<wsu:Expires>{stamp(moment + self.life)}</wsu:Expires></wsu:Timestamp>")
        return (f'{doctype}<s:Envelope xmlns:s="{SOAP11}" xmlns:wsu="{WSU}"{envelope}><s:Header>{before}<wsse:Security xmlns:wsse="{WSSE}" s:mustUnderstand="1">'
                f'{timestamp}{"".join(blocks)}</wsse:Security>{after}</s:Header><s:Body wsu:Id="{body_id}">{body or self.options.body}</s:Body></s:Envelope>').encode()

    def proved(self, assertion, key="client", ids=("B", "TS"), described=True, named=None, **more):
        """A message whose sender proves the key of the (last) assertion."""
        version, id = which(assertion)
        return sign_message(self.message(assertion, **more), self.key(key), assertion_reference(version, named or id), list(ids), id if described else None)

    def holder(self, version=SAML2, key="client", **changes):
        return self.assertion(version, holder=self.certificate(key), **changes)


def which(assertion):
    made = etree.fromstring(assertion)
    version = etree.QName(made).namespace
    return version, made.get(ID[version])


def parted(assertion):
    """An assertion without its signature, and the signature."""
    document = assertion.encode()
    _, start, end, _ = elements(document, f"{{{DS}}}Signature")[0]
    return (document[:start] + document[end:]).decode(), standing_alone(document[start:end], {}).decode()


def carrying(assertion, part):
    """With the part where a signature belongs."""
    return assertion.replace("</saml2:Issuer>", "</saml2:Issuer>" + part, 1) if "</saml2:" in assertion else ending(assertion, part)


def ending(assertion, part):
    return assertion[:assertion.rindex("</")] + part + assertion[assertion.rindex("</"):]


def named(assertion, id):
    return assertion.replace(which(assertion)[1], id)


def security(block):
    return f'<wsse:Security xmlns:wsse="{WSSE}" s:actor="urn:example:another">{block}</wsse:Security>'


# Right ones

case("c20-bearer", None, "SAML 2.0, bearer", "accepted")(lambda m: m.message(m.assertion()))
case("c11-bearer", None, "SAML 1.1, bearer", "accepted")(lambda m: m.message(m.assertion(SAML1)))
case("c20-bearer-ec", None, "SAML 2.0, bearer, signed with P-256", "accepted")(lambda m: m.message(m.assertion(signer="sts-ec")))
case("c20-bearer-no-keyinfo", None, "SAML 2.0, bearer, no KeyInfo in the signature", "accepted")(lambda m: m.message(m.assertion(shown=None)))
case("c20-hok", None, "SAML 2.0, holder of key; Body, Timestamp and, by STR-Transform, the assertion are signed", "accepted")(lambda m: m.proved(m.holder()))
case("c11-hok", None, "SAML 1.1, holder of key; the same", "accepted")(lambda m: m.proved(m.holder(SAML1)))
case("c20-hok-ec", None, "SAML 2.0, holder of a key of P-256", "accepted")(lambda m: m.proved(m.holder(key="client-ec"), "client-ec"))
case("c20-hok-plain", None, "SAML 2.0, holder of key; only Body and Timestamp are signed, without STR-Transform", "accepted")(
    lambda m: m.proved(m.holder(), described=False))
case("c20-hok-keyvalue", None, "SAML 2.0, holder of key, named by KeyValue", "accepted")(
    lambda m: m.proved(m.assertion(holder=m.certificate("client").public_key())))

case("c20-hok-by-id", None, "SAML 2.0, holder of key; the assertion is signed by a reference to its ID", "accepted")(
    lambda m: (lambda a: m.proved(a, ids=["B", "TS", which(a)[1]], described=False))(m.holder()))

# Wrapping. The signature of a right assertion stays valid, and another assertion stands where it is looked for.

def wrapped(name, what):
    """The maker is given the evil assertion, the right one whole, and without its signature, and the signature."""
    def keep(make):
        for version, control, tail in [(SAML2, "c20-bearer", ""), (SAML1, "c11-bearer", "-11")]:
            def made(m, version=version):
                whole = m.assertion(version)
                return make(m, m.evil(version=version), whole, *parted(whole))
            # 2.0 only where the words of 2.0 are used.
            if not tail or not {"wrapped-in-advice", "xml-id", "xml-id-instead"} & {name}:
                case(name + tail, control, what)(made)
    return keep


wrapped("xsw1", "the signed assertion in a Security header for another actor, behind that with an unsigned one")(
    lambda m, evil, whole, bare, signed: m.message(evil, after=security(whole)))
wrapped("xsw2", "the same, before it")(lambda m, evil, whole, bare, signed: m.message(evil, before=security(whole)))
wrapped("xsw3", "an unsigned assertion before the signed one")(lambda m, evil, whole, bare, signed: m.message(evil, whole))
wrapped("xsw4", "the signed assertion inside an unsigned one")(lambda m, evil, whole, bare, signed: m.message(ending(evil, whole)))
wrapped("xsw5", "the signature inside another assertion, the signed one behind it")(
    lambda m, evil, whole, bare, signed: m.message(carrying(evil, signed), bare))
wrapped("xsw6", "the signature inside another assertion, the signed one inside the signature")(
    lambda m, evil, whole, bare, signed: m.message(carrying(evil, ending(signed, bare))))
wrapped("xsw7", "another assertion with the same ID inside an unknown element, before the signed one")(
    lambda m, evil, whole, bare, signed: m.message(f'<x:Extensions xmlns:x="urn:example:x">{named(evil, which(whole)[1])}</x:Extensions>', whole))
wrapped("xsw8", "the signature inside another assertion, the signed one in an Object of it")(
    lambda m, evil, whole, bare, signed: m.message(carrying(evil, ending(signed, f"<ds:Object>{bare}</ds:Object>"))))
wrapped("unsigned-sibling", "an unsigned assertion behind the signed one")(lambda m, evil, whole, bare, signed: m.message(whole, evil))
wrapped("wrapped-in-advice", "the signed assertion in Advice of an unsigned one")(
    lambda m, evil, whole, bare, signed: m.message(evil.replace("</saml2:Conditions>", f"</saml2:Conditions><saml2:Advice>{whole}</saml2:Advice>")))
wrapped("wrapped-in-header", "the signature inside another assertion, the signed one in a block of the header")(
    lambda m, evil, whole, bare, signed: m.message(carrying(evil, signed), after=f'<x:Old xmlns:x="urn:example:x">{bare}</x:Old>'))
wrapped("same-id-first", "another assertion with the same ID and the signature; the signed one behind it")(
    lambda m, evil, whole, bare, signed: m.message(carrying(named(evil, which(whole)[1]), signed), bare))
wrapped("same-id-last", "the same, the signed one before it")(
    lambda m, evil, whole, bare, signed: m.message(bare, carrying(named(evil, which(whole)[1]), signed)))
wrapped("detached", "no signature in the assertion; one beside it, which refers to it")(lambda m, evil, whole, bare, signed: m.message(bare, signed))
wrapped("no-signature", "an assertion without a signature")(lambda m, evil, whole, bare, signed: m.message(bare))
wrapped("signature-of-another", "the signature of another assertion, which is not there")(
    lambda m, evil, whole, bare, signed: m.message(carrying(evil, signed)))
wrapped("two-signatures", "the same signature twice")(lambda m, evil, whole, bare, signed: m.message(carrying(whole, signed)))
wrapped("duplicate-id", "ID of the assertion also on an element before it")(
    lambda m, evil, whole, bare, signed: m.message(f'<x:Other xmlns:x="urn:example:x" ID="{which(whole)[1]}"/>', whole))
wrapped("duplicate-wsu-id", "ID of the assertion also as wsu:Id of the Body")(lambda m, evil, whole, bare, signed: m.message(whole, body_id=which(whole)[1]))
wrapped("xml-id", "another assertion carries the signature and the ID; the signed one has xml:id of that value as well")(
    lambda m, evil, whole, bare, signed: m.message(carrying(named(evil, which(whole)[1]), signed), bare.replace(" ID=", f' xml:id="{which(whole)[1]}" ID=', 1)))
wrapped("xml-id-instead", "xml:id in place of ID")(lambda m, evil, whole, bare, signed: m.message(whole.replace(" ID=", " xml:id=", 1)))

# The name, and what XML allows inside of it

def changed(name, what, old, new, **more):
    for version, control, tail in [(SAML2, "c20-bearer", ""), (SAML1, "c11-bearer", "-11")]:
        case(name + tail, control, what, **more)(lambda m, v=version: m.message(m.assertion(v, subject=m.options.evil + ".evil").replace(
            f">{m.options.evil}{old}<", f">{m.options.evil}{new}<")))


changed("comment-in-name", "a comment in NameID, put there after signing: a parser may read only what stands before it", ".evil", "<!---->.evil", expect="judged",
        subject="%s.evil")
changed("comment-ends-name", "a comment in NameID with all the rest of the name in another text node", ".evil", ".evil<!-- -->", expect="judged", subject="%s.evil")
changed("cdata-in-name", "CDATA in NameID", ".evil", "<![CDATA[.evil]]>", expect="judged", subject="%s.evil")
changed("name-changed", "NameID changed after signing", ".evil", "")


def inside_name(m, node):
    """The name, then the node, then the rest of the name, all of it signed."""
    def edit(made):
        name = next(made.iter(f"{{{SAML2}}}NameID"))
        name.text, node.tail = m.options.evil, ".evil"
        name.append(node)
    return m.message(m.assertion(edit=edit))


case("instruction-in-name", "c20-bearer", "a processing instruction in NameID, which is signed with it", "judged", "%s.evil")(
    lambda m: inside_name(m, etree.ProcessingInstruction("x", "y")))
case("element-in-name", "c20-bearer", "an element in NameID, signed with it")(lambda m: inside_name(m, etree.Element(f"{{{SAML2}}}NameID")))
case("dtd", "c20-bearer", "a DTD, of no use")(lambda m: m.message(m.assertion(), doctype="<!DOCTYPE x>"))
case("entity-in-name", "c20-bearer", "a DTD whose entity is the name: it expands to what was signed")(lambda m: m.message(
    m.assertion().replace(f">{m.options.subject}<", ">&who;<"), doctype=f'<!DOCTYPE x [<!ENTITY who "{m.options.subject}">]>'))
case("external-entity", "c20-bearer", "a DTD with an external entity in the name")(lambda m: m.message(
    m.assertion().replace(f">{m.options.subject}<", ">&who;<"), doctype='<!DOCTYPE x [<!ENTITY who SYSTEM "file:///etc/hostname">]>'))

# For whom, by whom, and when

def plainly(name, what, control="c20-bearer", expect="refused", version=SAML2, **changes):
    def made(m):
        said = {key: value(m) if callable(value) and key != "edit" else value for key, value in changes.items()}
        return m.message(m.assertion(version, **said))
    return case(name, control, what, expect)(made)


def without(*names):
    def edit(made):
        for one in [e for e in made.iter() if isinstance(e.tag, str) and etree.QName(e).localname in names]:
            one.getparent().remove(one)
    return edit


for version, tail in [(SAML2, ""), (SAML1, "-11")]:
    both = {"version": version, "control": "c11-bearer" if tail else "c20-bearer"}
    plainly("wrong-audience" + tail, "another audience", audiences=[["https://elsewhere.example/"]], **both)
    plainly("audience-prefix" + tail, "an audience that begins like the right one", audiences=lambda m: [[m.options.audience + ".elsewhere.example/"]], **both)
    plainly("no-audience" + tail, "no restriction to an audience", audiences=[], **both)
    plainly("empty-audience" + tail, "an audience without a name", audiences=[[""]], **both)
    plainly("second-restriction" + tail, "two restrictions, of which one is for others: both count", audiences=lambda m: [[m.options.audience], ["urn:other"]], **both)
    plainly("expired" + tail, "an expired assertion", created=lambda m: now() - 2 * HOUR, expires=lambda m: now() - HOUR, **both)
    plainly("not-yet-valid" + tail, "an assertion that is not yet valid", created=lambda m: now() + HOUR, expires=lambda m: now() + 2 * HOUR,
            confirmed_until=lambda m: now() + 2 * HOUR, **both)
    plainly("no-end" + tail, "no NotOnOrAfter in Conditions", expires=None, **both)
    plainly("no-conditions" + tail, "no Conditions", edit=without("Conditions"), **both)
    plainly("wrong-issuer" + tail, "an issuer that is not known", issuer="urn:example:nobody", **both)
    plainly("name-of-another-issuer" + tail, "signed by the issuer, in the name of another one", issuer=lambda m: m.options.partner, **both)
    plainly("key-of-another-issuer" + tail, "in the name of the issuer, signed by another one", signer="partner", **both)
    plainly("unknown-signer" + tail, "signed by a stranger, whose certificate is in KeyInfo", signer="stranger", **both)
    plainly("certificate-of-a-client" + tail, "signed by a client, whose certificate the same authority has issued", signer="client", **both)
    plainly("sender-vouches" + tail, "sender-vouches, where a bearer is awaited", confirmation="sender-vouches", **both)
    plainly("unknown-confirmation" + tail, "another method of confirmation", confirmation="unheard-of", **both)
    plainly("no-subject" + tail, "no subject", edit=without("Subject"), **both)
    case("one-time-use" + tail, both["control"], "an assertion for one use, used twice")(
        lambda m, v=version: (lambda a: [m.message(a), m.message(a)])(m.assertion(v, one_time=True)))
    case("replayed" + tail, both["control"], "an assertion in a second message; a service may allow that, when it is told to")(
        lambda m, v=version: (lambda a: [m.message(a), m.message(a)])(m.assertion(v)))
    case("sha1-signature" + tail, both["control"], "RSA with SHA-1")(lambda m, v=version: m.message(m.assertion(v, how={"method": DS + "rsa-sha1"})))
    case("sha1-digest" + tail, both["control"], "a digest by SHA-1")(lambda m, v=version: m.message(m.assertion(v, how={"digest": DS + "sha1"})))
    case("two-assertions" + tail, both["control"], "two right assertions, of different subjects")(
        lambda m, v=version: m.message(m.assertion(v), m.assertion(v, subject=m.options.evil)))
plainly("other-recipient", "another Recipient", recipient="https://elsewhere.example/")
plainly("confirmation-over", "the confirmation has expired, the assertion has not", confirmed_until=lambda m: now() - HOUR)
plainly("no-confirmation-end", "no NotOnOrAfter in SubjectConfirmationData", confirmed_until=None)
plainly("no-confirmation", "no SubjectConfirmation", edit=without("SubjectConfirmation"))
plainly("version-3", "Version 3.0", edit=lambda a: a.set("Version", "3.0"))
plainly("unknown-condition", "a condition that is not known", edit=lambda a: etree.SubElement(
    a.find(f"{{{SAML2}}}Conditions"), f"{{{SAML2}}}Condition", {f"{{{XSI}}}type": "xs:Weather"}))
case("assertion-in-body", "c20-bearer", "the assertion is not in the Security header, but in the header beside it")(lambda m: m.message(after=m.assertion()))

# The signature of the issuer

for name, content in [("pem", lambda m: public_pem(m.certificate("sts").public_key())),
                      ("der", lambda m: m.certificate("sts").public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)),
                      ("certificate", lambda m: m.certificate("sts").public_bytes(serialization.Encoding.DER))]:
    case("hmac-" + name, "c20-bearer", f"HMAC whose key is the public one of the issuer, as {name}")(lambda m, content=content: m.message(
        m.assertion(subject=m.options.evil, how={"method": "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"}, keys=["--hmackey", content(m)])))


def odd(name, what, **how):
    made = lambda m: {key: value() if callable(value) else value for key, value in how.items()}
    return case(name, "c20-bearer", what)(lambda m: m.message(m.assertion(how=made(m))))


XPATH = "http://www.w3.org/TR/1999/REC-xpath-19991116"
filtered = lambda path: xml(f'<ds:Transform Algorithm="{XPATH}"><ds:XPath xmlns:saml2="{SAML2}">{path}</ds:XPath></ds:Transform>')
style = lambda: xml('<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
                    '<xsl:template match="/"><signed/></xsl:template></xsl:stylesheet></ds:Transform>')
odd("xpath-everything", "an XPath transform that keeps everything", transforms=lambda: [ENVELOPED, filtered("true()"), EXC])
odd("xslt-constant", "an XSLT transform: whatever the assertion, the same is signed", transforms=lambda: [ENVELOPED, style()])
odd("with-comments", "exclusive canonical form with comments", transforms=[ENVELOPED, EXC + "WithComments"])
odd("enveloped-twice", "a third transform", transforms=[ENVELOPED, EXC, EXC])
odd("empty-uri", "an empty URI: all of the document that there was at that time", uri="")
case("xpath-not-subject", "c20-bearer", "an XPath transform leaves the subject out, which was then changed")(lambda m: m.message(m.assertion(
    how={"transforms": [ENVELOPED, filtered("not(ancestor-or-self::saml2:Subject)"), EXC]}).replace(f">{m.options.subject}<", f">{m.options.evil}<")))


def in_message(name, what, build, **how):
    """The issuer signs when the message is complete."""
    def made(m):
        a = m.assertion(sign="later", how=how)
        return fill(build(m, a), os.path.join(m.options.folder, "sts.key"), in_assertion(which(a)[1]))
    return case(name, "c20-bearer", what)(made)


INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
in_message("inclusive", "inclusive canonical form of the assertion, which holds in this message", lambda m, a: m.message(a), transforms=[ENVELOPED, INCLUSIVE])
in_message("inclusive-signedinfo", "inclusive canonical form of SignedInfo, which holds in this message", lambda m, a: m.message(a), canonical=INCLUSIVE)
in_message("enveloped-only", "no canonical form named: it is the inclusive one", lambda m, a: m.message(a), transforms=[ENVELOPED])
in_message("empty-uri-message", "an empty URI: the whole message, without the signature", lambda m, a: m.message(a), uri="")
in_message("signature-over-timestamp", "the signature in the assertion is over the Timestamp", lambda m, a: m.message(a), uri="#TS")
in_message("signature-over-body", "the signature in the assertion is over the Body", lambda m, a: m.message(a), uri="#B", transforms=[EXC])
case("xpointer-id", "c20-bearer", "XPointer, id('…'), in place of #…")(
    lambda m: (lambda id: m.message(m.assertion(id=id, how={"uri": f"#xpointer(id('{id}'))"})))(new_id()))


@case("signature-deep", "c20-bearer", "the signature is not a child of the assertion, but in Advice, and holds")
def deep(m):
    bare, signed = parted(m.assertion(sign="later"))
    whole = bare.replace("</saml2:Conditions>", f"</saml2:Conditions><saml2:Advice>{signed}</saml2:Advice>")
    return m.message(fill(whole.encode(), os.path.join(m.options.folder, "sts.key"), "//*[local-name()='Advice']/*").decode())


case("reference-mismatch", "c20-bearer", "ID changed after signing: the reference leads nowhere")(lambda m: m.message(
    (lambda a: a.replace(f'ID="{which(a)[1]}"', f'ID="{new_id()}"'))(m.assertion())))


def by_hand(name, what, change, digested=b"anything"):
    """SignedInfo signed as it is, over a digest of something else."""
    def made(m):
        root = etree.fromstring(m.assertion(sign="later", subject=m.options.evil))
        signed = root.find("ds:Signature", NAMES)
        signed.find(".//ds:DigestValue", NAMES).text = digest(digested)
        change(signed)
        text = render(root)
        info = etree.fromstring(text).find("ds:Signature/ds:SignedInfo", NAMES)
        value = sign_bytes(m.key("sts"), canonical(info))
        return m.message(text.replace("<ds:SignatureValue></ds:SignatureValue>", f"<ds:SignatureValue>{value}</ds:SignatureValue>"))
    return case(name, "c20-bearer", what)(made)


reference_of = lambda signed: signed.find("ds:SignedInfo/ds:Reference", NAMES)
by_hand("wrong-digest", "SignedInfo is signed, but the digest is of something else", lambda signed: None)
by_hand("no-reference", "nothing is referred to", lambda signed: reference_of(signed).getparent().remove(reference_of(signed)))
by_hand("no-uri", "a reference without URI", lambda signed: reference_of(signed).attrib.pop("URI"))
by_hand("external-reference", "a reference to a file elsewhere", lambda signed: (
    reference_of(signed).set("URI", "http://127.0.0.1:9/assertion"), reference_of(signed).remove(reference_of(signed)[0])))
by_hand("unknown-digest", "an algorithm that is not known", lambda signed: reference_of(signed).find("ds:DigestMethod", NAMES).set("Algorithm", "urn:example:none"))
case("wrong-value", "c20-bearer", "SignatureValue is not that of the issuer's key")(
    lambda m: m.message(re.sub("(<ds:SignatureValue>).{8}", r"\1AAAAAAAA", m.assertion())))
case("no-value", "c20-bearer", "SignatureValue is empty")(lambda m: m.message(re.sub("(<ds:SignatureValue>)[^<]*", r"\1", m.assertion())))

# Holders of keys

def holding(name, what, control="c20-hok"):
    return case(name, control, what)


for version, tail in [(SAML2, ""), (SAML1, "-11")]:
    control = "c11-hok" if tail else "c20-hok"
    holding("hok-as-bearer" + tail, "holder of key, and nothing proves the key", control)(lambda m, v=version: m.message(m.holder(v)))
    holding("hok-other-key" + tail, "the message is signed with another key than that of the assertion", control)(lambda m, v=version: m.proved(m.holder(v), "other"))
    holding("hok-body-unsigned" + tail, "the Body is not signed", control)(lambda m, v=version: m.proved(m.holder(v), ids=["TS"]))
    holding("hok-body-changed" + tail, "the Body was changed after signing", control)(
        lambda m, v=version: (lambda d: d[:d.rindex(b"</s:Body>")] + b"<x/>" + d[d.rindex(b"</s:Body>"):])(m.proved(m.holder(v))))
    holding("hok-no-key" + tail, "holder of key without a key; signed by somebody", control)(lambda m, v=version: m.proved(m.assertion(
        v, confirmation="holder-of-key", confirmed_until=None, recipient=None)))
    holding("hok-unsigned-assertion" + tail, "an assertion that its holder has made, without the issuer", control)(
        lambda m, v=version: m.proved(m.holder(v, key="other", sign=False, subject=m.options.evil), "other"))
    holding("hok-made-by-holder" + tail, "an assertion that its holder has signed itself", control)(
        lambda m, v=version: m.proved(m.holder(v, key="other", signer="other", subject=m.options.evil), "other"))
    holding("hok-assertion-of-another" + tail, "an assertion was changed for another that the same issuer has signed, for another key", control)(
        lambda m, v=version: (lambda a, b: m.proved(a).replace(a.encode(), b.replace(which(b)[1], which(a)[1]).encode()))(m.holder(v), m.holder(v, key="other")))
case("hok-moved", "c20-hok-plain", "a message moved under another assertion for the same key, which its signature does not cover")(
    lambda m: (lambda a, b: m.proved(a, described=False).replace(a.encode(), b.encode()).replace(which(a)[1].encode(), which(b)[1].encode()))(
        m.holder(), m.holder(subject=m.options.evil)))
for tail, subject in [("space", " clerk"), ("no-break-space", "clerk\u00a0"), ("empty", "")]:
    case("subject-" + tail, "c20-bearer", "the name of the subject has white space around it, or is empty")(
        lambda m, subject=subject: m.message(m.assertion(subject=subject)))
holding("hok-timestamp-unsigned", "the Timestamp is not signed")(lambda m: m.proved(m.holder(), ids=["B"]))
holding("hok-identifier-mismatch", "KeyIdentifier names an assertion that is not there")(
    lambda m: m.proved(m.holder(), described=False, named=new_id()))
holding("hok-wrong-identifier-type", "KeyIdentifier is of the type for SAML 1.1")(lambda m: (lambda a: sign_message(
    m.message(a), m.key("client"), assertion_reference(SAML1, which(a)[1]), ["B", "TS"]))(m.holder()))
holding("hok-key-in-message", "KeyInfo of the message brings another key along, by X509Data")(lambda m: (lambda a: sign_message(
    m.message(a), m.key("other"), etree.tostring(key_info(m.certificate("other"))[0]).decode(), ["B", "TS"]))(m.holder()))
holding("hok-wrapped-body", "the signed Body moved into the header, and another in its place")(lambda m: (lambda d: (lambda body: d.replace(body, (
    b"<s:Body>" + m.options.body.encode() + b"</s:Body>")).replace(b"</s:Header>", b'<x:Old xmlns:x="urn:example:x">' + body + b"</x:Old></s:Header>"))(
        d[d.rindex(b"<s:Body"):d.rindex(b"</s:Envelope>")]))(m.proved(m.holder())))
holding("hok-evil-beside", "the right assertion, and another that names the attacker's key, with which the message is signed")(lambda m: (
    lambda a, b: sign_message(m.message(a, b), m.key("other"), assertion_reference(SAML2, which(b)[1]), ["B", "TS"], which(b)[1]))(
        m.holder(), m.holder(key="other", sign=False, subject=m.options.evil)))
holding("hok-two-keys", "the assertion names the key, and another one was put in after signing")(lambda m: m.proved(m.holder().replace(
    "</saml2:SubjectConfirmationData>", etree.tostring(key_info(m.certificate("other"))).decode() + "</saml2:SubjectConfirmationData>", 1), "other"))
holding("bearer-signed-by-stranger", "a bearer assertion, and a signature of the message by a stranger, that refers to it", "c20-bearer")(
    lambda m: m.proved(m.assertion(), "stranger"))
holding("sender-vouches-signed", "sender-vouches, the message signed by a stranger", "c20-hok")(
    lambda m: m.proved(m.assertion(confirmation="sender-vouches"), "stranger"))


def write(options):
    os.makedirs(options.out, exist_ok=True)
    maker, listed = Maker(options), []
    for name, control, what, expect, subject, make in CASES:
        made = make(maker)
        made = made if isinstance(made, list) else [made]
        files = [name + ".xml"] if len(made) == 1 else [f"{name}-{i + 1}.xml" for i in range(len(made))]
        for file, message in zip(files, made):
            with open(os.path.join(options.out, file), "wb") as output:
                output.write(message)
        who = subject.replace("%s", options.evil) if subject else options.subject if expect == "accepted" else None
        listed.append({"name": name, "what": what, "control": control, "expect": expect, "subject": who, "files": files})
    with open(os.path.join(options.out, "cases.json"), "w") as file:
        json.dump(listed, file, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    if "--list" in sys.argv:
        print("\n".join(f"{name}\t{control or '-'}\t{expect}\t{what}" for name, control, what, expect, *_ in CASES))
        sys.exit()
    parser.add_argument("folder"), parser.add_argument("out")
    parser.add_argument("--body", required=True), parser.add_argument("--audience", required=True), parser.add_argument("--recipient")
    parser.add_argument("--issuer", default="urn:example:token-service"), parser.add_argument("--partner", default="urn:example:partner")
    parser.add_argument("--subject", default="clerk"), parser.add_argument("--evil", default="admin")
    parser.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    options.body = re.sub(r"^<\?xml[^>]*\?>\s*", "", (sys.stdin if options.body == "-" else open(options.body, encoding="utf-8")).read()).strip()
    write(options)
