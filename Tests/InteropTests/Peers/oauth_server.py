"""An authorization server by Authlib, and a service that wants its tokens, over TLS.

oauth_server.py PORT CERTIFICATE KEY CLIENTS SEEN [KEYFILE]

Clients: "basic" and "post" with the secret "kept & said"; "signs", whose public key is in KEYFILE; "shows", by a certificate that
CLIENTS has issued, whose tokens are bound to it. Tokens hold until somebody asks for /expire; for /admin no token is good enough.
A line is written to SEEN for each token handed out and each request to the service.
"""
import base64
import hashlib
import secrets
import ssl
import sys

import joserfc.jwk
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, grants
from authlib.oauth2.rfc6749.errors import InvalidClientError
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from flask import Flask, Response, request
from werkzeug.serving import WSGIRequestHandler, make_server

port, certificate, key, clients, log = int(sys.argv[1]), *sys.argv[2:6]
seen = open(log, "a", buffering=1)
tokens, used = {}, set()


def say(text):
    seen.write(text + "\n")


class Client(ClientMixin):
    def __init__(self, name, method, secret=""):
        self.client_id, self.method, self.client_secret = name, method, secret

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope if scope == "read write" else ""

    def check_client_secret(self, secret):
        return secrets.compare_digest(self.client_secret, secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, kind):
        return False

    def check_grant_type(self, kind):
        return kind == "client_credentials"


known = {
    client.client_id: client
    for client in [
        Client("basic", "client_secret_basic", "kept & said"),
        Client("post", "client_secret_post", "kept & said"),
        Client("signs", JWTBearerClientAssertion.CLIENT_AUTH_METHOD),
        Client("shows", "tls_client_auth"),
    ]
}


class Grant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = [
        "client_secret_basic",
        "client_secret_post",
        JWTBearerClientAssertion.CLIENT_AUTH_METHOD,
        "tls_client_auth",
    ]


class Assertion(JWTBearerClientAssertion):
    def validate_jti(self, claims, jti):
        new = jti not in used
        used.add(jti)
        return new

    def resolve_client_public_key(self, client, headers=None):
        return joserfc.jwk.import_key(open(sys.argv[6]).read(), sys.argv[7])


def by_certificate(query_client, request_):
    client = query_client(request_.payload.client_id or "")
    return client if client and client.method == "tls_client_auth" and thumbprint() else None


def thumbprint():
    der = request.environ.get("client_certificate")
    return base64.urlsafe_b64encode(hashlib.sha256(der).digest()).rstrip(b"=").decode() if der else None


def save(token, request_):
    bound = thumbprint() if request_.client.method == "tls_client_auth" else None
    tokens[token["access_token"]] = bound
    say(f"token {request_.client.client_id} {token.get('scope', '-')}")


app = Flask(__name__)
server = AuthorizationServer(app, query_client=known.get, save_token=save)
server.register_grant(Grant)
server.register_client_auth_method(Assertion.CLIENT_AUTH_METHOD, Assertion(f"https://localhost:{port}/token"))
server.register_client_auth_method("tls_client_auth", by_certificate)


@app.post("/token")
def token():
    return server.create_token_response()


@app.route("/service", methods=["GET", "POST"])
@app.route("/admin", methods=["GET", "POST"])
def service():
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    bound = tokens.get(value)
    problem = None
    if scheme != "Bearer":
        problem = 'Bearer realm="service"'
    elif value not in tokens:
        problem = 'Bearer realm="service", error="invalid_token", error_description="The access token expired"'
    elif bound and bound != thumbprint():
        problem = 'Bearer realm="service", error="invalid_token", error_description="bound to another certificate"'
    status = 401 if problem else 200
    if not problem and request.path == "/admin":
        status, problem = 403, 'Bearer realm="service", error="insufficient_scope", scope="admin"'
    say(f"service {'-' if not value else 'token'} {status} {'bound' if bound else 'free'}")
    return Response(status=status, headers={"WWW-Authenticate": problem}) if problem else Response(b"served")


@app.post("/expire")
def expire():
    tokens.clear()
    return Response(b"")


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def make_environ(self):
        environ = super().make_environ()
        environ["client_certificate"] = self.connection.getpeercert(binary_form=True)
        return environ

    def log_request(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
context.load_verify_locations(clients)
context.verify_mode = ssl.CERT_OPTIONAL
make_server("127.0.0.1", port, app, threaded=True, request_handler=Handler, ssl_context=context).serve_forever()
