/*
 * Preloaded into a server with LD_PRELOAD. Records every call that changes something below DISK_ROOT, and the server's
 * output on stdout, in order. Can also fail a chosen call, or end the process there. DISK_ARM names a file with
 * "number fault [end of path]". Calls are counted from the moment the file exists.
 * A record is a line "call, path, number, length", separated by tabs, followed by `length` bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *arm, *boot_id;
static int journal = -1;
static long strike_at, calls;
static int full_from_now;
static char fault[16], only[64];

__attribute__((constructor)) static void begin(void) {
  root = getenv("DISK_ROOT");
  arm = getenv("DISK_ARM");
  boot_id = getenv("DISK_BOOT_ID");
  const char *path = getenv("DISK_JOURNAL");
  if (root && path) journal = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int is_below(const char *path) {
  size_t length = root ? strlen(root) : 0;
  return journal >= 0 && strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int path_of(int fd, char *path) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = journal < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

static void note(const char *call, const char *path, long long number, const void *data, size_t length) {
  char head[PATH_MAX + 80];
  int size = snprintf(head, sizeof head, "%s\t%s\t%lld\t%zu\n", call, path, number, length);
  struct iovec parts[] = {{head, size}, {(void *)data, length}};
  if (syscall(SYS_writev, journal, parts, length ? 2 : 1) != (long)(size + length)) abort();
}

/* Reads the order at the first call after it was given. */
static void look_for_order(void) {
  if (strike_at || !arm) return;
  int file = syscall(SYS_openat, AT_FDCWD, arm, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char order[128] = {0};
  if (syscall(SYS_read, file, order, sizeof order - 1) > 0) sscanf(order, "%ld %15s %63s", &strike_at, fault, only);
  syscall(SYS_close, file);
  note("armed", "", 0, 0, 0);
}

/* Returns the fault for this call, if it is the chosen one. */
static const char *turn(const char *call, const char *path) {
  look_for_order();
  if (full_from_now && (strstr(call, "write"))) return "ENOSPC";
  size_t length = strlen(path), end = strlen(only);
  if (!strike_at || length < end || strcmp(path + length - end, only) != 0 || ++calls != strike_at) return 0;
  note("struck", path, calls, 0, 0);
  if (strcmp(fault, "crash") == 0) kill(getpid(), SIGKILL);
  return fault;
}

static int error_of(const char *struck) {
  if (struck && strcmp(struck, "EIO") == 0) return EIO;
  return struck && strcmp(struck, "ENOSPC") == 0 ? ENOSPC : 0;
}

#define LOCKED(body) { pthread_mutex_lock(&one_at_a_time); int saved = errno; body; saved = errno; \
  pthread_mutex_unlock(&one_at_a_time); errno = saved; }

#define FAIL_IF_STRUCK(call, path) { int code = error_of(turn(call, path)); if (code) { result = -1; errno = code; goto done; } }

static ssize_t write_at(int fd, const void *data, size_t length, off64_t at, int positioned) {
  ssize_t (*real_write)(int, const void *, size_t) = REAL(ssize_t, "write", int, const void *, size_t);
  ssize_t (*real_pwrite)(int, const void *, size_t, off64_t) = REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  char path[PATH_MAX];
  ssize_t result = 0;
  int ours = path_of(fd, path);
  if (!ours && !(fd == 1 && journal >= 0)) return positioned ? real_pwrite(fd, data, length, at) : real_write(fd, data, length);
  LOCKED({
    if (fd == 1) {
      note("said", "", 0, data, length);
      result = real_write(fd, data, length);
      goto done;
    }
    const char *struck = turn("write", path);
    int code = error_of(struck);
    if (code) { result = -1; errno = code; goto done; }
    if (struck && length > 1) { length = length / 2; full_from_now = 1; }
    struct stat file;
    off64_t where = positioned ? at : fcntl(fd, F_GETFL) & O_APPEND && fstat(fd, &file) == 0 ? file.st_size : lseek64(fd, 0, SEEK_CUR);
    result = positioned ? real_pwrite(fd, data, length, at) : real_write(fd, data, length);
    if (result > 0) note("write", path, where, data, result);
    if (struck && strcmp(struck, "torn") == 0) kill(getpid(), SIGKILL);
    done:;
  })
  return result;
}

ssize_t write(int fd, const void *data, size_t length) { return write_at(fd, data, length, 0, 0); }
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) { return write_at(fd, data, length, at, 1); }
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return write_at(fd, data, length, at, 1); }

/* Not used for our files. Output on stdout may arrive in pieces. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t result;
  if (fd == 1 && journal >= 0) LOCKED({ for (int n = 0; n < count; n++) note("said", "", 0, parts[n].iov_base, parts[n].iov_len); })
  char path[PATH_MAX];
  if (path_of(fd, path)) abort();
  result = REAL(ssize_t, "writev", int, const struct iovec *, int)(fd, parts, count);
  return result;
}

static int open_file(const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = REAL(int, "open64", const char *, int, ...);
  if (boot_id && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) return real(boot_id, flags, mode);
  if (!is_below(path) || (flags & O_ACCMODE) == O_RDONLY) return real(path, flags, mode);
  int result;
  LOCKED({
    struct stat file;
    int is_new = stat(path, &file) != 0;
    FAIL_IF_STRUCK("open", path)
    result = real(path, flags, mode);
    if (result >= 0) note(is_new ? "create" : flags & O_TRUNC ? "empty" : "open", path, 0, 0, 0);
    done:;
  })
  return result;
}

static mode_t mode_from(int flags, va_list rest) { return flags & O_CREAT ? va_arg(rest, mode_t) : 0; }
int open64(const char *path, int flags, ...) {
  va_list rest; va_start(rest, flags); mode_t mode = mode_from(flags, rest); va_end(rest);
  return open_file(path, flags, mode);
}
int open(const char *path, int flags, ...) {
  va_list rest; va_start(rest, flags); mode_t mode = mode_from(flags, rest); va_end(rest);
  return open_file(path, flags, mode);
}

static int on_descriptor(const char *call, const char *real_name, int fd, long long number, int takes_number) {
  char path[PATH_MAX];
  int ours = path_of(fd, path);
  int result;
  if (!ours) return takes_number ? REAL(int, real_name, int, off64_t)(fd, number) : REAL(int, real_name, int)(fd);
  LOCKED({
    FAIL_IF_STRUCK(call, path)
    result = takes_number ? REAL(int, real_name, int, off64_t)(fd, number) : REAL(int, real_name, int)(fd);
    if (result == 0) note(call, path, number, 0, 0);
    done:;
  })
  return result;
}

int fsync(int fd) { return on_descriptor("sync", "fsync", fd, 0, 0); }
int fdatasync(int fd) { return on_descriptor("sync", "fdatasync", fd, 0, 0); }
int ftruncate64(int fd, off64_t length) { return on_descriptor("truncate", "ftruncate64", fd, length, 1); }
int ftruncate(int fd, off_t length) { return on_descriptor("truncate", "ftruncate64", fd, length, 1); }

static int on_path(const char *call, const char *path, int (*real)(const char *)) {
  int result;
  if (!is_below(path)) return real(path);
  LOCKED({
    FAIL_IF_STRUCK(call, path)
    result = real(path);
    if (result == 0) note(call, path, 0, 0, 0);
    done:;
  })
  return result;
}

int unlink(const char *path) { return on_path("unlink", path, REAL(int, "unlink", const char *)); }
int rmdir(const char *path) { return on_path("rmdir", path, REAL(int, "rmdir", const char *)); }

int mkdir(const char *path, mode_t mode) {
  int result;
  int (*real)(const char *, mode_t) = REAL(int, "mkdir", const char *, mode_t);
  if (!is_below(path)) return real(path, mode);
  LOCKED({
    FAIL_IF_STRUCK("mkdir", path)
    result = real(path, mode);
    if (result == 0) note("mkdir", path, 0, 0, 0);
    done:;
  })
  return result;
}

typedef int (*two_paths)(const char *, const char *);

static int on_paths(const char *call, const char *from, const char *to, two_paths real) {
  int result;
  if (!is_below(from)) return real(from, to);
  LOCKED({
    FAIL_IF_STRUCK(call, from)
    result = real(from, to);
    if (result == 0) note(call, from, 0, to, strlen(to));
    done:;
  })
  return result;
}

int rename(const char *from, const char *to) { return on_paths("rename", from, to, (two_paths)dlsym(RTLD_NEXT, "rename")); }
int link(const char *from, const char *to) { return on_paths("link", from, to, (two_paths)dlsym(RTLD_NEXT, "link")); }
