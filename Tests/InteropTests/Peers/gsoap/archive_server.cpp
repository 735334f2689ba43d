// Keeps documents, with gSOAP: binary content comes and goes beside the envelope (MTOM), and Forward takes and gives parts (SOAP with
// Attachments). Run: archive_server PORT
#include <cstdlib>
#include <iostream>

#include "soapH.h"
#include "Archive.nsmap"

namespace {

LONG64 sum(const xsd__base64Binary &bytes) {
    LONG64 result = 0;
    for (int i = 0; i < bytes.__size; i++) result = (result * 31 + bytes.__ptr[i]) % 1000003;
    return result;
}

xsd__base64Binary content(struct soap *soap, int count, const char *type) {
    xsd__base64Binary result;
    result.__ptr = static_cast<unsigned char *>(soap_malloc(soap, count > 0 ? count : 1));
    result.__size = count;
    for (int i = 0; i < count; i++) result.__ptr[i] = static_cast<unsigned char>(i * 7 % 256);
    result.id = nullptr;
    result.type = soap_strdup(soap, type);
    result.options = nullptr;
    return result;
}

}  // namespace

int __ar__Store(struct soap *, _ta1__store *input, _ta1__storeResponse &output) {
    output.bytes = input->content.__size;
    output.previewBytes = 0;
    for (const auto &preview : input->preview) output.previewBytes += preview.__size;
    output.sum = sum(input->content);
    return SOAP_OK;
}

int __ar__Fetch(struct soap *soap, _ta1__fetch *input, _ta1__fetchResponse &output) {
    soap_set_omode(soap, SOAP_ENC_MTOM);
    output.preview.push_back(content(soap, 3, "image/png"));
    output.content = content(soap, static_cast<int>(input->bytes), "application/pdf");
    return SOAP_OK;
}

int __ar__Forward(struct soap *soap, _ta1__forward *input, __ar__ForwardResponse &output) {
    _ta1__forwardResponse *answer = output.ta1__forwardResponse = soap_new__ta1__forwardResponse(soap);
    answer->parts = 0;
    char *receipt = soap_strdup(soap, input->to.c_str());
    soap_set_mime(soap, nullptr, nullptr);
    // The first is the envelope.
    for (auto part = soap->mime.list ? soap->mime.list->next : nullptr; part; part = part->next) {
        answer->parts++;
        soap_set_mime_attachment(
            soap, part->ptr, part->size, SOAP_MIME_BINARY, part->type, soap_strdup(soap, part->id ? part->id : "<none>"),
            nullptr, nullptr);
        if (answer->parts > 100) break;
    }
    soap_set_mime_attachment(
        soap, receipt, input->to.size(), SOAP_MIME_BINARY, "text/plain", "<receipt@archive>", nullptr, "receipt");
    return SOAP_OK;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    struct soap *soap = soap_new1(SOAP_ENC_MTOM);
    soap->bind_flags = SO_REUSEADDR;
    soap->recv_timeout = soap->send_timeout = 30;
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", std::atoi(argv[1]), 16))) {
        soap_stream_fault(soap, std::cerr);
        return 1;
    }
    for (;;) {
        if (!soap_valid_socket(soap_accept(soap))) return 1;
        soap_set_imode(soap, SOAP_ENC_MTOM);
        soap_clr_omode(soap, SOAP_ENC_MTOM | SOAP_ENC_MIME);
        if (soap_serve(soap)) soap_stream_fault(soap, std::cerr);
        soap_destroy(soap);
        soap_end(soap);
    }
}
