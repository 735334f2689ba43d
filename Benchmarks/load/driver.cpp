// Sends one request again and again over connections that are kept, with a client certificate, and tells how long the answers take.
//
//     driver closed PORT PATH FOLDER CONNECTIONS SECONDS           each connection sends its next request when it has its answer
//     driver rate PORT PATH FOLDER CONNECTIONS SECONDS RATE        so many requests a second fall due, whatever the server does
//     driver hold PORT PATH FOLDER CONNECTIONS                     each connection makes a call and stays open, until standard input ends
//
// In a closed loop, a server that pauses gets no new requests during the pause, so that the pause counts as one slow answer a
// connection. With a rate, the time of an answer counts from the moment at which its request was due, also when no connection was free then, and a halt of a
// second is a second for the first of many (coordinated omission). Times go into a histogram whose steps are below one part in a hundred.
//
// Requests that have no answer five seconds after the last one was due count with the time that they have waited.
//
// It prints "measuring" when the connections are open and have been used for some seconds; at its end, a line with answers a second,
// microseconds below which half, 90 %, 99 % and 99.9 % of the answers came, the longest, how many requests had no answer, how many had,
// and the version and cipher suite of TLS. Any answer but the expected one ends it with status 1.

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <strings.h>
#include <vector>

namespace {

[[noreturn]] void stop(const std::string &reason) {
    std::fprintf(stderr, "driver: %s\n", reason.c_str());
    ERR_print_errors_fp(stderr);
    std::exit(1);
}

uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

// Counts of nanoseconds: 128 steps for each power of two.
class Histogram {
    static constexpr unsigned steps = 7;
    std::array<uint64_t, (64 - steps) << steps> counts{};
    uint64_t total = 0, longest = 0;

    static size_t place(uint64_t value) {
        if (value < (1u << steps)) return value;
        const unsigned power = 63 - static_cast<unsigned>(__builtin_clzll(value));
        return (static_cast<size_t>(power - steps + 1) << steps) + ((value >> (power - steps)) & ((1u << steps) - 1));
    }
    // The largest value that has this place.
    static uint64_t value(size_t place) {
        const size_t row = place >> steps, step = place & ((1u << steps) - 1);
        if (row == 0) return step;
        return ((static_cast<uint64_t>((1u << steps) + step) + 1) << (row - 1)) - 1;
    }

public:
    void add(uint64_t value) {
        counts[std::min(place(value), counts.size() - 1)]++;
        total++;
        longest = std::max(longest, value);
    }
    uint64_t count() const { return total; }
    double quantile(double share) const {
        const auto wanted = static_cast<uint64_t>(static_cast<double>(total) * share);
        uint64_t below = 0;
        for (size_t at = 0; at < counts.size(); at++) {
            below += counts[at];
            if (below > wanted) return static_cast<double>(std::min(value(at), longest)) / 1000;
        }
        return static_cast<double>(longest) / 1000;
    }
    double most() const { return static_cast<double>(longest) / 1000; }
};

struct Connection {
    SSL *tls = nullptr;
    std::string received;
    uint64_t since = 0;
    bool isBusy = false;
};

// Where an answer ends, or 0 while it is not whole. Only what the servers here send is understood.
size_t end_of_answer(const std::string &bytes) {
    const size_t head = bytes.find("\r\n\r\n");
    if (head == std::string::npos) return 0;
    size_t length = std::string::npos;
    bool isChunked = false;
    for (size_t line = bytes.find("\r\n") + 2; line < head + 2; line = bytes.find("\r\n", line) + 2) {
        const char *field = bytes.data() + line;
        if (!strncasecmp(field, "content-length:", 15)) length = std::strtoul(field + 15, nullptr, 10);
        if (!strncasecmp(field, "transfer-encoding: chunked", 26)) isChunked = true;
        if (!strncasecmp(field, "connection: close", 17)) stop("the server closes a connection");
    }
    if (isChunked) {
        size_t at = head + 4;
        while (true) {
            const size_t line = bytes.find("\r\n", at);
            if (line == std::string::npos) return 0;
            const size_t size = std::strtoul(bytes.data() + at, nullptr, 16);
            at = line + 2 + size + 2;
            if (bytes.size() < at) return 0;
            if (size == 0) return at;
        }
    }
    if (length == std::string::npos) stop("an answer has no length: " + bytes.substr(0, head));
    return bytes.size() >= head + 4 + length ? head + 4 + length : 0;
}

// So many entries are in the answer.
void check(const std::string &bytes, size_t end, size_t entries) {
    size_t count = 0;
    for (size_t at = bytes.find("</entry>"); at < end; at = bytes.find("</entry>", at + 8)) count++;
    if (count == 0)
        for (size_t at = bytes.find(":entry>"); at < end; at = bytes.find(":entry>", at + 7)) count++;
    if (bytes.compare(0, 12, "HTTP/1.1 200") != 0 || count < entries) stop("that is no answer: " + bytes.substr(0, 2000));
}

class Driver {
    std::string request;
    // How many entries the request asks for.
    size_t entries = 2;
    std::vector<Connection> connections;
    // The connection that has been free for the longest time comes first, so that all are used.
    std::deque<size_t> unused;
    SSL_CTX *context;
    sockaddr_in address{};
    int events;
    uint64_t begin = 0, end = 0, interval = 0, unanswered = 0, finished = 0;
    // When the first request that has no connection yet falls due, or fell due.
    uint64_t nextDue = 0;
    Histogram times;
    bool isMeasured = false;

public:
    Driver(int port, const std::string &path, const std::string &folder, size_t count) : connections(count) {
        std::ifstream file(folder + "/request.xml", std::ios::binary);
        const std::string content((std::istreambuf_iterator<char>(file)), {});
        if (content.empty()) stop("there is no " + folder + "/request.xml");
        const size_t limit = content.find("limit>");
        if (limit != std::string::npos) entries = std::strtoul(content.c_str() + limit + 6, nullptr, 10);
        request = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml; charset=utf-8\r\nSOAPAction: \"\"\r\n" +
                  "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
        context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
        if (SSL_CTX_load_verify_locations(context, (folder + "/authority.pem").c_str(), nullptr) != 1 ||
            SSL_CTX_use_certificate_chain_file(context, (folder + "/client.pem").c_str()) != 1 ||
            SSL_CTX_use_PrivateKey_file(context, (folder + "/client.key").c_str(), SSL_FILETYPE_PEM) != 1)
            stop("the certificates cannot be read");
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<uint16_t>(port));
        events = epoll_create1(0);
        for (size_t number = 0; number < count; number++) open(number);
    }

    void open(size_t number) {
        Connection &connection = connections[number];
        const int file = socket(AF_INET, SOCK_STREAM, 0);
        if (file < 0 || connect(file, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
            stop("a connection cannot be opened: " + std::string(std::strerror(errno)));
        const int yes = 1;
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        connection.tls = SSL_new(context);
        SSL_set_fd(connection.tls, file);
        SSL_set_tlsext_host_name(connection.tls, "localhost");
        SSL_set1_host(connection.tls, "localhost");
        if (SSL_connect(connection.tls) != 1) stop("the handshake failed");
        // A call, so that the server has refused the certificate or has accepted it.
        if (SSL_write(connection.tls, request.data(), static_cast<int>(request.size())) <= 0) stop("a request cannot be sent");
        size_t whole = 0;
        while (!(whole = end_of_answer(connection.received))) {
            char buffer[16384];
            const int got = SSL_read(connection.tls, buffer, sizeof buffer);
            if (got <= 0) stop("the server closed a connection at its first request");
            connection.received.append(buffer, static_cast<size_t>(got));
        }
        check(connection.received, whole, entries);
        connection.received.clear();
        fcntl(file, F_SETFL, O_NONBLOCK);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = number;
        epoll_ctl(events, EPOLL_CTL_ADD, file, &event);
    }

    const char *protocol() const { return SSL_get_version(connections.front().tls); }
    const char *cipher() const { return SSL_get_cipher_name(connections.front().tls); }

    void send(size_t number, uint64_t since) {
        Connection &connection = connections[number];
        connection.since = since;
        connection.isBusy = true;
        // A request is far smaller than what the system takes for a connection without answers under way.
        if (SSL_write(connection.tls, request.data(), static_cast<int>(request.size())) <= 0) stop("a request cannot be sent");
    }

    // Whether the answer is whole.
    bool receive(size_t number) {
        Connection &connection = connections[number];
        char buffer[16384];
        while (true) {
            const int got = SSL_read(connection.tls, buffer, sizeof buffer);
            if (got <= 0) {
                if (SSL_get_error(connection.tls, got) == SSL_ERROR_WANT_READ) return false;
                stop("the server closed a connection");
            }
            connection.received.append(buffer, static_cast<size_t>(got));
            const size_t whole = end_of_answer(connection.received);
            if (!whole) continue;
            check(connection.received, whole, entries);
            connection.received.erase(0, whole);
            connection.isBusy = false;
            if (isMeasured) times.add(now() - connection.since);
            return true;
        }
    }

    // `perSecond` of 0 stands for a closed loop.
    void run(double seconds, double perSecond, bool measured) {
        isMeasured = measured;
        times = Histogram();
        begin = now();
        end = begin + static_cast<uint64_t>(seconds * 1e9);
        interval = perSecond > 0 ? static_cast<uint64_t>(1e9 / perSecond) : 0;
        nextDue = begin;
        unused.clear();
        if (interval) {
            for (size_t number = 0; number < connections.size(); number++) unused.push_back(number);
        } else {
            for (size_t number = 0; number < connections.size(); number++) send(number, now());
        }
        size_t underWay = interval ? 0 : connections.size();
        epoll_event ready[256];
        while (true) {
            const uint64_t moment = now();
            if (interval) {
                while (nextDue < end && nextDue <= moment && !unused.empty()) {
                    const size_t number = unused.front();
                    unused.pop_front();
                    send(number, nextDue);
                    nextDue += interval;
                    underWay++;
                }
            }
            if (underWay == 0 && (interval ? nextDue >= end : moment >= end)) break;
            if (moment > end + 5000000000) {
                if (!interval) stop("answers are missing after 5 s");
                for (const Connection &connection : connections)
                    if (connection.isBusy) miss(moment - connection.since);
                for (; nextDue < end; nextDue += interval) miss(moment - nextDue);
                break;
            }
            // With a rate it does not sleep: to be woken can take longer than an answer.
            const int count = epoll_wait(events, ready, 256, interval ? 0 : 1000);
            for (int index = 0; index < count; index++) {
                const size_t number = ready[index].data.u64;
                if (!connections[number].isBusy) {
                    // Tickets of TLS 1.3 come without a request; anything else is a closed connection.
                    receive(number);
                    continue;
                }
                if (!receive(number)) continue;
                if (interval) {
                    unused.push_back(number);
                    underWay--;
                } else if (now() < end) {
                    send(number, now());
                } else {
                    underWay--;
                }
            }
        }
        finished = now();
    }

    void miss(uint64_t waited) {
        times.add(waited);
        unanswered++;
    }

    void print() const {
        const double seconds = static_cast<double>(finished - begin) / 1e9;
        std::printf("%.1f %.1f %.1f %.1f %.1f %.1f %lu %lu %s %s\n", static_cast<double>(times.count() - unanswered) / seconds,
                    times.quantile(0.5), times.quantile(0.9), times.quantile(0.99), times.quantile(0.999), times.most(), unanswered,
                    times.count() - unanswered, protocol(), cipher());
    }
};

}  // namespace

int main(int count, char **arguments) {
    const std::string command = count > 1 ? arguments[1] : "";
    const int wanted = command == "closed" ? 7 : command == "rate" ? 8 : command == "hold" ? 6 : 0;
    if (count != wanted) stop("usage: closed|rate|hold PORT PATH FOLDER CONNECTIONS [SECONDS [RATE]]");
    std::signal(SIGPIPE, SIG_IGN);
    const long connections = std::atol(arguments[5]);
    if (connections < 1) stop("CONNECTIONS is a number from 1");
    Driver driver(std::atoi(arguments[2]), arguments[3], arguments[4], static_cast<size_t>(connections));
    if (command == "hold") {
        std::printf("%ld %s %s\n", connections, driver.protocol(), driver.cipher());
        std::fflush(stdout);
        while (std::getchar() != EOF) {}
        return 0;
    }
    const double seconds = std::atof(arguments[6]), rate = wanted == 8 ? std::atof(arguments[7]) : 0;
    if (seconds <= 0 || (wanted == 8 && rate <= 0)) stop("SECONDS and RATE are numbers above 0");
    // What is done once, such as compiling, is left out.
    driver.run(std::min(seconds, 5.0), 0, false);
    std::puts("measuring");
    std::fflush(stdout);
    driver.run(seconds, rate, true);
    driver.print();
    return 0;
}
