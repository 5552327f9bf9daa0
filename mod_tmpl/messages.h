/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the module writes to the error log. Each message has a number that never changes, so that
 * the message can be found even when its words change; docs/troubleshooting.md lists the messages,
 * and says what to do. ERR: an administrator must act; WARNING: less is done than was configured,
 * or somebody was refused; NOTICE: the cause of a WARNING is over, or somebody used TmplAdmin;
 * INFO: life cycle, and unknown words of Tmpl-Control; DEBUG: a line for each declined response;
 * TRACE1: a line for each page.
 */
#ifndef TMPL_MESSAGES_H
#define TMPL_MESSAGES_H

#define TMPL_LOG_DIRECTORY  "tmpl: [T001] TmplStore %s: cannot create the directory"
#define TMPL_LOG_COUNTERS   "tmpl: [T002] cannot create shared memory, nothing is counted"
#define TMPL_LOG_STORE_OPEN "tmpl: [T010] store %s is open"
#define TMPL_LOG_STORE_DOWN "tmpl: [T011] store %s fails, pages are not counted: %s"
#define TMPL_LOG_STORE_UP   "tmpl: [T012] store %s answers again"
#define TMPL_LOG_STORE_FULL "tmpl: [T013] store %s takes no writes, nothing new is learnt: %s"
#define TMPL_LOG_STORE_ROOM "tmpl: [T014] store %s takes writes again"
/* at most once a second and store */
#define TMPL_LOG_SITE                                                                              \
    "tmpl: [T015] a site's name of %" APR_SIZE_T_FMT                                               \
    " bytes is not 1 to %d bytes long, its pages are not counted: %.64s"
/* at most once a second and store */
#define TMPL_LOG_SITE_DAMAGED "tmpl: [T022] store %s cannot use one site: %s"
#define TMPL_LOG_STORE_DAMAGED                                                                     \
    "tmpl: [T023] store %s was damaged: its file is %s now, and everything is learnt anew"
#define TMPL_LOG_STORE_LOST                                                                        \
    "tmpl: [T024] store %s: somebody has removed or replaced its file, which is opened anew"
#define TMPL_LOG_CACHE "tmpl: [T016] TmplCache %s: cannot create the cache, nothing is cached"
#define TMPL_LOG_NO_CACHE                                                                          \
    "tmpl: [T028] TmplCache auto: mod_socache_shmcb is not loaded, nothing is cached"
#define TMPL_LOG_NOT_LEARNING "tmpl: [T017] store %s does not learn the pages that wait: %s"
#define TMPL_LOG_LEARNING     "tmpl: [T018] store %s learns again"
#define TMPL_LOG_CACHE_MUTEX  "tmpl: [T019] TmplCache: cannot create the mutex, nothing is cached"
/* once an hour and site over all children */
#define TMPL_LOG_SITE_DECLINED                                                                     \
    "tmpl: [T025] site %s: %u of its last %u pages passed untouched, mostly because of %s: %s"
#define TMPL_LOG_TEMPLATE_CHANGED                                                                  \
    "tmpl: [T026] site %s: its template has changed, and little of the new one is known yet"
#define TMPL_LOG_TEMPLATE_KNOWN "tmpl: [T027] site %s: its new template is known"
#define TMPL_LOG_ADMIN          "tmpl: [T031] %s at %s: %s site %s in store %s: %s"
/* one for each refused request */
#define TMPL_LOG_ADMIN_REFUSED "tmpl: [T032] %s at %s: refused to %s site %.255s: %s"
#define TMPL_LOG_DECLINED      "tmpl: [T020] declined: %s: %s"
#define TMPL_LOG_JUDGED                                                                            \
    "tmpl: [T021] %s: %u edits, %" APR_OFF_T_FMT " bytes of %" APR_OFF_T_FMT ", %" APR_TIME_T_FMT  \
    " us"

#define TMPL_LOG_CONTROL                                                                           \
    "tmpl: [T030] Tmpl-Control of the backend is %.64s; words other than off, learn and no-learn " \
    "have no effect"

/* when the configuration is read */
#define TMPL_LOG_NO_EFFECT "tmpl: [T040] %s:%d: %s has no effect: %s"
#endif
