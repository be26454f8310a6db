/* An environment that misbehaves as its first argument says: one observation, one action, one
   reward term "alive", one BC "steps". It counts control steps; the second argument is the step of
   the third episode at which it happens. With a third argument it happens once, when it can make
   that file, and in the fifth episode: after those with which mees_master looks at it. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELLO = 1, RESET, STEP, END, RENDER, CLOSE };

static char const* fault;
static unsigned char request[1 << 16], reply[1 << 16];
static uint32_t replied;

static void put(void const* data, uint32_t size)
{
    memcpy(reply + 8 + replied, data, size);
    replied += size;
}
static void put_u32(uint32_t value) { put(&value, 4); }
static void put_u64(uint64_t value) { put(&value, 8); }
static void put_f64(double value) { put(&value, 8); }
static void put_text(char const* text)
{
    put_u32((uint32_t)strlen(text));
    put(text, (uint32_t)strlen(text));
}

static void read_all(void* data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(3, (char*)data + done, size - done);
        if (count <= 0)
            exit(0);
        done += (size_t)count;
    }
}

static void hello(void)
{
    if (strcmp(fault, "dies-at-start") == 0) {
        fprintf(stderr, "no licence for the simulator\n");
        exit(9);
    }
    put_u32(strcmp(fault, "version") == 0 ? 2 : 1);
    put_u32(0);
    put_u32(1);
    put_u32(1);
    put_u32(1);
    put_u32(1);
    put_u64(20);
    put_f64(0.1);
    put_text("alive");
    put_text("steps");
    put_f64(0);
    put_f64(30);
    put_u64(10);
}

/* Starts processes that would stay: one in this group, one that has left it, and, if asked for,
   one that has left its environment variables behind, too. */
static void start_children(char const* program, int kinds)
{
    for (int kind = 0; kind < kinds; ++kind) {
        if (fork() == 0) {
            if (kind > 0) {
                setsid();
                if (fork() != 0)
                    _exit(0);
            }
            if (kind == 2) {
                char* nothing[] = {NULL};
                execle(program, program, "stays", (char*)NULL, nothing);
                _exit(1);
            }
            signal(SIGTERM, SIG_IGN);
            signal(SIGHUP, SIG_IGN);
            for (;;)
                pause();
        }
    }
}

static void misbehave(double* observation, double* reward)
{
    if (strcmp(fault, "dies") == 0) {
        fprintf(stderr, "first line\nthe motor exploded\n");
        exit(7);
    } else if (strcmp(fault, "crashes") == 0) {
        raise(SIGSEGV);
    } else if (strcmp(fault, "hangs") == 0) {
        fprintf(stderr, "waiting for Godot\n");
        for (;;)
            pause();
    } else if (strcmp(fault, "garbage") == 0) {
        (void)!write(4, "Hello, world! This is not a reply.", 34);
    } else if (strcmp(fault, "nan") == 0) {
        *observation = NAN;
    } else if (strcmp(fault, "infinite-reward") == 0) {
        *reward = INFINITY;
    } else if (strcmp(fault, "size") == 0) {
        put_f64(0);
    }
}

int main(int argc, char** argv)
{
    int episode = 0, steps = 0;
    int at = argc > 2 ? atoi(argv[2]) : 5;
    char const* once = argc > 3 ? argv[3] : NULL;
    fault = argc > 1 ? argv[1] : "none";
    if (strcmp(fault, "stays") == 0)
        for (;;)
            pause();
    if (strcmp(fault, "children") == 0)
        start_children(argv[0], 3);
    else if (strcmp(fault, "marked-children") == 0)
        start_children(argv[0], 2);
    for (;;) {
        uint32_t header[2];
        read_all(header, sizeof header);
        if (header[0] == CLOSE)
            return 0;
        read_all(request, header[1]);
        replied = 0;
        if (header[0] == HELLO) {
            hello();
        } else if (header[0] == RESET) {
            ++episode;
            steps = 0;
            put_f64(0);
        } else if (header[0] == STEP) {
            double observation = ++steps, reward = 1;
            if (episode >= (once ? 5 : 3) && steps == at
                && (!once || open(once, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0))
                misbehave(&observation, &reward);
            if (strcmp(fault, "prints") == 0)
                printf("step %d of episode %d\n", steps, episode), fflush(stdout);
            put_f64(observation);
            put_f64(reward);
            put_u64(0);
        } else if (header[0] == END) {
            put_f64(steps);
        }
        memcpy(reply, header, 4);
        memcpy(reply + 4, &replied, 4);
        (void)!write(4, reply, 8 + replied);
    }
}
