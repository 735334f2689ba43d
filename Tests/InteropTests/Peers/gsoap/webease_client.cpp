// Calls every operation of the WebEase service with gSOAP and prints what came back as JSON. Run:
// webease_client 1.1|1.2 ENDPOINT AUTHORITY.pem CERTIFICATE-AND-KEY.pem [USER PASSWORD-FILE]
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "soapH.h"
#include "webease_namespaces.h"

namespace {

// A client speaks the version of the first namespace.
const struct Namespace namespaces12[] = {
    {"SOAP-ENV", "http://www.w3.org/2003/05/soap-envelope", "http://www.w3.org/2003/05/soap-envelope", nullptr},
    {"SOAP-ENC", "http://www.w3.org/2003/05/soap-encoding", "http://www.w3.org/2003/05/soap-encoding", nullptr},
    {"xsi", "http://www.w3.org/2001/XMLSchema-instance", nullptr, nullptr},
    {"xsd", "http://www.w3.org/2001/XMLSchema", nullptr, nullptr},
    {"t1", "urn:signet:example:webease:types", nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr},
};

std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (char character : text) {
        if (character == '"' || character == '\\') result += '\\';
        if (static_cast<unsigned char>(character) < ' ') {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", character);
            result += escape;
        } else {
            result += character;
        }
    }
    return result + "\"";
}

std::string quoted(const char *text) { return text ? quoted(std::string(text)) : "null"; }

std::string hex(const xsd__base64Binary &bytes) {
    std::string result;
    for (int i = 0; i < bytes.__size; i++) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", bytes.__ptr[i]);
        result += digits;
    }
    return quoted(result);
}

std::string json(struct soap *soap, const t1__LogEntry &entry) {
    std::ostringstream out;
    out << "{\"id\":" << entry.id << ",\"patientId\":" << quoted(entry.patientId)
        << ",\"entryDate\":" << quoted(entry.entryDate)
        << ",\"recordedAt\":" << quoted(soap_dateTime2s(soap, entry.recordedAt)) << ",\"systolic\":" << entry.systolic
        << ",\"diastolic\":" << entry.diastolic << ",\"weight\":" << quoted(entry.weight)
        << ",\"flagged\":" << (entry.flagged ? "true" : "false")
        << ",\"kind\":" << quoted(soap_t1__EntryKind2s(soap, entry.kind)) << ",\"revision\":" << entry.revision;
    if (entry.pulse) out << ",\"pulse\":" << *entry.pulse;
    if (entry.note) out << ",\"note\":" << quoted(*entry.note);
    if (entry.source) out << ",\"source\":" << quoted(*entry.source);
    if (entry.attachment) out << ",\"attachment\":" << hex(*entry.attachment);
    out << ",\"tag\":[";
    for (size_t i = 0; i < entry.tag.size(); i++) out << (i ? "," : "") << quoted(entry.tag[i]);
    out << "]}";
    return out.str();
}

std::string json(const SOAP_ENV__Detail &detail) {
    std::ostringstream out;
    if (detail.t1__EntryNotFound) out << "EntryNotFound id=" << detail.t1__EntryNotFound->id;
    if (detail.t1__EntryConflict)
        out << "EntryConflict id=" << detail.t1__EntryConflict->id
            << " currentRevision=" << detail.t1__EntryConflict->currentRevision;
    if (detail.t1__RegistrationRefused)
        out << "RegistrationRefused reason=" << detail.t1__RegistrationRefused->reason
            << " explanation=" << detail.t1__RegistrationRefused->explanation;
    return quoted(out.str());
}

// The media type of the last answer; it tells the version that the service spoke.
std::string media_type;

int (*parse_field)(struct soap *, const char *, const char *);

int note_media_type(struct soap *soap, const char *name, const char *value) {
    if (!soap_tag_cmp(name, "Content-Type")) media_type = std::string(value, std::strcspn(value, "; "));
    return parse_field(soap, name, value);
}

// What a call that did not succeed brought: a fault of the service, or an error on the way.
std::string failure(struct soap *soap) {
    std::ostringstream out;
    bool is_fault = soap->fault && !media_type.empty() && (soap->error == SOAP_FAULT || soap->error == SOAP_CLI_FAULT ||
                                    soap->error == SOAP_SVR_FAULT);
    soap_set_fault(soap);
    if (!is_fault) {
        out << "\"error\":{\"type\":\"" << soap->error << "\",\"message\":" << quoted(*soap_faultstring(soap)) << "}";
        return out.str();
    }
    const char *subcode = soap->version == 2 ? soap_fault_subcode(soap) : nullptr;
    const SOAP_ENV__Detail *detail = soap->version == 2 ? soap->fault->SOAP_ENV__Detail : soap->fault->detail;
    out << "\"fault\":{\"code\":" << quoted(*soap_faultcode(soap)) << ",\"subcode\":" << quoted(subcode)
        << ",\"reason\":" << quoted(*soap_faultstring(soap)) << ",\"detail\":" << (detail ? json(*detail) : "null")
        << "}";
    return out.str();
}

const char *separator = "{\n";

void report(struct soap *soap, const char *name, int status, const std::string &result) {
    std::cout << separator << "\"" << name << "\": {" << (status == SOAP_OK ? "\"result\":" + result : failure(soap))
              << ",\"contentType\":" << quoted(media_type) << "}";
    media_type.clear();
    separator = ",\n";
}

}  // namespace

int main(int count, char **arguments) {
    if (count != 5 && count != 7) return 2;
    const char *endpoint = arguments[2];
    // Without this flag gSOAP takes a std::string for Latin-1.
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING | SOAP_XML_STRICT);
    soap_set_namespaces(soap, std::strcmp(arguments[1], "1.2") ? namespaces : namespaces12);
    parse_field = soap->fparsehdr;
    soap->fparsehdr = note_media_type;
    soap->connect_timeout = soap->send_timeout = soap->recv_timeout = 60;
    if (soap_ssl_client_context(soap, SOAP_SSL_REQUIRE_SERVER_AUTHENTICATION | SOAP_SSL_NO_DEFAULT_CA_PATH,
                                arguments[4], nullptr, arguments[3], nullptr, nullptr)) {
        soap_stream_fault(soap, std::cerr);
        return 1;
    }
    std::string password;
    // gSOAP forgets the credentials after each call.
    auto admit = [&] {
        if (count != 7) return;
        soap->userid = arguments[5];
        soap->passwd = password.c_str();
    };
    if (count == 7) {
        std::ifstream file(arguments[6]);
        std::getline(file, password);
    }

    unsigned char bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = static_cast<unsigned char>(i);
    xsd__base64Binary attachment = xsd__base64Binary();
    attachment.__ptr = bytes;
    attachment.__size = sizeof bytes;
    std::string note = "after lunch, < 2 h & ü € 😀", source = "gsoap", upper = "2026-03-31";

    t1__NewLogEntry fresh = t1__NewLogEntry();
    fresh.patientId = "gsoap-1";
    fresh.entryDate = "2026-03-29";
    fresh.systolic = 121;
    fresh.diastolic = 79;
    fresh.weight = "81.250";
    fresh.note = &note;
    fresh.kind = t1__EntryKind::Device;
    fresh.tag = {"morning", "left arm"};
    fresh.attachment = &attachment;
    fresh.source = &source;
    _t1__LogEntryCreate create = _t1__LogEntryCreate();
    create.entry = &fresh;
    _t1__LogEntryCreateResponse created = _t1__LogEntryCreateResponse();
    admit();
    int status = soap_call___we__LogEntryCreate(soap, endpoint, nullptr, &create, created);
    report(soap, "create", status, status ? "" : json(soap, *created.entry));

    t1__DateComparison days = t1__DateComparison();
    days.operator_ = t1__ComparisonOperator::between;
    days.value = "2026-03-01";
    days.upper = &upper;
    int limit = 10, pulse = 64;
    _t1__LogEntryQuery query = _t1__LogEntryQuery();
    query.patientId = "gsoap-1";
    query.entryDate = &days;
    query.kind = {t1__EntryKind::Device, t1__EntryKind::Manual};
    query.limit = &limit;
    _t1__LogEntryQueryResponse found = _t1__LogEntryQueryResponse();
    admit();
    int queried = soap_call___we__LogEntryQuery(soap, endpoint, nullptr, &query, found);
    std::string list = "{\"entry\":[";
    if (!queried)
        for (size_t i = 0; i < found.entry.size(); i++) list += (i ? "," : "") + json(soap, *found.entry[i]);
    list += std::string("],\"truncated\":") + (found.truncated ? "true}" : "false}");
    report(soap, "query", queried, list);

    if (!status) {
        t1__LogEntry changed = *created.entry;
        changed.systolic = 118;
        changed.kind = t1__EntryKind::Corrected;
        changed.pulse = &pulse;
        changed.note = nullptr;
        _t1__LogEntryUpdate update = _t1__LogEntryUpdate();
        update.entry = &changed;
        for (const char *name : {"update", "updateOfOldRevision"}) {
            _t1__LogEntryUpdateResponse updated = _t1__LogEntryUpdateResponse();
            admit();
            int outcome = soap_call___we__LogEntryUpdate(soap, endpoint, nullptr, &update, updated);
            report(soap, name, outcome, outcome ? "" : json(soap, *updated.entry));
        }
        _t1__LogEntryDelete removal = _t1__LogEntryDelete();
        removal.id = changed.id;
        for (const char *name : {"delete", "deleteAgain"}) {
            _t1__LogEntryDeleteResponse removed = _t1__LogEntryDeleteResponse();
            admit();
            int outcome = soap_call___we__LogEntryDelete(soap, endpoint, nullptr, &removal, removed);
            report(soap, name, outcome, removed.deleted ? "true" : "false");
        }
    }

    _t1__Register registration = _t1__Register();
    registration.serialNumber = "refused";
    registration.model = &source;
    _t1__RegisterResponse registered = _t1__RegisterResponse();
    admit();
    int outcome = soap_call___we__Register(soap, endpoint, nullptr, &registration, registered);
    report(soap, "register", outcome, "{\"label\":" + quoted(registered.label) + "}");
    std::cout << "\n}\n";
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return 0;
}
