"""zeep: the commands of Sources/CodecCost/Program.swift, by the binding of the WSDL, without HTTP.

    codec.py WSDL check FILE | copy FROM TO | decode|encode FILE SECONDS | run OPERATION FILE COUNT
"""

import sys
import time

from lxml import etree
from zeep import Client, Settings
from zeep.loader import parse_xml

RESPONSE = "LogEntryQuery"


class Checksum:
    """A number that every field goes into (FNV-1a, 64 bits)."""

    def __init__(self):
        self.value = 0xCBF29CE484222325

    def add(self, value):
        if isinstance(value, str):
            value = value.encode()
        for byte in value + b"\0":
            self.value = ((self.value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF


def checksum(response):
    total = Checksum()
    for entry in response.entry:
        total.add(str(entry.id))
        total.add(entry.patientId)
        total.add(entry.entryDate.isoformat())
        total.add(str(int(entry.recordedAt.timestamp())))
        total.add(str(entry.systolic))
        total.add(str(entry.diastolic))
        total.add(str(entry.weight))
        total.add("-" if entry.pulse is None else str(entry.pulse))
        total.add("1" if entry.flagged else "0")
        total.add("-" if entry.note is None else entry.note)
        total.add(entry.kind)
        for tag in entry.tag:
            total.add(tag)
        total.add(entry.attachment or b"")
        total.add(str(entry.revision))
        total.add("-" if entry.source is None else entry.source)
    return f"{len(response.entry)} entries, {total.value:x}"


def microseconds(seconds, work):
    """For one run: the median of nine measurements that together take the time asked for."""
    for _ in range(3):
        work()
    measured = []
    for _ in range(9):
        runs = 0
        begin = time.perf_counter()
        while True:
            work()
            runs += 1
            elapsed = time.perf_counter() - begin
            if elapsed >= seconds / 9:
                break
        measured.append(elapsed * 1e6 / runs)
    return sorted(measured)[4]


def main(wsdl, command, *rest):
    settings = Settings(xml_huge_tree=True)
    client = Client(wsdl, settings=settings)
    (binding,) = [each for name, each in client.wsdl.bindings.items() if name.endswith("}WebEaseBinding")]
    operation = binding.get(RESPONSE)

    def read(path):
        with open(path, "rb") as file:
            return file.read()

    def decode(message):
        return operation.process_reply(parse_xml(message, client.transport, settings=settings))

    def encode(response):
        envelope = operation.output.serialize(entry=response.entry, truncated=response.truncated).content
        return etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")

    def work(operation, message):
        if operation == "decode":
            return lambda: decode(message)
        response = decode(message)
        return lambda: encode(response)

    if command == "check":
        print(checksum(decode(read(rest[0]))))
    elif command == "copy":
        with open(rest[1], "wb") as file:
            file.write(encode(decode(read(rest[0]))))
    elif command in ("decode", "encode"):
        print(microseconds(float(rest[1]), work(command, read(rest[0]))))
    elif command == "run":
        message, count = read(rest[1]), int(rest[2])
        if count:
            todo = work(rest[0], message)
            for _ in range(count):
                todo()
    else:
        sys.exit(__doc__)


if len(sys.argv) < 4:
    sys.exit(__doc__)
main(*sys.argv[1:])
