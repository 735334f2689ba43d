"""Reads a WSDL from a server with zeep, and all that it imports: wsdl_client.py URL. Prints a JSON object."""

import json
import sys
import zeep

client = zeep.Client(sys.argv[1])
operations = sorted(name for service in client.wsdl.services.values() for port in service.ports.values()
                    for name in port.binding._operations)
addresses = [port.binding_options["address"] for service in client.wsdl.services.values() for port in service.ports.values()]
print(json.dumps({"operations": operations, "types": len(list(client.wsdl.types.types)), "addresses": addresses}))
