// libxml2's fastest interface: SAX2, with handlers that take what a reader would take and do nothing with it.

#include <libxml/parser.h>

#include "../program.h"

namespace {

void startElement(void *, const xmlChar *, const xmlChar *, const xmlChar *, int, const xmlChar **, int, int, const xmlChar **) {}
void endElement(void *, const xmlChar *, const xmlChar *, const xmlChar *) {}
void characters(void *, const xmlChar *, int) {}

}  // namespace

int main(int count, char **arguments) {
    xmlInitParser();
    xmlSAXHandler handler = {};
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = startElement;
    handler.endElementNs = endElement;
    handler.characters = characters;
    Program program;
    program.parse = [&handler](const std::string &bytes) {
        if (xmlSAXUserParseMemory(&handler, nullptr, bytes.data(), static_cast<int>(bytes.size())) != 0)
            stop("libxml2 does not read the message");
    };
    return program.run(count, arguments);
}
