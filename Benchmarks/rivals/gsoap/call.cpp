// gSOAP's side of the call benchmark, with code that wsdl2h and soapcpp2 made from WebEase.wsdl.
//
//     call URL FOLDER CALLS OPEN      calls, so many of them open at a time; prints what one has cost
//     new URL FOLDER CALLS OPEN       the same, where the server closes the connection after each answer; no session is resumed
//     idle URL FOLDER CONNECTIONS     prints what an idle connection costs
//
// A context of gSOAP makes one call at a time over one connection, so there is a thread and a context for each call that is open. The
// contexts are copies of one, as gSOAP's guide asks for, and share what OpenSSL has read from the files.

#include "soapH.h"
#include "WebEaseBinding.nsmap"

#include <csignal>
#include <pthread.h>
#include <thread>

#include "../program.h"
#include "CallCounters.h"

namespace {

struct Client {
    struct soap *soap;

    explicit Client(struct soap *soap) : soap(soap) {}
    Client(const Client &) = delete;

    ~Client() {
        soap_destroy(soap);
        soap_end(soap);
        soap_free(soap);
    }

    void call(const std::string &url) {
        _ns2__LogEntryQuery request;
        _ns2__LogEntryQueryResponse response;
        request.patientId = "P-104711";
        if (soap_call___ns1__LogEntryQuery(soap, url.c_str(), "", &request, response) != SOAP_OK) {
            soap_print_fault(soap, stderr);
            stop("a call failed");
        }
        if (response.entry.size() != 2) stop("that is no answer");
        soap_destroy(soap);
        soap_end(soap);
    }

    // gSOAP keeps the session of a connection that it has closed, to resume it.
    void forget_session() {
        if (soap->session) SSL_SESSION_free(soap->session);
        soap->session = nullptr;
    }
};

struct soap *prepared(const std::string &folder) {
    struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE | SOAP_XML_TREE | SOAP_C_UTFSTRING);
    if (soap_ssl_client_context(soap, SOAP_SSL_DEFAULT, (folder + "/client.both").c_str(), nullptr,
                                (folder + "/authority.pem").c_str(), nullptr, nullptr) != SOAP_OK) {
        soap_print_fault(soap, stderr);
        stop("gSOAP does not take the certificates");
    }
    return soap;
}

void measure(struct soap *original, const std::string &url, long calls, unsigned open, bool isNew) {
    pthread_barrier_t opened, begun;
    pthread_barrier_init(&opened, nullptr, open + 1);
    pthread_barrier_init(&begun, nullptr, open + 1);
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < open; number++)
        threads.emplace_back([&, number] {
            Client client(soap_copy(original));
            const auto run = [&](long count) {
                for (long done = 0; done < count; done++) {
                    client.call(url);
                    if (isNew) client.forget_session();
                }
            };
            // What is done once is left out: connections are opened first.
            run(20);
            pthread_barrier_wait(&opened);
            pthread_barrier_wait(&begun);
            run(calls / open + (number < calls % open ? 1 : 0));
        });
    pthread_barrier_wait(&opened);
    const CallCounters before = call_counters();
    pthread_barrier_wait(&begun);
    for (auto &thread : threads) thread.join();
    print_cost(before, call_counters(), static_cast<uint64_t>(calls));
}

void measure_idle(struct soap *original, const std::string &url, unsigned connections) {
    std::vector<std::unique_ptr<Client>> clients;
    const auto open = [&] {
        clients.push_back(std::make_unique<Client>(soap_copy(original)));
        clients.back()->call(url);
    };
    open();
    const int64_t one = resident_memory();
    while (clients.size() < connections) open();
    if (print_idle_cost(one, connections) != 0) stop("not all connections are open");
}

}  // namespace

int main(int count, char **arguments) {
    const std::string command = count > 4 ? arguments[1] : "";
    const bool isIdle = command == "idle" && count == 5;
    if (!isIdle && !((command == "call" || command == "new") && count == 6))
        stop("usage: call|new URL FOLDER CALLS OPEN, or idle URL FOLDER CONNECTIONS");
    const long calls = std::atol(arguments[4]), open = std::atol(arguments[isIdle ? 4 : 5]);
    if (calls < 1 || open < 1) stop("CALLS, OPEN and CONNECTIONS are numbers from 1");
    std::signal(SIGPIPE, SIG_IGN);
    soap_ssl_init();
    Client original(prepared(arguments[3]));
    if (isIdle)
        measure_idle(original.soap, arguments[2], static_cast<unsigned>(open));
    else
        measure(original.soap, arguments[2], calls, static_cast<unsigned>(open), command == "new");
    return 0;
}
