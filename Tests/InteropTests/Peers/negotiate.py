"""Kerberos at HTTP servers: by MIT's library, bound to the channel (RFC 4559, RFC 5929 §4.1). KRB5_KTNAME names the key table."""
import base64
import hashlib
import ssl

import gssapi


def binding(path, other=b""):
    """That of the server's certificate, the first of the file at `path`; with `other`, it is one that no client sees."""
    der = ssl.PEM_cert_to_DER_cert(open(path).read().split("-----END")[0] + "-----END CERTIFICATE-----\n")
    # For signatures with SHA-256.
    return gssapi.raw.ChannelBindings(application_data=b"tls-server-end-point:" + hashlib.sha256(der + other).digest())


def accepted(authorization, channel):
    """The client's name and the proof for it; None and the reason when the field of the request brings no right ticket."""
    scheme, _, ticket = (authorization or "").partition(" ")
    if scheme != "Negotiate":
        return None, ""
    try:
        context = gssapi.SecurityContext(creds=gssapi.Credentials(usage="accept"), usage="accept", channel_bindings=channel)
        # Otherwise an error would wait for the next message.
        context.__DEFER_STEP_ERRORS__ = False
        proof = context.step(base64.b64decode(ticket))
    except gssapi.exceptions.GSSError as error:
        return None, type(error).__name__
    return (str(context.initiator_name), base64.b64encode(proof or b"").decode()) if context.complete else (None, "unfinished")
