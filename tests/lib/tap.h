/* SPDX-License-Identifier: Apache-2.0 */
/* The includes and main() of every unit test: cmocka with TAP output, for prove. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <apr_general.h>

/*
 * main(): runs the tests of an array. Before the tests it calls setup once, with state NULL; setup
 * must return 0. setup may be NULL.
 */
#define TAP_MAIN_WITH(tests, setup)                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        apr_initialize();                                                                          \
        cmocka_set_message_output(CM_OUTPUT_TAP);                                                  \
        return cmocka_run_group_tests(tests, setup, NULL);                                         \
    }

#define TAP_MAIN(tests) TAP_MAIN_WITH(tests, NULL)

#endif
