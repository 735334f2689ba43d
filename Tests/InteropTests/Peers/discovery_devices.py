"""Devices of WS-Discovery in network namespaces of their own, and `signet discover` beside them.

Usage: discovery_devices.py PROGRAM MODE ARGUMENT…

Makes a bridge, starts a device in a network namespace of its own for each of its ports, runs `PROGRAM discover
ARGUMENT…`, and ends with its status. It must be run in a network namespace that it may change: unshare --net. Modes:
devices (a camera of the package WSDiscovery, a printer of this file in the other version), hostile (a host that attacks
the search beside them), silent (no device).
"""
import logging
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid

GROUP, PORT = "239.255.255.250", 3702
VERSIONS = {
    "1.1": ("http://docs.oasis-open.org/ws-dd/ns/discovery/2009/01", "http://www.w3.org/2005/08/addressing"),
    "2005": ("http://schemas.xmlsoap.org/ws/2005/04/discovery", "http://schemas.xmlsoap.org/ws/2004/08/addressing"),
}
CAMERA = "urn:uuid:5f5a69c2-e0ae-504f-829b-00aaaaaaaa01"
PRINTER = "urn:uuid:5f5a69c2-e0ae-504f-829b-00aaaaaaaa02"


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def match(kind, address, types, scopes, addresses, metadata):
    return (
        f"<d:{kind}Match><a:EndpointReference><a:Address>{address}</a:Address></a:EndpointReference>"
        f"<d:Types>{types}</d:Types><d:Scopes>{scopes}</d:Scopes><d:XAddrs>{addresses}</d:XAddrs>"
        f"<d:MetadataVersion>{metadata}</d:MetadataVersion></d:{kind}Match>"
    )


def answer(version, kind, question, matches):
    discovery, addressing = VERSIONS[version]
    return (
        f'<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="{addressing}" xmlns:d="{discovery}"'
        ' xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><s:Header>'
        f"<a:MessageID>{uuid.uuid4().urn}</a:MessageID><a:RelatesTo>{question}</a:RelatesTo>"
        f"<a:Action>{discovery}/{kind}Matches</a:Action></s:Header>"
        f"<s:Body><d:{kind}Matches>{matches}</d:{kind}Matches></s:Body></s:Envelope>"
    ).encode()


def listen(host, on_question):
    """Calls on_question for each Probe or Resolve that is sent to the group; what it returns is sent from `host`."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    receiver.bind((GROUP, PORT))
    membership = struct.pack("4s4s", socket.inet_aton(GROUP), socket.inet_aton(host))
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind((host, 0))
    seen = set()

    def run():
        while True:
            data, peer = receiver.recvfrom(65536)
            text = data.decode()
            found = re.search(r"MessageID>\s*([^<\s]+)\s*<", text)
            kind = "Probe" if re.search(r"<\w+:Probe\b", text) else "Resolve" if re.search(r"<\w+:Resolve\b", text) else ""
            version = "1.1" if VERSIONS["1.1"][0] in text else "2005"
            if not found or not kind or found[1] in seen:
                continue
            seen.add(found[1])
            on_question(version, kind, found[1], text, lambda datagram: sender.sendto(datagram, peer))

    threading.Thread(target=run, daemon=True).start()


def printer(version, kind, question, text, send):
    """A device that speaks 1.1 only, and answers without an address until it is asked by Resolve."""
    if version != "1.1" or "NetworkVideoTransmitter" in text or (kind == "Resolve" and PRINTER not in text):
        return
    addresses = "http://10.9.0.3:5357/device https://10.9.0.3/device" if kind == "Resolve" else ""
    datagram = answer(version, kind, question, match(kind, PRINTER, "d:Device", "", addresses, 3))
    for _ in range(2):
        send(datagram)


def hostile(version, kind, question, text, send):
    """Answers at once and without end: in the name of the camera, with addresses of others, and with no XML."""
    addresses = (
        "http://10.9.0.2/stolen http://127.0.0.1:22/ file:///etc/passwd http://admin:secret@10.9.0.66/"
        " http://10.9.0.66/evil http://10.9.0.66/\x1b"
    ).replace("\x1b", "&#x202E;")
    forged = match(kind, CAMERA, "dn:NetworkVideoTransmitter", "onvif://&#x202E;evil onvif://evil", addresses, 4294967295)
    send(answer(version, kind, question, forged))
    send(answer(version, kind, uuid.uuid4().urn, match(kind, "urn:unrelated", "", "", "http://10.9.0.66/", 1)))
    for datagram in [b"", b"<a", b"\xff\xfe", b"<!DOCTYPE a><a/>", b"<a>" * 20000, bytes(range(256)) * 4]:
        send(datagram)

    def flood():
        end = time.time() + 60
        while time.time() < end:
            name = f"urn:flood:{uuid.uuid4()}"
            send(answer(version, kind, question, match(kind, name, "", "", "http://10.9.0.66/evil", 1)))
            time.sleep(0.0005)

    threading.Thread(target=flood, daemon=True).start()


def camera(host):
    """A device of the package WSDiscovery, which speaks 2005/04."""
    from wsdiscovery import QName, Scope
    from wsdiscovery.publishing import ThreadedWSPublishing

    device = ThreadedWSPublishing()
    device.uuid = CAMERA
    device.start()
    device.publishService(
        types=[QName("http://www.onvif.org/ver10/network/wsdl", "NetworkVideoTransmitter", "dn")],
        scopes=[Scope("onvif://www.onvif.org/name/Dome"), Scope("onvif://www.onvif.org/location/hall")],
        xAddrs=[f"http://{host}/onvif/device_service"])


# The hosts of the devices, each a network namespace of its own behind the bridge.
DEVICES = {
    "camera": ("10.9.0.2", camera),
    "printer": ("10.9.0.3", lambda host: listen(host, printer)),
    "hostile": ("10.9.0.66", lambda host: listen(host, hostile)),
}


def be(name):
    """Is one device: waits for its network, and answers until its input ends."""
    host, begin = DEVICES[name]
    while subprocess.run(["ip", "link", "show", "net0"], capture_output=True).returncode:
        time.sleep(0.02)
    ip("link", "set", "lo", "up")
    ip("address", "add", f"{host}/24", "dev", "net0")
    ip("link", "set", "net0", "up")
    ip("route", "add", "default", "dev", "net0")
    begin(host)
    print("ready", flush=True)
    sys.stdin.read()


def main():
    program, mode, *arguments = sys.argv[1:]
    logging.disable(logging.CRITICAL)
    if program == "--device":
        return be(mode)
    ip("link", "set", "lo", "up")
    ip("link", "add", "net0", "type", "bridge", "mcast_snooping", "0")
    ip("address", "add", "10.9.0.1/24", "dev", "net0")
    ip("link", "set", "net0", "up")
    names = {"devices": ["camera", "printer"], "hostile": ["camera", "printer", "hostile"], "silent": []}[mode]
    devices = []
    for name in names:
        command = ["unshare", "--net", sys.executable, __file__, "--device", name]
        device = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        devices.append(device)
        # Until the child has left, this would be the namespace that it shares with its parent.
        while True:
            try:
                if os.readlink(f"/proc/{device.pid}/ns/net") != os.readlink("/proc/self/ns/net"):
                    break
            except OSError:
                pass
            time.sleep(0.02)
        ip("link", "add", name, "type", "veth", "peer", "name", "net0", "netns", str(device.pid))
        ip("link", "set", name, "master", "net0", "up")
    for device in devices:
        device.stdout.readline()
    status = subprocess.run([program, "discover", *arguments]).returncode
    for device in devices:
        device.terminate()
        device.wait()
    sys.exit(status)


main()
