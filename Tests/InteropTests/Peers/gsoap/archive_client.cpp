// Stores and fetches a document, and forwards two parts, with gSOAP; prints what came back as JSON. Run:
// archive_client mtom|plain ENDPOINT BYTES
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "soapH.h"
#include "Archive.nsmap"

namespace {

LONG64 sum(const unsigned char *bytes, size_t count) {
    LONG64 result = 0;
    for (size_t i = 0; i < count; i++) result = (result * 31 + bytes[i]) % 1000003;
    return result;
}

std::string quoted(const char *text) {
    std::string result = "\"";
    for (; text && *text; text++) {
        if (*text == '"' || *text == '\\') result += '\\';
        result += *text;
    }
    return result + "\"";
}

int failed(struct soap *soap) {
    soap_stream_fault(soap, std::cerr);
    return 1;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE);
    soap->recv_timeout = soap->send_timeout = 30;
    if (!std::strcmp(argv[1], "mtom")) soap_set_mode(soap, SOAP_ENC_MTOM);
    const char *endpoint = argv[2];
    const int count = std::atoi(argv[3]);

    _ta1__store store;
    store.soap_default(soap);
    store.name = "letter";
    unsigned char *bytes = static_cast<unsigned char *>(soap_malloc(soap, count + 1));
    for (int i = 0; i < count; i++) bytes[i] = static_cast<unsigned char>(i * 7 % 256);
    store.content.__ptr = bytes;
    store.content.__size = count;
    store.content.type = const_cast<char *>("application/pdf");
    store.preview.push_back(store.content);
    _ta1__storeResponse stored;
    if (soap_call___ar__Store(soap, endpoint, nullptr, &store, stored)) return failed(soap);
    std::cout << "{\"bytes\":" << stored.bytes << ",\"previewBytes\":" << stored.previewBytes
              << ",\"sum\":" << stored.sum << ",\"sent\":" << sum(bytes, count);

    _ta1__fetch fetch;
    fetch.soap_default(soap);
    fetch.name = "letter";
    fetch.bytes = count;
    _ta1__fetchResponse fetched;
    if (soap_call___ar__Fetch(soap, endpoint, nullptr, &fetch, fetched)) return failed(soap);
    std::cout << ",\"fetched\":" << fetched.content.__size
              << ",\"fetchedSum\":" << sum(fetched.content.__ptr, fetched.content.__size)
              << ",\"isBeside\":" << (fetched.content.id ? "true" : "false") << ",\"previews\":" << fetched.preview.size();

    soap_clr_mode(soap, SOAP_ENC_MTOM);
    soap_set_mime(soap, nullptr, nullptr);
    soap_set_mime_attachment(
        soap, reinterpret_cast<const char *>(bytes), count, SOAP_MIME_BINARY, "application/pdf", "<letter@archive>", nullptr, "letter");
    soap_set_mime_attachment(
        soap, "text", 4, SOAP_MIME_BINARY, "text/plain", "<note@archive>", nullptr, nullptr);
    _ta1__forward forward;
    forward.soap_default(soap);
    forward.to = "registry";
    __ar__ForwardResponse forwarded;
    if (soap_call___ar__Forward(soap, endpoint, nullptr, &forward, forwarded)) return failed(soap);
    std::cout << ",\"parts\":" << forwarded.ta1__forwardResponse->parts << ",\"receipts\":[";
    bool isFirst = true;
    for (auto part = soap->mime.list; part; part = part->next) {
        std::cout << (isFirst ? "" : ",") << "{\"id\":" << quoted(part->id) << ",\"type\":" << quoted(part->type)
                  << ",\"bytes\":" << part->size << "}";
        isFirst = false;
    }
    std::cout << "]}\n";
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return 0;
}
