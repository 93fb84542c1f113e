/** @file
 * The counter sources of the fake front end (see frontend.h): the bytes that they measure. */
#ifndef PP_TESTS_FAKE_COUNTERS_H
#define PP_TESTS_FAKE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/** The first value of A0: it wraps after 100 vertices. */
#define FAKE_A0_START (UINT32_MAX - 99U)

/** Result of a query of `khr` for these events. */
void fake_counters_result(const uint32_t *event, size_t events, uint8_t *row, uint64_t vertices,
                          uint64_t draws);

/** Report of `oa`: A0 counts vertices, A1 draws. */
void fake_counters_raw(uint8_t *row, uint64_t vertices, uint64_t draws);

#endif
