/** @file
 * Render passes of the application, as objects for the first, the middle and the last part of an instance.
 * See also cmdbuf_split_instance.h. */
#ifndef PP_LAYER_SERIALIZE_CMDBUF_SPLIT_PASS_H
#define PP_LAYER_SERIALIZE_CMDBUF_SPLIT_PASS_H

#include "layer/serialize/cmdbuf_split_private.h"

/** Can an attachment's contents be kept between draws as the application said? Contents that no load may
 * touch are not loaded between draws either. Contents that are not stored but may be written would have to be
 * stored. */
bool pp_split_may_keep(VkAttachmentLoadOp load, VkAttachmentStoreOp store, VkImageLayout layout);

/** Only structs of these kinds may hang from one: @p one and @p other, 0 for none. */
bool pp_split_is_plain(const void *chain, VkStructureType one, VkStructureType other);

/** Destroy the remaining driver objects of render passes in parts. */
void pp_split_passes_finish(struct pp_vk_device *dev);

#endif
