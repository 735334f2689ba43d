// The WebEase service, made with gSOAP. Run: webease_server PORT. It answers in the version that it is asked in.
//
// What it does is what webease_server.php does, but for two things of gSOAP's: a note that is nil and one that is absent
// are the same to it, and the time stamp has whole seconds.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>

#include "soapH.h"
#include "webease_namespaces.h"

namespace {

// The subject of the certificate that the proxy in front let in.
std::string client_subject;

int (*parse_field)(struct soap *, const char *, const char *);

int note_subject(struct soap *soap, const char *name, const char *value) {
    if (!soap_tag_cmp(name, "X-Client-Subject")) client_subject = value ? value : "";
    return parse_field(soap, name, value);
}

// Keeps what a request brought, which goes with the request, in members of our own.
struct Entry {
    t1__NewLogEntry content;
    int revision = 1;
    int pulse = 0;
    std::string note, source, attachment;
    bool has_pulse = false, has_note = false, has_source = false, has_attachment = false;

    template <class Source> void take(const Source &from) {
        content.patientId = from.patientId;
        content.entryDate = from.entryDate;
        content.systolic = from.systolic;
        content.diastolic = from.diastolic;
        content.weight = from.weight;
        content.flagged = from.flagged;
        content.kind = from.kind;
        content.tag = from.tag;
        has_pulse = from.pulse;
        if (has_pulse) pulse = *from.pulse;
        has_note = from.note;
        if (has_note) note = *from.note;
        has_source = from.source;
        if (has_source) source = *from.source;
        has_attachment = from.attachment;
        if (has_attachment)
            attachment.assign(reinterpret_cast<const char *>(from.attachment->__ptr), from.attachment->__size);
    }

    t1__LogEntry *answer(struct soap *soap, LONG64 id) {
        t1__LogEntry *to = soap_new_t1__LogEntry(soap);
        to->id = id;
        to->patientId = content.patientId;
        to->entryDate = content.entryDate;
        to->recordedAt = 1774787696;  // 2026-03-29T12:34:56Z
        to->systolic = content.systolic;
        to->diastolic = content.diastolic;
        to->weight = content.weight;
        to->flagged = content.flagged;
        to->kind = content.kind;
        to->tag = content.tag;
        to->revision = revision;
        if (has_pulse) to->pulse = &pulse;
        if (has_note) to->note = &note;
        if (has_source) to->source = &source;
        if (has_attachment) {
            to->attachment = soap_new_xsd__base64Binary(soap);
            to->attachment->__ptr = reinterpret_cast<unsigned char *>(&attachment[0]);
            to->attachment->__size = static_cast<int>(attachment.size());
        }
        return to;
    }

    bool matches(const _t1__LogEntryQuery &query) const {
        if (content.patientId != query.patientId) return false;
        if (!query.kind.empty()) {
            bool found = false;
            for (t1__EntryKind kind : query.kind) found = found || kind == content.kind;
            if (!found) return false;
        }
        if (!query.entryDate) return true;
        const std::string &day = content.entryDate, &value = query.entryDate->value;
        switch (query.entryDate->operator_) {
        case t1__ComparisonOperator::equal: return day == value;
        case t1__ComparisonOperator::before: return day < value;
        case t1__ComparisonOperator::after: return day > value;
        case t1__ComparisonOperator::between:
            return day >= value && (!query.entryDate->upper || day <= *query.entryDate->upper);
        }
        return false;
    }
};

std::map<LONG64, Entry> entries;
LONG64 last_id = 4294967296;  // Beyond what an xs:int holds.

// A fault whose detail the WSDL declares.
template <class Fill> int refuse(struct soap *soap, const char *reason, Fill fill) {
    int status = soap_receiver_fault(soap, reason, nullptr);
    SOAP_ENV__Detail *detail = soap_new_SOAP_ENV__Detail(soap);
    soap_default_SOAP_ENV__Detail(soap, detail);
    fill(*detail);
    if (soap->version == 2) {
        soap->fault->SOAP_ENV__Detail = detail;
    } else {
        soap->fault->detail = detail;
    }
    return status;
}

int not_found(struct soap *soap, LONG64 id) {
    auto *missing = soap_new__t1__EntryNotFound(soap);
    missing->id = id;
    return refuse(soap, "No such entry", [=](SOAP_ENV__Detail &detail) { detail.t1__EntryNotFound = missing; });
}

}  // namespace

int __we__LogEntryCreate(struct soap *soap, _t1__LogEntryCreate *input, _t1__LogEntryCreateResponse &output) {
    LONG64 id = ++last_id;
    entries[id].take(*input->entry);
    output.entry = entries[id].answer(soap, id);
    return SOAP_OK;
}

int __we__LogEntryQuery(struct soap *soap, _t1__LogEntryQuery *input, _t1__LogEntryQueryResponse &output) {
    if (input->patientId == "closed") {
        const char *reason = "The diary is closed: geschloßen, 閉 😀";
        // SOAP 1.1 has room for one code only.
        return soap->version == 2 ? soap_sender_fault_subcode(soap, "t1:DiaryClosed", reason, nullptr)
                                  : soap_sender_fault(soap, reason, nullptr);
    }
    for (auto &item : entries) {
        if (!item.second.matches(*input)) continue;
        output.truncated = input->limit && static_cast<int>(output.entry.size()) >= *input->limit;
        if (output.truncated) break;
        output.entry.push_back(item.second.answer(soap, item.first));
    }
    return SOAP_OK;
}

int __we__LogEntryUpdate(struct soap *soap, _t1__LogEntryUpdate *input, _t1__LogEntryUpdateResponse &output) {
    auto found = entries.find(input->entry->id);
    if (found == entries.end()) return not_found(soap, input->entry->id);
    if (found->second.revision != input->entry->revision) {
        auto *conflict = soap_new__t1__EntryConflict(soap);
        conflict->id = found->first;
        conflict->currentRevision = found->second.revision;
        return refuse(soap, "The entry was changed: geändert", [=](SOAP_ENV__Detail &detail) {
            detail.t1__EntryConflict = conflict;
        });
    }
    found->second.take(*input->entry);
    found->second.revision += 1;
    output.entry = found->second.answer(soap, found->first);
    return SOAP_OK;
}

int __we__LogEntryDelete(struct soap *soap, _t1__LogEntryDelete *input, _t1__LogEntryDeleteResponse &output) {
    if (!entries.erase(input->id)) return not_found(soap, input->id);
    output.deleted = true;
    return SOAP_OK;
}

int __we__Register(struct soap *soap, _t1__Register *input, _t1__RegisterResponse &output) {
    if (input->serialNumber == "refused") {
        auto *refused = soap_new__t1__RegistrationRefused(soap);
        refused->reason = "registered";
        refused->explanation = "Das Gerät ist schon angemeldet.";
        return refuse(soap, "Refused", [=](SOAP_ENV__Detail &detail) { detail.t1__RegistrationRefused = refused; });
    }
    static unsigned char bytes[256];
    for (int i = 0; i < 256; i++) bytes[i] = static_cast<unsigned char>(i);
    output.label = client_subject;
    output.identity.__ptr = bytes;
    output.identity.__size = sizeof bytes;
    output.password = input->model ? *input->model : "";
    return SOAP_OK;
}

// The operations of the WSDL's second binding. gSOAP tells a request by its element, which is the same in both, and so calls
// those of the first.
#define SAME(NAME) \
    int __we2__##NAME(struct soap *soap, _t1__##NAME *input, _t1__##NAME##Response &output) { \
        return __we__##NAME(soap, input, output); \
    }
SAME(LogEntryCreate)
SAME(LogEntryQuery)
SAME(LogEntryUpdate)
SAME(LogEntryDelete)
SAME(Register)

int main(int count, char **arguments) {
    if (count != 2) return 2;
    // Without this flag gSOAP takes a std::string for Latin-1.
    struct soap *soap = soap_new1(SOAP_C_UTFSTRING | SOAP_XML_STRICT);
    soap_set_namespaces(soap, namespaces);
    soap->bind_flags = SO_REUSEADDR;
    parse_field = soap->fparsehdr;
    soap->fparsehdr = note_subject;
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", std::atoi(arguments[1]), 100))) {
        soap_stream_fault(soap, std::cerr);
        return 1;
    }
    while (soap_valid_socket(soap_accept(soap))) {
        client_subject.clear();
        // What cannot be read has been answered with a fault; the next one may be better.
        soap_serve(soap);
        soap_destroy(soap);
        soap_end(soap);
    }
    soap_stream_fault(soap, std::cerr);
    return 1;
}
