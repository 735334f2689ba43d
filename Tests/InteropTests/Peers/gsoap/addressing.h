//gsoap e service name: Addressed
//gsoap e service namespace: urn:signet:example:addressed
//gsoap e schema namespace: urn:signet:example:addressed
//gsoap e schema form: qualified
//gsoap e service method-action: Echo urn:signet:example:addressed:echo
//gsoap e service method-output-action: Echo urn:signet:example:addressed:echoed
struct e__EchoResponse { char *text; };
int e__Echo(char *text, struct e__EchoResponse *response);
