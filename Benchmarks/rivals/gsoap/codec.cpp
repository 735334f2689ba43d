// gSOAP's codec for the answers of WebEase.wsdl, with code that wsdl2h and soapcpp2 made.

#include "soapH.h"
#include "WebEaseBinding.nsmap"

#include "context.h"

namespace {

using Response = _ns2__LogEntryQueryResponse;

Response *get(struct soap *soap) {
    return soap_get__ns2__LogEntryQueryResponse(soap, nullptr, "ns2:LogEntryQueryResponse", nullptr);
}

int put(struct soap *soap, const Response &response) { return response.soap_put(soap, "ns2:LogEntryQueryResponse", ""); }

std::string checksum(struct soap *soap, const Response &response) {
    Checksum sum;
    for (const ns2__LogEntry *entry : response.entry) {
        sum.add(static_cast<long long>(entry->id));
        sum.add(entry->patientId);
        sum.add(entry->entryDate);
        sum.add(static_cast<long long>(entry->recordedAt));
        sum.add(static_cast<long long>(entry->systolic));
        sum.add(static_cast<long long>(entry->diastolic));
        sum.add(entry->weight);
        if (entry->pulse) sum.add(static_cast<long long>(*entry->pulse)); else sum.add(std::string("-"));
        sum.add(std::string(entry->flagged ? "1" : "0"));
        sum.add(entry->note);
        sum.add(std::string(soap_ns2__EntryKind2s(soap, entry->kind)));
        for (const std::string &tag : entry->tag) sum.add(tag);
        if (entry->attachment)
            sum.add(reinterpret_cast<const char *>(entry->attachment->__ptr), entry->attachment->__size);
        else
            sum.add(std::string());
        sum.add(static_cast<long long>(entry->revision));
        sum.add(entry->source);
    }
    return sum.of(response.entry.size());
}

}  // namespace

int main(int count, char **arguments) { return run(count, arguments, get, put, checksum); }
