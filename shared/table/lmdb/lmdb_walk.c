/* SPDX-License-Identifier: Apache-2.0 */
#include "table/lmdb/lmdb_walk.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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
} head_t;

/* lo and hi are the halves of one number in the processor's order */
typedef struct {
#if __BYTE_ORDER == __LITTLE_ENDIAN
    uint16_t lo, hi;
#else
    uint16_t hi, lo;
#endif
    uint16_t flags, key_len;
} node_t;

typedef struct {
    uint32_t page_size; /* in the tree of free pages only */
    uint16_t flags, depth;
    size_t branches, leaves, overflows, entries, root;
} tree_t;

typedef enum { TREE_FREE, TREE_MAIN, TREE_NAMED } kind_e;

typedef struct {
    uint32_t magic, version;
    void *address;
    size_t map_size;
    tree_t trees[2]; /* TREE_FREE, TREE_MAIN */
    size_t last, txn;
} meta_t;

typedef struct {
    int fd;
    size_t page_size, last;
    unsigned char *seen; /* a bit for each page */
    size_t bad;          /* the page at which damage was found */
} walk_t;

/* The state of the walk through a tree: what was counted, and the last key. */
typedef struct {
    kind_e kind;
    tree_t says, counted;
    unsigned char key[KEY_MOST];
    size_t key_len;
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

static int bytes_read(const walk_t *w, void *to, size_t len, size_t page, size_t offset)
{
    return pread(w->fd, to, len, (off_t)(page * w->page_size + offset)) == (ssize_t)len;
}

/* An allocated copy of len bytes of an overflow, behind its head; NULL: it is damaged. */
static unsigned char *overflow_read(walk_t *w, walked_t *t, size_t number, size_t len)
{
    size_t n = (sizeof(head_t) - 1 + len) / w->page_size + 1;
    head_t head;
    w->bad = number;
    if (number > w->last || n - 1 > w->last - number ||
        !bytes_read(w, &head, sizeof(head), number, 0) || head.number != number ||
        head.flags != PAGE_OVERFLOW || head.is.n != n) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (!page_take(w, number + i)) {
            return NULL;
        }
    }
    t->counted.overflows += n;
    w->bad = number;
    unsigned char *bytes = malloc(len + 1);
    if (bytes != NULL && !bytes_read(w, bytes, len, number, sizeof(head))) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* A record of free pages: their number, then the pages. */
static int free_list_walk(walk_t *w, const unsigned char *data, size_t len)
{
    size_t n = 0, page, at = w->bad;
    if (len >= sizeof(n)) {
        memcpy(&n, data, sizeof(n));
    }
    if (len < sizeof(n) || n > len / sizeof(n) - 1) {
        return 0;
    }
    for (size_t i = 1; i <= n; i++) {
        memcpy(&page, data + i * sizeof(page), sizeof(page));
        if (!page_take(w, page)) {
            w->bad = at;
            return 0;
        }
    }
    w->bad = at;
    return 1;
}

static int tree_walk(walk_t *w, const tree_t *tree, kind_e kind);

/* The data of a leaf's node. */
static int data_walk(walk_t *w, walked_t *t, node_t node, const unsigned char *data)
{
    size_t len = node.lo | (size_t)node.hi << 16, number;
    unsigned char *big = NULL;
    int good = 0;
    if (node.flags == NODE_BIG && t->kind != TREE_MAIN) {
        memcpy(&number, data, sizeof(number));
        data = big = overflow_read(w, t, number, len);
    }
    else if (node.flags != (t->kind == TREE_MAIN ? NODE_TREE : 0)) {
        data = NULL;
    }
    if (data != NULL && t->kind == TREE_MAIN && len == sizeof(tree_t)) {
        tree_t tree;
        memcpy(&tree, data, sizeof(tree));
        good = tree_walk(w, &tree, TREE_NAMED);
    }
    else if (data != NULL && t->kind == TREE_FREE) {
        good = free_list_walk(w, data, len);
    }
    else {
        good = data != NULL && t->kind == TREE_NAMED;
    }
    free(big);
    return good;
}

/* The key of a leaf's node: all keys of a tree are in ascending order. */
static int key_walk(walked_t *t, const unsigned char *key, size_t len)
{
    int order = 1;
    if (len == 0 || len > KEY_MOST || (t->kind == TREE_FREE && len != sizeof(size_t))) {
        return 0;
    }
    if (t->counted.entries++ > 0 && t->kind == TREE_FREE) {
        size_t a, b;
        memcpy(&a, key, sizeof(a));
        memcpy(&b, t->key, sizeof(b));
        order = a > b;
    }
    else if (t->counted.entries > 1) {
        int compared = memcmp(key, t->key, len < t->key_len ? len : t->key_len);
        order = compared > 0 || (compared == 0 && len > t->key_len);
    }
    memcpy(t->key, key, len);
    t->key_len = len;
    return order;
}

static int page_walk(walk_t *w, walked_t *t, size_t number, unsigned level);

/* Walks n nodes of a page and what they lead to. */
static int nodes_walk(walk_t *w, walked_t *t, const unsigned char *page, size_t n, unsigned level)
{
    int is_leaf = level == t->says.depth, good = 1;
    size_t number, sum = 0;
    head_t head;
    memcpy(&head, page, sizeof(head));
    for (size_t i = 0; good && i < n; i++) {
        uint16_t at;
        node_t node;
        memcpy(&at, page + sizeof(head) + i * sizeof(at), sizeof(at));
        if (at < head.is.free.upper || at + sizeof(node) > w->page_size) {
            return 0;
        }
        memcpy(&node, page + at, sizeof(node));
        size_t len = sizeof(node) + node.key_len, data = len;
        if (is_leaf) {
            len += node.flags & NODE_BIG ? sizeof(number) : node.lo | (size_t)node.hi << 16;
        }
        sum += len + len % 2;
        if (at + len > w->page_size) {
            return 0;
        }
        if (is_leaf) {
            good = key_walk(t, page + at + sizeof(node), node.key_len) &&
                   data_walk(w, t, node, page + at + data);
        }
        else {
            uint64_t child = node.lo | (uint32_t)node.hi << 16 | (uint64_t)node.flags << 32;
            good = page_walk(w, t, (size_t)child, level + 1);
        }
        if (good) {
            w->bad = head.number;
        }
    }
    /* nodes lie side by side at the end of the page */
    return good && sum == w->page_size - head.is.free.upper;
}

static int page_walk(walk_t *w, walked_t *t, size_t number, unsigned level)
{
    int is_leaf = level == t->says.depth, good = 0;
    unsigned char *page = malloc(w->page_size);
    head_t head;
    if (page != NULL && page_take(w, number) && bytes_read(w, page, w->page_size, number, 0)) {
        memcpy(&head, page, sizeof(head));
        size_t lower = head.is.free.lower, upper = head.is.free.upper;
        /* only the tree of free pages may have a branch with one node */
        size_t least = is_leaf || t->kind == TREE_FREE ? 1 : 2;
        good = head.number == number && head.flags == (is_leaf ? PAGE_LEAF : PAGE_BRANCH) &&
               lower >= sizeof(head) + least * sizeof(uint16_t) && lower <= upper &&
               upper <= w->page_size && lower % 2 == 0 &&
               nodes_walk(w, t, page, (lower - sizeof(head)) / sizeof(uint16_t), level);
        t->counted.leaves += (size_t)is_leaf;
        t->counted.branches += (size_t)!is_leaf;
    }
    free(page);
    return good;
}

static int tree_walk(walk_t *w, const tree_t *tree, kind_e kind)
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

/* Reads the newer one of the two metas. 0, or what is wrong. */
static int meta_read(walk_t *w, meta_t *meta)
{
    for (size_t i = 0; i < METAS; i++) {
        struct {
            head_t head;
            meta_t meta;
        } page;
        w->bad = i;
        if (!bytes_read(w, &page, sizeof(page), i, 0) || page.meta.magic != MAGIC ||
            !(page.head.flags & PAGE_META)) {
            return MDB_CORRUPTED;
        }
        if (page.meta.version != VERSION) {
            return MDB_VERSION_MISMATCH;
        }
        if (i == 0) {
            w->page_size = page.meta.trees[TREE_FREE].page_size;
        }
        if (w->page_size < PAGE_LEAST || w->page_size > PAGE_MOST ||
            (w->page_size & (w->page_size - 1)) != 0) {
            return MDB_CORRUPTED;
        }
        if (i == 0 || page.meta.txn > meta->txn) {
            *meta = page.meta;
        }
    }
    return meta->trees[TREE_FREE].page_size == w->page_size ? 0 : MDB_CORRUPTED;
}

static int file_walk(walk_t *w, off_t size)
{
    meta_t meta;
    int rc = meta_read(w, &meta);
    if (rc != 0) {
        return rc;
    }
    w->bad = 0;
    /* free pages at the end need not be in the file (tmpl_lmdb_write_end) */
    if (meta.last < METAS - 1 || meta.last > (size_t)size / w->page_size + LACKING_MOST) {
        return MDB_CORRUPTED;
    }
    w->last = meta.last;
    w->seen = calloc(w->last / 8 + 1, 1);
    if (w->seen == NULL) {
        return ENOMEM;
    }
    return tree_walk(w, &meta.trees[TREE_FREE], TREE_FREE) &&
                   tree_walk(w, &meta.trees[TREE_MAIN], TREE_MAIN)
               ? 0
               : MDB_CORRUPTED;
}

int tmpl_lmdb_walk(const char *path, size_t *bad_page)
{
    walk_t w = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
    struct stat st;
    if (w.fd < 0) {
        return errno == ENOENT ? 0 : errno;
    }
    int rc = fstat(w.fd, &st) != 0 ? errno : st.st_size == 0 ? 0 : file_walk(&w, st.st_size);
    free(w.seen);
    close(w.fd);
    *bad_page = w.bad;
    return rc;
}
