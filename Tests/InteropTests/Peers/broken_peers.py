"""Peers that break connections, each in its own way: broken_peers.py ROLE PORT [ROLE PORT …].

tunnel:TARGET  a proxy that opens a tunnel to the port TARGET of this machine, whichever host it is asked for
welcoming:TARGET  the same, with the fields of a web page in its answer, whose length a client must ignore (RFC 9110 §9.3.6)
page           a proxy that answers CONNECT with 200 and a web page
forbidding     a proxy that answers CONNECT with 403 and a web page
closing        a proxy that closes the connection in place of an answer
alert          a server that answers the ClientHello with the alert internal_error
mail           a server that greets as a mail server does
narrow:TARGET  passes connections on to the port TARGET, but is silent when the first record has more than 255 bytes
strict:TARGET  the same, but it closes the connection in place of silence
silent:FILE    a server with TLS that reads a request and is silent; certificate and key are in FILE
cutting:FILE   the same, but it sends the head of an answer and a part of its content, and closes the connection
"""
import socketserver, socket, ssl, sys, threading

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


def join(connection, port, first=b""):
    with socket.create_connection(("127.0.0.1", int(port))) as server:
        server.sendall(first)
        back = threading.Thread(target=copy, args=(server, connection), daemon=True)
        back.start()
        copy(connection, server)
        back.join()


def serve(role, connection):
    if role == "mail":
        connection.sendall(b"220 mail.example ESMTP\r\n")
        connection.recv(4096)
    elif role == "alert":
        if connection.recv(4096):
            connection.sendall(bytes([21, 3, 3, 0, 2, 2, 80]))
    elif role.startswith(("narrow:", "strict:")):
        record = connection.recv(5, socket.MSG_WAITALL)
        length = int.from_bytes(record[3:], "big")
        record += connection.recv(length, socket.MSG_WAITALL)
        if length <= 255:
            join(connection, role.split(":")[1], record)
        elif role.startswith("narrow:"):
            connection.recv(1)
    elif role.startswith(("silent:", "cutting:")):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(role.split(":", 1)[1])
        with context.wrap_socket(connection, server_side=True) as secured:
            if head(secured) is None:
                return
            if role.startswith("silent:"):
                secured.recv(1)
            else:
                secured.sendall(answer("200 OK")[:-10])
    elif head(connection) is None or role == "closing":
        return
    elif role == "forbidding":
        connection.sendall(answer("403 Forbidden"))
    elif role == "page":
        connection.sendall(answer("200 OK"))
        connection.recv(4096)
    else:
        fields = b"Content-Type: text/html\r\nContent-Length: 512\r\n" if role.startswith("welcoming:") else b""
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n" + fields + b"\r\n")
        join(connection, role.split(":")[1])


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
