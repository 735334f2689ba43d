// The other side of the codec benchmark: the commands of Sources/CodecBenchmark, with code that wsdl2h and soapcpp2 made.
//
// One context is made once and used for every message, as gSOAP's guide asks for; after each message soap_destroy and soap_end
// give its memory back. Bytes come from and go to memory through frecv and fsend, which is cheaper than C++ streams.
// SOAP_XML_TREE spares it the search for references between elements, which this service does not use.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "soapH.h"
#include "WebEaseBinding.nsmap"

namespace {

using Response = _ns2__LogEntryQueryResponse;

struct Memory {
    const std::string *in = nullptr;
    size_t position = 0;
    std::string out;
};

size_t receive(struct soap *soap, char *to, size_t room) {
    auto *memory = static_cast<Memory *>(soap->user);
    size_t count = std::min(room, memory->in->size() - memory->position);
    std::memcpy(to, memory->in->data() + memory->position, count);
    memory->position += count;
    return count;
}

int transmit(struct soap *soap, const char *from, size_t count) {
    static_cast<Memory *>(soap->user)->out.append(from, count);
    return SOAP_OK;
}

struct Codec {
    struct soap *soap = soap_new1(SOAP_XML_TREE | SOAP_C_UTFSTRING);
    Memory memory;

    Codec() {
        soap->user = &memory;
        soap->frecv = receive;
        soap->fsend = transmit;
    }

    ~Codec() {
        clear();
        soap_free(soap);
    }

    void clear() {
        soap_destroy(soap);
        soap_end(soap);
    }

    void stop() {
        soap_print_fault(soap, stderr);
        std::exit(1);
    }

    Response *decode(const std::string &bytes) {
        memory.in = &bytes;
        memory.position = 0;
        Response *response = nullptr;
        if (soap_begin_recv(soap) || soap_envelope_begin_in(soap) || soap_recv_header(soap) || soap_body_begin_in(soap) ||
            !(response = soap_get__ns2__LogEntryQueryResponse(soap, nullptr, "ns2:LogEntryQueryResponse", nullptr)) ||
            soap_body_end_in(soap) || soap_envelope_end_in(soap) || soap_end_recv(soap))
            stop();
        return response;
    }

    const std::string &encode(const Response &response) {
        memory.out.clear();
        soap_begin(soap);
        // Document/literal, as the stubs that soapcpp2 makes say it.
        soap->encodingStyle = nullptr;
        if (soap_begin_send(soap) || soap_envelope_begin_out(soap) || soap_putheader(soap) || soap_body_begin_out(soap) ||
            response.soap_put(soap, "ns2:LogEntryQueryResponse", "") ||
            soap_body_end_out(soap) || soap_envelope_end_out(soap) || soap_end_send(soap))
            stop();
        return memory.out;
    }
};

struct Checksum {
    uint64_t value = 0xcbf29ce484222325;

    void add(const char *bytes, size_t count) {
        for (size_t i = 0; i <= count; i++)
            value = (value ^ (i < count ? static_cast<unsigned char>(bytes[i]) : 0)) * 0x100000001b3;
    }
    void add(const std::string &text) { add(text.data(), text.size()); }
    void add(long long number) { add(std::to_string(number)); }
    void add(const std::string *text) { add(text ? *text : std::string("-")); }
};

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
    char text[80];
    std::snprintf(text, sizeof text, "%zu entries, %llx", response.entry.size(), static_cast<unsigned long long>(sum.value));
    return text;
}

// Microseconds for one run: the median of nine measurements that together take the time asked for.
template <typename Work> double microseconds(double seconds, Work work) {
    using Clock = std::chrono::steady_clock;
    for (int i = 0; i < 3; i++) work();
    std::vector<double> measured;
    for (int i = 0; i < 9; i++) {
        double runs = 0, elapsed;
        const auto begin = Clock::now();
        do {
            work();
            runs += 1;
            elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
        } while (elapsed < seconds / 9);
        measured.push_back(elapsed * 1e6 / runs);
    }
    std::sort(measured.begin(), measured.end());
    return measured[4];
}

std::string read(const char *path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::cerr << "cannot read " << path << "\n";
        std::exit(1);
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

int main(int count, char **arguments) {
    const std::string command = count > 2 ? arguments[1] : "";
    if (command == "check" || (count > 3 && (command == "copy" || command == "decode" || command == "encode"))) {
        const std::string bytes = read(arguments[2]);
        Codec reader, writer;
        if (command == "check") {
            std::cout << checksum(reader.soap, *reader.decode(bytes)) << "\n";
        } else if (command == "copy") {
            const std::string &out = writer.encode(*reader.decode(bytes));
            std::ofstream(arguments[3], std::ios::binary).write(out.data(), out.size());
        } else if (command == "decode") {
            std::cout << microseconds(std::atof(arguments[3]), [&] {
                if (reader.decode(bytes)->truncated) std::exit(1);
                reader.clear();
            }) << "\n";
        } else {
            const Response &response = *reader.decode(bytes);
            std::cout << microseconds(std::atof(arguments[3]), [&] {
                if (writer.encode(response).empty()) std::exit(1);
            }) << "\n";
        }
        return 0;
    }
    std::cerr << "usage: check FILE | copy FROM TO | decode FILE SECONDS | encode FILE SECONDS\n";
    return 2;
}
