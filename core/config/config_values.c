/** @file
 * See config_values.h. Numbers in options; */
#include "core/config/config_values.h"

#include <errno.h>
#include <string.h>

#include "counters/util/array_size.h"

int
pp_config_number_count(const char *text, const char **ret_end, uint64_t *ret)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -ERANGE;
        value = value * 10 + digit;
    }
    if (p == text)
        return -EINVAL;
    *ret_end = p;
    *ret = value;
    return 0;
}

bool
pp_config_number_whole(const char *text, uint64_t least, uint64_t most, uint64_t *ret)
{
    const char *end = text;
    uint64_t value = 0;
    if (pp_config_number_count(text, &end, &value) || *end || value < least || value > most)
        return false;
    *ret = value;
    return true;
}

int
pp_config_number_decimal(const char *text, uint64_t unit, uint64_t *ret)
{
    const char *p = text;
    uint64_t whole = 0;
    if (*p != '.' && pp_config_number_count(p, &p, &whole))
        return -EINVAL;
    if (whole > UINT64_MAX / unit - 1)
        return -ERANGE;
    uint64_t value = whole * unit;
    if (*p == '.') {
        p++;
        if (*p < '0' || *p > '9')
            return -EINVAL;
        for (; *p >= '0' && *p <= '9'; p++) {
            unit /= 10;
            value += (uint64_t)(*p - '0') * unit;
        }
    }
    if (*p)
        return -EINVAL;
    *ret = value;
    return 0;
}

int
pp_config_number_time(const char *text, uint64_t preset_ns, uint64_t *ret_ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
        uint64_t times;
    } units[] = {{"s", 1000000000U, 1}, {"ms", 1000000U, 1}, {"us", 1000U, 1}, {"min", 1000000000U, 60}};
    char number[64];
    size_t len = strspn(text, "0123456789.");
    uint64_t unit_ns = preset_ns;
    uint64_t times = 1;
    uint64_t value = 0;
    const char *unit = text + len;
    if (len >= sizeof(number))
        return -ERANGE;
    memcpy(number, text, len);
    number[len] = '\0';
    for (size_t i = 0; i < PP_ARRAY_SIZE(units); i++) {
        if (strcmp(unit, units[i].name) == 0) {
            unit_ns = units[i].ns;
            times = units[i].times;
            unit = "";
        }
    }
    int rc = *unit ? -EINVAL : pp_config_number_decimal(number, unit_ns, &value);
    if (rc)
        return rc;
    if (value > UINT64_MAX / times)
        return -ERANGE;
    *ret_ns = value * times;
    return 0;
}

bool
pp_config_number_bytes(const char *value, uint64_t *ret_bytes)
{
    static const char suffix[] = "KMGT";
    const char *end = value;
    uint64_t size = 0;
    if (pp_config_number_count(value, &end, &size))
        return false;
    const char *at = *end ? strchr(suffix, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    unsigned shift = at ? 10 * (unsigned)(at - suffix + 1) : 0;
    end += at ? 1 : 0;
    if (at && *end == 'i' && end[1] == 'B')
        end += 2;
    else if (*end == 'B')
        end++;
    *ret_bytes = size << shift;
    return !*end && size <= UINT64_MAX >> shift;
}
