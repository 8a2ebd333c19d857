/* Shuts down an ext4 file system like a power cut: nothing more reaches its disk, not even the journal. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

#define EXT4_IOC_SHUTDOWN _IOR('X', 125, unsigned int)
#define WITHOUT_FLUSHING_THE_LOG 2

int main(int count, char **arguments) {
  unsigned int how = WITHOUT_FLUSHING_THE_LOG;
  int folder = count == 2 ? open(arguments[1], O_RDONLY) : -1;
  if (folder >= 0 && ioctl(folder, EXT4_IOC_SHUTDOWN, &how) == 0) return 0;
  perror("shutdown");
  return 1;
}
