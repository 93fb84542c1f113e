/** @file
 * Reasons that a device keeps until core knows the device: at most as many as its list holds, and each only
 * once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "layer/measure/announce.h"

static struct pp_vk_device *
create_device(void)
{
    struct pp_vk_device *dev = calloc(1, sizeof(*dev));
    assert_non_null(dev);
    pthread_mutex_init(&dev->frames.lock, NULL);
    return dev;
}

static void
destroy_device(struct pp_vk_device *dev)
{
    pthread_mutex_destroy(&dev->frames.lock);
    free(dev);
}

static void
further_reasons_are_left_out(void **state)
{
    (void)state;
    struct pp_vk_device *dev = create_device();
    assert_true(PP_MESSAGE_COUNT > PP_VK_MISSING_MAX + 1);
    for (unsigned id = 0; id <= PP_VK_MISSING_MAX + 1; id++)
        pp_vk_device_missing(dev, "event", (enum pp_message)id, "reason %u", id);
    assert_int_equal(dev->missing.count, PP_VK_MISSING_MAX);
    assert_int_equal(sizeof(dev->missing.list) / sizeof(dev->missing.list[0]), PP_VK_MISSING_MAX);
    assert_string_equal(dev->missing.list[0].reason, "reason 0");
    char last[16];
    snprintf(last, sizeof(last), "reason %u", PP_VK_MISSING_MAX - 1);
    assert_string_equal(dev->missing.list[PP_VK_MISSING_MAX - 1].reason, last);
    destroy_device(dev);
}

static void
a_reason_is_kept_once(void **state)
{
    (void)state;
    struct pp_vk_device *dev = create_device();
    pp_vk_device_missing(dev, "time", PP_ID_VK_RESUMED, "%s", "first");
    pp_vk_device_missing(dev, "time", PP_ID_VK_RESUMED, "%s", "second");
    assert_int_equal(dev->missing.count, 1);
    assert_string_equal(dev->missing.list[0].event, "time");
    assert_string_equal(dev->missing.list[0].reason, "first");
    destroy_device(dev);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_reasons_are_left_out),
        cmocka_unit_test(a_reason_is_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
