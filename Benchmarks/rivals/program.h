// What the rivals written in C and C++ have in common: the commands of Sources/CodecCost/Program.swift.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

// What a rival can do; what it cannot do is empty.
struct Program {
    std::function<std::string(const std::string &)> check;
    std::function<std::string(const std::string &)> copy;
    std::function<void(const std::string &)> decode;
    // Reads the message once, and gives the work of writing what was read.
    std::function<std::function<void()>(const std::string &)> encode;
    std::function<void(const std::string &)> parse;

    int run(int count, char **arguments) const;

private:
    std::function<void()> work(const std::string &operation, const std::string &bytes) const {
        if (operation == "decode" && decode) return [this, &bytes] { decode(bytes); };
        if (operation == "parse" && parse) return [this, &bytes] { parse(bytes); };
        if (operation == "encode" && encode) return encode(bytes);
        return nullptr;
    }
};

// A number that every field goes into (FNV-1a, 64 bits).
struct Checksum {
    uint64_t value = 0xcbf29ce484222325;

    void add(const char *bytes, size_t count) {
        for (size_t i = 0; i <= count; i++)
            value = (value ^ (i < count ? static_cast<unsigned char>(bytes[i]) : 0)) * 0x100000001b3;
    }
    void add(const std::string &text) { add(text.data(), text.size()); }
    void add(const char *text) { add(std::string(text)); }
    void add(long long number) { add(std::to_string(number)); }
    void add(const std::string *text) { add(text ? *text : std::string("-")); }
    std::string of(size_t count, const char *items = "entries") const {
        char text[80];
        std::snprintf(text, sizeof text, "%zu %s, %llx", count, items, static_cast<unsigned long long>(value));
        return text;
    }
};

[[noreturn]] inline void stop(const std::string &why) {
    std::cerr << why << "\n";
    std::exit(1);
}

// Microseconds for one run: the median of nine measurements that together take the time asked for.
template <typename Work> double microseconds(double seconds, const Work &work) {
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

inline int Program::run(int count, char **arguments) const {
    const std::string command = count > 2 ? arguments[1] : "";
    const bool isRun = command == "run" && count > 4;
    std::string bytes;
    if (count > 2) {
        const char *path = arguments[isRun ? 3 : 2];
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        if (!file) stop(std::string("cannot read ") + path);
        bytes.resize(static_cast<size_t>(file.tellg()));
        if (!file.seekg(0).read(&bytes[0], static_cast<std::streamsize>(bytes.size()))) stop(std::string("cannot read ") + path);
    }
    if (command == "check" && check) {
        std::cout << check(bytes) << "\n";
    } else if (command == "copy" && copy && count > 3) {
        const std::string out = copy(bytes);
        std::ofstream(arguments[3], std::ios::binary).write(out.data(), static_cast<std::streamsize>(out.size()));
    } else if (isRun) {
        const int times = std::atoi(arguments[4]);
        if (times == 0) return 0;
        const auto todo = work(arguments[2], bytes);
        if (!todo) return 2;
        for (int i = 0; i < times; i++) todo();
    } else if (const auto todo = count > 3 ? work(command, bytes) : nullptr) {
        std::cout << microseconds(std::atof(arguments[3]), todo) << "\n";
    } else {
        std::cerr << "usage: check FILE | copy FROM TO | decode|encode|parse FILE SECONDS | run OPERATION FILE COUNT\n";
        return 2;
    }
    return 0;
}
