"""What an interceptor gets to see, a JSON object a line."""
import json
import os

from mitmproxy.net import tls

log = open(os.environ["INTERCEPTION_LOG"], "a", buffering=1)


def note(event, **facts):
    log.write(json.dumps({"event": event, **facts}) + "\n")


def certificates(connection):
    return [str(certificate.cn) for certificate in connection.certificate_list]


def asking(make):
    """Not every version has a setting by which it asks clients for a certificate, and takes any."""
    return lambda **settings: make(**{**settings, "request_client_cert": True})


tls.create_client_proxy_context = asking(tls.create_client_proxy_context)


def tls_established_client(data):
    note("established", version=data.conn.tls_version, certificates=certificates(data.conn))


def tls_failed_client(data):
    note("failed", certificates=certificates(data.conn))


def request(flow):
    note(
        "request",
        certificates=certificates(flow.client_conn),
        fields=sorted(name.lower() for name in flow.request.headers.keys()),
        bytes=len(flow.request.raw_content),
    )


def server_connect(data):
    note("forwarded")
