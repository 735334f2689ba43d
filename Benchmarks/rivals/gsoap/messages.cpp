// gSOAP's codec for the answers of Messages.wsdl: the kind stands before the command.

#include "soapH.h"
#include "MessagesBinding.nsmap"

#include "context.h"

namespace {

// The bits, so that no rounding hides.
void add(Checksum &sum, double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    sum.add(std::to_string(bits));
}

template <typename Items, typename Add> std::string over(const Items &items, const Add &add) {
    Checksum sum;
    for (const auto &item : items) add(sum, item);
    return sum.of(items.size(), "items");
}

}  // namespace

int main(int count, char **arguments) {
    const std::string kind = count > 1 ? arguments[1] : "";
    count -= 1;
    arguments += 1;
// An answer that is one element of the types' namespace; SUM is the text that `check` prints.
#define ANSWER(KIND, NAME, SUM)                                                                                              \
    if (kind == KIND)                                                                                                        \
        return run(                                                                                                          \
            count, arguments, [](struct soap *soap) { return soap_get__ns2__##NAME(soap, nullptr, "ns2:" #NAME, nullptr); }, \
            [](struct soap *soap, const _ns2__##NAME &value) { return value.soap_put(soap, "ns2:" #NAME, ""); },             \
            [](struct soap *soap, const _ns2__##NAME &value) -> std::string { (void)soap; return SUM; });
    ANSWER("numbers", Numbers, over(value.item, [](Checksum &sum, const ns2__Number *item) {
        sum.add(static_cast<long long>(item->int_));
        sum.add(static_cast<long long>(item->long_));
        sum.add(static_cast<long long>(item->short_));
        sum.add(static_cast<long long>(item->unsignedShort));
        sum.add(std::to_string(item->unsignedLong));
        sum.add(item->boolean ? "1" : "0");
    }))
    ANSWER("decimals", Decimals, over(value.item, [](Checksum &sum, const std::string &item) { sum.add(item); }))
    ANSWER("doubles", Doubles, over(value.item, add))
    ANSWER("dates", Dates, over(value.item, [](Checksum &sum, const ns2__Moment *item) {
        sum.add(item->day);
        sum.add(static_cast<long long>(item->time));
        sum.add(item->length);
    }))
    ANSWER("enumerations", Enumerations, over(value.item, [soap](Checksum &sum, enum ns2__Colour item) {
        sum.add(soap_ns2__Colour2s(soap, item));
    }))
    ANSWER("lists", Lists, over(value.item, [](Checksum &sum, const ns2__Row *item) {
        sum.add(item->ints);
        sum.add(item->tokens);
    }))
    ANSWER("attributes", Attributes, over(value.item, [](Checksum &sum, const ns2__Point *item) {
        sum.add(static_cast<long long>(item->x));
        sum.add(static_cast<long long>(item->y));
        sum.add(item->name);
        sum.add(item->label);
    }))
    ANSWER("base64", Base64, [&value] {
        Checksum sum;
        sum.add(reinterpret_cast<const char *>(value.item.__ptr), value.item.__size);
        return sum.of(value.item.__size, "bytes");
    }())
#undef ANSWER
    if (kind == "array")
        return run(
            count, arguments,
            [](struct soap *soap) { return soap_get_ns1__GetArrayResponse(soap, nullptr, "ns1:GetArrayResponse", nullptr); },
            [](struct soap *soap, const ns1__GetArrayResponse &value) {
                return soap_put_ns1__GetArrayResponse(soap, &value, "ns1:GetArrayResponse", "");
            },
            [](struct soap *, const ns1__GetArrayResponse &value) {
                Checksum sum;
                const int size = value.items ? value.items->__size : 0;
                for (int i = 0; i < size; i++) {
                    const ns1__Item *item = value.items->__ptr[i];
                    sum.add(static_cast<long long>(item->number));
                    sum.add(item->text);
                    add(sum, item->ratio);
                }
                return sum.of(static_cast<size_t>(size), "items");
            },
            "http://schemas.xmlsoap.org/soap/encoding/");
    std::cerr << "usage: KIND COMMAND ...\n";
    return 2;
}
