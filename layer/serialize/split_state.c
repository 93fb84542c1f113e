/** @file
 * State that a command buffer has set, and labels that are open, to repeat both in the next part; see
 * split.h. A state is noted under a key, which names what it sets. A later call with the same key
 * replaces the note and goes to the end of the list. Therefore the list has what the application recorded,
 * without what it overwrote. */
#include "layer/serialize/split_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"
#include "layer/serialize/split_private.h"

/* A noted state; its data follows. */
struct pp_split_note {
    struct pp_split_note *prev, *next; /**< list in the order in which the states were set */
    struct pp_split_note *chain;       /**< next note of the same bucket */
    pp_split_repeat repeat;
    struct pp_split_key key;
    uint32_t bucket;
    size_t cap; /**< bytes of state[] */
    max_align_t state[];
};

/* Notes. */

void
pp_split_forget(struct pp_split *split)
{
    if (split && split->known == PP_SPLIT_KNOWN)
        split->known = PP_SPLIT_FORGOTTEN;
}

static uint32_t
bucket_of(pp_split_repeat repeat, const struct pp_split_key *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)repeat >> 4;
    for (uint32_t i = 0; i < key->words; i++)
        hash = (hash ^ key->word[i]) * 0x9e3779b97f4a7c15U;
    return (uint32_t)(hash >> 32) % PP_SPLIT_BUCKETS;
}

/* Find the earlier note with the same key. @return Its link in the bucket; the bucket's end if there is
 * none. */
static struct pp_split_note **
find_note(struct pp_split *split, uint32_t bucket, pp_split_repeat repeat, const struct pp_split_key *key)
{
    struct pp_split_note **link = &split->bucket[bucket];
    for (; *link; link = &(*link)->chain)
        if (!key->unique && (*link)->repeat == repeat && (*link)->key.words == key->words &&
            memcmp((*link)->key.word, key->word, key->words * sizeof(key->word[0])) == 0)
            break;
    return link;
}

static void
append_note(struct pp_split *split, struct pp_split_note *note)
{
    note->prev = split->last;
    note->next = NULL;
    if (split->last)
        split->last->next = note;
    else
        split->first = note;
    split->last = note;
}

static void
unlink_note(struct pp_split *split, const struct pp_split_note *note)
{
    if (note->prev)
        note->prev->next = note->next;
    else
        split->first = note->next;
    if (note->next)
        note->next->prev = note->prev;
    else
        split->last = note->prev;
}

/* Allocate a note and insert it into a bucket. @param cap Bytes of its data. @return NULL: no memory. */
static struct pp_split_note *
make_note(struct pp_split *split, uint32_t bucket, size_t cap)
{
    struct pp_split_note *note = malloc(sizeof(*note) + cap);
    if (!note)
        return NULL;
    note->cap = cap;
    note->bucket = bucket;
    note->chain = split->bucket[bucket];
    split->bucket[bucket] = note;
    split->notes++;
    return note;
}

void *
pp_split_note(struct pp_split *split, pp_split_repeat repeat, const struct pp_split_key *key, size_t size,
              size_t pointed_to)
{
    if (!split || split->known != PP_SPLIT_KNOWN)
        return NULL;
    size_t cap = pp_split_padded(size) + pointed_to;
    uint32_t bucket = bucket_of(repeat, key);
    struct pp_split_note **link = find_note(split, bucket, repeat, key);
    struct pp_split_note *note = *link;
    if (note)
        unlink_note(split, note);
    if (note && note->cap < cap) {
        *link = note->chain;
        free(note);
        note = NULL;
        split->notes--;
    }
    if (!note && split->notes == PP_SPLIT_STATES) {
        split->known = PP_SPLIT_MANY;
        return NULL;
    }
    if (!note)
        note = make_note(split, bucket, cap);
    if (!note) {
        split->known = PP_SPLIT_FORGOTTEN;
        return NULL;
    }
    note->repeat = repeat;
    note->key = *key;
    append_note(split, note);
    split->copy_to = (char *)note->state + pp_split_padded(size);
    return note->state;
}

void *
pp_split_copy(struct pp_split *split, const void *from, size_t bytes)
{
    if (bytes == 0)
        return NULL;
    void *copy = memcpy(split->copy_to, from, bytes);
    split->copy_to += pp_split_padded(bytes);
    return copy;
}

void
pp_split_state_repeat(const struct pp_split *split, const struct pp_vk_device_next *real, VkCommandBuffer to,
                      bool inside)
{
    for (const struct pp_split_note *note = split->first; note; note = note->next)
        if (!inside || !note->key.outside)
            note->repeat(real, to, note->state);
}

void
pp_split_state_clear(struct pp_split *split)
{
    while (split->first) {
        struct pp_split_note *next = split->first->next;
        free(split->first);
        split->first = next;
    }
    split->last = NULL;
    memset(split->bucket, 0, sizeof(split->bucket));
    split->notes = split->labels = split->names = 0;
}

void
pp_split_state_finish(struct pp_split *split)
{
    pp_split_state_clear(split);
    free(split->label);
    free(split->name);
    split->label = NULL;
    split->name = NULL;
    split->label_cap = split->name_cap = 0;
}

/* Find the command buffers that get a command which the application recorded into @p handle: the twin of the
 * open part, if there is one, and the open part; without parts, @p handle. @return Their number. */
static uint32_t
find_targets(const struct pp_split *split, VkCommandBuffer handle, VkCommandBuffer to[2])
{
    uint32_t count = 0;
    VkCommandBuffer twin = pp_split_twin(split);
    if (twin != VK_NULL_HANDLE)
        to[count++] = twin;
    to[count++] = split ? pp_split_open_part(split) : handle;
    return count;
}

/* Pushed descriptors: each write is a state by itself. */

struct push {
    VkPipelineBindPoint bind_point;
    VkPipelineLayout layout;
    uint32_t set;
    VkWriteDescriptorSet write;
};

static void
repeat_push(const struct pp_vk_device_next *real, VkCommandBuffer to, const void *state)
{
    const struct push *push = state;
    real->CmdPushDescriptorSetKHR(to, push->bind_point, push->layout, push->set, 1, &push->write);
}

/* Bytes of one element that a write points to. @return 0: a dynamic descriptor, which may not be pushed, or
 * an unknown type. */
static size_t
element_size(VkDescriptorType type)
{
    if (type <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
        return sizeof(VkDescriptorImageInfo);
    if (type <= VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER)
        return sizeof(VkBufferView);
    return type <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ? sizeof(VkDescriptorBufferInfo) : 0;
}

static void
note_push(struct pp_split *split, VkPipelineBindPoint bind_point, VkPipelineLayout layout, uint32_t set,
          const VkWriteDescriptorSet *write)
{
    const struct pp_split_key key = {
        .word = {(uint64_t)bind_point, set, write->dstBinding, write->dstArrayElement, write->descriptorCount,
                 (uint64_t)write->descriptorType},
        .words = 6,
    };
    size_t bytes = write->descriptorCount * element_size(write->descriptorType);
    /* The driver ignores pImageInfo, which may then lead anywhere, if the layout has immutable samplers here.
     * The layer does not know the layout. NULL says that it is so. */
    bool is_sampler = write->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER;
    if (bytes == 0 || write->pNext || (is_sampler && write->pImageInfo)) {
        pp_split_forget(split);
        return;
    }
    bytes = is_sampler ? 0 : bytes;
    struct push *push = pp_split_note(split, repeat_push, &key, sizeof(*push), pp_split_padded(bytes));
    if (!push)
        return;
    *push = (struct push){bind_point, layout, set, *write};
    VkWriteDescriptorSet *copy = &push->write;
    copy->pImageInfo = NULL;
    copy->pBufferInfo = NULL;
    copy->pTexelBufferView = NULL;
    if (element_size(write->descriptorType) == sizeof(VkBufferView))
        copy->pTexelBufferView = pp_split_copy(split, write->pTexelBufferView, bytes);
    else if (write->descriptorType <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
             write->descriptorType == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
        copy->pImageInfo = pp_split_copy(split, write->pImageInfo, bytes);
    else
        copy->pBufferInfo = pp_split_copy(split, write->pBufferInfo, bytes);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdPushDescriptorSetKHR(VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,
                                 VkPipelineLayout layout, uint32_t set, uint32_t descriptorWriteCount,
                                 const VkWriteDescriptorSet *pDescriptorWrites)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    for (uint32_t i = 0; split && i < descriptorWriteCount; i++)
        note_push(split, pipelineBindPoint, layout, set, &pDescriptorWrites[i]);
    VkCommandBuffer to[2];
    uint32_t targets = find_targets(split, commandBuffer, to);
    for (uint32_t i = 0; i < targets; i++)
        pp_split_real(commandBuffer)
            ->CmdPushDescriptorSetKHR(to[i], pipelineBindPoint, layout, set, descriptorWriteCount,
                                      pDescriptorWrites);
}

/* Labels. */

static void
open_label(struct pp_split *split, bool marker, const char *name, const float color[4])
{
    const char *text = !name ? "" : name;
    size_t bytes = strlen(text) + 1;
    int rc =
        pp_array_grow(&split->label, &split->label_cap, (size_t)split->labels + 1, sizeof(*split->label));
    rc = rc != 0 ? rc : pp_array_grow(&split->name, &split->name_cap, split->names + bytes, 1);
    if (rc != 0) {
        pp_split_forget(split);
        return;
    }
    struct pp_split_label *label = &split->label[split->labels++];
    *label = (struct pp_split_label){.marker = marker, .name = split->names};
    memcpy(label->color, color, sizeof(label->color));
    memcpy(split->name + split->names, text, bytes);
    split->names += (uint32_t)bytes;
}

static void
close_label(struct pp_split *split)
{
    if (split && split->labels > 0)
        split->names = split->label[--split->labels].name;
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commandBuffer, const VkDebugUtilsLabelEXT *pLabelInfo)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    if (split)
        open_label(split, false, pLabelInfo->pLabelName, pLabelInfo->color);
    VkCommandBuffer to[2];
    uint32_t targets = find_targets(split, commandBuffer, to);
    for (uint32_t i = 0; i < targets; i++)
        pp_split_real(commandBuffer)->CmdBeginDebugUtilsLabelEXT(to[i], pLabelInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commandBuffer)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    close_label(split);
    VkCommandBuffer to[2];
    uint32_t targets = find_targets(split, commandBuffer, to);
    for (uint32_t i = 0; i < targets; i++)
        pp_split_real(commandBuffer)->CmdEndDebugUtilsLabelEXT(to[i]);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdDebugMarkerBeginEXT(VkCommandBuffer commandBuffer, const VkDebugMarkerMarkerInfoEXT *pMarkerInfo)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    if (split)
        open_label(split, true, pMarkerInfo->pMarkerName, pMarkerInfo->color);
    VkCommandBuffer to[2];
    uint32_t targets = find_targets(split, commandBuffer, to);
    for (uint32_t i = 0; i < targets; i++)
        pp_split_real(commandBuffer)->CmdDebugMarkerBeginEXT(to[i], pMarkerInfo);
}

VKAPI_ATTR void VKAPI_CALL
pp_split_CmdDebugMarkerEndEXT(VkCommandBuffer commandBuffer)
{
    struct pp_split *split = pp_split_find(commandBuffer);
    close_label(split);
    VkCommandBuffer to[2];
    uint32_t targets = find_targets(split, commandBuffer, to);
    for (uint32_t i = 0; i < targets; i++)
        pp_split_real(commandBuffer)->CmdDebugMarkerEndEXT(to[i]);
}

void
pp_split_labels(const struct pp_split *split, const struct pp_vk_device_next *real, VkCommandBuffer to,
                bool begin)
{
    for (uint32_t i = 0; i < split->labels; i++) {
        const struct pp_split_label *label = &split->label[begin ? i : split->labels - 1 - i];
        VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                     .pLabelName = split->name + label->name};
        VkDebugMarkerMarkerInfoEXT marker = {.sType = VK_STRUCTURE_TYPE_DEBUG_MARKER_MARKER_INFO_EXT,
                                             .pMarkerName = info.pLabelName};
        memcpy(info.color, label->color, sizeof(info.color));
        memcpy(marker.color, label->color, sizeof(marker.color));
        if (label->marker && begin)
            real->CmdDebugMarkerBeginEXT(to, &marker);
        else if (label->marker)
            real->CmdDebugMarkerEndEXT(to);
        else if (begin)
            real->CmdBeginDebugUtilsLabelEXT(to, &info);
        else
            real->CmdEndDebugUtilsLabelEXT(to);
    }
}
