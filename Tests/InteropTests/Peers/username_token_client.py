"""Calls Echo with zeep, which sends a UsernameToken, and prints what came back as JSON.

username_token_client.py WSDL URL VERSION FORM USER PASSWORD-FILE: VERSION is 11 or 12, FORM is digest, text, or timed, which is a
digest beside a Timestamp.
"""
import datetime
import json
import pathlib
import sys

import requests
import zeep
import zeep.exceptions
import zeep.transports
from zeep.wsse import utils
from zeep.wsse.username import UsernameToken

wsdl, url, version, form, user, password_file = sys.argv[1:]
timestamp = None
if form == "timed":
    now = datetime.datetime.now(datetime.timezone.utc)
    moments = [(now + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ") for seconds in (0, 60)]
    timestamp = utils.WSU.Timestamp(utils.WSU.Created(moments[0]), utils.WSU.Expires(moments[1]))
token = UsernameToken(
    user, pathlib.Path(password_file).read_text(encoding="utf-8"), use_digest=form != "text", timestamp_token=timestamp,
    zulu_timestamp=form == "timed")
session = requests.Session()
session.trust_env = False
client = zeep.Client(wsdl, wsse=token, transport=zeep.transports.Transport(session=session, timeout=20, operation_timeout=20))
service = client.create_service("{urn:signet:example:echo}Echo" + version, url)
try:
    report = {"text": service.Echo(text="from zeep")}
except zeep.exceptions.Fault as fault:
    report = {"code": str(fault.code), "subcode": ",".join(str(code) for code in fault.subcodes or [])}
json.dump(report, sys.stdout)
