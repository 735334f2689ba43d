// The other side of the call benchmark: libcurl. usage: call URL FOLDER CALLS OPEN
//
// It sends the bytes that Signet sends, over as many connections, and keeps the answer in memory without reading its XML.
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MOST_OPEN 64

struct bytes {
    char *start;
    size_t count, room;
};

static struct bytes message;
static struct curl_slist *fields;
static char folder[512];

static void stop(const char *what) {
    fprintf(stderr, "call: %s\n", what);
    exit(1);
}

static size_t take(char *data, size_t size, size_t number, void *context) {
    struct bytes *answer = context;
    size_t count = size * number;
    if (answer->count + count > answer->room) {
        answer->room = (answer->count + count) * 2;
        answer->start = realloc(answer->start, answer->room);
        if (answer->start == NULL) return 0;
    }
    memcpy(answer->start + answer->count, data, count);
    answer->count += count;
    return count;
}

static void read_message(void) {
    char path[600];
    snprintf(path, sizeof path, "%s/request.xml", folder);
    FILE *file = fopen(path, "rb");
    if (file == NULL) stop("there is no request.xml");
    message.start = malloc(65536);
    message.count = fread(message.start, 1, 65536, file);
    fclose(file);
}

static CURL *prepare(const char *url, struct bytes *answer) {
    char path[600];
    CURL *call = curl_easy_init();
    if (call == NULL) stop("no handle");
    curl_easy_setopt(call, CURLOPT_URL, url);
    curl_easy_setopt(call, CURLOPT_PROXY, "");
    curl_easy_setopt(call, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(call, CURLOPT_POSTFIELDS, message.start);
    curl_easy_setopt(call, CURLOPT_POSTFIELDSIZE, (long)message.count);
    curl_easy_setopt(call, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(call, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(call, CURLOPT_PRIVATE, answer);
    snprintf(path, sizeof path, "%s/authority.pem", folder);
    curl_easy_setopt(call, CURLOPT_CAINFO, path);
    snprintf(path, sizeof path, "%s/client.pem", folder);
    curl_easy_setopt(call, CURLOPT_SSLCERT, path);
    snprintf(path, sizeof path, "%s/client.key", folder);
    curl_easy_setopt(call, CURLOPT_SSLKEY, path);
    curl_easy_setopt(call, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    return call;
}

static void check(CURL *call, struct bytes *answer) {
    long status = 0;
    curl_easy_getinfo(call, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || answer->count < 500) stop("that is no answer");
    answer->count = 0;
}

static void one_by_one(CURL *call, struct bytes *answer, long calls) {
    for (long done = 0; done < calls; done++) {
        if (curl_easy_perform(call) != CURLE_OK) stop("a call failed");
        check(call, answer);
    }
}

static void together(CURLM *all, CURL **handles, int open, long calls) {
    long begun = 0, done = 0;
    for (; begun < open && begun < calls; begun++) curl_multi_add_handle(all, handles[begun]);
    while (done < calls) {
        int running = 0, left = 0;
        if (curl_multi_perform(all, &running) != CURLM_OK) stop("a call failed");
        CURLMsg *word;
        while ((word = curl_multi_info_read(all, &left)) != NULL) {
            if (word->msg != CURLMSG_DONE) continue;
            if (word->data.result != CURLE_OK) stop("a call failed");
            CURL *call = word->easy_handle;
            struct bytes *answer = NULL;
            curl_easy_getinfo(call, CURLINFO_PRIVATE, (char **)&answer);
            check(call, answer);
            done++;
            curl_multi_remove_handle(all, call);
            if (begun < calls) {
                begun++;
                curl_multi_add_handle(all, call);
            }
        }
        if (done < calls) curl_multi_poll(all, NULL, 0, 1000, NULL);
    }
}

static uint64_t switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

static uint64_t processor(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
        + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static uint64_t allocations(void) {
    uint64_t (*counted)(void) = (uint64_t (*)(void))dlsym(RTLD_DEFAULT, "counted_allocations");
    return counted == NULL ? 0 : counted();
}

int main(int count, char **arguments) {
    if (count != 5) stop("usage: call URL FOLDER CALLS OPEN");
    snprintf(folder, sizeof folder, "%s", arguments[2]);
    long calls = atol(arguments[3]);
    int open = atoi(arguments[4]);
    if (calls < 1 || open < 1 || open > MOST_OPEN) stop("CALLS and OPEN are numbers from 1, OPEN up to 64");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    read_message();
    fields = curl_slist_append(NULL, "Content-Type: text/xml; charset=utf-8");
    fields = curl_slist_append(fields, "SOAPAction: \"\"");
    fields = curl_slist_append(fields, "Expect:");
    struct bytes answers[MOST_OPEN] = {0};
    CURL *handles[MOST_OPEN];
    for (int index = 0; index < open; index++) handles[index] = prepare(arguments[1], &answers[index]);
    CURLM *all = curl_multi_init();
    curl_multi_setopt(all, CURLMOPT_MAXCONNECTS, (long)MOST_OPEN);
    curl_multi_setopt(all, CURLMOPT_MAX_HOST_CONNECTIONS, (long)open);
    uint64_t time = 0, blocks = 0, changes = 0;
    // What is done once is left out: connections are opened first.
    for (int isMeasured = 0; isMeasured <= 1; isMeasured++) {
        time = processor();
        blocks = allocations();
        changes = switches();
        long number = isMeasured ? calls : 20 * open;
        if (open == 1) one_by_one(handles[0], &answers[0], number); else together(all, handles, open, number);
    }
    time = processor() - time;
    blocks = allocations() - blocks;
    changes = switches() - changes;
    printf("%.3f %.2f 0 %.2f\n", (double)time / (double)calls, (double)blocks / (double)calls,
        (double)changes / (double)calls);
    return 0;
}
