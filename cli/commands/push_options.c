/** @file
 * See push_options.h. */
#include "cli/commands/push_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cli/print/message.h"
#include "cli/push/push_tags.h"
#include "cli/push/push_url.h"
#include "cli/push/since.h"
#include "core/config/config_number.h"
#include "pp_texts.h"

#define RETRY_USUAL     5U
#define RETRY_MOST      1000U
#define TIMEOUT_USUAL_S 120U
#define TIMEOUT_MOST_S  3600U

enum push_option {
    OPT_HELP = 'h',
    OPT_SINCE = 256,
    OPT_TAG,
    OPT_DRAWS,
    OPT_DRY_RUN,
    OPT_PASSWORD_FILE,
    OPT_CA_FILE,
    OPT_RETRY,
    OPT_TIMEOUT,
    OPT_WATCH,
    OPT_CLEAN_UP,
    OPT_NO_REDACT,
    OPT_SHOW
};

static const struct option longs[] = {
    {"help", no_argument, NULL, OPT_HELP},
    {"since", required_argument, NULL, OPT_SINCE},
    {"tag", required_argument, NULL, OPT_TAG},
    {"draws", no_argument, NULL, OPT_DRAWS},
    {"dry-run", no_argument, NULL, OPT_DRY_RUN},
    {"password-file", required_argument, NULL, OPT_PASSWORD_FILE},
    {"ca-file", required_argument, NULL, OPT_CA_FILE},
    {"retry", required_argument, NULL, OPT_RETRY},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"watch", required_argument, NULL, OPT_WATCH},
    {"clean-up", no_argument, NULL, OPT_CLEAN_UP},
    {"no-redact", no_argument, NULL, OPT_NO_REDACT},
    {"show", no_argument, NULL, OPT_SHOW},
    {.name = NULL},
};

/* Take an option that has an argument, or none. @return Exit status. */
static int
take(int option, const char *name, struct pp_push_options *ret)
{
    bool good = true;
    uint64_t number = 0;
    switch (option) {
    case OPT_SINCE:
        good = pp_since_read(optarg, time(NULL), &ret->since_ns) == 0;
        break;
    case OPT_TAG:
        good = pp_push_tags_append(ret->tags, optarg);
        break;
    case OPT_RETRY:
        good = pp_config_number_whole(optarg, 0, RETRY_MOST, &number);
        ret->retry = (unsigned)number;
        break;
    case OPT_TIMEOUT:
        good = pp_config_number_whole(optarg, 1, TIMEOUT_MOST_S, &number);
        ret->timeout_s = (unsigned)number;
        break;
    case OPT_PASSWORD_FILE:
        ret->password_file = optarg;
        break;
    case OPT_CA_FILE:
        ret->ca_file = optarg;
        break;
    case OPT_WATCH:
        ret->watch = optarg;
        break;
    case OPT_DRAWS:
        ret->draws = true;
        break;
    case OPT_DRY_RUN:
        ret->dry_run = true;
        break;
    case OPT_CLEAN_UP:
        ret->clean_up = true;
        break;
    case OPT_NO_REDACT:
        ret->no_redact = true;
        break;
    case OPT_SHOW:
        ret->show = ret->dry_run = true;
        break;
    case OPT_HELP:
        ret->help = true;
        break;
    default:
        return pp_fail(PP_FORMAT_PUSH_OPTION, name);
    }
    if (!good && option == OPT_TAG)
        return pp_fail(PP_FORMAT_PUSH_TAG, optarg, PP_TEXT_CONFIG_TAG);
    return good ? 0 : pp_fail(PP_FORMAT_PUSH_VALUE, name, optarg);
}

/* The name of an option, for messages. What is after '=' is left out: it may be a secret. @param given
 * As on the command line. */
static const char *
name_of(int option, const char *given, char ret[64])
{
    for (const struct option *o = longs; o->name; o++)
        if (o->val == option)
            return o->name;
    given += strspn(given, "-");
    snprintf(ret, 64, "%.*s", (int)strcspn(given, "="), given);
    return ret;
}

bool
pp_push_target_is_folder(const char *target)
{
    /* "clickhouse:/host" is an address with a slash too few, hardly a folder */
    bool scheme = strncasecmp(target, "clickhouse:", 11) == 0 || strncasecmp(target, "clickhouses:", 12) == 0;
    return !scheme && !strstr(target, "://");
}

/* Do the options and arguments go together? @return Exit status. */
static int
check(const struct pp_push_options *o)
{
    if (!o->target)
        return pp_fail(PP_TEXT_PUSH_NO_TARGET);
    if (pp_push_target_is_folder(o->target) && (o->password_file || o->ca_file || o->clean_up))
        return pp_fail(PP_TEXT_LAKE_OPTIONS);
    if (!o->sessions && !o->watch && !o->clean_up)
        return pp_fail(PP_TEXT_PUSH_NO_SESSION);
    if (o->watch && (o->sessions || o->dry_run || o->since_ns))
        return pp_fail(PP_TEXT_PUSH_WATCH_ALONE);
    return 0;
}

int
pp_push_options_read(int argc, char **argv, struct pp_push_options *ret)
{
    char name[64];
    *ret = (struct pp_push_options){.retry = RETRY_USUAL, .timeout_s = TIMEOUT_USUAL_S};
    opterr = 0;
    optind = 0;
    for (int option = 0; (option = getopt_long(argc, argv, ":h", longs, NULL)) != -1;) {
        const char *given = argv[optind - 1];
        if (option == ':')
            return pp_fail(PP_FORMAT_PUSH_ARGUMENT, name_of(optopt, given, name));
        int status = take(option, name_of(option, given, name), ret);
        if (status)
            return status;
    }
    ret->target = argv[optind];
    ret->session = ret->target ? argv + optind + 1 : argv + optind;
    ret->sessions = ret->target ? argc - optind - 1 : 0;
    return ret->help ? 0 : check(ret);
}
