"""Calls Echo with zeep, which sends header blocks of WS-Addressing 1.0 because the WSDL has actions, and prints what came back as
JSON.

addressing_client.py WSDL URL VERSION TEXT: VERSION is 11 or 12.
"""
import json
import sys

import requests
import zeep
import zeep.exceptions
import zeep.plugins
import zeep.transports

wsdl, url, version, text = sys.argv[1:]
history = zeep.plugins.HistoryPlugin()
session = requests.Session()
session.trust_env = False
client = zeep.Client(
    wsdl, plugins=[history],
    transport=zeep.transports.Transport(session=session, timeout=60, operation_timeout=60))
service = client.create_service("{urn:signet:example:addressed}Addressed" + version, url)
report = {}
try:
    report["text"] = service.Echo(text=text)
except zeep.exceptions.Fault as fault:
    report["fault"] = fault.message


def blocks(side):
    envelope = side["envelope"]
    namespace = envelope.tag[1:].split("}")[0]
    header = envelope.find("{%s}Header" % namespace)
    return {} if header is None else {block.tag.split("}")[1]: (block.text or "") for block in header}


report["sent"] = blocks(history.last_sent)
report["received"] = blocks(history.last_received)
json.dump(report, sys.stdout)
