/* SPDX-License-Identifier: Apache-2.0 */
/*
 * APR's allocator of buckets (apr_buckets.h), by malloc() and free(). tests/httpd/apr-debug builds
 * it into apr-util in place of APR's own, which keeps freed memory for the next bucket: ASan would
 * not see who uses a bucket that was deleted.
 */
#include <stdlib.h>

#include <apr_buckets.h>

/* In front of the caller's memory. */
typedef struct node_t {
    struct node_t *next;
    struct node_t **link; /* what points to this node */
} node_t;

/* malloc()'s alignment */
#define SIZEOF_NODE APR_ALIGN(sizeof(node_t), 16)

struct apr_bucket_alloc_t {
    apr_pool_t *pool; /* NULL: the list belongs to an allocator's user, who destroys it */
    node_t *nodes;    /* what was not freed yet */
};

static apr_status_t cleanup(void *data)
{
    apr_bucket_alloc_t *list = data;
    node_t *next;

    for (; list->nodes != NULL; list->nodes = next) {
        next = list->nodes->next;
        free(list->nodes);
    }
    free(list);
    return APR_SUCCESS;
}

APU_DECLARE_NONSTD(apr_bucket_alloc_t *) apr_bucket_alloc_create_ex(apr_allocator_t *allocator)
{
    (void)allocator;
    return calloc(1, sizeof(apr_bucket_alloc_t));
}

APU_DECLARE_NONSTD(apr_bucket_alloc_t *) apr_bucket_alloc_create(apr_pool_t *p)
{
    apr_bucket_alloc_t *list = apr_bucket_alloc_create_ex(NULL);

    list->pool = p;
    apr_pool_cleanup_register(p, list, cleanup, apr_pool_cleanup_null);
    return list;
}

APU_DECLARE_NONSTD(void) apr_bucket_alloc_destroy(apr_bucket_alloc_t *list)
{
    if (list->pool != NULL) {
        apr_pool_cleanup_kill(list->pool, list, cleanup);
    }
    cleanup(list);
}

APU_DECLARE_NONSTD(apr_size_t)
apr_bucket_alloc_aligned_floor(apr_bucket_alloc_t *list, apr_size_t size)
{
    (void)list;
    return size;
}

APU_DECLARE_NONSTD(void *) apr_bucket_alloc(apr_size_t size, apr_bucket_alloc_t *list)
{
    node_t *node = malloc(SIZEOF_NODE + size);

    if (node == NULL) {
        return NULL;
    }
    node->next = list->nodes;
    node->link = &list->nodes;
    if (node->next != NULL) {
        node->next->link = &node->next;
    }
    list->nodes = node;
    return (char *)node + SIZEOF_NODE;
}

APU_DECLARE_NONSTD(void) apr_bucket_free(void *block)
{
    node_t *node = (node_t *)((char *)block - SIZEOF_NODE);

    *node->link = node->next;
    if (node->next != NULL) {
        node->next->link = node->link;
    }
    free(node);
}
