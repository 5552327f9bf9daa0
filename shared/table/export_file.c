/* SPDX-License-Identifier: Apache-2.0 */
#include "table/export_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include <jansson.h>

#define FORMAT  "tmpl-table"
#define VERSION 1
#define LISTED  "listed" /* the kind of a listed document */

/* Bytes of the longest line that is read: ten times the longest entry. */
#define LINE_MOST 8191

/* Names of kinds, by tmpl_kind_e. */
static const char *const kinds[] = { "document", "segment", "path" };

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == TMPL_KIND_COUNT, "every kind has a name");

static int by_key(const void *a, const void *b)
{
    const tmpl_key_t *x = &((const tmpl_entry_t *)a)->key;
    const tmpl_key_t *y = &((const tmpl_entry_t *)b)->key;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static apr_status_t add_entry(void *baton, const tmpl_entry_t *entry)
{
    apr_array_header_t *entries = baton;
    tmpl_entry_t *copy = apr_array_push(entries);
    copy->key = entry->key;
    copy->value = tmpl_value_copy(entry->value, entries->pool);
    return APR_SUCCESS;
}

static apr_status_t add_listed(void *baton, const tmpl_listed_t *listed)
{
    apr_array_header_t *list = baton;
    tmpl_listed_t *copy = apr_array_push(list);
    *copy = *listed;
    copy->address = apr_pmemdup(list->pool, listed->address, listed->address_len);
    copy->title = apr_pmemdup(list->pool, listed->title, listed->title_len);
    return APR_SUCCESS;
}

apr_status_t tmpl_export_file_fill(tmpl_export_file_t *table, tmpl_store_t *store, const char *site,
                                   apr_interval_time_t timeout, tmpl_error_t *err, apr_pool_t *pool)
{
    table->entries = apr_array_make(pool, 1024, sizeof(tmpl_entry_t));
    table->listed = apr_array_make(pool, 16, sizeof(tmpl_listed_t));
    apr_status_t rv = tmpl_store_secret(store, table->secret, timeout, err, pool);
    if (rv == APR_SUCCESS) {
        rv = tmpl_store_export(store, site, &table->head, add_entry, table->entries, err, pool);
    }
    return rv == APR_SUCCESS ? tmpl_site_list_read(store, site, 0, TMPL_LISTED_SHARDS, &table->list,
                                                   add_listed, table->listed, err, pool)
                             : rv;
}

apr_status_t tmpl_export_file_import(const tmpl_export_file_t *table, tmpl_store_t *store,
                                     const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv =
        tmpl_store_import(store, site, &table->head, (const tmpl_entry_t *)table->entries->elts,
                          (uint32_t)table->entries->nelts, err, pool);
    return rv == APR_SUCCESS && table->listed->nelts > 0
               ? tmpl_site_list_import(store, site, &table->list,
                                       (const tmpl_listed_t *)(const void *)table->listed->elts,
                                       (uint32_t)table->listed->nelts, err, pool)
               : rv;
}

/* Uses printf: jansson writes the same bytes with five times the instructions. */
static void write_entry(FILE *out, const tmpl_entry_t *entry)
{
    const tmpl_value_t *value = entry->value;
    fprintf(out, "{\"kind\": \"%s\", \"key\": \"%016llx\", \"df\": %u, \"last\": %u",
            kinds[entry->key.kind], (unsigned long long)entry->key.hash, value->df, value->last);
    if (entry->key.kind == TMPL_KIND_PATH) {
        fprintf(out, ", \"text\": %u, \"repeated\": %u", value->text, value->repeated);
    }
    for (uint32_t i = 0; i < value->n; i++) {
        fprintf(out, "%s%u", i == 0 ? ", \"seen\": [" : ", ", tmpl_value_fingerprint(value, i));
    }
    fprintf(out, "%s}\n", value->n > 0 ? "]" : "");
}

static void write_listed(FILE *out, const tmpl_listed_t *listed)
{
    char fingerprint[17];
    apr_snprintf(fingerprint, sizeof(fingerprint), "%016" APR_UINT64_T_HEX_FMT,
                 listed->fingerprint);
    json_t *line =
        json_pack("{s:s, s:s%, s:s%, s:i, s:I, s:I, s:I, s:i, s:s}", "kind", LISTED, "address",
                  listed->address, (size_t)listed->address_len, "title", listed->title,
                  (size_t)listed->title_len, "day", listed->day, "first", (json_int_t)listed->first,
                  "changed", (json_int_t)listed->changed, "text", (json_int_t)listed->text,
                  "layout", listed->layout, "fingerprint", fingerprint);
    if (line != NULL) {
        (void)json_dumpf(line, out, 0);
    }
    else {
        fprintf(out,
                "{\"kind\": \"" LISTED "\"}"); /* not UTF-8: bytes of a store that is damaged */
    }
    fputc('\n', out);
    json_decref(line);
}

apr_status_t tmpl_export_file_write(FILE *out, const char *site, tmpl_export_file_t *table,
                                    tmpl_error_t *err)
{
    int n = table->entries->nelts;
    json_t *head =
        json_pack("{s:s, s:i, s:s, s:I, s:I, s:i, s:s}", "format", FORMAT, "version", VERSION,
                  "site", site, "pages", (json_int_t)table->head.pages, "table_version",
                  (json_int_t)table->head.version, "entries", n, "secret", table->secret);
    if (head == NULL) {
        return tmpl_fail(
            err, APR_EINVAL,
            "the site's name or the store's secret is not UTF-8: it cannot be exported");
    }
    if (table->listed->nelts > 0) {
        json_object_update_new(
            head, json_pack("{s:i, s:I, s:I, s:b}", "listed", table->listed->nelts, "since",
                            (json_int_t)table->list.since, "edition",
                            (json_int_t)table->list.edition, "evicted", table->list.evicted));
    }
    (void)json_dumpf(head, out, 0);
    json_decref(head);
    fputc('\n', out);
    qsort(table->entries->elts, (apr_size_t)n, sizeof(tmpl_entry_t), by_key);
    for (int i = 0; i < n && !ferror(out); i++) {
        write_entry(out, &APR_ARRAY_IDX(table->entries, i, tmpl_entry_t));
    }
    qsort(table->listed->elts, (apr_size_t)table->listed->nelts, sizeof(tmpl_listed_t),
          tmpl_listed_by_address);
    for (int i = 0; i < table->listed->nelts && !ferror(out); i++) {
        write_listed(out, &APR_ARRAY_IDX(table->listed, i, tmpl_listed_t));
    }
    if (fflush(out) != 0 || ferror(out)) {
        return tmpl_fail(err, errno != 0 ? errno : APR_EGENERAL, "standard output: %s",
                         errno != 0 ? strerror(errno) : "cannot write");
    }
    return APR_SUCCESS;
}

typedef struct {
    tmpl_export_file_t *table;
    const json_t *object; /* of the line that is read */
    unsigned line;
    json_int_t expected; /* entries that the first line announces; -1: it was not read yet */
    json_int_t listed;   /* listed documents that it announces */
    apr_status_t status; /* of the line: the functions below note the first thing that is wrong */
    tmpl_error_t *err;
    apr_pool_t *pool;
} import_reader_t;

static void bad(import_reader_t *reader, const char *what)
{
    if (reader->status == APR_SUCCESS) {
        reader->status = tmpl_fail(reader->err, APR_EINVAL, "line %u: %s", reader->line, what);
    }
}

/* An integer member, which must be in least..most. */
static json_int_t get_int(import_reader_t *reader, const char *name, json_int_t least,
                          json_int_t most)
{
    const json_t *member = json_object_get(reader->object, name);
    json_int_t number = json_integer_value(member);
    if (!json_is_integer(member)) {
        bad(reader, apr_psprintf(reader->pool, "\"%s\" is missing or not an integer", name));
    }
    else if (number < least || number > most) {
        bad(reader,
            apr_psprintf(reader->pool, "\"%s\" is not in %" APR_INT64_T_FMT "..%" APR_INT64_T_FMT,
                         name, (apr_int64_t)least, (apr_int64_t)most));
    }
    return number;
}

static uint32_t get_uint32(import_reader_t *reader, const char *name)
{
    return (uint32_t)get_int(reader, name, 0, UINT32_MAX);
}

static uint64_t get_hex(import_reader_t *reader, const char *name)
{
    const char *hex = json_string_value(json_object_get(reader->object, name));
    if (hex == NULL || strlen(hex) != 16 || strspn(hex, "0123456789abcdef") != 16) {
        bad(reader,
            apr_psprintf(reader->pool, "\"%s\" is not 16 hexadecimal digits in lower case", name));
        return 0;
    }
    return strtoull(hex, NULL, 16);
}

/* A string of at most `most` bytes, from the reader's pool. */
static const char *get_string(import_reader_t *reader, const char *name, size_t most, uint32_t *len)
{
    const json_t *member = json_object_get(reader->object, name);
    size_t n = json_string_length(member);
    if (!json_is_string(member) || n > most) {
        bad(reader, apr_psprintf(reader->pool, "\"%s\" is not a string of at most %d bytes", name,
                                 (int)most));
        n = 0;
    }
    *len = (uint32_t)n;
    return apr_pstrmemdup(reader->pool, n > 0 ? json_string_value(member) : "", n);
}

static tmpl_kind_e get_kind(import_reader_t *reader)
{
    const char *name = json_string_value(json_object_get(reader->object, "kind"));
    for (int i = 0; name != NULL && i < TMPL_KIND_COUNT; i++) {
        if (strcmp(name, kinds[i]) == 0) {
            return (tmpl_kind_e)i;
        }
    }
    bad(reader, "\"kind\" is not \"document\", \"segment\" or \"path\"");
    return TMPL_KIND_DOCUMENT;
}

static void get_seen(import_reader_t *reader, tmpl_kind_e kind, tmpl_value_t *value)
{
    const json_t *seen = json_object_get(reader->object, "seen");
    size_t most = kind == TMPL_KIND_PATH ? 0 : TMPL_FINGERPRINTS_MAX, n = json_array_size(seen);
    if (seen != NULL && (!json_is_array(seen) || n > most || n > value->df)) {
        bad(reader, "\"seen\" is not an array, or longer than \"kind\" and \"df\" allow");
        return;
    }
    unsigned char *fingerprints = apr_palloc(reader->pool, 2 * n + 1);
    value->fingerprints = fingerprints;
    for (; value->n < n; value->n++) {
        const json_t *number = json_array_get(seen, value->n);
        json_int_t is = json_integer_value(number);
        if (!json_is_integer(number) || is < 0 || is > UINT16_MAX) {
            bad(reader, "\"seen\" has an element that is not an integer in 0..65535");
        }
        tmpl_put_le(fingerprints + 2 * (size_t)value->n, (uint64_t)is, 2);
    }
}

static void listed_read(import_reader_t *reader)
{
    tmpl_listed_t *listed = apr_array_push(reader->table->listed);
    listed->address = get_string(reader, "address", TMPL_LISTED_ADDRESS, &listed->address_len);
    listed->title = get_string(reader, "title", TMPL_LISTED_TITLE, &listed->title_len);
    listed->day = (uint16_t)get_int(reader, "day", 0, UINT16_MAX);
    listed->first = get_uint32(reader, "first");
    listed->changed = get_uint32(reader, "changed");
    listed->text = get_uint32(reader, "text");
    listed->layout = (uint16_t)get_int(reader, "layout", 0, UINT16_MAX);
    listed->fingerprint = get_hex(reader, "fingerprint");
}

static void head_read(import_reader_t *reader)
{
    tmpl_export_file_t *table = reader->table;
    const char *format = json_string_value(json_object_get(reader->object, "format"));
    uint32_t len;
    if (format == NULL || strcmp(format, FORMAT) != 0) {
        bad(reader, "not an export of a table: \"format\" is not \"" FORMAT "\"");
    }
    (void)get_int(reader, "version", VERSION, VERSION);
    table->site = get_string(reader, "site", TMPL_SITE_MAX, &len);
    reader->expected = get_int(reader, "entries", 0, INT32_MAX);
    table->head = (tmpl_store_stats_t){ .pages = get_uint32(reader, "pages"),
                                        .entries = (uint64_t)reader->expected };
    table->head.version = (uint64_t)get_int(reader, "table_version", 0, INT64_MAX);
    if (json_object_get(reader->object, "secret") != NULL) {
        apr_cpystrn(table->secret, get_string(reader, "secret", TMPL_SECRET_SIZE - 1, &len),
                    TMPL_SECRET_SIZE);
    }
    if (json_object_get(reader->object, "listed") != NULL) {
        reader->listed = get_int(reader, "listed", 0, INT32_MAX);
        table->list.since = get_uint32(reader, "since");
        table->list.edition = get_uint32(reader, "edition");
        table->list.evicted = json_is_true(json_object_get(reader->object, "evicted"));
    }
}

static void entry_read(import_reader_t *reader)
{
    tmpl_entry_t *entry = apr_array_push(reader->table->entries);
    tmpl_value_t value = { 0 };
    entry->key.kind = get_kind(reader);
    entry->key.hash = get_hex(reader, "key") & TMPL_HASH_MASK; /* old exports have 64 bits */
    value.df = (uint32_t)get_int(reader, "df", 1, UINT32_MAX);
    value.last = (uint32_t)get_int(reader, "last", 0, reader->table->head.pages);
    if (entry->key.kind == TMPL_KIND_PATH) {
        value.text = get_uint32(reader, "text");
        value.repeated = (uint32_t)get_int(reader, "repeated", 0, value.text);
    }
    get_seen(reader, entry->key.kind, &value);
    entry->value = apr_pmemdup(reader->pool, &value, sizeof(value));
}

static apr_status_t line_read(import_reader_t *reader, const char *line)
{
    json_error_t error;
    apr_size_t len = strlen(line);
    if (len == LINE_MOST && line[len - 1] != '\n') {
        bad(reader, "longer than " APR_STRINGIFY(LINE_MOST) " bytes");
        return reader->status;
    }
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    const char *kind = json_string_value(json_object_get(object, "kind"));
    reader->object = object;
    if (!json_is_object(object)) {
        bad(reader, object == NULL ? error.text : "not a JSON object");
    }
    else if (reader->expected < 0) {
        head_read(reader);
    }
    else if (kind != NULL && strcmp(kind, LISTED) == 0) {
        listed_read(reader);
    }
    else {
        entry_read(reader);
    }
    json_decref(object);
    return reader->status;
}

/* Whether there are as many lines as the first one announces, of whatever kind. */
static int is_at_end(const import_reader_t *reader)
{
    return reader->table->entries->nelts + reader->table->listed->nelts ==
           reader->expected + reader->listed;
}

apr_status_t tmpl_export_file_read(tmpl_export_file_t *table, FILE *in, const char *name,
                                   unsigned *lines, tmpl_error_t *err, apr_pool_t *pool)
{
    char line[LINE_MOST + 1];
    import_reader_t reader = {
        .table = table, .line = *lines, .expected = -1, .err = err, .pool = pool
    };
    *table = (tmpl_export_file_t){ .entries = apr_array_make(pool, 1024, sizeof(tmpl_entry_t)),
                                   .listed = apr_array_make(pool, 16, sizeof(tmpl_listed_t)) };
    while (!is_at_end(&reader) && fgets(line, sizeof(line), in) != NULL) {
        reader.line++;
        if (line_read(&reader, line) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    if (ferror(in)) {
        int failed = errno;
        return tmpl_fail(err, APR_FROM_OS_ERROR(failed), "%s: %s", name, strerror(failed));
    }
    if (reader.expected < 0 && *lines > 0) {
        return APR_EOF;
    }
    *lines = reader.line++;
    if (reader.expected < 0) {
        bad(&reader, "the input is empty");
    }
    else if (table->entries->nelts != reader.expected || table->listed->nelts != reader.listed) {
        bad(&reader, apr_psprintf(pool,
                                  "end of input after %d of %" APR_INT64_T_FMT
                                  " entries and %d of %" APR_INT64_T_FMT " listed documents",
                                  table->entries->nelts, (apr_int64_t)reader.expected,
                                  table->listed->nelts, (apr_int64_t)reader.listed));
    }
    return reader.status;
}
