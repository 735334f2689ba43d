"""Answers Echo to those whose UsernameToken is right, as lxml reads it and hashlib computes it.

username_token_server.py PORT SECONDS [timed]: its clock is so many seconds ahead. The user is "clerk", the password "wäy in". A digest must be
fresh by that clock, and new. With "timed" it takes nothing but a digest beside a Timestamp that has not expired.
"""
import base64
import datetime
import email.utils
import hashlib
import http.server
import sys

import lxml.etree

PASSWORD = "wäy in"
BASE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
NAMES = {"wsse": BASE + "wssecurity-secext-1.0.xsd", "wsu": BASE + "wssecurity-utility-1.0.xsd"}
AHEAD = datetime.timedelta(seconds=int(sys.argv[2]))
TIMED = sys.argv[3:] == ["timed"]
seen = set()


def now():
    return datetime.datetime.now(datetime.timezone.utc) + AHEAD


def problem(envelope):
    """What is wrong with the header of a message; none when it is right."""
    tokens = envelope.xpath("/*/*[local-name()='Header']/wsse:Security[@*[local-name()='mustUnderstand']]/wsse:UsernameToken", namespaces=NAMES)
    if len(tokens) != 1:
        return "FailedAuthentication"
    text = lambda path: tokens[0].findtext(path, namespaces=NAMES)
    password = tokens[0].find("wsse:Password", namespaces=NAMES)
    if TIMED:
        expires = tokens[0].getparent().findtext("wsu:Timestamp/wsu:Expires", namespaces=NAMES)
        if expires is None or not password.get("Type", "").endswith("#PasswordDigest"):
            return "InvalidSecurity"
        if datetime.datetime.strptime(expires, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc) < now():
            return "InvalidSecurity"
    if password.get("Type", "").endswith("#PasswordText"):
        right = password.text == PASSWORD
    else:
        created, nonce = text("wsu:Created"), text("wsse:Nonce")
        age = now() - datetime.datetime.strptime(created, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
        if abs(age) > datetime.timedelta(seconds=300) or nonce in seen:
            return "InvalidSecurityToken"
        seen.add(nonce)
        digest = hashlib.sha1(base64.b64decode(nonce, validate=True) + created.encode() + PASSWORD.encode()).digest()
        right = base64.b64encode(digest).decode() == password.text and len(base64.b64decode(nonce)) == 16
    return None if right and text("wsse:Username") == "clerk" else "FailedAuthentication"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        envelope = lxml.etree.fromstring(self.rfile.read(int(self.headers["content-length"])))
        code = problem(envelope)
        body = '<e:Echo xmlns:e="urn:signet:example:echo"><e:text>in</e:text></e:Echo>'
        if code:
            body = f'<s:Fault><faultcode xmlns:w="{NAMES["wsse"]}">w:{code}</faultcode><faultstring>No.</faultstring></s:Fault>'
        content = f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{body}</s:Body></s:Envelope>'.encode()
        self.send_response(500 if code else 200)
        self.send_header("Content-Type", "text/xml; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def date_time_string(self, timestamp=None):
        return email.utils.format_datetime(now(), usegmt=True)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
