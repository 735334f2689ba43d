// Prefixes and what they stand for, written and read. The generated table knows one version of SOAP only; with a pattern in
// the third column gSOAP takes both, and answers in the one that it was asked in.
#include "stdsoap2.h"

SOAP_NMAC struct Namespace namespaces[] = {
    {"SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/*/soap-envelope", nullptr},
    {"SOAP-ENC", "http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/*/soap-encoding", nullptr},
    {"xsi", "http://www.w3.org/2001/XMLSchema-instance", nullptr, nullptr},
    {"xsd", "http://www.w3.org/2001/XMLSchema", nullptr, nullptr},
    {"t1", "urn:signet:example:webease:types", nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr},
};
