/** @file
 * Values of options: numbers, and the list of --events.
 *
 * Numbers in the values of options. The locale of the application does not matter, unlike for strtod(). */
#ifndef PP_CORE_CONFIG_CONFIG_VALUES_H
#define PP_CORE_CONFIG_CONFIG_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/** Read decimal digits at the begin of @p text. @param ret_end After the digits. @retval 0, -EINVAL (there
 * is no digit), -ERANGE (the number is too large). */
__attribute__((warn_unused_result)) int pp_config_number_count(const char *text, const char **ret_end,
                                                               uint64_t *ret);

/** Read a whole number from @p least to @p most, which is all of @p text. @param ret Unchanged on failure.
 * @return false: the text is no such number. */
__attribute__((warn_unused_result)) bool pp_config_number_whole(const char *text, uint64_t least,
                                                                uint64_t most, uint64_t *ret);

/** Read a decimal number such as "1", "1.5" or ".25" as an integer in units of 1 / @p unit, a power of ten.
 * The decimal point is always '.'. @retval 0, -EINVAL, -ERANGE. */
__attribute__((warn_unused_result)) int pp_config_number_decimal(const char *text, uint64_t unit,
                                                                 uint64_t *ret);

/** Read a time such as "2.5", "10s", "16.7ms", "300us" or "2min". @param preset_ns Length of the unit where
 * the text names none: 1000000000 or 1000000. @retval 0, -EINVAL, -ERANGE. */
__attribute__((warn_unused_result)) int pp_config_number_time(const char *text, uint64_t preset_ns,
                                                              uint64_t *ret_ns);

/** Read a number of bytes such as "64K", "2G", "2GB" or "2GiB"; all prefixes are powers of 1024. @return
 * false: the text is no such number. */
__attribute__((warn_unused_result)) bool pp_config_number_bytes(const char *value, uint64_t *ret_bytes);

#endif
