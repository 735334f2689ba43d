// pugixml: a tree of the whole message, from bytes that it copies. It knows no namespaces.

#include <pugixml.hpp>

#include "../program.h"

int main(int count, char **arguments) {
    Program program;
    program.parse = [](const std::string &bytes) {
        pugi::xml_document document;
        if (!document.load_buffer(bytes.data(), bytes.size(), pugi::parse_default, pugi::encoding_utf8))
            stop("pugixml does not read the message");
    };
    return program.run(count, arguments);
}
