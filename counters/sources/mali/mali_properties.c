/** @file
 * kbase's list of properties; see mali_device.h. Source: kbase's mali_kbase_ioctl.h. */
#include "counters/sources/mali/mali_device.h"

#include <endian.h>
#include <string.h>

#include "counters/sources/mali/mali_uapi.h"

void
pp_kbase_properties_read(const uint8_t *bytes, size_t size, struct pp_kbase_properties *ret)
{
    size_t at = 0;
    while (size - at >= sizeof(uint32_t)) {
        uint32_t head = 0;
        uint64_t value = 0;
        memcpy(&head, bytes + at, sizeof(head));
        head = le32toh(head);
        size_t length = (size_t)1 << (head & 3);
        uint32_t key = head >> 2;
        at += sizeof(head);
        if (size - at < length)
            return;
        for (size_t i = 0; i < length; i++)
            value |= (uint64_t)bytes[at + i] << (8 * i);
        at += length;
        if (key == PP_KBASE_PRODUCT_ID)
            ret->product = value;
        else if (key == PP_KBASE_L2_SLICES)
            ret->l2_slices = value;
        else if (key == PP_KBASE_RAW_L2_FEATURES)
            ret->l2_features = value;
        else if (key >= PP_KBASE_COHERENCY_GROUP_0 &&
                 key < PP_KBASE_COHERENCY_GROUP_0 + PP_KBASE_COHERENCY_GROUPS)
            ret->cores |= value;
    }
}
