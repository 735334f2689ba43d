"""Calls the echo service with zeep over HTTP authentication: account_client.py WSDL URL SCHEME USER. The password is in PASSWORD.

Prints for each of three calls what the service answered, or the status of the refusal.
"""

import os
import sys
import requests
from requests.auth import HTTPBasicAuth, HTTPDigestAuth
import zeep
from zeep.exceptions import TransportError

wsdl, url, scheme, user = sys.argv[1:]
session = requests.Session()
session.trust_env = False
session.auth = {"basic": HTTPBasicAuth, "digest": HTTPDigestAuth}[scheme](user, os.environ["PASSWORD"])
client = zeep.Client(wsdl, transport=zeep.Transport(session=session))
binding = next(iter(next(iter(client.wsdl.services.values())).ports.values())).binding.name
service = client.create_service(str(binding), url)
for _ in range(3):
    try:
        print(service.Echo(text="hello"))
    except TransportError as error:
        print(error.status_code)
