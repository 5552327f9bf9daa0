/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_env.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lmdb.h>

/* The file's format is that of MDB_page, MDB_node, MDB_db and MDB_meta in mdb.c of LMDB 0.9. */
#define MAGIC        0xBEEFC0DE
#define VERSION      1
#define PAGE_LEAST   256
#define PAGE_MOST    65536
#define DEPTH_MOST   32
#define KEY_MOST     511
#define METAS        2
#define LACKING_MOST 65536        /* bounds what the walk allocates */
#define NO_PAGE      ((size_t)-1) /* the root of an empty tree */

enum { PAGE_BRANCH = 1, PAGE_LEAF = 2, PAGE_OVERFLOW = 4, PAGE_META = 8 };
enum { NODE_BIG = 1, NODE_TREE = 2 };
enum { TREE_DUPLICATES = 4 };

typedef struct {
    size_t number;
    uint16_t pad, flags;
    union {
        struct {
            uint16_t lower, upper; /* the free space in the page: [lower, upper) */
        } free;
        uint32_t n; /* pages of an overflow */
    } is;
} mdb_page_t;

/* lo and hi are the halves of one number in the processor's order */
typedef struct {
#if __BYTE_ORDER == __LITTLE_ENDIAN
    uint16_t lo, hi;
#else
    uint16_t hi, lo;
#endif
    uint16_t flags, key_len;
    unsigned char key[];
} mdb_node_t;

typedef struct {
    uint32_t page_size; /* in the tree of free pages only */
    uint16_t flags, depth;
    size_t branches, leaves, overflows, entries, root;
} mdb_tree_t;

typedef enum { TREE_FREE, TREE_MAIN, TREE_NAMED } kind_e;

typedef struct {
    mdb_page_t head;
    uint32_t magic, version;
    void *address;
    size_t map_size;
    mdb_tree_t trees[2]; /* TREE_FREE, TREE_MAIN */
    size_t last, txn;
} mdb_meta_t;

typedef struct {
    const unsigned char *file;
    size_t page_size, n, last; /* n: whole pages in the file; last: the last one that LMDB counts */
    unsigned char *seen;       /* a bit for each page */
    size_t bad;                /* the page at which damage was found */
} walk_t;

/* The state of the walk through a tree: what was counted, and the last key. */
typedef struct {
    kind_e kind;
    mdb_tree_t says, counted;
    const mdb_node_t *before;
} walked_t;

/* Notes that a page is in use. A page may be in use only once. */
static int page_take(walk_t *w, size_t number)
{
    w->bad = number;
    if (number < METAS || number > w->last || w->seen[number / 8] >> number % 8 & 1) {
        return 0;
    }
    w->seen[number / 8] |= (unsigned char)(1u << number % 8);
    return 1;
}

/* The first of n pages in a row, all in use now; NULL: one is not in the file, or is used twice. */
static const mdb_page_t *pages_take(walk_t *w, size_t number, size_t n)
{
    int good = n <= w->n && number <= w->n - n;
    w->bad = number;
    for (size_t i = 0; good && i < n; i++) {
        good = page_take(w, number + i);
    }
    const mdb_page_t *head = (const void *)(w->file + number * w->page_size);
    return good && head->number == number ? head : NULL;
}

/* A record of free pages: their number, then the pages. */
static int free_list_walk(walk_t *w, const unsigned char *data, size_t len)
{
    size_t n = 0, page;
    int good = len >= sizeof(n);
    if (good) {
        memcpy(&n, data, sizeof(n));
        good = n <= len / sizeof(n) - 1;
    }
    for (size_t i = 1; good && i <= n; i++) {
        memcpy(&page, data + i * sizeof(page), sizeof(page));
        good = page_take(w, page);
    }
    return good;
}

static int tree_walk(walk_t *w, const mdb_tree_t *tree, kind_e kind);

/* The data of a leaf's node, of len bytes. */
static int data_walk(walk_t *w, walked_t *t, const mdb_node_t *node, size_t len)
{
    const unsigned char *data = node->key + node->key_len;
    mdb_tree_t tree;
    if (node->flags == NODE_BIG && t->kind != TREE_MAIN) {
        size_t number, n = (sizeof(mdb_page_t) - 1 + len) / w->page_size + 1;
        memcpy(&number, data, sizeof(number));
        const mdb_page_t *big = pages_take(w, number, n);
        if (big == NULL || big->flags != PAGE_OVERFLOW || big->is.n != n) {
            return 0;
        }
        t->counted.overflows += n;
        data = (const unsigned char *)(big + 1);
    }
    else if (node->flags != (t->kind == TREE_MAIN ? NODE_TREE : 0)) {
        return 0;
    }
    if (t->kind == TREE_NAMED) {
        return 1;
    }
    if (t->kind == TREE_FREE) {
        return free_list_walk(w, data, len);
    }
    if (len != sizeof(tree)) {
        return 0;
    }
    memcpy(&tree, data, sizeof(tree));
    return tree_walk(w, &tree, TREE_NAMED);
}

/* The key of a leaf's node: all keys of a tree are in ascending order. */
static int key_walk(walked_t *t, const mdb_node_t *node)
{
    const mdb_node_t *before = t->before;
    size_t len = node->key_len, a, b;
    t->before = node;
    t->counted.entries++;
    if (len == 0 || len > KEY_MOST || (t->kind == TREE_FREE && len != sizeof(a))) {
        return 0;
    }
    if (before == NULL) {
        return 1;
    }
    if (t->kind == TREE_FREE) {
        memcpy(&a, before->key, sizeof(a));
        memcpy(&b, node->key, sizeof(b));
        return a < b;
    }
    int order = memcmp(before->key, node->key, len < before->key_len ? len : before->key_len);
    return order < 0 || (order == 0 && before->key_len < len);
}

static int page_walk(walk_t *w, walked_t *t, size_t number, unsigned level);

/* A node of a page, and what it leads to. *size: its bytes in the page. */
static int node_walk(walk_t *w, walked_t *t, const mdb_page_t *head, uint16_t at, unsigned level,
                     size_t *size)
{
    const mdb_node_t *node = (const void *)((const unsigned char *)head + at);
    if (at < head->is.free.upper || at % 2 != 0 || at + sizeof(*node) > w->page_size) {
        return 0;
    }
    size_t len = node->lo | (size_t)node->hi << 16;
    *size = sizeof(*node) + node->key_len;
    if (level < t->says.depth) {
        uint64_t child = len | (uint64_t)node->flags << 32;
        *size += *size % 2;
        return at + *size <= w->page_size && page_walk(w, t, (size_t)child, level + 1);
    }
    *size += node->flags & NODE_BIG ? sizeof(size_t) : len;
    int good = at + *size <= w->page_size && key_walk(t, node) && data_walk(w, t, node, len);
    *size += *size % 2;
    return good;
}

static int page_walk(walk_t *w, walked_t *t, size_t number, unsigned level)
{
    const mdb_page_t *head = pages_take(w, number, 1);
    if (head == NULL) {
        return 0;
    }
    int is_leaf = level == t->says.depth;
    size_t lower = head->is.free.lower, upper = head->is.free.upper, sum = 0, size = 0;
    /* only the tree of free pages may have a branch with one node */
    size_t n = (lower - sizeof(*head)) / sizeof(uint16_t);
    const uint16_t *nodes = (const void *)(head + 1); /* where they begin */
    size_t least = is_leaf || t->kind == TREE_FREE ? 1 : 2;
    int good = head->flags == (is_leaf ? PAGE_LEAF : PAGE_BRANCH) && lower >= sizeof(*head) &&
               n >= least && lower <= upper && upper <= w->page_size && lower % 2 == 0;
    for (size_t i = 0; good && i < n; i++) {
        good = node_walk(w, t, head, nodes[i], level, &size);
        sum += size;
        if (good) {
            w->bad = number;
        }
    }
    t->counted.leaves += (size_t)is_leaf;
    t->counted.branches += (size_t)!is_leaf;
    /* nodes lie side by side at the end of the page */
    return good && sum == w->page_size - upper;
}

static int tree_walk(walk_t *w, const mdb_tree_t *tree, kind_e kind)
{
    walked_t t = { .kind = kind, .says = *tree };
    int empty = tree->root == NO_PAGE;
    if (tree->depth > DEPTH_MOST || empty != (tree->depth == 0) ||
        (kind == TREE_FREE ? tree->flags & TREE_DUPLICATES : tree->flags) != 0) {
        return 0;
    }
    if (!empty && !page_walk(w, &t, tree->root, 1)) {
        return 0;
    }
    return t.counted.branches == tree->branches && t.counted.leaves == tree->leaves &&
           t.counted.overflows == tree->overflows && t.counted.entries == tree->entries;
}

/* Finds the newer one of the two metas. 0, or what is wrong. */
static int meta_find(walk_t *w, size_t size, const mdb_meta_t **newer)
{
    for (size_t i = 0; i < METAS; i++) {
        const mdb_meta_t *meta = (const void *)(w->file + i * w->page_size);
        w->bad = i;
        if (size < i * w->page_size + sizeof(*meta) || meta->magic != MAGIC ||
            !(meta->head.flags & PAGE_META)) {
            return MDB_CORRUPTED;
        }
        if (meta->version != VERSION) {
            return MDB_VERSION_MISMATCH;
        }
        size_t page_size = meta->trees[TREE_FREE].page_size;
        if (page_size < PAGE_LEAST || page_size > PAGE_MOST || (page_size & (page_size - 1)) != 0 ||
            (i > 0 && page_size != w->page_size)) {
            return MDB_CORRUPTED;
        }
        w->page_size = page_size;
        *newer = i == 0 || meta->txn > (*newer)->txn ? meta : *newer;
    }
    return 0;
}

static int file_walk(walk_t *w, size_t size)
{
    const mdb_meta_t *meta = NULL;
    int rc = meta_find(w, size, &meta);
    if (rc != 0) {
        return rc;
    }
    w->bad = 0;
    w->n = size / w->page_size;
    w->last = meta->last;
    /* LMDB leaves free pages at the end out of the file */
    if (w->last < METAS - 1 || w->last > w->n + LACKING_MOST) {
        return MDB_CORRUPTED;
    }
    w->seen = calloc(w->last / 8 + 1, 1);
    if (w->seen == NULL) {
        return ENOMEM;
    }
    return tree_walk(w, &meta->trees[TREE_FREE], TREE_FREE) &&
                   tree_walk(w, &meta->trees[TREE_MAIN], TREE_MAIN)
               ? 0
               : MDB_CORRUPTED;
}

int tmpl_lmdb_walk(const char *path, size_t *bad_page)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    walk_t w = { 0 };
    struct stat st;
    if (fd < 0) {
        return errno == ENOENT ? 0 : errno;
    }
    int rc = fstat(fd, &st) != 0 ? errno : 0;
    if (rc == 0 && st.st_size > 0) {
        size_t size = (size_t)st.st_size;
        void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
        w.file = map;
        rc = map != MAP_FAILED ? file_walk(&w, size) : errno;
        if (map != MAP_FAILED) {
            munmap(map, size);
        }
        free(w.seen);
    }
    close(fd);
    *bad_page = w.bad;
    return rc;
}
