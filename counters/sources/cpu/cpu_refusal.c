/** @file
 * See cpu_refusal.h. Source: perf_event_open(2). */
#include "counters/sources/cpu/cpu_refusal.h"

#include <errno.h>
#include <stdio.h>

#include "counters/sources/kernel/small_file.h"
#include "counters/util/errno_text.h"
#include "pp_texts.h"

static int
paranoid_level(const char *proc, int64_t *ret)
{
    char path[PP_PATH_BYTES];
    int rc = pp_path_join(path, proc, "sys/kernel/perf_event_paranoid");
    return rc ? rc : pp_file_number(path, ret);
}

/* Explain which right is missing. */
static void
explain_refusal(const char *proc, const struct pp_cpu_event *event, int error, char *ret)
{
    int64_t level = 0;
    int64_t need = event->what.exclude_kernel ? 2 : 1;
    if (paranoid_level(proc, &level)) {
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_NO_LEVEL, pp_errno_text(error));
        return;
    }
    if (level > need) {
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_PARANOID, (int)level, (int)need, (int)need,
                 need == 2 ? PP_TEXT_CPU_USER_SPACE : PP_TEXT_CPU_KERNEL_PART);
        return;
    }
    snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_REFUSED, pp_errno_text(error), (int)level);
}

void
pp_cpu_explain(const char *proc, const struct pp_cpu_event *event, int error, bool hardware, char *ret)
{
    bool software = event->what.type == PERF_TYPE_SOFTWARE;
    if (error == EACCES || error == EPERM)
        explain_refusal(proc, event, error, ret);
    else if (error == ENOSYS)
        snprintf(ret, PP_REASON_BYTES, PP_TEXT_CPU_NO_PERF);
    else if (error == EMFILE || error == ENFILE)
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_NO_DESCRIPTOR, pp_errno_text(error));
    else if (!software && !hardware && (error == ENOENT || error == EOPNOTSUPP || error == ENODEV))
        snprintf(ret, PP_REASON_BYTES, PP_TEXT_CPU_NO_PMU);
    else if (error == ENOENT || error == EOPNOTSUPP || error == EINVAL)
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_NOT_COUNTED, pp_errno_text(error));
    else
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_CPU_FAILED, pp_errno_text(error));
}
