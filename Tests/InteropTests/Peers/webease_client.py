"""Calls every operation of the WebEase service with zeep and prints what came back as JSON.

The password is read from the file named by --password-file, so that it is not seen in the list of processes.
"""

import argparse
import datetime
import decimal
import json
import pathlib
import sys

import lxml.etree
import requests
import zeep
import zeep.exceptions
import zeep.helpers
import zeep.transports
import zeep.xsd

BINDINGS = {
    "1.1": "{urn:signet:example:webease}WebEaseBinding",
    "1.2": "{urn:signet:example:webease}WebEaseBinding12",
}


media_types = []


def note_media_type(response, *_, **__):
    """The media type of an answer tells the version that the service spoke."""
    media_types.append(response.headers.get("Content-Type", "").split(";")[0])


def plain(value):
    """What JSON has no type for, as the lexical form of XML Schema."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(type(value).__name__)


def detail_words(detail):
    """The name of a declared fault, and what it says."""
    if detail is None or not len(detail):
        return None
    name = lambda element: lxml.etree.QName(element).localname
    return " ".join([name(detail[0])] + [f"{name(part)}={part.text}" for part in detail[0]])


def outcome(call, **arguments):
    media_types.clear()
    try:
        report = {"result": zeep.helpers.serialize_object(call(**arguments), dict)}
    except zeep.exceptions.Fault as fault:
        report = {"fault": {"code": fault.code, "reason": fault.message, "detail": detail_words(fault.detail),
                            "subcode": ",".join(str(code) for code in fault.subcodes or []) or None}}
    except (zeep.exceptions.Error, requests.RequestException) as error:
        report = {"error": {"type": type(error).__name__, "message": str(error)}}
    return dict(report, contentType=media_types[-1] if media_types else None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("wsdl", "endpoint", "ca", "certificate", "key"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--version", choices=sorted(BINDINGS), default="1.1")
    parser.add_argument("--user", help="for HTTP Basic")
    parser.add_argument("--password-file")
    parser.add_argument("--patient", default="zeep-1")
    parser.add_argument("--serial-number", default="refused")
    options = parser.parse_args()

    session = requests.Session()
    session.trust_env = False
    session.verify = options.ca
    session.cert = (options.certificate, options.key)
    session.hooks["response"].append(note_media_type)
    if options.user is not None:
        password = pathlib.Path(options.password_file).read_text(encoding="utf-8").rstrip("\n")
        session.auth = (options.user.encode("utf-8"), password.encode("utf-8"))
    transport = zeep.transports.Transport(session=session, timeout=60, operation_timeout=60)
    client = zeep.Client(options.wsdl, transport=transport)
    service = client.create_service(BINDINGS[options.version], options.endpoint)

    report = {}
    new_entry = {
        "patientId": options.patient, "entryDate": datetime.date(2026, 3, 29), "systolic": 121, "diastolic": 79,
        "weight": decimal.Decimal("81.250"), "flagged": False, "note": "after lunch, < 2 h & ü € 😀",
        "kind": "Device", "tag": ["morning", "left arm"], "attachment": bytes(range(256)), "source": "zeep",
    }
    report["create"] = outcome(service.LogEntryCreate, entry=new_entry)
    report["query"] = outcome(
        service.LogEntryQuery, patientId=options.patient, kind=["Device", "Manual"], limit=10,
        entryDate={
            "operator": "between", "value": datetime.date(2026, 3, 1), "upper": datetime.date(2026, 3, 31)})
    created = report["create"].get("result")
    if created is not None:
        changed = dict(created, systolic=118, kind="Corrected", pulse=64, note=zeep.xsd.Nil)
        report["update"] = outcome(service.LogEntryUpdate, entry=changed)
        report["updateOfOldRevision"] = outcome(service.LogEntryUpdate, entry=changed)
        report["delete"] = outcome(service.LogEntryDelete, id=created["id"])
        report["deleteAgain"] = outcome(service.LogEntryDelete, id=created["id"])
    report["register"] = outcome(service.Register, serialNumber=options.serial_number, model="zeep")
    json.dump(report, sys.stdout, default=plain, ensure_ascii=False, indent=2)
    print()


if __name__ == "__main__":
    main()
