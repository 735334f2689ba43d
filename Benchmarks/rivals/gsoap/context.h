// A context of gSOAP, and envelopes read from and written to memory with it. Included behind the generated soapH.h.
//
// One context is made once and used for every message, as gSOAP's guide asks for; after each message soap_destroy and soap_end
// give its memory back. Bytes come from and go to memory through frecv and fsend, which is cheaper than C++ streams.
// SOAP_XML_TREE spares it the search for references between elements; these messages have no references.
#pragma once

#include <cstring>

#include "../program.h"

struct Context {
    struct soap *soap = soap_new1(SOAP_XML_TREE | SOAP_C_UTFSTRING);

    Context() {
        soap->user = this;
        soap->frecv = receive;
        soap->fsend = transmit;
    }
    Context(const Context &) = delete;

    ~Context() {
        clear();
        soap_free(soap);
    }

    void clear() {
        soap_destroy(soap);
        soap_end(soap);
    }

    // `get` reads what the body holds.
    template <typename Get> auto decode(const std::string &bytes, const Get &get) {
        in = &bytes;
        position = 0;
        decltype(get(soap)) value = nullptr;
        if (soap_begin_recv(soap) || soap_envelope_begin_in(soap) || soap_recv_header(soap) || soap_body_begin_in(soap) ||
            !(value = get(soap)) || soap_body_end_in(soap) || soap_envelope_end_in(soap) || soap_end_recv(soap))
            fail();
        return value;
    }

    // `put` writes what the body holds; without a style it is document/literal, as the stubs that soapcpp2 makes say it.
    template <typename Put> const std::string &encode(const Put &put, const char *style = nullptr) {
        out.clear();
        soap_begin(soap);
        soap->encodingStyle = style;
        if (soap_begin_send(soap) || soap_envelope_begin_out(soap) || soap_putheader(soap) || soap_body_begin_out(soap) ||
            put(soap) || soap_body_end_out(soap) || soap_envelope_end_out(soap) || soap_end_send(soap))
            fail();
        return out;
    }

private:
    const std::string *in = nullptr;
    size_t position = 0;
    std::string out;

    static size_t receive(struct soap *soap, char *to, size_t room) {
        auto *self = static_cast<Context *>(soap->user);
        const size_t count = std::min(room, self->in->size() - self->position);
        std::memcpy(to, self->in->data() + self->position, count);
        self->position += count;
        return count;
    }

    static int transmit(struct soap *soap, const char *from, size_t count) {
        static_cast<Context *>(soap->user)->out.append(from, count);
        return SOAP_OK;
    }

    [[noreturn]] void fail() {
        soap_print_fault(soap, stderr);
        stop("gSOAP does not read or write the message");
    }
};

// The commands for one message. `get` reads it, `put` writes it, `sum` is what `check` prints.
template <typename Get, typename Put, typename Sum>
int run(int count, char **arguments, const Get &get, const Put &put, const Sum &sum, const char *style = nullptr) {
    Context reader, writer;
    Program program;
    program.check = [&](const std::string &bytes) { return sum(reader.soap, *reader.decode(bytes, get)); };
    program.copy = [&](const std::string &bytes) {
        const auto *value = reader.decode(bytes, get);
        return writer.encode([&](struct soap *soap) { return put(soap, *value); }, style);
    };
    program.decode = [&](const std::string &bytes) {
        reader.decode(bytes, get);
        reader.clear();
    };
    program.encode = [&, style](const std::string &bytes) -> std::function<void()> {
        const auto *value = reader.decode(bytes, get);
        return [&writer, &put, value, style] {
            if (writer.encode([&](struct soap *soap) { return put(soap, *value); }, style).empty()) stop("nothing was written");
        };
    };
    return program.run(count, arguments);
}
