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

PORT = "{urn:signet:example:webease}WebEaseBinding"


def plain(value):
    """What JSON has no type for, as the lexical form of XML Schema."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(type(value).__name__)


def outcome(call, **arguments):
    try:
        return {"result": zeep.helpers.serialize_object(call(**arguments), dict)}
    except zeep.exceptions.Fault as fault:
        detail = None if fault.detail is None else lxml.etree.tostring(fault.detail, encoding="unicode")
        return {"fault": {"code": fault.code, "reason": fault.message, "detail": detail}}
    except (zeep.exceptions.Error, requests.RequestException) as error:
        return {"error": {"type": type(error).__name__, "message": str(error)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("wsdl", "endpoint", "ca", "certificate", "key", "user", "password-file"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--patient", default="zeep-1")
    parser.add_argument("--serial-number", default="ZEEP-0001")
    options = parser.parse_args()

    session = requests.Session()
    session.trust_env = False
    session.verify = options.ca
    session.cert = (options.certificate, options.key)
    password = pathlib.Path(options.password_file).read_text(encoding="utf-8").rstrip("\n")
    session.auth = (options.user.encode("utf-8"), password.encode("utf-8"))
    transport = zeep.transports.Transport(session=session, timeout=20, operation_timeout=20)
    client = zeep.Client(options.wsdl, transport=transport)
    service = client.create_service(PORT, options.endpoint)

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
