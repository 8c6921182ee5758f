/* A scheduler that answers lines: journal, keys, snapshots; no sockets. */
#ifndef BERTH_SERVICE_SERVICE_H
#define BERTH_SERVICE_SERVICE_H

#include <berth_io.h>

typedef struct berth__service berth__service;

/* An empty cluster, or what the state directory holds. Borrows the instance and what options point to. Errors as of
 * berth_serve. */
berth_status berth__service_new(const berth_instance *instance, const berth_serve_options *options,
                                berth__service **out, berth_error *error);
void berth__service_free(berth__service *service);

/* A line and its reply, a line with its line break (berth__free it). */
typedef struct berth__request {
    const char *line; /* without line break */
    size_t length;
    char *reply;
} berth__request;

/* Answers lines in order, those that change the state with one fsync before the first is carried out. Fails if the
 * server has to stop: then no reply counts. */
berth_status berth__service_answer(berth__service *service, size_t n, berth__request *requests, berth_error *error);
/* Takes a snapshot if it is time to. What goes wrong is logged and tried again later. */
void berth__service_tidy(berth__service *service);
/* An event has asked for the end. */
bool berth__service_stopping(const berth__service *service);
/* A last snapshot if anything has happened since the one before, and a line of the log on what a shadow has seen.
 * E_IO: no snapshot could be kept; the journal has all of it. */
berth_status berth__service_close(berth__service *service, berth_error *error);
/* The reply to something that is no event; berth__free it. NULL: out of memory. */
char *berth__service_refuse(const berth__service *service, const berth_error *why);

#endif
