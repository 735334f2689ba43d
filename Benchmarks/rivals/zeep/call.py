"""zeep's side of the call benchmark, over requests.

    call.py WSDL call URL FOLDER CALLS OPEN      calls, so many of them open at a time; prints what one has cost
    call.py WSDL new URL FOLDER CALLS OPEN       the same, where the server closes the connection after each answer
    call.py WSDL idle URL FOLDER CONNECTIONS     prints what an idle connection costs

There is a thread for each call that is open, and one session for all.
"""

import ctypes
import os
import resource
import sys
import threading
import time

import requests
from zeep import Client
from zeep.transports import Transport

BINDING = "{urn:signet:example:webease}WebEaseBinding"


def session_for(folder, connections):
    session = requests.Session()
    # Proxies and passwords are not looked for in the environment at each call.
    session.trust_env = False
    session.cert = (f"{folder}/client.pem", f"{folder}/client.key")
    session.verify = f"{folder}/authority.pem"
    session.mount("https://", requests.adapters.HTTPAdapter(pool_maxsize=connections))
    return session


def counters():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    try:
        counted = ctypes.CDLL(None).counted_allocations
        counted.restype = ctypes.c_uint64
        allocations = counted()
    except AttributeError:
        allocations = 0
    processor = (usage.ru_utime + usage.ru_stime) * 1e6
    return processor, allocations, usage.ru_nvcsw + usage.ru_nivcsw, time.monotonic()


def measure(call, calls, number):
    barrier = threading.Barrier(number + 1)
    failed = []

    def work(share):
        try:
            # What is done once is left out. The others make more calls first; zeep takes long.
            for _ in range(2):
                call()
            barrier.wait()
            barrier.wait()
            for _ in range(share):
                call()
        except Exception as error:
            failed.append(error)
            barrier.abort()

    shares = [calls // number + (index < calls % number) for index in range(number)]
    threads = [threading.Thread(target=work, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    try:
        barrier.wait()
        before = counters()
        barrier.wait()
    except threading.BrokenBarrierError:
        pass
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    cost, blocks, switches, clock = (end - begin for begin, end in zip(before, counters()))
    print(f"{cost / calls:.3f} {blocks / calls:.3f} 0 {switches / calls:.3f} {calls / clock:.1f}")


def open_connections(session, url, number):
    """An answer that is not read keeps its connection, so each of these calls opens one more."""
    answers = [session.post(url, data=b"", stream=True) for _ in range(number)]
    for answer in answers:
        answer.content


def resident_memory():
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def measure_idle(session, call, url, connections):
    call()
    one = resident_memory()
    open_connections(session, url, connections)
    sockets = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            sockets += os.readlink(f"/proc/self/fd/{name}").startswith("socket:")
        except OSError:
            pass
    if sockets < connections:
        sys.exit(f"{sockets} connections are open in place of {connections}.")
    print(f"{(resident_memory() - one) / (connections - 1):.2f}")


def main(wsdl, command, url, folder, number, open_calls=None):
    connections = int(number if command == "idle" else open_calls)
    session = session_for(folder, connections)
    client = Client(wsdl, transport=Transport(session=session))
    service = client.create_service(BINDING, url)

    def call():
        if len(service.LogEntryQuery(patientId="P-104711").entry) != 2:
            sys.exit("That is no answer.")

    if command == "idle":
        measure_idle(session, call, url, connections)
    else:
        if command == "call":
            open_connections(session, url, connections)
        measure(call, int(number), connections)


if len(sys.argv) != (6 if sys.argv[2:3] == ["idle"] else 7) or sys.argv[2] not in ("call", "new", "idle"):
    sys.exit(__doc__)
main(*sys.argv[1:])
