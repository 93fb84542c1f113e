/** @file
 * See crash_hint.h. */
#include "cli/launch/crash_hint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/message.h"
#include "cli/print/print.h"
#include "counters/util/array_size.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

/* Can a terminal show it and a shell read it between quotes? */
static bool
is_text(const char *word)
{
    bool printable = true;
    while (*word && printable)
        word += pp_printable_next(word, &printable);
    return printable;
}

/* Print a word as a shell reads it. Bytes that a terminal may not show are written as in bash, ksh and zsh.
 */
static void
print_word(const char *word)
{
    bool text = is_text(word);
    bool assigns = *word != '-' && strchr(word, '='); /* in front of a command it would set a variable */
    if (*word && text && !assigns && strspn(word, PLAIN) == strlen(word)) {
        pp_print(stderr, "%s", word);
        return;
    }
    pp_print(stderr, text ? "'" : "$'");
    for (; *word; word++) {
        unsigned char byte = (unsigned char)*word;
        size_t same = text ? strcspn(word, "'") : 0;
        if (same) {
            pp_print(stderr, "%.*s", (int)same, word);
            word += same - 1;
        } else if (text) {
            pp_print(stderr, "'\\''");
        } else if (byte < ' ' || byte > '~' || byte == '\'' || byte == '\\') {
            pp_print(stderr, "\\x%02x", byte);
            if (strchr("0123456789abcdefABCDEF", word[1]) && word[1]) /* ksh reads more than two digits */
                pp_print(stderr, "'$'");
        } else {
            pp_print_char(stderr, *word);
        }
    }
    pp_print_char(stderr, '\'');
}

static void
print_words(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pp_print_char(stderr, ' ');
        print_word(words[i]);
    }
}

void
pp_crash_hint_print(const struct pp_command_line *line)
{
    static const char *const same[] = {"record", "stat"};
    static const char *const less[] = {"-l", "frame", "-e", "time"};
    size_t words = 0, options = 1;
    const char *command = same[0];
    for (size_t i = 0; i < PP_ARRAY_SIZE(same); i++)
        if (strcmp(line->words[0], same[i]) == 0) {
            command = same[i];
            options = (size_t)(line->command - line->words);
        }
    while (line->command[words])
        words++;
    if (options > 1 && strcmp(line->words[options - 1], "--") == 0)
        options--;
    pp_message(PP_TEXT_RUN_CRASH);
    pp_print_char(stderr, ' ');
    print_words((const char *const *)line->command, words);
    pp_print(stderr, "\n  passprobe %s", command);
    print_words((const char *const *)line->words + 1, options - 1);
    print_words(less, line->config.level == PP_LEVEL_FRAME ? 4 : 2);
    print_words((const char *const[]){"--"}, 1);
    print_words((const char *const *)line->command, words);
    pp_print_char(stderr, '\n');
}
