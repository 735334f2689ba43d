"""A device as ONVIF's Core Specification has it, read by lxml and checked with hashlib.

onvif_device.py PORT FOLDER: the clock is as many seconds ahead as the file "clock" in the folder says; each message is noted in "calls":
path, operation, credentials and what became of it. The user is "admin", the password "kamerä". Tokens must be fresh by that clock
within a minute, and new. Wrong tokens get the status in the file "status", 400 unless it is there; 401 with a challenge for HTTP. Below /http the device wants HTTP Digest and takes no tokens. The addresses that it reports lead nowhere.
"""
import base64
import datetime
import hashlib
import http.server
import os
import re
import secrets
import sys

import lxml.etree

USER, PASSWORD, REALM = "admin", "kamerä", "camera"
BASE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
NAMES = {"wsse": BASE + "wssecurity-secext-1.0.xsd", "wsu": BASE + "wssecurity-utility-1.0.xsd", "s": "http://www.w3.org/2003/05/soap-envelope"}
FOLDER = sys.argv[2]
PTZ = "http://www.onvif.org/ver20/ptz/wsdl"
seen, nonces = set(), set()


def now():
    with open(os.path.join(FOLDER, "clock")) as file:
        return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=int(file.read()))


def is_right(token):
    """UsernameToken Profile 1.1: the digest is that of nonce, time and password."""
    text = lambda path: token.findtext(path, namespaces=NAMES)
    password, created, nonce = token.find("wsse:Password", namespaces=NAMES), text("wsu:Created"), text("wsse:Nonce")
    if not password.get("Type", "").endswith("#PasswordDigest") or created is None or nonce is None or nonce in seen:
        return False
    age = now() - datetime.datetime.fromisoformat(created.replace("Z", "+00:00"))
    if abs(age) > datetime.timedelta(seconds=60):
        return False
    seen.add(nonce)
    digest = hashlib.sha1(base64.b64decode(nonce, validate=True) + created.encode() + PASSWORD.encode()).digest()
    return text("wsse:Username") == USER and base64.b64decode(password.text, validate=True) == digest


def is_digest_right(field, method):
    """RFC 7616 §3.4 with qop=auth and SHA-256."""
    values = {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', field)}
    digest = lambda text: hashlib.sha256(text.encode()).hexdigest()
    secret = digest(f"{USER}:{REALM}:{PASSWORD}")
    parts = [secret, values["nonce"], values["nc"], values["cnonce"], values["qop"], digest(f"{method}:{values['uri']}")]
    return values["nonce"] in nonces and values["response"] == digest(":".join(parts))


def answer(operation):
    if operation == "GetSystemDateAndTime":
        time = now()
        return f"""<tds:SystemDateAndTime><tt:DateTimeType>Manual</tt:DateTimeType><tt:DaylightSavings>true</tt:DaylightSavings>
            <tt:TimeZone><tt:TZ>CET-1CEST,M3.5.0,M10.5.0/3</tt:TZ></tt:TimeZone><tt:UTCDateTime>
            <tt:Time><tt:Hour>{time.hour}</tt:Hour><tt:Minute>{time.minute}</tt:Minute><tt:Second>{time.second}</tt:Second></tt:Time>
            <tt:Date><tt:Year>{time.year}</tt:Year><tt:Month>{time.month}</tt:Month><tt:Day>{time.day}</tt:Day></tt:Date>
            </tt:UTCDateTime></tds:SystemDateAndTime>"""
    if operation == "GetServices":
        service = lambda namespace, path: f"""<tds:Service><tds:Namespace>{namespace}</tds:Namespace>
            <tds:XAddr>http://10.255.255.1:8899{path}</tds:XAddr><tds:Version><tt:Major>2</tt:Major><tt:Minor>60</tt:Minor></tds:Version></tds:Service>"""
        return service("http://www.onvif.org/ver10/device/wsdl", "/onvif/device_service") + service(PTZ, "/onvif/ptz?channel=1")
    return ""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.startswith("/http") and not self.is_admitted():
            return
        message = lxml.etree.fromstring(content)
        body = message.find("s:Body", namespaces=NAMES)[0]
        namespace, operation = body.tag[1:].split("}")
        tokens = message.findall("s:Header/wsse:Security/wsse:UsernameToken", namespaces=NAMES)
        right = operation == "GetSystemDateAndTime" and not tokens or len(tokens) == 1 and is_right(tokens[0])
        if self.path.startswith("/http"):
            right = not tokens
        self.note(operation, "token" if tokens else "nothing", "right" if right else "refused")
        if right:
            text = f'<m:{operation}Response xmlns:m="{namespace}">{answer(operation)}</m:{operation}Response>'
        else:
            text = """<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value xmlns:ter="http://www.onvif.org/ver10/error">ter:NotAuthorized</s:Value>
                </s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">Sender not Authorized</s:Text></s:Reason></s:Fault>"""
        status, path = 400, os.path.join(FOLDER, "status")
        if os.path.exists(path):
            with open(path) as file:
                status = int(file.read())
        challenges = [f'Digest realm="{REALM}", qop="auth", nonce="{secrets.token_hex(16)}"'] if status == 401 and not right else []
        self.send(200 if right else status, f"""<s:Envelope xmlns:s="{NAMES['s']}" xmlns:tt="http://www.onvif.org/ver10/schema"
            xmlns:tds="http://www.onvif.org/ver10/device/wsdl"><s:Body>{text}</s:Body></s:Envelope>""", challenges)

    def is_admitted(self):
        field = self.headers.get("authorization", "")
        if field.startswith("Digest ") and is_digest_right(field, "POST"):
            return True
        self.note("?", field.split(" ")[0] or "nothing", "challenged")
        nonces.add(nonce := secrets.token_hex(16))
        # Who takes Basic gives the password away.
        self.send(401, "", [f'Digest realm="{REALM}", qop="auth", algorithm=SHA-256, nonce="{nonce}"', f'Basic realm="{REALM}"'])
        return False

    def note(self, operation, credentials, verdict):
        with open(os.path.join(FOLDER, "calls"), "a") as file:
            file.write(f"{self.path} {operation} {credentials} {verdict}\n")

    def send(self, status, text, challenges=()):
        content = text.encode()
        self.send_response(status)
        for challenge in challenges:
            self.send_header("WWW-Authenticate", challenge)
        self.send_header("Content-Type", "application/soap+xml; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
