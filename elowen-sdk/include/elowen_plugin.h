/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The contract between an elowen host and a plugin, version 1.
 *
 * For plugins in C, C++, Zig or anything that can export a C function. The Rust file
 * elowen-sdk/src/abi.rs says the same; a test compiles this header and compares every size,
 * offset and constant.
 *
 * HOW A LIBRARY IS USED
 *   1. The host reads the metadata blob (see ELW_BLOB below) from the file; no code has run yet.
 *   2. It maps the library and calls elowen_plugin_entry, which fills an elw_plugin table. One
 *      library may be entered many times: keep state in ctx, not in globals.
 *   3. It calls register_start. Until that operation completes, tools may be handed to
 *      host->register_tool.
 *   4. It calls call_start for each tool call.
 *   5. It calls shutdown once, and nothing of that instance afterwards. The library stays mapped.
 *
 * RULES FOR EVERY FUNCTION
 *   Growth     Every record begins with struct_size, the size its writer knows. A reader uses the
 *              fields inside it and treats the rest as absent. Fields are only appended. All
 *              fields of version 1.0 are mandatory and their functions are not null.
 *   Threads    Unless its text says otherwise, a function may be called from any thread, by
 *              several at once, and may call back before it returns: hold no lock while you call.
 *   Memory     An elw_slice is borrowed and dead when the function that received it returns. An
 *              elw_buf is owned by its receiver, which calls its drop exactly once, any thread.
 *   Unwinding  No exception or panic leaves any function here.
 *   Operations The host numbers what it starts. Call host->complete exactly once for each number,
 *              from any thread, also before the starting function returns. Numbers are not
 *              reused: a late or second completion frees its buffer and does nothing else.
 */
#ifndef ELOWEN_PLUGIN_H
#define ELOWEN_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ELW_ABI_MAJOR 1
#define ELW_ABI_MINOR 0

#if defined(_WIN32)
#define ELW_EXPORT __declspec(dllexport)
#else
#define ELW_EXPORT __attribute__((visibility("default")))
#endif

/* What a function answers. Anything but ELW_OK, and ELW_COALESCED from progress, is a failure. */
typedef int32_t elw_status;
#define ELW_OK 0          /* done, or accepted */
#define ELW_ERR_ABI 1     /* entry: this library does not speak that major version */
#define ELW_ERR_INVALID 2 /* the caller broke a rule of this file */
#define ELW_ERR_REFUSED 3 /* the receiver will not do it; its log says why */
#define ELW_ERR_PANIC 4   /* a panic was caught while doing it */
#define ELW_ERR_CLOSED 5  /* the operation is over or the instance is shut down */
#define ELW_ERR_UNKNOWN 6 /* no question or extension of that name */
#define ELW_ERR_TIMEOUT 7 /* not finished within the time given */
#define ELW_COALESCED 8   /* progress: accepted, an earlier unread update gave way */

/* elw_completion.kind */
#define ELW_DONE 0      /* body: {"content":[..],"details":..,"terminate"?:bool} */
#define ELW_TRANSPORT 1 /* the world behind the tool failed; body: {"message":..,"location"?:..} */
#define ELW_FAULT 2     /* the plugin failed; same body */
#define ELW_PANIC 3     /* the plugin panicked; same body */
#define ELW_CANCELLED 4 /* the call was cancelled and has stopped; same body, or empty */

#define ELW_FINISHED_ON_FIRST_POLL 1u /* elw_completion.flags */
#define ELW_INLINE 1u                 /* elw_call.flags: the host lends its thread */

/* elw_tool.run */
#define ELW_RUN_AUTO 0         /* the host decides from what it measures */
#define ELW_RUN_INLINE 1       /* never blocks: may run on the host's thread from the first call */
#define ELW_RUN_NEVER_INLINE 2 /* never on the host's thread */

#define ELW_LOG_ERROR 1
#define ELW_LOG_WARN 2
#define ELW_LOG_INFO 3
#define ELW_LOG_DEBUG 4
#define ELW_LOG_TRACE 5

/* Borrowed bytes; UTF-8 where text or JSON is meant, which the receiver checks; not NUL-terminated;
 * ptr may be null if len is 0. */
typedef struct elw_slice {
  const uint8_t *ptr;
  size_t len;
} elw_slice;

/* Owned bytes. The receiver calls drop(ctx, ptr, len) once; a null drop: nothing to free. */
typedef struct elw_buf {
  uint8_t *ptr;
  size_t len;
  void *ctx;
  void (*drop)(void *ctx, uint8_t *ptr, size_t len); /* any thread */
} elw_buf;

typedef struct elw_log_record {
  uint32_t struct_size;
  uint32_t level;     /* ELW_LOG_* */
  uint64_t operation; /* the operation it belongs to, or 0 */
  elw_slice target;   /* where it comes from; may be empty */
  elw_slice message;
  elw_slice fields; /* a JSON object, or empty */
} elw_log_record;

typedef struct elw_tool {
  uint32_t struct_size;
  uint32_t run;         /* ELW_RUN_* */
  uint64_t tool;        /* your own number for it; comes back as elw_call.tool */
  elw_slice definition; /* JSON: name, label, description, parameters (a JSON Schema), ... */
  elw_slice options;    /* JSON: ownerUserId, projectId, platform, external, ...; or empty */
} elw_tool;

typedef struct elw_call {
  uint32_t struct_size;
  uint32_t flags;     /* ELW_INLINE or 0; ignore unknown bits */
  uint64_t operation; /* the host's number, never 0 */
  uint64_t tool;      /* elw_tool.tool */
  elw_slice call_id;  /* the identifier the model gave the call; may be empty */
  elw_slice arguments; /* a JSON object */
} elw_call;

typedef struct elw_completion {
  uint32_t struct_size;
  uint32_t kind; /* ELW_DONE .. ELW_CANCELLED */
  elw_buf body;  /* the host owns it from here on, whatever happens */
  uint64_t first_poll_ns; /* busy time until the body first waited or ended, or 0 */
  uint32_t flags;         /* ELW_FINISHED_ON_FIRST_POLL or 0 */
  uint32_t reserved;      /* 0 */
} elw_completion;

/* Receives the answer to a query, exactly once, on any thread, perhaps before query returns.
 * With ELW_OK the answer is JSON, otherwise {"message":..} or empty. */
typedef void (*elw_answer_fn)(void *user, elw_status status, elw_buf answer);

/* What the host offers an instance. Valid while the process lives; after shutdown its functions
 * do nothing and answer ELW_ERR_CLOSED. */
typedef struct elw_host {
  uint32_t struct_size;
  uint16_t abi_major; /* equal to the entry's first argument */
  uint16_t abi_minor;
  void *ctx; /* first argument of every function here */
  /* A further table by its name; null if the host has none. */
  const void *(*get_extension)(void *ctx, elw_slice id);
  /* Whether anybody reads records of this level: 1 or 0. Cheap; ask before formatting. */
  uint32_t (*log_enabled)(void *ctx, uint32_t level);
  /* Hands over one record. Never blocks for long. */
  void (*log)(void *ctx, const elw_log_record *record);
  /* Offers a tool while registration `operation` is running. ELW_ERR_REFUSED: the platform's
   * rules say no, which the host has logged; go on. */
  elw_status (*register_tool)(void *ctx, uint64_t operation, const elw_tool *tool);
  /* Hands over a partial result, JSON as for ELW_DONE. Never blocks. ELW_COALESCED: older unread
   * updates gave way. ELW_ERR_CLOSED: the call is over or cancelled, stop. */
  elw_status (*progress)(void *ctx, uint64_t operation, elw_slice update);
  /* 1 if the operation has been cancelled or is over, else 0. */
  uint32_t (*is_cancelled)(void *ctx, uint64_t operation);
  /* Ends an operation. */
  void (*complete)(void *ctx, uint64_t operation, elw_completion *completion);
  /* Asks a question by name, for `operation` or, with 0, for the instance. `request` is JSON or
   * empty. `answer` is called exactly once, whatever happens. */
  void (*query)(void *ctx, uint64_t operation, elw_slice name, elw_slice request, void *user,
                elw_answer_fn answer);
} elw_host;

/* What an instance offers the host. */
typedef struct elw_plugin {
  uint32_t struct_size; /* in: the host's size, rest zeroed; out: how much was filled */
  uint32_t reserved;    /* 0 */
  elw_slice blob;       /* the metadata blob in memory, equal to the file's section */
  void *ctx;            /* first argument of every function here */
  /* Starts the registration `operation`. Once, before any call. Returns as call_start does. */
  void *(*register_start)(void *ctx, uint64_t operation);
  /* Starts a call; returns a handle for release. Null only if complete was already called.
   * Without ELW_INLINE it returns within microseconds. */
  void *(*call_start)(void *ctx, const elw_call *call);
  /* Asks an operation to stop soon; it still completes. At most once, before release. */
  void (*cancel)(void *ctx, void *handle);
  /* Gives the handle back, after completion or when the host stops waiting. Once, never null. */
  void (*release)(void *ctx, void *handle);
  /* Ends the instance within timeout_ms. Once, when every handle has been released, by one
   * thread that calls nothing else of this instance meanwhile. */
  elw_status (*shutdown)(void *ctx, uint64_t timeout_ms);
  /* A further table by its name; null if the plugin has none. */
  const void *(*get_extension)(void *ctx, elw_slice id);
} elw_plugin;

/* The one exported function. abi_major says which version's tables host and out are: answer
 * ELW_ERR_ABI, without reading them, if you do not speak it. host is valid while the process lives. */
ELW_EXPORT elw_status elowen_plugin_entry(uint32_t abi_major, const elw_host *host, elw_plugin *out);

/* THE METADATA BLOB
 *
 * Lies in a section of its own and is read from the file before anything runs. 32 bytes of header,
 * integers little-endian, then JSON:
 *   magic[8] | length of the whole blob u32 | lowest, highest ABI major u16 u16 | flags u32 (a set
 *   bit of 0..15 must be understood, 16..31 may be ignored) | pointer width u8 | byte order u8
 *   (1 little, 2 big) | zeros
 *   {"plugin":{"name":..,"version":..},"tools":[..],"sdk":..,"rustc":..,"target":..,
 *    "profile":..,"panic":"unwind"|"abort"}
 *
 * ELW_BLOB(name, json) defines it; use it once a library, at file scope:
 *   ELW_BLOB(blob, "{\"plugin\":{\"name\":\"x\",\"version\":\"1.0.0\"},\"tools\":[\"X\"],\"panic\":\"unwind\"}");
 * and point elw_plugin.blob at it with ELW_BLOB_SLICE(blob).
 */
#define ELW_BLOB_HEADER_LEN 32
#define ELW_BLOB_MUST_UNDERSTAND 0xffffu /* the flag bits a reader must know if they are set */
#if defined(__APPLE__)
#define ELW_BLOB_SECTION "__DATA,__elowen_abi"
#elif defined(_WIN32)
#define ELW_BLOB_SECTION ".elwabi"
#else
#define ELW_BLOB_SECTION ".elowen.abi"
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#define ELW_IN_BLOB_SECTION /* use: #pragma section(".elwabi", read) and __declspec(allocate) */
#else
#define ELW_IN_BLOB_SECTION __attribute__((section(ELW_BLOB_SECTION), used, aligned(1)))
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ELW_BYTE_ORDER 2
#else
#define ELW_BYTE_ORDER 1
#endif

#define ELW_LE2(v) (uint8_t)((v) & 0xff), (uint8_t)((v) >> 8 & 0xff)
#define ELW_LE4(v) ELW_LE2(v), ELW_LE2((v) >> 16)
/* `text` keeps the NUL of the literal, which C++ demands; it is no part of the blob. */
#define ELW_BLOB(name, json)                                                                     \
  static const struct {                                                                          \
    uint8_t header[ELW_BLOB_HEADER_LEN];                                                         \
    char text[sizeof(json)];                                                                     \
  } name ELW_IN_BLOB_SECTION = {                                                                 \
      {'E', 'L', 'W', 'N', 'P', 'L', 'G', 0, ELW_LE4(ELW_BLOB_HEADER_LEN + sizeof(json) - 1),    \
       ELW_LE2(ELW_ABI_MAJOR), ELW_LE2(ELW_ABI_MAJOR), 0, 0, 0, 0, (uint8_t)sizeof(void *),      \
       ELW_BYTE_ORDER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},                                            \
      json}
#ifdef __cplusplus
#define ELW_BLOB_SLICE(name) (elw_slice{(const uint8_t *)&(name), sizeof(name) - 1})
#else
#define ELW_BLOB_SLICE(name) ((elw_slice){(const uint8_t *)&(name), sizeof(name) - 1})
#endif

#ifdef __cplusplus
}
#endif
#endif
