"""Signed messages of zeep (over xmlsec).

signed_message.py verify ENVELOPE CERTIFICATE             succeeds when the certificate's key signed the message
signed_message.py sign ENVELOPE KEY CERTIFICATE FORM      prints the envelope with a Timestamp and a signature over it and the Body

FORM says how the certificate is sent: binary for a BinarySecurityToken, data for X509Data in KeyInfo.
"""
import datetime, sys
from lxml import etree
import xmlsec
from zeep.wsse import utils
from zeep.wsse.signature import BinarySignature, Signature, verify_envelope

command, path, *rest = sys.argv[1:]
envelope = etree.parse(path).getroot()
if command == "verify":
    verify_envelope(envelope, *rest)
else:
    now = datetime.datetime.now(datetime.timezone.utc)
    timestamp = utils.WSU.Timestamp()
    for name, moment in [("Created", now), ("Expires", now + datetime.timedelta(seconds=60))]:
        timestamp.append(utils.WSU(name, moment.strftime("%Y-%m-%dT%H:%M:%SZ")))
    utils.get_security_header(envelope).append(timestamp)
    *files, form = rest
    kind = BinarySignature if form == "binary" else Signature
    signed, _ = kind(*files, signature_method=xmlsec.Transform.RSA_SHA256, digest_method=xmlsec.Transform.SHA256).apply(envelope, {})
    sys.stdout.buffer.write(etree.tostring(signed))
