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

/* Fingerprints of the longest entry: an entry drops them when its DF reaches min_df. */
#define SEEN_MOST (TMPL_MIN_DF_MOST - 1)

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
    *copy = *entry;
    copy->fingerprints = apr_pmemdup(entries->pool, entry->fingerprints,
                                     entry->n_fingerprints * sizeof(*entry->fingerprints));
    return APR_SUCCESS;
}

static int by_listed(const void *a, const void *b)
{
    const tmpl_listed_t *x = a, *y = b;
    size_t least = x->address_len < y->address_len ? x->address_len : y->address_len;
    int order = memcmp(x->address, y->address, least);
    return order != 0 ? order
                      : (x->address_len > y->address_len) - (x->address_len < y->address_len);
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
    fprintf(out, "{\"kind\": \"%s\", \"key\": \"%016llx\", \"df\": %u, \"last\": %u",
            kinds[entry->key.kind], (unsigned long long)entry->key.hash, entry->record.df,
            entry->record.last);
    if (entry->key.kind == TMPL_KIND_PATH) {
        fprintf(out, ", \"text\": %u, \"repeated\": %u", entry->record.text,
                entry->record.repeated);
    }
    for (uint32_t i = 0; i < entry->n_fingerprints; i++) {
        fprintf(out, "%s%u", i == 0 ? ", \"seen\": [" : ", ", entry->fingerprints[i]);
    }
    fprintf(out, "%s}\n", entry->n_fingerprints > 0 ? "]" : "");
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
    qsort(table->listed->elts, (apr_size_t)table->listed->nelts, sizeof(tmpl_listed_t), by_listed);
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
    unsigned line;
    json_int_t expected; /* entries that the first line announces */
    json_int_t listed;   /* listed documents that it announces */
    tmpl_error_t *err;
    apr_pool_t *pool;
} import_reader_t;

static apr_status_t bad(const import_reader_t *reader, const char *what)
{
    return tmpl_fail(reader->err, APR_EINVAL, "line %u: %s", reader->line, what);
}

/* Reads an integer member that must be in least..most. */
static apr_status_t get_int(json_int_t *number, const import_reader_t *reader, const json_t *object,
                            const char *name, json_int_t least, json_int_t most)
{
    const json_t *member = json_object_get(object, name);
    if (!json_is_integer(member)) {
        return bad(reader, apr_psprintf(reader->pool, "\"%s\" is missing or not an integer", name));
    }
    *number = json_integer_value(member);
    if (*number < least || *number > most) {
        return bad(reader, apr_psprintf(reader->pool,
                                        "\"%s\" is not in %" APR_INT64_T_FMT "..%" APR_INT64_T_FMT,
                                        name, (apr_int64_t)least, (apr_int64_t)most));
    }
    return APR_SUCCESS;
}

static apr_status_t get_kind(tmpl_kind_e *kind, const import_reader_t *reader, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "kind"));
    for (int i = 0; name != NULL && i < TMPL_KIND_COUNT; i++) {
        if (strcmp(name, kinds[i]) == 0) {
            *kind = (tmpl_kind_e)i;
            return APR_SUCCESS;
        }
    }
    return bad(reader, "\"kind\" is not \"document\", \"segment\" or \"path\"");
}

static apr_status_t get_key(uint64_t *hash, const import_reader_t *reader, const json_t *object)
{
    const char *hex = json_string_value(json_object_get(object, "key"));
    if (hex == NULL || strlen(hex) != 16 || strspn(hex, "0123456789abcdef") != 16) {
        return bad(reader, "\"key\" is not 16 hexadecimal digits in lower case");
    }
    *hash = strtoull(hex, NULL, 16) & TMPL_HASH_MASK; /* old exports have 64 bits */
    return APR_SUCCESS;
}

static apr_status_t get_seen(tmpl_entry_t *entry, const import_reader_t *reader,
                             const json_t *object)
{
    const json_t *seen = json_object_get(object, "seen");
    size_t most = entry->key.kind == TMPL_KIND_PATH ? 0 : SEEN_MOST;
    if (seen == NULL) {
        return APR_SUCCESS;
    }
    size_t n = json_array_size(seen);
    if (!json_is_array(seen) || n > most || n > entry->record.df) {
        return bad(reader, "\"seen\" is not an array, or longer than \"kind\" and \"df\" allow");
    }
    uint16_t *fingerprints = apr_palloc(reader->pool, (n + 1) * sizeof(*fingerprints));
    for (size_t i = 0; i < n; i++) {
        const json_t *number = json_array_get(seen, i);
        json_int_t value = json_integer_value(number);
        if (!json_is_integer(number) || value < 0 || value > UINT16_MAX) {
            return bad(reader, "\"seen\" has an element that is not an integer in 0..65535");
        }
        fingerprints[i] = (uint16_t)value;
    }
    entry->fingerprints = fingerprints;
    entry->n_fingerprints = (uint32_t)n;
    return APR_SUCCESS;
}

static apr_status_t get_text(tmpl_entry_t *entry, const import_reader_t *reader,
                             const json_t *object)
{
    json_int_t text = 0, repeated = 0;
    if (entry->key.kind != TMPL_KIND_PATH) {
        return APR_SUCCESS;
    }
    if (get_int(&text, reader, object, "text", 0, UINT32_MAX) != APR_SUCCESS ||
        get_int(&repeated, reader, object, "repeated", 0, text) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    entry->record.text = (uint32_t)text;
    entry->record.repeated = (uint32_t)repeated;
    return APR_SUCCESS;
}

static apr_status_t get_secret(const import_reader_t *reader, const json_t *object)
{
    const json_t *secret = json_object_get(object, "secret");
    const char *text = secret != NULL ? json_string_value(secret) : "";
    if (text == NULL || strlen(text) >= TMPL_SECRET_SIZE) {
        return bad(reader, "\"secret\" is not a string, or too long");
    }
    apr_cpystrn(reader->table->secret, text, TMPL_SECRET_SIZE);
    return APR_SUCCESS;
}

/* The members of the first line that a table without listed documents lacks. */
static apr_status_t get_list(import_reader_t *reader, const json_t *object)
{
    tmpl_listed_head_t *list = &reader->table->list;
    json_int_t since, edition;
    if (json_object_get(object, "listed") == NULL) {
        return APR_SUCCESS;
    }
    if (get_int(&reader->listed, reader, object, "listed", 0, INT32_MAX) != APR_SUCCESS ||
        get_int(&since, reader, object, "since", 0, UINT32_MAX) != APR_SUCCESS ||
        get_int(&edition, reader, object, "edition", 0, UINT32_MAX) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    *list = (tmpl_listed_head_t){ .since = (uint32_t)since,
                                  .edition = (uint32_t)edition,
                                  .evicted = json_is_true(json_object_get(object, "evicted")) };
    return APR_SUCCESS;
}

/* A string of at most `most` bytes, from the reader's pool. */
static apr_status_t get_string(const char **text, uint32_t *len, const import_reader_t *reader,
                               const json_t *object, const char *name, size_t most)
{
    const json_t *member = json_object_get(object, name);
    size_t n = json_string_length(member);
    if (!json_is_string(member) || n > most) {
        return bad(reader, apr_psprintf(reader->pool, "\"%s\" is not a string of at most %d bytes",
                                        name, (int)most));
    }
    *text = apr_pmemdup(reader->pool, json_string_value(member), n);
    *len = (uint32_t)n;
    return APR_SUCCESS;
}

static apr_status_t listed_read(import_reader_t *reader, const json_t *object)
{
    tmpl_listed_t listed;
    json_int_t day = 0, first = 0, changed = 0, text = 0, layout = 0;
    const char *hex = json_string_value(json_object_get(object, "fingerprint"));
    if (get_string(&listed.address, &listed.address_len, reader, object, "address",
                   TMPL_LISTED_ADDRESS) != APR_SUCCESS ||
        get_string(&listed.title, &listed.title_len, reader, object, "title", TMPL_LISTED_TITLE) !=
            APR_SUCCESS ||
        get_int(&day, reader, object, "day", 0, UINT16_MAX) != APR_SUCCESS ||
        get_int(&first, reader, object, "first", 0, UINT32_MAX) != APR_SUCCESS ||
        get_int(&changed, reader, object, "changed", 0, UINT32_MAX) != APR_SUCCESS ||
        get_int(&text, reader, object, "text", 0, UINT32_MAX) != APR_SUCCESS ||
        get_int(&layout, reader, object, "layout", 0, UINT16_MAX) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if (hex == NULL || strlen(hex) != 16 || strspn(hex, "0123456789abcdef") != 16) {
        return bad(reader, "\"fingerprint\" is not 16 hexadecimal digits in lower case");
    }
    listed.day = (uint16_t)day;
    listed.first = (uint32_t)first;
    listed.changed = (uint32_t)changed;
    listed.text = (uint32_t)text;
    listed.layout = (uint16_t)layout;
    listed.fingerprint = strtoull(hex, NULL, 16);
    APR_ARRAY_PUSH(reader->table->listed, tmpl_listed_t) = listed;
    return APR_SUCCESS;
}

static apr_status_t head_read(import_reader_t *reader, const json_t *object)
{
    tmpl_store_stats_t *head = &reader->table->head;
    json_int_t version, pages = 0, table_version = 0;
    const char *format = json_string_value(json_object_get(object, "format"));
    if (format == NULL || strcmp(format, FORMAT) != 0) {
        return bad(reader, "not an export of a table: \"format\" is not \"" FORMAT "\"");
    }
    if (get_int(&version, reader, object, "version", VERSION, VERSION) != APR_SUCCESS ||
        get_int(&pages, reader, object, "pages", 0, UINT32_MAX) != APR_SUCCESS ||
        get_int(&table_version, reader, object, "table_version", 0, INT64_MAX) != APR_SUCCESS ||
        get_int(&reader->expected, reader, object, "entries", 0, INT32_MAX) != APR_SUCCESS ||
        get_secret(reader, object) != APR_SUCCESS || get_list(reader, object) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    *head = (tmpl_store_stats_t){ .pages = (uint32_t)pages,
                                  .version = (uint64_t)table_version,
                                  .entries = (uint64_t)reader->expected };
    return APR_SUCCESS;
}

static apr_status_t entry_read(import_reader_t *reader, const json_t *object)
{
    tmpl_entry_t entry = { 0 };
    json_int_t df = 0, last = 0;
    if (get_kind(&entry.key.kind, reader, object) != APR_SUCCESS ||
        get_key(&entry.key.hash, reader, object) != APR_SUCCESS ||
        get_int(&df, reader, object, "df", 1, UINT32_MAX) != APR_SUCCESS ||
        get_int(&last, reader, object, "last", 0, reader->table->head.pages) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    entry.record.df = (uint32_t)df;
    entry.record.last = (uint32_t)last;
    if (get_text(&entry, reader, object) != APR_SUCCESS ||
        get_seen(&entry, reader, object) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    APR_ARRAY_PUSH(reader->table->entries, tmpl_entry_t) = entry;
    return APR_SUCCESS;
}

static apr_status_t line_read(import_reader_t *reader, const char *line)
{
    json_error_t error;
    apr_size_t len = strlen(line);
    if (len == LINE_MOST && line[len - 1] != '\n') {
        return bad(reader, "longer than " APR_STRINGIFY(LINE_MOST) " bytes");
    }
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object)) {
        json_decref(object);
        return bad(reader, object == NULL ? error.text : "not a JSON object");
    }
    const char *kind = json_string_value(json_object_get(object, "kind"));
    apr_status_t status = reader->line == 1                           ? head_read(reader, object)
                          : kind != NULL && strcmp(kind, LISTED) == 0 ? listed_read(reader, object)
                                                                      : entry_read(reader, object);
    json_decref(object);
    return status;
}

apr_status_t tmpl_export_file_read(tmpl_export_file_t *table, FILE *in, const char *name,
                                   tmpl_error_t *err, apr_pool_t *pool)
{
    char line[LINE_MOST + 1];
    import_reader_t reader = { table, 0, 0, 0, err, pool };
    table->entries = apr_array_make(pool, 1024, sizeof(tmpl_entry_t));
    table->listed = apr_array_make(pool, 16, sizeof(tmpl_listed_t));
    table->list = (tmpl_listed_head_t){ 0 };
    while (fgets(line, sizeof(line), in) != NULL) {
        reader.line++;
        if (reader.line > 1 &&
            table->entries->nelts + table->listed->nelts == reader.expected + reader.listed) {
            return bad(&reader, "more entries than the first line announces");
        }
        if (line_read(&reader, line) != APR_SUCCESS) {
            return APR_EINVAL;
        }
    }
    if (ferror(in)) {
        int failed = errno;
        return tmpl_fail(err, APR_FROM_OS_ERROR(failed), "%s: %s", name, strerror(failed));
    }
    reader.line++;
    if (reader.line == 1) {
        return bad(&reader, "the input is empty");
    }
    if (table->entries->nelts != reader.expected || table->listed->nelts != reader.listed) {
        int entries = table->entries->nelts != reader.expected;
        return bad(&reader, apr_psprintf(pool, "end of input after %d of %" APR_INT64_T_FMT " %s",
                                         entries ? table->entries->nelts : table->listed->nelts,
                                         (apr_int64_t)(entries ? reader.expected : reader.listed),
                                         entries ? "entries" : "listed documents"));
    }
    return APR_SUCCESS;
}
