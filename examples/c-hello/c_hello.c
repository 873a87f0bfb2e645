/* A plugin in C: CHello answers at once, CWait from a thread of its own.
 *
 * Read from the bottom up: the entry fills the table, registration offers the tools, call_start runs
 * one. All state hangs off the instance, because a host may enter one library many times. No lock is
 * held while the host is called, since the host may call back before it returns.
 */
#define _POSIX_C_SOURCE 200809L

#include "elowen_plugin.h"
#include "json.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define MOST_MS 60000 /* the longest wait a caller may ask for; its schema says so too */
#define STEP_MS 100   /* between two progress updates */

#ifdef __APPLE__
#define WAIT_CLOCK CLOCK_REALTIME /* the only clock its condition variables know */
#else
#define WAIT_CLOCK CLOCK_MONOTONIC
#endif

ELW_BLOB(blob, "{\"plugin\":{\"name\":\"c-hello\",\"version\":\"1.0.0\"},\"tools\":[\"CHello\",\"CWait\"],"
               "\"sdk\":\"C\",\"panic\":\"unwind\"}");

enum { HELLO = 1, WAIT = 2 }; /* our numbers for the tools */

static const char hello_definition[] =
    "{\"name\":\"CHello\",\"label\":\"C hello\",\"description\":\"Returns the supplied text.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"string\","
    "\"description\":\"The text to return.\"}},\"required\":[\"value\"]}}";

static const char wait_definition[] =
    "{\"name\":\"CWait\",\"label\":\"C wait\",\"description\":\"Waits, and reports how far it has come.\","
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"milliseconds\":{\"type\":\"integer\","
    "\"description\":\"How long to wait.\",\"minimum\":0,\"maximum\":60000}},\"required\":[\"milliseconds\"]}}";

typedef struct instance instance;

/* One running CWait, and the handle of its call. Freed when the host has released it and its thread
 * is joined, whichever is last. All fields but the first four are guarded by instance.lock. */
typedef struct wait {
  instance *self;
  uint64_t operation;
  long milliseconds;
  pthread_t thread;
  int cancelled, released, finished, joined;
  struct wait *next;
} wait;

struct instance {
  const elw_host *host;
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a wait was cancelled or has finished */
  wait *waits;            /* those not joined yet */
};

static elw_slice slice(const void *bytes, size_t len) {
  elw_slice s;
  s.ptr = (const uint8_t *)bytes;
  s.len = len;
  return s;
}

static elw_slice text(const char *literal) { return slice(literal, strlen(literal)); }

/* ---- answers ---- */

static void free_body(void *ctx, uint8_t *ptr, size_t len) {
  (void)ctx, (void)len;
  free(ptr);
}

/* Completes `operation`; the body's memory becomes the host's, which calls free_body when done. */
static void complete(instance *self, uint64_t operation, uint32_t kind, json_text body) {
  static const char no_memory[] = "{\"message\":\"out of memory\"}";
  elw_completion completion;
  memset(&completion, 0, sizeof completion);
  completion.struct_size = sizeof completion;
  completion.kind = kind;
  completion.body.ptr = body.ptr;
  completion.body.len = body.len;
  completion.body.drop = free_body;
  if (body.failed) {
    free(body.ptr);
    completion.kind = ELW_FAULT;
    completion.body.ptr = (uint8_t *)no_memory; /* static: nothing to free, and nobody writes to it */
    completion.body.len = sizeof no_memory - 1;
    completion.body.drop = NULL;
  }
  self->host->complete(self->host->ctx, operation, &completion);
}

/* The JSON of a result that is one text. */
static json_text result(const uint8_t *bytes, size_t len) {
  json_text body = {NULL, 0, 0, 0};
  json_puts(&body, "{\"content\":[{\"type\":\"text\",\"text\":");
  json_put_string(&body, bytes, len);
  json_puts(&body, "}],\"details\":{}}");
  return body;
}

/* An answer from which the model can learn what to do differently is a result, not a failure. */
static void answer(instance *self, uint64_t operation, const char *literal) {
  complete(self, operation, ELW_DONE, result((const uint8_t *)literal, strlen(literal)));
}

static void fault(instance *self, uint64_t operation, const char *message) {
  json_text body = {NULL, 0, 0, 0};
  json_puts(&body, "{\"message\":");
  json_put_string(&body, (const uint8_t *)message, strlen(message));
  json_puts(&body, "}");
  complete(self, operation, ELW_FAULT, body);
}

/* ---- CHello ---- */

static void hello(instance *self, const elw_call *call, json_input arguments) {
  json_text value = {NULL, 0, 0, 0};
  json_input found;
  if (!json_property(arguments, "value", &found)) {
    answer(self, call->operation, "the arguments must be a JSON object");
  } else if (!json_as_string(found, &value)) {
    answer(self, call->operation, "value must be a string");
  } else {
    json_text body = result(value.ptr, value.len);
    body.failed |= value.failed;
    complete(self, call->operation, ELW_DONE, body);
  }
  free(value.ptr);
}

/* ---- CWait ---- */

static struct timespec after_ms(uint64_t ms) {
  struct timespec t;
  clock_gettime(WAIT_CLOCK, &t);
  t.tv_sec += (time_t)(ms / 1000);
  t.tv_nsec += (long)(ms % 1000) * 1000000L;
  if (t.tv_nsec >= 1000000000L) t.tv_sec++, t.tv_nsec -= 1000000000L;
  return t;
}

/* Sleeps until `until` or until the wait is cancelled, and says whether it is. */
static int sleep_until(wait *w, const struct timespec *until) {
  int cancelled, error = 0;
  pthread_mutex_lock(&w->self->lock);
  while (!w->cancelled && error == 0) error = pthread_cond_timedwait(&w->self->changed, &w->self->lock, until);
  cancelled = w->cancelled;
  pthread_mutex_unlock(&w->self->lock);
  return cancelled || w->self->host->is_cancelled(w->self->host->ctx, w->operation);
}

static void *wait_thread(void *argument) {
  wait *w = (wait *)argument;
  const elw_host *host = w->self->host;
  long waited = 0;
  int cancelled = 0;
  char line[64];
  while (waited < w->milliseconds && !cancelled) {
    long step = w->milliseconds - waited < STEP_MS ? w->milliseconds - waited : STEP_MS;
    struct timespec until = after_ms((uint64_t)step);
    json_text update;
    cancelled = sleep_until(w, &until);
    if (cancelled) break;
    waited += step;
    snprintf(line, sizeof line, "waited %ld of %ld ms", waited, w->milliseconds);
    update = result((const uint8_t *)line, strlen(line));
    if (!update.failed)
      cancelled = host->progress(host->ctx, w->operation, slice(update.ptr, update.len)) == ELW_ERR_CLOSED;
    free(update.ptr); /* a slice is only lent */
  }
  if (cancelled) {
    json_text nothing = {NULL, 0, 0, 0};
    complete(w->self, w->operation, ELW_CANCELLED, nothing);
  } else {
    snprintf(line, sizeof line, "waited %ld ms", w->milliseconds);
    answer(w->self, w->operation, line);
  }
  pthread_mutex_lock(&w->self->lock);
  w->finished = 1;
  pthread_cond_broadcast(&w->self->changed);
  pthread_mutex_unlock(&w->self->lock);
  return NULL;
}

/* Joins the threads that have finished and frees what nobody needs. The lock is held; such a thread
 * has let go of it for good, so joining takes no time. */
static void reap(instance *self) {
  wait **link = &self->waits;
  while (*link) {
    wait *w = *link;
    if (!w->finished) {
      link = &w->next;
      continue;
    }
    pthread_join(w->thread, NULL);
    *link = w->next;
    w->joined = 1;
    if (w->released) free(w);
  }
}

static void *start_wait(instance *self, const elw_call *call, json_input arguments) {
  json_input found;
  long milliseconds;
  wait *w;
  int error;
  if (!json_property(arguments, "milliseconds", &found)) {
    answer(self, call->operation, "the arguments must be a JSON object");
    return NULL;
  }
  if (!json_as_number(found, MOST_MS, &milliseconds)) {
    answer(self, call->operation, "milliseconds must be a whole number of 0 to 60000");
    return NULL;
  }
  w = (wait *)calloc(1, sizeof *w);
  if (!w) {
    fault(self, call->operation, "out of memory");
    return NULL;
  }
  w->self = self;
  w->operation = call->operation;
  w->milliseconds = milliseconds;
  pthread_mutex_lock(&self->lock); /* nobody may join the thread before its number is known */
  reap(self);
  error = pthread_create(&w->thread, NULL, wait_thread, w);
  if (!error) {
    w->next = self->waits;
    self->waits = w;
  }
  pthread_mutex_unlock(&self->lock);
  if (!error) return w;
  free(w);
  fault(self, call->operation, "no thread could be started");
  return NULL;
}

/* ---- what the host calls ---- */

static void *plugin_register(void *ctx, uint64_t operation) {
  instance *self = (instance *)ctx;
  const elw_host *host = self->host;
  json_text nothing = {NULL, 0, 0, 0};
  elw_tool tool;
  elw_status first, second;
  memset(&tool, 0, sizeof tool);
  tool.struct_size = sizeof tool;
  tool.tool = HELLO;
  tool.run = ELW_RUN_INLINE;
  tool.definition = text(hello_definition);
  first = host->register_tool(host->ctx, operation, &tool);
  tool.tool = WAIT;
  tool.definition = text(wait_definition);
  second = host->register_tool(host->ctx, operation, &tool);
  if (host->log_enabled(host->ctx, ELW_LOG_INFO)) {
    elw_log_record record;
    memset(&record, 0, sizeof record);
    record.struct_size = sizeof record;
    record.level = ELW_LOG_INFO;
    record.operation = operation;
    record.target = text("c_hello");
    record.message = text("c-hello is ready");
    host->log(host->ctx, &record);
  }
  /* A tool that the platform's rules refuse is no failure of ours. */
  if ((first == ELW_OK || first == ELW_ERR_REFUSED) && (second == ELW_OK || second == ELW_ERR_REFUSED))
    complete(self, operation, ELW_DONE, nothing);
  else
    fault(self, operation, "the host could not read a tool's registration");
  return NULL; /* already completed: there is nothing to cancel or release */
}

static void *plugin_call_start(void *ctx, const elw_call *call) {
  instance *self = (instance *)ctx;
  json_input arguments;
  arguments.at = call->arguments.ptr;
  arguments.end = call->arguments.len ? call->arguments.ptr + call->arguments.len : call->arguments.ptr;
  if (call->tool == WAIT) return start_wait(self, call, arguments);
  if (call->tool == HELLO) hello(self, call, arguments);
  else fault(self, call->operation, "no tool of this plugin has that number");
  return NULL;
}

static void plugin_cancel(void *ctx, void *handle) {
  instance *self = (instance *)ctx;
  pthread_mutex_lock(&self->lock);
  ((wait *)handle)->cancelled = 1;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
}

/* A host that gives the handle back early does not wait any longer: neither do we. */
static void plugin_release(void *ctx, void *handle) {
  instance *self = (instance *)ctx;
  wait *w = (wait *)handle;
  int joined;
  pthread_mutex_lock(&self->lock);
  w->released = w->cancelled = 1;
  joined = w->joined;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
  if (joined) free(w);
}

static elw_status plugin_shutdown(void *ctx, uint64_t timeout_ms) {
  instance *self = (instance *)ctx;
  struct timespec until = after_ms(timeout_ms < MOST_MS ? timeout_ms : MOST_MS);
  wait *w;
  int error = 0;
  pthread_mutex_lock(&self->lock);
  for (w = self->waits; w; w = w->next) w->cancelled = 1;
  pthread_cond_broadcast(&self->changed);
  for (reap(self); self->waits && error == 0; reap(self))
    error = pthread_cond_timedwait(&self->changed, &self->lock, &until);
  w = self->waits;
  pthread_mutex_unlock(&self->lock);
  if (w) return ELW_ERR_TIMEOUT; /* a thread still uses the instance: better leaked than freed */
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
  free(self);
  return ELW_OK;
}

static const void *plugin_get_extension(void *ctx, elw_slice id) {
  (void)ctx, (void)id;
  return NULL;
}

static instance *new_instance(const elw_host *host) {
  instance *self = (instance *)calloc(1, sizeof *self);
  pthread_condattr_t clock;
  if (!self) return NULL;
  self->host = host;
  if (pthread_condattr_init(&clock) != 0) {
    free(self);
    return NULL;
  }
#ifndef __APPLE__
  pthread_condattr_setclock(&clock, WAIT_CLOCK);
#endif
  if (pthread_cond_init(&self->changed, &clock) != 0 || pthread_mutex_init(&self->lock, NULL) != 0) {
    free(self);
    self = NULL;
  }
  pthread_condattr_destroy(&clock);
  return self;
}

ELW_EXPORT elw_status elowen_plugin_entry(uint32_t abi_major, const elw_host *host, elw_plugin *out) {
  if (abi_major != ELW_ABI_MAJOR) return ELW_ERR_ABI;
  if (!host || !out || host->struct_size < sizeof *host || out->struct_size < sizeof *out) return ELW_ERR_INVALID;
  out->ctx = new_instance(host);
  if (!out->ctx) return ELW_ERR_REFUSED;
  out->struct_size = sizeof *out;
  out->blob = ELW_BLOB_SLICE(blob);
  out->register_start = plugin_register;
  out->call_start = plugin_call_start;
  out->cancel = plugin_cancel;
  out->release = plugin_release;
  out->shutdown = plugin_shutdown;
  out->get_extension = plugin_get_extension;
  return ELW_OK;
}
