/** @file
 * One option as a row of data: name, argument, type, limits, and where its value is stored; and how numbers
 * are read, whatever the locale of the application. The rows are made from docs/options.yaml (pp_options.h).
 * This file knows no command line, no graphics API and no thread. See also config.h, and
 * cli/options/options.h, which reads command lines. */
#ifndef PP_CORE_CONFIG_OPTION_H
#define PP_CORE_CONFIG_OPTION_H

#include <stdbool.h>
#include <stddef.h>
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

struct pp_config;

/** What a value is, and the member of the struct that it is stored in. */
enum pp_option_type {
    PP_OPTION_FLAG,    /**< "1" or "0": bool */
    PP_OPTION_TEXT,    /**< const char *, borrowed; of an option that is a list, struct pp_option_texts */
    PP_OPTION_NUMBER,  /**< uint64_t */
    PP_OPTION_TIME,    /**< uint64_t, nanoseconds */
    PP_OPTION_BYTES,   /**< uint64_t */
    PP_OPTION_PERCENT, /**< double: 3 is 3 % */
    PP_OPTION_WORDS,   /**< one of several words: an enum, the first word is 0 */
    PP_OPTION_OWN      /**< as a function of its own reads it */
};

/** Most values of an option that is a list. */
#define PP_OPTION_TEXTS 256U

/** Values of an option that is a list; borrowed. */
struct pp_option_texts {
    const char *value[PP_OPTION_TEXTS];
    size_t len;
};

/** One option: `--name ARG`; those of `record` are also `PASSPROBE_NAME` and `name = ARG`. */
struct pp_option {
    const char *name; /**< long name, words joined by '-' */
    char letter;      /**< short option, or 0 */
    const char
        *arg; /**< what the argument looks like; NULL: a flag (the environment and the file take 0 or 1).
                   "[fp|unwind]": it may be left out, and then is "1"; a letter takes none */
    const char *help;     /**< its lines of --help */
    const char *not_of;   /**< name of a command in which the option has no effect; NULL: none */
    const char *preset;   /**< the default as text; NULL: zero */
    const char *expected; /**< what a good value is, for messages */
    enum pp_option_type type;
    size_t at;          /**< offset of the value in the struct */
    size_t given_at;    /**< offset of a bool: was there a value?; 0: none */
    uint64_t least;     /**< of numbers; of a percentage in millionths */
    uint64_t most;      /**< as least; 0: no limit */
    uint64_t unit;      /**< of a time: nanoseconds of a number without a unit */
    const char *one_of; /**< the words, or endings of a file's name, with '|' between them; NULL: any text */
    unsigned times;     /**< each of at most this many values counts; 1: the option is given once; 0: its last
                           value     counts */
    const char *not_with; /**< names of options that have no effect together with this one, each between
                             blanks; NULL: none */
    const char *needs;    /**< name of an option without which this one has no effect; NULL: none */
    int (*set)(struct pp_config *config, const char *value, char *why,
               size_t why_len); /**< of PP_OPTION_OWN */
};

/**
 * Store a value in the struct of its option.
 *
 * @param base    The struct that the offsets of the row belong to. Unchanged on failure. Borrows @p value.
 * @param value   Text of the value; "1" or "0" for a flag.
 * @param why     @p why_len bytes: what a good value is; written only on failure.
 * @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_option_store(const struct pp_option *option, void *base,
                                                        const char *value, char *why, size_t why_len);

/** Store the defaults of rows in their struct, and empty its lists; other members are unchanged. */
void pp_option_presets(const struct pp_option *row, size_t rows, void *base);

#endif
