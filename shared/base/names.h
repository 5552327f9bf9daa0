/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the values of an enum, from its table. A table is a macro with a row for each value, in
 * the enum's order: the value's id, its name, and other columns.
 *
 *     #define TMPL_STATES(X)
 *         X(COLD, "cold", "no page before this one")
 *         X(WARM, "warm", "at least MinDF pages")
 *
 *     TMPL_ENUM_COLUMN(tmpl_state_name, tmpl_state_e, TMPL_STATES, TMPL_COLUMN_2)
 *     TMPL_ENUM_COLUMN(tmpl_state_text, tmpl_state_e, TMPL_STATES, TMPL_COLUMN_3)
 *     TMPL_ENUM_FIND(tmpl_state_find, TMPL_STATES)
 */
#ifndef TMPL_NAMES_H
#define TMPL_NAMES_H

#include <string.h>

#include <apr_cstr.h>

/* The strings of a column, for an array. The id is column 1. In (): a string may have two parts. */
#define TMPL_COLUMN_2(id, name, ...)               (name),
#define TMPL_COLUMN_3(id, name, text, ...)         (text),
#define TMPL_COLUMN_4(id, name, text, fourth, ...) (fourth),

/* Defines const char *function(type value): a string of a column; "unknown" if out of range. */
#define TMPL_ENUM_COLUMN(function, type, TABLE, COLUMN)                                            \
    const char *function(type value)                                                               \
    {                                                                                              \
        static const char *const column[] = { TABLE(COLUMN) };                                     \
        return (unsigned)value < sizeof(column) / sizeof(column[0]) ? column[value] : "unknown";   \
    }

/* Defines int function(const char *name): the value of that name, in any case; -1: none has it. */
#define TMPL_ENUM_FIND(function, TABLE)                                                            \
    int function(const char *name)                                                                 \
    {                                                                                              \
        static const char *const rows[] = { TABLE(TMPL_COLUMN_2) };                                \
        return tmpl_names_find(rows, sizeof(rows) / sizeof(rows[0]), name, strlen(name));          \
    }

/* The index of the name that is equal to len bytes at word, in any case; -1: there is none. */
static inline int tmpl_names_find(const char *const *names, apr_size_t n, const char *word,
                                  apr_size_t len)
{
    for (apr_size_t i = 0; i < n; i++) {
        if (strlen(names[i]) == len && apr_cstr_casecmpn(word, names[i], len) == 0) {
            return (int)i;
        }
    }
    return -1;
}

#endif
