/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test begins and ends with: cmocka, which says what it finds as TAP, for prove. */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <apr_general.h>

/* main(): runs the tests of that array. setup: called once before them with a state of NULL, 0 if all is well; or NULL. */
#define TAP_MAIN_WITH(tests, setup)                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        apr_initialize();                                                                          \
        cmocka_set_message_output(CM_OUTPUT_TAP);                                                  \
        return cmocka_run_group_tests(tests, setup, NULL);                                         \
    }

#define TAP_MAIN(tests) TAP_MAIN_WITH(tests, NULL)

#endif
