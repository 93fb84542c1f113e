/** @file
 * Render passes of the application, as objects for the first, the middle and the last part of an instance.
 * See also split_instance.h. */
#ifndef PP_LAYER_SERIALIZE_SPLIT_PASS_H
#define PP_LAYER_SERIALIZE_SPLIT_PASS_H

#include "layer/serialize/split_private.h"

/** Can an attachment's contents be kept between draws, so that the application gets the same results? The
 * answer is no for two kinds of contents: those that no load may touch, because a part would load them; and
 * those that may be written but must not be stored, because a part would store them. */
bool pp_split_may_keep(VkAttachmentLoadOp load, VkAttachmentStoreOp store, VkImageLayout layout);

/** Does @p chain have only structs of the types @p one and @p other (0: none)? */
bool pp_split_is_plain(const void *chain, VkStructureType one, VkStructureType other);

/** Destroy the remaining driver objects of render passes in parts. */
void pp_split_passes_finish(struct pp_vk_device *dev);

#endif
