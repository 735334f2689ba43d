// libcurl's side of the call benchmark.
//
//     call URL FOLDER CALLS OPEN      calls, so many of them open at a time; prints what one has cost
//     new URL FOLDER CALLS OPEN       the same, where the server closes the connection after each answer; no session is resumed
//     idle URL FOLDER CONNECTIONS     prints what an idle connection costs
//
// It sends the bytes that Signet sends, over as many connections, and keeps the answer in memory without reading its XML.
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CallCounters.h"

struct bytes {
    char *start;
    size_t count, room;
};

static struct bytes message;
static struct curl_slist *fields;
static char folder[512];
static long resumes = 1;

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
    curl_easy_setopt(call, CURLOPT_SSL_SESSIONID_CACHE, resumes);
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

static void run(CURLM *all, CURL **handles, struct bytes *answers, int open, long calls) {
    if (open == 1) one_by_one(handles[0], &answers[0], calls); else together(all, handles, open, calls);
}

int main(int count, char **arguments) {
    const char *command = count > 4 ? arguments[1] : "";
    const int idle = strcmp(command, "idle") == 0;
    if (!(idle && count == 5) && !((strcmp(command, "call") == 0 || strcmp(command, "new") == 0) && count == 6))
        stop("usage: call|new URL FOLDER CALLS OPEN, or idle URL FOLDER CONNECTIONS");
    snprintf(folder, sizeof folder, "%s", arguments[3]);
    const long calls = atol(arguments[4]);
    const int open = atoi(arguments[idle ? 4 : 5]);
    if (calls < 1 || open < 1) stop("CALLS, OPEN and CONNECTIONS are numbers from 1");
    resumes = strcmp(command, "new") != 0;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    read_message();
    fields = curl_slist_append(NULL, "Content-Type: text/xml; charset=utf-8");
    fields = curl_slist_append(fields, "SOAPAction: \"\"");
    fields = curl_slist_append(fields, "Expect:");
    struct bytes *answers = calloc((size_t)open, sizeof *answers);
    CURL **handles = calloc((size_t)open, sizeof *handles);
    CURLM *all = curl_multi_init();
    if (answers == NULL || handles == NULL || all == NULL) stop("no memory");
    curl_multi_setopt(all, CURLMOPT_MAXCONNECTS, (long)open);
    curl_multi_setopt(all, CURLMOPT_MAX_HOST_CONNECTIONS, (long)open);
    for (int index = 0; index < (idle ? 1 : open); index++) handles[index] = prepare(arguments[2], &answers[index]);
    if (idle) {
        together(all, handles, 1, 1);
        const int64_t one = resident_memory();
        curl_easy_setopt(handles[0], CURLOPT_FRESH_CONNECT, 1L);
        if (open > 1) together(all, handles, 1, open - 1);
        if (print_idle_cost(one, open) != 0) stop("not all connections are open");
        return 0;
    }
    // What is done once is left out: connections are opened first.
    run(all, handles, answers, open, 20 * open);
    const struct CallCounters before = call_counters();
    run(all, handles, answers, open, calls);
    print_cost(before, call_counters(), (uint64_t)calls);
    return 0;
}
