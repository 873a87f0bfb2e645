/* Just enough JSON for a tool: find a property of an object, read it as text or as a whole number,
 * and write text.
 *
 * The input is hostile: nothing is read outside [at, end), bytes must be UTF-8, nesting is bounded,
 * and a property counts only if the whole document is valid. Of equal names the last one counts. A
 * lone surrogate, which UTF-8 cannot hold, becomes U+FFFD. Nothing here knows about plugins.
 */
#ifndef C_HELLO_JSON_H
#define C_HELLO_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JSON_MAX_DEPTH 100

/* The part of a document that is still to be read. */
typedef struct json_input {
  const uint8_t *at;
  const uint8_t *end;
} json_input;

/* Text that grows. `failed` is set, and stays, when memory runs out: the text is then useless. */
typedef struct json_text {
  uint8_t *ptr; /* from malloc; null while empty */
  size_t len;
  size_t room;
  int failed;
} json_text;

/* ---- writing ---- */

static void json_put(json_text *text, const void *bytes, size_t len) {
  if (text->failed || len == 0) return;
  if (len > text->room - text->len) {
    size_t room = text->room < 128 ? 256 : text->room * 2;
    uint8_t *moved;
    if (len > SIZE_MAX / 4 || text->room > SIZE_MAX / 4) {
      text->failed = 1;
      return;
    }
    if (room < text->len + len) room = text->len + len;
    moved = (uint8_t *)realloc(text->ptr, room);
    if (!moved) {
      text->failed = 1;
      return;
    }
    text->ptr = moved;
    text->room = room;
  }
  memcpy(text->ptr + text->len, bytes, len);
  text->len += len;
}

static void json_puts(json_text *text, const char *literal) {
  json_put(text, literal, strlen(literal));
}

/* Writes UTF-8 bytes as a string literal. */
static void json_put_string(json_text *text, const uint8_t *bytes, size_t len) {
  static const char hex[] = "0123456789abcdef";
  size_t i, plain = 0; /* bytes from `plain` up to `i` need no escape and are not written yet */
  json_puts(text, "\"");
  for (i = 0; i < len; i++) {
    char escape[] = "\\u0000";
    if (bytes[i] >= 0x20 && bytes[i] != '"' && bytes[i] != '\\') continue;
    json_put(text, bytes + plain, i - plain);
    plain = i + 1;
    if (bytes[i] >= 0x20) {
      escape[1] = (char)bytes[i];
      json_put(text, escape, 2);
    } else {
      escape[4] = hex[bytes[i] >> 4];
      escape[5] = hex[bytes[i] & 15];
      json_put(text, escape, 6);
    }
  }
  json_put(text, bytes + plain, len - plain);
  json_puts(text, "\"");
}

/* ---- reading ---- */

static void json_space(json_input *in) {
  while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r'))
    in->at++;
}

/* Skips `byte` if it comes next. */
static int json_take(json_input *in, uint8_t byte) {
  if (in->at == in->end || *in->at != byte) return 0;
  in->at++;
  return 1;
}

/* Reads four hexadecimal digits; -1: there are none. */
static long json_hex4(json_input *in) {
  long value = 0;
  int i;
  if (in->end - in->at < 4) return -1;
  for (i = 0; i < 4; i++) {
    uint8_t c = *in->at++;
    if (c >= '0' && c <= '9') value = value * 16 + (c - '0');
    else if (c >= 'a' && c <= 'f') value = value * 16 + (c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') value = value * 16 + (c - 'A' + 10);
    else return -1;
  }
  return value;
}

/* Reads what follows `\u`, both halves of a surrogate pair. */
static long json_unicode(json_input *in) {
  long high = json_hex4(in), low;
  json_input second;
  if (high < 0xd800 || high > 0xdfff) return high;
  second = *in;
  if (high > 0xdbff || !json_take(&second, '\\') || !json_take(&second, 'u')) return 0xfffd;
  low = json_hex4(&second);
  if (low < 0xdc00 || low > 0xdfff) return 0xfffd;
  *in = second;
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static int json_encode(long point, uint8_t out[4]) {
  if (point < 0x80) {
    out[0] = (uint8_t)point;
    return 1;
  }
  if (point < 0x800) {
    out[0] = (uint8_t)(0xc0 | point >> 6);
    out[1] = (uint8_t)(0x80 | (point & 0x3f));
    return 2;
  }
  if (point < 0x10000) {
    out[0] = (uint8_t)(0xe0 | point >> 12);
    out[1] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
    out[2] = (uint8_t)(0x80 | (point & 0x3f));
    return 3;
  }
  out[0] = (uint8_t)(0xf0 | point >> 18);
  out[1] = (uint8_t)(0x80 | (point >> 12 & 0x3f));
  out[2] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
  out[3] = (uint8_t)(0x80 | (point & 0x3f));
  return 4;
}

/* Copies one UTF-8 sequence; -1: it is not one (overlong, a surrogate, too high, cut off). */
static int json_utf8(json_input *in, uint8_t out[4]) {
  uint8_t first = *in->at, low = 0x80, high = 0xbf; /* bounds of the second byte */
  int i, len = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (len == 0 || in->end - in->at < len) return -1;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  for (i = 0; i < len; i++) {
    out[i] = in->at[i];
    if (i > 0 && (out[i] < low || out[i] > high)) return -1;
    if (i > 0) low = 0x80, high = 0xbf;
  }
  in->at += len;
  return len;
}

/* Reads the next character of a string, decoded, inside its quotes: the number of bytes put into
 * `out`; 0: the string has ended, its quote is read; -1: this is no JSON. */
static int json_character(json_input *in, uint8_t out[4]) {
  static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  const char *name;
  if (in->at == in->end || *in->at < 0x20) return -1;
  if (json_take(in, '"')) return 0;
  if (!json_take(in, '\\')) return json_utf8(in, out);
  if (json_take(in, 'u')) {
    long point = json_unicode(in);
    return point < 0 ? -1 : json_encode(point, out);
  }
  if (in->at == in->end || *in->at == 0) return -1;
  name = strchr(names, *in->at);
  if (!name) return -1;
  in->at++;
  out[0] = (uint8_t)meant[name - names];
  return 1;
}

/* Reads a string, from its opening quote. Appends it to `text` unless that is null. With `wanted`,
 * `*equal` says whether it is that ASCII text. */
static int json_string(json_input *in, json_text *text, const char *wanted, int *equal) {
  uint8_t out[4];
  int len, same = 1;
  if (!json_take(in, '"')) return 0;
  while ((len = json_character(in, out)) > 0) {
    if (text) json_put(text, out, (size_t)len);
    if (wanted && same) same = len == 1 && out[0] != 0 && out[0] == (uint8_t)*wanted++;
  }
  if (wanted) *equal = same && *wanted == 0;
  return len == 0;
}

static int json_digits(json_input *in) {
  const uint8_t *start = in->at;
  while (in->at < in->end && *in->at >= '0' && *in->at <= '9') in->at++;
  return in->at > start;
}

static int json_number(json_input *in) {
  json_take(in, '-');
  if (!json_take(in, '0') && !json_digits(in)) return 0;
  if (json_take(in, '.') && !json_digits(in)) return 0;
  if (json_take(in, 'e') || json_take(in, 'E')) {
    if (!json_take(in, '+')) json_take(in, '-');
    return json_digits(in);
  }
  return 1;
}

static int json_word(json_input *in, const char *word) {
  for (; *word; word++)
    if (!json_take(in, (uint8_t)*word)) return 0;
  return 1;
}

static int json_members(json_input *in, int depth, const char *wanted, json_input *found);

/* Skips one value, of any kind, with the space around it. 0: this is no JSON, or too deep. */
static int json_skip(json_input *in, int depth) {
  int valid;
  json_space(in);
  if (in->at == in->end || depth > JSON_MAX_DEPTH) return 0;
  switch (*in->at) {
  case '"': valid = json_string(in, NULL, NULL, NULL); break;
  case '{': valid = json_members(in, depth, NULL, NULL); break;
  case '[':
    in->at++;
    json_space(in);
    if (json_take(in, ']')) {
      valid = 1;
      break;
    }
    do valid = json_skip(in, depth + 1);
    while (valid && json_take(in, ','));
    valid = valid && json_take(in, ']');
    break;
  case 't': valid = json_word(in, "true"); break;
  case 'f': valid = json_word(in, "false"); break;
  case 'n': valid = json_word(in, "null"); break;
  default: valid = json_number(in); break;
  }
  json_space(in);
  return valid;
}

/* Reads an object. With `wanted`, `found` becomes the value of the last member of that name. */
static int json_members(json_input *in, int depth, const char *wanted, json_input *found) {
  if (!json_take(in, '{')) return 0;
  json_space(in);
  if (json_take(in, '}')) return 1;
  do {
    int equal = 0;
    json_input value;
    json_space(in);
    if (!json_string(in, NULL, wanted, &equal)) return 0;
    json_space(in);
    if (!json_take(in, ':')) return 0;
    json_space(in);
    value.at = in->at;
    if (!json_skip(in, depth + 1)) return 0;
    value.end = in->at;
    if (equal) *found = value;
  } while (json_take(in, ','));
  return json_take(in, '}');
}

/* Finds the property `name` (ASCII) of the object `document`. 0: the document is not one valid JSON
 * object. A property that is not there leaves an empty `value`, of no type. */
static int json_property(json_input document, const char *name, json_input *value) {
  value->at = value->end = document.at;
  json_space(&document);
  if (!json_members(&document, 1, name, value)) return 0;
  json_space(&document);
  return document.at == document.end;
}

/* Appends the text of `value`, one of json_property, to `text`. 0: it is not a string. */
static int json_as_string(json_input value, json_text *text) {
  return json_string(&value, text, NULL, NULL);
}

/* Reads `value`, one of json_property, as a whole number of 0 to `most`. 0: it is none. */
static int json_as_number(json_input value, long most, long *number) {
  const uint8_t *start = value.at;
  long n = 0;
  for (; value.at < value.end && *value.at >= '0' && *value.at <= '9'; value.at++) {
    long digit = *value.at - '0';
    if (n > (most - digit) / 10) return 0;
    n = n * 10 + digit;
  }
  if (value.at == start) return 0;
  json_space(&value);
  *number = n;
  return value.at == value.end;
}

#endif
