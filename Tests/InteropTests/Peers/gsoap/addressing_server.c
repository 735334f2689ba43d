/* A service that checks and gives header blocks of WS-Addressing with gSOAP's plugin. Run: addressing_server PORT. */
#include <stdlib.h>
#include <string.h>

#include "Addressed.nsmap"
#include "wsaapi.h"

int e__Echo(struct soap *soap, char *text, struct e__EchoResponse *response) {
    if (soap_wsa_check(soap)) return soap->error;
    if (text && !strcmp(text, "fault")) return soap_wsa_sender_fault(soap, "asked for", NULL);
    response->text = text;
    return soap_wsa_reply(soap, NULL, "urn:signet:example:addressed:echoed");
}

/* What comes to a FaultTo is nothing to us. */
int SOAP_ENV__Fault(struct soap *soap, char *code, char *string, char *actor, struct SOAP_ENV__Detail *detail,
                    struct SOAP_ENV__Code *Code, struct SOAP_ENV__Reason *Reason, char *Node, char *Role,
                    struct SOAP_ENV__Detail *Detail) {
    (void)code, (void)string, (void)actor, (void)detail, (void)Code, (void)Reason, (void)Node, (void)Role, (void)Detail;
    return soap_send_empty_response(soap, SOAP_OK);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING);
    soap_register_plugin(soap, soap_wsa);
    soap->bind_flags = SO_REUSEADDR;
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", atoi(arguments[1]), 100))) return 1;
    while (soap_valid_socket(soap_accept(soap))) {
        soap_serve(soap);
        soap_destroy(soap);
        soap_end(soap);
    }
    return 1;
}
