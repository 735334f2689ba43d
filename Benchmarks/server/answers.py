"""Answers every POST with an envelope of any length, which is never in one place: what stands before the entries of a template, its
entries as often as need be, and what stands behind them.

    answers.py PORT CERTIFICATE KEY TEMPLATE

The path says how many bytes the answer has at least: /1000000000. It prints nothing and ends when it is killed.
"""

import socket
import ssl
import sys
import threading

# The entry comes before everything else whose name begins so.
ENTRY, END = b"<t:entry", b"</t:entry>"


def parts(template):
    """What stands before the entries, the entries, and what stands behind."""
    first = template.index(ENTRY)
    last = template.rindex(END) + len(END)
    return template[:first], template[first:last], template[last:]


def answer(connection, before, entries, behind):
    """Reads requests and answers them, until the client closes the connection."""
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            more = connection.recv(65536)
            if not more:
                return
            received += more
        head, received = received.split(b"\r\n\r\n", 1)
        lines = head.split(b"\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in lines[1:])
        length = int(fields[b"content-length"])
        while len(received) < length:
            received += connection.recv(65536)
        received = received[length:]
        wanted = int(lines[0].split(b" ")[1][1:])
        times = -(-wanted // len(entries))
        size = len(before) + times * len(entries) + len(behind)
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % size)
        connection.sendall(before)
        for _ in range(times):
            connection.sendall(entries)
        connection.sendall(behind)


def serve(connection, context, *template):
    try:
        with context.wrap_socket(connection, server_side=True) as secured:
            answer(secured, *template)
    except OSError:
        # The client has gone.
        pass


def main():
    port, certificate, key, file = sys.argv[1:]
    with open(file, "rb") as template:
        template = parts(template.read())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", int(port)))
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, context, *template), daemon=True).start()


main()
