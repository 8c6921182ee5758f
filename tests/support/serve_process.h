/* berth serve as a process, and clients of its. BERTH_PROGRAM names the program. */
#ifndef BERTH_TESTS_SERVE_PROCESS_H
#define BERTH_TESTS_SERVE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SERVE_ROOM = 1 << 20 };

/* One end of a conversation. */
typedef struct serve_client {
    int in, out; /* descriptors to read from and to write to; of a socket the same */
    size_t length;
    char *text; /* [SERVE_ROOM] read, not taken yet */
    char *line; /* [SERVE_ROOM] taken last */
} serve_client;

typedef struct serve_process {
    pid_t pid;
    serve_client standard; /* its standard input and output */
    char errors[64];       /* file with its standard error */
} serve_process;

typedef struct serve_setting {
    const char *const *arguments; /* NULL-terminated, behind "berth serve" */
    long most_bytes;              /* of a file that it writes; 0: no limit */
    bool nobody;                  /* as a user who is not root, if we are */
} serve_setting;

/* Its standard error goes to the file `errors`. */
void serve_start(serve_process *process, const serve_setting *setting, const char *errors);
/* Waits for its end; its exit code, or 128 + the signal that killed it. Closes its descriptors. */
int serve_wait(serve_process *process);
/* Lifts the limit on files while it runs. */
void serve_lift_limit(const serve_process *process);

/* Connects, waiting up to ten seconds for somebody to listen. */
void serve_connect(serve_client *client, const char *path);
void serve_disconnect(serve_client *client);
/* False: nobody is there any more. */
bool serve_send(const serve_client *client, const char *line);
/* The next line without its line break, valid until the next call; NULL: there are no more. Fails the test after a
 * minute of silence. */
const char *serve_receive(serve_client *client);
/* Sends and receives; the test fails if there is no reply. */
const char *serve_ask(serve_client *client, const char *line);

#endif
