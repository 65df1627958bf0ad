/* Preloaded into the processes of scripts/torture: makes calls fail that name a file or
 * descriptor under FAULTY_UNDER, shifts the clock, and deafens or floods inotify, all by a
 * switch that lies in a shared file (FAULTY_SWITCH) and can be turned while they run. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The order of the fields is that of torture.d/switch.py. */
struct turn {
    int64_t clock;    /* seconds added to the time of day */
    int64_t often;    /* of a million calls, how many fail */
    int64_t error;    /* with this errno */
    int64_t deaf;     /* inotify takes no new watch */
    int64_t overflow; /* what inotify says is that it lost events */
};

static struct turn quiet, *turn = &quiet;
static const char *under;
static size_t length;
static uint64_t dice;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }
#define REAL(result, name, ...) \
    static result (*call)(__VA_ARGS__); \
    if (!call) call = real(name)

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTY_SWITCH");
    under = getenv("FAULTY_UNDER");
    length = under ? strlen(under) : 0;
    dice = (uint64_t)getpid() * 0x9E3779B97F4A7C15u + (uint64_t)clock();
    int fd = path && length ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *found = mmap(0, sizeof quiet, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (found != MAP_FAILED) turn = found;
}

static int drawn(void) {
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (int64_t)(dice % 1000000) < turn->often;
}

static int fails(const char *path) {
    if (!turn->often || !path || strncmp(path, under, length) || !drawn()) return 0;
    errno = (int)turn->error;
    return 1;
}

static int fd_fails(int fd) {
    char link[32], path[4096];
    if (!turn->often) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return fails(path);
}

static int at_fails(int folder, const char *path) {
    return path && *path != '/' && folder != AT_FDCWD ? fd_fails(folder) : fails(path);
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more); \
        return fails(path) ? -1 : call(path, flags, mode); \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        REAL(int, #name, int, const char *, int, ...); \
        va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more); \
        return at_fails(folder, path) ? -1 : call(folder, path, flags, mode); \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

#define WRITES(name, offset) \
    ssize_t name(int fd, const void *data, size_t size, offset at) { \
        REAL(ssize_t, #name, int, const void *, size_t, offset); \
        return fd_fails(fd) ? -1 : call(fd, data, size, at); \
    }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (fd > 2 && fd_fails(fd)) {
        /* Half of it gets there, as on a disk that fills up. */
        return size > 1 && turn->error == ENOSPC && drawn() ? call(fd, data, size / 2) : -1;
    }
    return call(fd, data, size);
}

ssize_t pread(int fd, void *data, size_t size, off_t at) {
    REAL(ssize_t, "pread", int, void *, size_t, off_t);
    return fd_fails(fd) ? -1 : call(fd, data, size, at);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
    return fd_fails(fd) ? -1 : call(fd, data, size, at);
}

static int rings(int fd) {
    char link[32], path[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    return size > 0 && (path[size] = 0, strstr(path, "inotify") != 0);
}

ssize_t read(int fd, void *data, size_t size) {
    REAL(ssize_t, "read", int, void *, size_t);
    if (turn->overflow && size >= sizeof(struct inotify_event) && rings(fd)) {
        ssize_t got = call(fd, data, size);
        struct inotify_event lost = {.wd = -1, .mask = IN_Q_OVERFLOW};
        if (got <= 0) return got;
        memcpy(data, &lost, sizeof lost);
        return sizeof lost;
    }
    return fd > 2 && fd_fails(fd) ? -1 : call(fd, data, size);
}

int inotify_add_watch(int fd, const char *path, uint32_t mask) {
    REAL(int, "inotify_add_watch", int, const char *, uint32_t);
    if (turn->deaf) return errno = ENOSPC, -1;
    return call(fd, path, mask);
}

#define ON_FD(name) \
    int name(int fd) { REAL(int, #name, int); return fd_fails(fd) ? -1 : call(fd); }
ON_FD(fsync)
ON_FD(fdatasync)

#define ON_PATH(name) \
    int name(const char *path) { \
        REAL(int, #name, const char *); return fails(path) ? -1 : call(path); }
ON_PATH(unlink)
ON_PATH(rmdir)

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    return fails(path) ? -1 : call(path, mode);
}

#define ON_TWO(name) \
    int name(const char *from, const char *to) { \
        REAL(int, #name, const char *, const char *); \
        return fails(to) ? -1 : call(from, to); \
    }
ON_TWO(rename)
ON_TWO(link)

int renameat(int a, const char *from, int b, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    return at_fails(b, to) ? -1 : call(a, from, b, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return at_fails(b, to) ? -1 : call(a, from, b, to, flags);
}

DIR *opendir(const char *path) {
    REAL(DIR *, "opendir", const char *);
    return fails(path) ? 0 : call(path);
}

int clock_gettime(clockid_t which, struct timespec *time) {
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    int code = call(which, time);
    if (!code && which == CLOCK_REALTIME) time->tv_sec += turn->clock;
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    REAL(int, "gettimeofday", struct timeval *, void *);
    int code = call(now, zone);
    if (!code) now->tv_sec += turn->clock;
    return code;
}

time_t time(time_t *to) {
    REAL(time_t, "time", time_t *);
    time_t now = call(0) + turn->clock;
    if (to) *to = now;
    return now;
}
