/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Site style trees, the batch method of Yi, Liu and Li (KDD 2003). The trees of a batch's pages are
 * merged into one, from the root down: an element node represents elements of many pages; a style
 * node below it is one sequence of children (tags and their presentation attributes) and the pages
 * that have this sequence there. The leaves are texts, images and links without text. Elements with
 * the same presentation and content on many pages are noise.
 *
 * For an element node with m pages, l style nodes S_i, and p_i the share of its pages that have S_i
 * (section 4.1, Definitions 4 to 6):
 *     NodeImp(E) = - sum_i p_i log_m p_i, 1 if m = 1                     presentation importance
 *     CompImp(E) = (1 - g^l) NodeImp(E) + g^l sum_i p_i CompImp(S_i)     g = 0.9
 *     CompImp(S) = mean of CompImp of its children
 * and for a leaf with l features (words) a_i, where p_ij is the share of page j in all occurrences
 * of a_i:
 *     CompImp(E) = 1 - sum_i H(a_i) / l, 1 if m = 1                      content importance
 *     H(a_i) = - sum_j p_ij log_m p_ij
 * An element node is noise if it and all nodes below it have CompImp < t.
 *
 * Elements without text or images are not in the tree.
 */
#ifndef TMPL_SST_H
#define TMPL_SST_H

#include "detect/verdict.h"

typedef struct sst_t sst_t;

sst_t *sst_create(apr_pool_t *pool);

/* Merges a page into the tree; the page must live as long as the tree. */
void sst_add(sst_t *sst, const tmpl_page_t *page);

/* Computes the importance of every node, after all pages are added. */
void sst_weigh(sst_t *sst);

/* CompImp of the leaf of a segment, or of a node, on page i (in the order of sst_add). */
double sst_segment_importance(const sst_t *sst, uint32_t i, uint32_t segment);
double sst_node_importance(const sst_t *sst, uint32_t i, uint32_t node);

/* A block is template if leaves of importance below t make up more than ratio of its length. */
void sst_judge(tmpl_verdict_t *verdicts, const sst_t *sst, uint32_t i, double t, double ratio);

/* The sum of -p_i log_m p_i over n counts that make up total; 0 for m <= 1. */
double sst_entropy(const uint32_t *counts, uint32_t n, uint32_t total, uint32_t m);

#endif
