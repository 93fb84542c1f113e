/** @file
 * What every cmocka test includes, in the order that cmocka asks for. */
#ifndef PP_TESTS_LIB_CMOCKA_TEST_H
#define PP_TESTS_LIB_CMOCKA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
