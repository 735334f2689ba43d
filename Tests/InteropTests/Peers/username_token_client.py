"""Calls Echo with zeep, which sends a UsernameToken, and prints what came back as JSON, a line a message.

username_token_client.py WSDL URL VERSION USER PASSWORD-FILE FORM…: VERSION is 11 or 12. FORM is digest, text, or timed, which is a
digest beside a Timestamp; twice sends the tokens of timed twice; stale and future are digests an hour away from now, and expired is a
Timestamp of an hour ago.
"""
import datetime
import json
import pathlib
import secrets
import sys

import requests
import zeep
import zeep.exceptions
import zeep.plugins
import zeep.transports
from zeep.wsse import utils
from zeep.wsse.username import UsernameToken

wsdl, url, version, user, password_file, *forms = sys.argv[1:]
password = pathlib.Path(password_file).read_text(encoding="utf-8")
hour = datetime.timedelta(hours=1)


def token(form):
    now = datetime.datetime.now(datetime.timezone.utc)
    timestamp = None
    if form in ("timed", "twice", "expired"):
        made = now - hour if form == "expired" else now
        moments = [(made + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ") for seconds in (0, 60)]
        timestamp = utils.WSU.Timestamp(utils.WSU.Created(moments[0]), utils.WSU.Expires(moments[1]))
    # It makes another nonce and another time for each message unless it is given them.
    created = {"stale": now - hour, "future": now + hour, "twice": now}.get(form)
    return UsernameToken(
        user, password, use_digest=form != "text", timestamp_token=timestamp, zulu_timestamp=form == "timed", created=created,
        nonce=secrets.token_hex() if form == "twice" else None)


def code(envelope):
    """The code of a fault, or its subcode where there is one, with its namespace."""
    element = (envelope.xpath("//*[local-name()='Subcode']/*[local-name()='Value']") or envelope.xpath("//faultcode"))[0]
    prefix, _, name = element.text.rpartition(":")
    return "{%s}%s" % (element.nsmap.get(prefix or None), name)


session = requests.Session()
session.trust_env = False
for form in forms:
    history = zeep.plugins.HistoryPlugin()
    client = zeep.Client(
        wsdl, wsse=token(form), plugins=[history],
        transport=zeep.transports.Transport(session=session, timeout=60, operation_timeout=60))
    service = client.create_service("{urn:signet:example:echo}Echo" + version, url)
    for _ in range(2 if form == "twice" else 1):
        try:
            report = {"text": service.Echo(text="from zeep")}
        except zeep.exceptions.Fault:
            report = {"code": code(history.last_received["envelope"])}
        print(json.dumps(report))
