"""Stores and fetches a document with zeep, and forwards letters in messages that Python's email package builds and reads.

Run: archive_client.py WSDL ENDPOINT BYTES. Prints a JSON object.
"""

import email
import email.policy
import json
import sys
import urllib.request
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email import encoders

import requests
import zeep
import zeep.transports

wsdl, endpoint, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


def total(content):
    result = 0
    for byte in content:
        result = (result * 31 + byte) % 1000003
    return result


class Answers(zeep.Plugin):
    """The media types of the answers."""

    types = []

    def ingress(self, envelope, headers, operation):
        self.types.append(headers.get("Content-Type", "").split(";")[0])
        return envelope, headers


content = bytes(i * 7 % 256 for i in range(count))
answers = Answers()
session = requests.Session()
session.trust_env = False
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
client = zeep.Client(
    wsdl, plugins=[answers],
    transport=zeep.transports.Transport(session=session, timeout=30, operation_timeout=30))
service = client.create_service("{urn:signet:example:archive}Archive", endpoint)
stored = service.Store(name="letter", preview=[b"\x01\x02"], content=content)
fetched = service.Fetch(name="letter", bytes=count)
report = {
    "bytes": stored["bytes"], "sum": stored["sum"], "sent": total(content),
    "fetched": len(fetched["content"]), "fetchedSum": total(fetched["content"]),
    "previews": len(fetched["preview"]), "types": answers.types, "forwarded": [],
}

ENVELOPE = """<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<forward xmlns="urn:signet:example:archive:types"><to>registry</to></forward></soap:Body></soap:Envelope>"""


def forward(encoder, linesep):
    """Sends a letter as the email package writes it, with one of its transfer encodings."""
    message = MIMEMultipart("related", type="text/xml", start="<root@python>")
    root = MIMENonMultipart("text", "xml", charset="utf-8")
    root.set_payload(ENVELOPE.encode("utf-8"))
    encoder(root)
    root["Content-ID"] = "<root@python>"
    message.attach(root)
    # Line ends in quoted-printable are those of text, and change on the way.
    letter = MIMEApplication(content.replace(b"\n", b"n").replace(b"\r", b"r"), "pdf", encoder)
    letter["Content-ID"] = "<letter@python>"
    letter.add_header("Content-Disposition", "attachment", filename="Brief an die Behörde.pdf")
    message.attach(letter)
    policy = email.policy.HTTP if linesep == "\r\n" else email.policy.HTTP.clone(linesep=linesep)
    data = message.as_bytes(policy=policy)
    header, _, body = data.partition((linesep * 2).encode())
    fields = email.message_from_bytes(header, policy=email.policy.HTTP)
    request = urllib.request.Request(
        endpoint, data=body,
        headers={"Content-Type": str(fields["Content-Type"]).replace("\r\n", "").replace("\n", ""),
                 "SOAPAction": '"urn:forward"'})
    with opener.open(request, timeout=30) as answer:
        text = f"Content-Type: {answer.headers['Content-Type']}\r\n\r\n".encode() + answer.read()
    back = email.message_from_bytes(text, policy=email.policy.HTTP)
    parts = list(back.iter_parts())
    assert not back.defects and not any(part.defects for part in parts), back.defects
    return {
        "root": parts[0].get_content_type(),
        "parts": [
            {"id": part["Content-ID"], "type": part.get_content_type(), "bytes": len(part.get_payload(decode=True)),
             "sum": total(part.get_payload(decode=True)), "name": part.get_filename()}
            for part in parts[1:]
        ],
    }


for encoder, linesep in [
    (encoders.encode_base64, "\r\n"), (encoders.encode_quopri, "\r\n"), (encoders.encode_base64, "\n"),
]:
    report["forwarded"].append(forward(encoder, linesep))
print(json.dumps(report))
