/** @file
 * `passprobe hello`: greets the user. An example of a command. */
#include "cli/commands/commands.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "pp_texts.h"

#include <string.h>

int
pp_cmd_hello(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        pp_print(stdout, PP_TEXT_USAGE_HELLO);
        return 0;
    }
    if (argc > 2)
        return pp_fail(PP_TEXT_HELLO_ONE);
    pp_print(stdout, PP_FORMAT_HELLO "\n", argc > 1 ? argv[1] : "world");
    return 0;
}
