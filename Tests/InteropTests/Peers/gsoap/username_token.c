/* Tells who calls by what gSOAP's plugin for WS-Security makes of the Security header block, and calls such a service:
   username_token serve PORT, username_token call URL VERSION USER PASSWORD-FILE FORM… with 11 or 12 for the version. Who calls is
   "clerk", the password "wäy in".

   The client prints what came back as JSON, a line a message. FORM is digest, text, or timed, which is a digest beside a Timestamp;
   twice sends the header of timed twice; stale and future are digests an hour away from now, and expired is a Timestamp of an hour
   ago.

   With serve PORT PEM VERSION and call URL VERSION - PEM signed, messages in both directions have a Timestamp and are signed by the
   key in the file PEM, whose certificate is also the one that is trusted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "soapH.h"
#include "wsseapi.h"

/* The generated table is for SOAP 1.2, and reads SOAP 1.1. */
#include "Echo11.nsmap"

/* For signed messages: the file with the key and the certificate. */
static const char *pem = NULL;
static EVP_PKEY *key = NULL;

static int read_key(const char *name) {
    FILE *file = fopen(name, "r");
    if (!file) return 1;
    pem = name;
    key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
    fclose(file);
    return !key;
}

static struct soap *new_soap(void) {
    /* Without this flag it takes and gives Latin-1. */
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING | SOAP_XML_STRICT | (pem ? SOAP_XML_CANONICAL : 0));
    soap_register_plugin(soap, soap_wsse);
    if (pem) {
        soap->cafile = pem;
        soap_wsse_verify_auto(soap, SOAP_SMD_NONE, NULL, 0);
    }
    soap->connect_timeout = soap->send_timeout = soap->recv_timeout = 60;
    return soap;
}

static int sign(struct soap *soap) {
    if (soap_wsse_add_Timestamp(soap, "Time", 60) || soap_wsse_add_BinarySecurityTokenPEM(soap, "X509Token", pem)
        || soap_wsse_add_KeyInfo_SecurityTokenReferenceX509(soap, "#X509Token"))
        return soap->error;
    return soap_wsse_sign_body(soap, SOAP_SMD_SIGN_RSA_SHA256, key, 0);
}

static int verify(struct soap *soap) {
    return soap_wsse_verify_Timestamp(soap) ? soap->error : soap_wsse_verify_body(soap);
}

/* The service */

int __echo__Echo(struct soap *soap, struct _t1__Echo *input, struct __echo__EchoResponse *output) {
    const char *user;
    if (pem) {
        if (verify(soap)) return soap->error;
        output->t1__Echo = soap_new__t1__Echo(soap, 1);
        output->t1__Echo->text = soap_strdup(soap, input->text);
        soap_wsse_delete_Security(soap);
        return sign(soap);
    }
    user = soap_wsse_get_Username(soap);
    if (!user || soap_wsse_verify_Timestamp(soap)) return soap->error;
    if (strcmp(user, "clerk")) return soap_wsse_fault(soap, wsse__FailedAuthentication, NULL);
    if (soap_wsse_verify_Password(soap, "wäy in")) return soap->error;
    output->t1__Echo = soap_new__t1__Echo(soap, 1);
    output->t1__Echo->text = soap_strdup(soap, user);
    soap_wsse_delete_Security(soap);
    return soap_wsse_add_Timestamp(soap, "Answer", 60);
}

/* The port for SOAP 1.2 takes the same element. */
int __echo2__Echo(struct soap *soap, struct _t1__Echo *input, struct __echo2__EchoResponse *output) {
    return __echo__Echo(soap, input, (struct __echo__EchoResponse *)output);
}

static int serve(int port) {
    struct soap *soap = new_soap();
    soap->bind_flags = SO_REUSEADDR;
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", port, 100))) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    while (soap_valid_socket(soap_accept(soap))) {
        /* What cannot be read has been answered with a fault; the next one may be better. */
        if (pem) soap_wsse_verify_auto(soap, SOAP_SMD_NONE, NULL, 0);
        soap_serve(soap);
        soap_destroy(soap);
        soap_end(soap);
    }
    soap_print_fault(soap, stderr);
    return 1;
}

/* The client */

/* Prints the code of the fault that came, with its namespace. */
static void print_code(struct soap *soap) {
    const char *code = soap->version == 2 ? soap_fault_subcode(soap) : *soap_faultcode(soap);
    const char *colon = code ? strchr(code, ':') : NULL;
    const struct Namespace *namespace = namespaces;
    while (colon && namespace->id && strncmp(namespace->id, code, colon - code)) namespace++;
    if (colon && namespace->id) printf("{\"code\": \"{%s}%s\"}\n", namespace->ns, colon + 1);
    else printf("{\"code\": \"%s\"}\n", code ? code : "");
}

static void call(const char *url, const char *user, const char *password, const char *form) {
    struct soap *soap = new_soap();
    time_t away = !strcmp(form, "future") ? 3600 : !strcmp(form, "stale") ? -3600 : 0;
    int is_expired = !strcmp(form, "expired"), count = strcmp(form, "twice") ? 1 : 2;
    struct SOAP_ENV__Header *header;
    struct _t1__Echo input = {.text = "from gSOAP"};
    if (pem && sign(soap)) soap_print_fault(soap, stderr);
    else if (pem);
    else if (!strcmp(form, "text")) soap_wsse_add_UsernameTokenText(soap, NULL, user, password);
    else soap_wsse_add_UsernameTokenDigest_at(soap, NULL, user, password, time(NULL) + away);
    if (is_expired || count == 2 || !strcmp(form, "timed")) soap_wsse_add_Timestamp(soap, "Request", 60);
    if (is_expired) {
        struct _wsu__Timestamp *timestamp = soap_wsse_Timestamp(soap);
        timestamp->Created = soap_strdup(soap, soap_dateTime2s(soap, time(NULL) - 3600));
        timestamp->Expires = soap_strdup(soap, soap_dateTime2s(soap, time(NULL) - 3540));
    }
    /* An answer brings its own. */
    header = soap->header;
    for (; count; count--) {
        struct __echo__EchoResponse output = {0};
        soap->header = header;
        if (soap_call___echo__Echo(soap, url, "urn:echo", &input, &output) == SOAP_OK && (!pem || !verify(soap))) {
            printf("{\"text\": \"%s\"}\n", output.t1__Echo->text);
        } else if (soap->fault) {
            print_code(soap);
        } else {
            soap_print_fault(soap, stderr);
            exit(1);
        }
    }
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
}

/* Makes the table one for SOAP 1.1. */
static void speak11(void) {
    int i;
    for (i = 0; i < 2; i++) {
        const char *other = namespaces[i].in;
        namespaces[i].in = namespaces[i].ns;
        namespaces[i].ns = other;
    }
}

int main(int count, char **arguments) {
    char password[256] = "";
    FILE *file;
    int i;
    if (count == 5 && read_key(arguments[3])) return 1;
    if (count == 5 && !strcmp(arguments[4], "11")) speak11();
    if ((count == 3 || count == 5) && !strcmp(arguments[1], "serve")) return serve(atoi(arguments[2]));
    if (count < 7 || strcmp(arguments[1], "call")) return 2;
    if (!strcmp(arguments[3], "11")) speak11();
    if (!strcmp(arguments[6], "signed") && read_key(arguments[5])) return 1;
    file = fopen(arguments[5], "r");
    if (!file || !fgets(password, sizeof password, file)) return 1;
    fclose(file);
    for (i = 6; i < count; i++) call(arguments[2], arguments[4], password, arguments[i]);
    return 0;
}
