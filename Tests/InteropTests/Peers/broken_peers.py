"""Peers that break connections, each in its own way: broken_peers.py ROLE PORT [ROLE PORT …].

tunnel:TARGET  a proxy that opens a tunnel to the port TARGET of this machine, whichever host it is asked for
page           a proxy that answers CONNECT with 200 and a web page
forbidding     a proxy that answers CONNECT with 403 and a web page
closing        a proxy that closes the connection in place of an answer
alert          a server that answers the ClientHello with the alert internal_error
mail           a server that greets as a mail server does
"""
import socketserver, socket, sys, threading

PAGE = b"<!DOCTYPE html><html><title>Welcome to the hotel</title><body>Accept the terms.</body></html>"


def answer(status):
    return (f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(PAGE)}\r\n\r\n").encode() + PAGE


def head(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(4096)
        if not more:
            return None
        data += more
    return data


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(role, connection):
    if role == "mail":
        connection.sendall(b"220 mail.example ESMTP\r\n")
        connection.recv(4096)
    elif role == "alert":
        if connection.recv(4096):
            connection.sendall(bytes([21, 3, 3, 0, 2, 2, 80]))
    elif head(connection) is None or role == "closing":
        return
    elif role == "forbidding":
        connection.sendall(answer("403 Forbidden"))
    elif role == "page":
        connection.sendall(answer("200 OK"))
        connection.recv(4096)
    else:
        with socket.create_connection(("127.0.0.1", int(role.removeprefix("tunnel:")))) as server:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=copy, args=(server, connection), daemon=True)
            back.start()
            copy(connection, server)
            back.join()


def start(role, port):
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            try:
                self.request.settimeout(10)
                serve(role, self.request)
            except OSError:
                pass

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    return threading.Thread(target=Server(("127.0.0.1", port), Handler).serve_forever)


for thread in [start(role, int(port)) for role, port in zip(sys.argv[1::2], sys.argv[2::2])]:
    thread.start()
