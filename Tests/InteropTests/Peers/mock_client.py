"""Lets zeep read the answers of a mock to all operations of a WSDL: mock_client.py WSDL, with the lines of `signet mock --json` on
standard input. Prints a JSON object: how many answers zeep read, what it did not, and what it cannot tell."""

import json
import sys

import lxml.etree
import requests
import zeep
import zeep.exceptions
import zeep.wsdl.bindings.soap as soap

ENVELOPES = {"1.1": "http://schemas.xmlsoap.org/soap/envelope/", "1.2": "http://www.w3.org/2003/05/soap-envelope"}


def main():
    addresses = {}
    for line in sys.stdin:
        address = json.loads(line)
        addresses[address["service"], address["port"]] = address["url"]
    report = {"read": 0, "failed": [], "unknown": []}
    try:
        client = zeep.Client(sys.argv[1])
    except Exception as error:  # What zeep cannot load says nothing about the mock.
        report["unknown"].append(f"zeep does not load it: {type(error).__name__}: {error}"[:300])
        return report
    session = requests.Session()
    session.trust_env = False
    for service in client.wsdl.services.values():
        for port in service.ports.values():
            url = addresses.get((service.name, port.name))
            if url and isinstance(port.binding, soap.SoapBinding):
                for operation in port.binding._operations.values():
                    call(client, session, port.binding, operation, url, report)
    return report


def call(client, session, binding, operation, url, report):
    name = f"{binding.name.localname}.{operation.name}"
    if operation.input is None or operation.input.body is None:
        report["unknown"].append(f"{name}: zeep has no input")
        return
    version = "1.2" if isinstance(binding, soap.Soap12Binding) else "1.1"
    envelope = lxml.etree.Element(f"{{{ENVELOPES[version]}}}Envelope")
    body = lxml.etree.SubElement(envelope, f"{{{ENVELOPES[version]}}}Body")
    element = operation.input.body
    qname = getattr(element, "qname", None)
    if qname is None:
        report["unknown"].append(f"{name}: zeep has no element")
        return
    # The mock is lenient: what is absent in the input does not matter here.
    lxml.etree.SubElement(body, qname)
    action = operation.soapaction or ""
    headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{action}"'}
    if version == "1.2":
        headers = {"Content-Type": f'application/soap+xml; charset=utf-8; action="{action}"'}
    response = session.post(url, data=lxml.etree.tostring(envelope), headers=headers, timeout=60)
    if operation.output is None or response.status_code == 202:
        report["read"] += 1
        return
    try:
        binding.process_reply(client, operation, response)
        report["read"] += 1
    except zeep.exceptions.Fault as fault:
        report["failed"].append(f"{name}: a fault: {fault.message}"[:400])
    except Exception as error:
        report["failed"].append(f"{name}: {type(error).__name__}: {error}"[:400])


print(json.dumps(main()))
