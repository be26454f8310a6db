/* An environment for mees in C: a point on a plane that is pushed in x and y.
   cc -O2 -o point point.c -lm, then [domain] name = "process", command = ["./point"].
   The protocol is described in docs/process-domain.md; numbers are little-endian. */
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HELLO = 1, RESET, STEP, END, RENDER, CLOSE, FAILURE };
enum { MOST_EPISODES = 10000, REQUESTS = 3, REPLIES = 4 };

typedef struct {
    double x, y, vx, vy;
} Point;

static Point points[MOST_EPISODES]; /* one per episode that runs at the same time */
static unsigned char request[1 << 20], reply[1 << 20];
static uint32_t replied;

/* Looks for a request for 50 us before this process sleeps, because waking it takes half as long. */
static void look_for_request(void)
{
    struct timespec from, now;
    struct pollfd requests = {.fd = REQUESTS, .events = POLLIN};
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        if (poll(&requests, 1, 0) != 0)
            return;
        sched_yield(); /* others may want the core */
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 50000);
}

static void read_all(void* data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(REQUESTS, (char*)data + done, size - done);
        if (count <= 0)
            exit(0); /* mees has ended */
        done += (size_t)count;
    }
}

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

static void send_reply(uint32_t kind)
{
    memcpy(reply, &kind, 4);
    memcpy(reply + 4, &replied, 4);
    for (size_t done = 0; done < 8 + replied;) {
        ssize_t count = write(REPLIES, reply + done, 8 + replied - done);
        if (count <= 0)
            exit(1);
        done += (size_t)count;
    }
}

static void say_hello(void)
{
    uint32_t damages;
    uint64_t steps; /* of an episode; 0: what this environment prefers */
    memcpy(&steps, request + 8, 8);
    memcpy(&damages, request + 16, 4);
    if (damages > 0) {
        put_u32(1); /* damage is refused */
        put_text("a point cannot be damaged");
        send_reply(FAILURE);
        exit(1);
    }
    put_u32(1); /* version */
    put_u32(0); /* flags: no images, fitness is the sum of rewards */
    put_u32(4); /* observations */
    put_u32(2); /* actions */
    put_u32(2); /* reward terms */
    put_u32(2); /* BC dimensions */
    put_u64(steps > 0 ? steps : 50);
    put_f64(0.1); /* seconds per control step */
    put_text("forward");
    put_text("effort");
    put_text("final_x");
    put_text("final_y");
    for (int axis = 0; axis < 2; ++axis) {
        put_f64(-5); /* the map's default bounds and cells on this axis */
        put_f64(5);
        put_u64(20);
    }
}

static void observe(Point const* p) { put(p, sizeof *p); }

static void reset(Point* p, uint32_t seed)
{
    uint64_t bits = (seed + 1) * 0x9E3779B97F4A7C15u; /* everything must follow from the seed */
    p->x = (double)(bits >> 40) / (1 << 24) - 0.5;
    p->y = (double)(bits >> 16 & 0xFFFFFF) / (1 << 24) - 0.5;
    p->vx = p->vy = 0;
}

static void step(Point* p, double const* action)
{
    double before = p->x;
    p->vx = 0.9 * p->vx + 0.5 * action[0];
    p->vy = 0.9 * p->vy + 0.5 * action[1];
    p->x += 0.1 * p->vx;
    p->y += 0.1 * p->vy;
    observe(p);
    put_f64((p->x - before) / 0.1);
    put_f64(-0.05 * (action[0] * action[0] + action[1] * action[1]));
    put_u64(fabs(p->x) > 10 || fabs(p->y) > 10); /* has the episode ended? */
}

int main(void)
{
    for (;;) {
        uint32_t header[2], slot, seed; /* kind and size; then the payload */
        look_for_request();
        read_all(header, sizeof header);
        if (header[0] == CLOSE || header[1] > sizeof request)
            return 0;
        read_all(request, header[1]);
        replied = 0;
        memcpy(&slot, request, 4); /* of what is asked, which of the episodes it concerns */
        if (header[0] == HELLO) {
            say_hello();
        } else if (header[0] == RESET) {
            memcpy(&seed, request + 4, 4);
            reset(&points[slot], seed);
            observe(&points[slot]);
        } else if (header[0] == STEP) { /* for each episode: its slot, 4 bytes of 0, the action */
            for (uint32_t at = 0; at < header[1]; at += 8 + 2 * 8) {
                double action[2];
                memcpy(&slot, request + at, 4);
                memcpy(action, request + at + 8, sizeof action);
                step(&points[slot], action);
            }
        } else if (header[0] == END) {
            put_f64(points[slot].x);
            put_f64(points[slot].y);
        }
        send_reply(header[0]);
    }
}
