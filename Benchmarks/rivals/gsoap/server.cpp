// gSOAP's side of the hosting benchmark, with code that wsdl2h and soapcpp2 made from WebEase.wsdl: its standalone server.
//
//     server PORT FOLDER       serves over mutual TLS until it is killed
//
// A context of gSOAP serves one connection at a time, so each connection has a thread and a copy of the first context, as gSOAP's
// guide shows it for servers that keep connections.

#include "soapH.h"
#include "WebEaseBinding.nsmap"

#include <csignal>
#include <thread>

#include "../program.h"

namespace {

ns2__LogEntry *entry(struct soap *soap, int index, const std::string &patient) {
    auto *entry = soap_new_ns2__LogEntry(soap);
    entry->id = 4000000000 + index;
    entry->patientId = patient;
    char day[16];
    std::snprintf(day, sizeof day, "2026-01-%02d", 1 + index % 28);
    entry->entryDate = day;
    entry->recordedAt = 1767225600 + index * 61;
    entry->systolic = 110;
    entry->diastolic = 60;
    entry->weight = "60.1";
    entry->pulse = soap_new_int(soap);
    *entry->pulse = 55;
    entry->flagged = index == 0;
    entry->note = soap_new_std__string(soap);
    *entry->note = "Nach dem Fr\u00fchst\u00fcck & vor dem Spaziergang gemessen";
    entry->kind = ns2__EntryKind__Device;
    entry->tag = {"morning", "rest"};
    entry->revision = 1;
    entry->source = soap_new_std__string(soap);
    *entry->source = "signet-bp-meter/2.1";
    return entry;
}

void serve(struct soap *soap) {
    if (soap_ssl_accept(soap) == SOAP_OK) soap_serve(soap);
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
}

}  // namespace

int __ns1__LogEntryQuery(struct soap *soap, _ns2__LogEntryQuery *input, _ns2__LogEntryQueryResponse &output) {
    const int count = input->limit ? *input->limit : 2;
    for (int index = 0; index < count; index++) output.entry.push_back(entry(soap, index, input->patientId));
    output.truncated = false;
    return SOAP_OK;
}

// The second binding has the same operations.
int __ns1__LogEntryQuery_(struct soap *soap, _ns2__LogEntryQuery *input, _ns2__LogEntryQueryResponse &output) {
    return __ns1__LogEntryQuery(soap, input, output);
}

#define NOT_MEASURED(NAME) \
    int __ns1__##NAME(struct soap *soap, _ns2__##NAME *, _ns2__##NAME##Response &) { \
        return soap_receiver_fault(soap, "not measured", nullptr); \
    } \
    int __ns1__##NAME##_(struct soap *soap, _ns2__##NAME *, _ns2__##NAME##Response &) { \
        return soap_receiver_fault(soap, "not measured", nullptr); \
    }
NOT_MEASURED(LogEntryCreate)
NOT_MEASURED(LogEntryUpdate)
NOT_MEASURED(LogEntryDelete)
NOT_MEASURED(Register)

int main(int count, char **arguments) {
    if (count != 3) stop("usage: server PORT FOLDER");
    const std::string folder = arguments[2];
    std::signal(SIGPIPE, SIG_IGN);
    soap_ssl_init();
    struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE | SOAP_IO_STORE | SOAP_XML_TREE | SOAP_C_UTFSTRING);
    if (soap_ssl_server_context(soap, SOAP_SSL_DEFAULT | SOAP_SSL_REQUIRE_CLIENT_AUTHENTICATION, (folder + "/server.both").c_str(),
                                nullptr, (folder + "/authority.pem").c_str(), nullptr, nullptr, nullptr, "hosting") != SOAP_OK) {
        soap_print_fault(soap, stderr);
        stop("gSOAP does not take the certificates");
    }
    soap->bind_flags = SO_REUSEADDR;
    soap->max_keep_alive = 0;
    // soap_serve keeps the memory of all requests of a connection unless it is told to give it back after each.
    soap->fserveloop = [](struct soap *soap) {
        soap_destroy(soap);
        soap_end(soap);
        return SOAP_OK;
    };
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", std::atoi(arguments[1]), 4096))) {
        soap_print_fault(soap, stderr);
        stop("gSOAP does not listen");
    }
    while (true) {
        if (!soap_valid_socket(soap_accept(soap))) {
            soap_print_fault(soap, stderr);
            continue;
        }
        std::thread(serve, soap_copy(soap)).detach();
    }
}
