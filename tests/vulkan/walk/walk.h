/** @file
 * An application that walks through the ways to record and submit Vulkan commands. It knows nothing of
 * passprobe: each case labels its commands, and test_walk.py has the expected rows of each label. */
#ifndef PP_TESTS_VULKAN_WALK_WALK_H
#define PP_TESTS_VULKAN_WALK_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "samples/vk_graphics.h"
#include "samples/vk_open.h"

#define WALK_SIZE     64U
#define WALK_FAMILIES 4U

/** Objects that all cases share. */
struct walk {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t families;              /**< at most WALK_FAMILIES */
    uint32_t queues[WALK_FAMILIES]; /**< of each, one or two */
    VkCommandPool pool;
    VkImage image;           /**< two layers, WALK_SIZE squared */
    VkImageView view;        /**< its first layer */
    VkImageView views;       /**< both */
    VkImage other;           /**< like it, for copies */
    VkRenderPass pass;       /**< one subpass */
    VkRenderPass two_passes; /**< two subpasses */
    VkFramebuffer frame, two_frame;
    VkPipelineLayout layout, compute_layout;
    VkPipeline draw, draw_two[2], draw_dynamic, draw_views, compute;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool set_pool;
    VkDescriptorSet set;
    VkBuffer buffer;          /**< 64 KiB, for everything; begins with indirect arguments */
    VkBuffer target;          /**< its match */
    VkDeviceMemory memory[4]; /**< of the two images and buffers */
    uint32_t memories;
    bool conditional;
    bool protects; /**< has a protected queue in the first family */
    bool sparse;   /**< the first family binds sparse memory */
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;
    PFN_vkCmdInsertDebugUtilsLabelEXT insert_label;
    PFN_vkQueueBeginDebugUtilsLabelEXT begin_queue_label;
    PFN_vkQueueEndDebugUtilsLabelEXT end_queue_label;
    PFN_vkQueueInsertDebugUtilsLabelEXT insert_queue_label;
    PFN_vkCmdBeginConditionalRenderingEXT begin_conditional;
    PFN_vkCmdEndConditionalRenderingEXT end_conditional;
};

/** Ends the application with a message where a call fails. */
#define WALK_CHECK(call) walk_check((call), #call)
void walk_check(VkResult result, const char *what);

/** Make all objects. */
void walk_open(struct walk *walk);
void walk_close(struct walk *walk);

/** A command buffer, begun, with a label open; @p inherit for secondaries, else NULL. */
VkCommandBuffer walk_begin(struct walk *walk, VkCommandPool pool, VkCommandBufferUsageFlags usage,
                           const VkCommandBufferInheritanceInfo *inherit, const char *label);

/** Close the label and end. */
void walk_end(struct walk *walk, VkCommandBuffer commands);

/** Begin a render pass instance of `pass` or `two_passes`. */
void walk_begin_pass(struct walk *walk, VkCommandBuffer commands, VkRenderPass pass,
                     VkSubpassContents contents);

/** A secondary with some draws, for inside `pass` or a subpass of `two_passes`. */
VkCommandBuffer walk_inherited(struct walk *walk, VkRenderPass pass, uint32_t subpass, VkPipeline pipeline,
                               const char *label, uint32_t draws);

/** One render pass instance of `pass` with @p draws draws in it. */
void walk_pass(struct walk *walk, VkCommandBuffer commands, uint32_t draws);

/** Begin dynamic rendering to the first layer, or with @p view_mask to both. */
void walk_rendering(struct walk *walk, VkCommandBuffer commands, VkRenderingFlags flags, uint32_t view_mask);

/** A small buffer of arguments for indirect work, which the host writes. */
struct walk_args {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *word;
};

struct walk_args walk_args_open(struct walk *walk, VkBufferUsageFlags more);
struct walk_args walk_args_sized(struct walk *walk, VkBufferUsageFlags more, VkDeviceSize size);
void walk_args_close(struct walk *walk, struct walk_args *args);

/** Full barrier between cases that write the same image. */
void walk_barrier(VkCommandBuffer commands);

/** Submit, and wait by fence. */
void walk_submit(struct walk *walk, uint32_t count, const VkCommandBuffer *commands);

/** A fence, unsignalled. */
VkFence walk_fence(struct walk *walk);
void walk_wait(struct walk *walk, VkFence fence);

/** The cases; each is one label or more. */
void walk_cases_submit(struct walk *walk);
void walk_cases_record(struct walk *walk);
void walk_cases_views(struct walk *walk);
void walk_cases_threads(struct walk *walk);
void walk_cases_families(struct walk *walk);
void walk_cases_queries(struct walk *walk);
void walk_cases_unforeseen_secondaries(struct walk *walk);
void walk_cases_suspended(struct walk *walk);
void walk_cases_reset(struct walk *walk);
void walk_cases_kept(struct walk *walk);
void walk_cases_many(struct walk *walk);
void walk_cases_group(struct walk *walk);
void walk_cases_more(struct walk *walk);
void walk_cases_again(struct walk *walk);
void walk_cases_crossed(struct walk *walk);
void walk_cases_in_flight(struct walk *walk);
void walk_cases_lost(struct walk *walk);
/** Pointers and handles that Vulkan says are ignored. */
void walk_cases_ignored(struct walk *walk);
void walk_cases_indirect(struct walk *walk);
void walk_cases_limits(struct walk *walk);
/** A long dispatch after short actions; prints only the time of the dispatch on stdout. */
void walk_cases_times(struct walk *walk);
/** Pairs of passes with something or nothing between them. */
void walk_cases_meets(struct walk *walk);
/** Secondaries within secondaries: for drivers with VK_EXT_nested_command_buffer. */
void walk_cases_nested(struct walk *walk);
/** Submissions that are repeated when the driver refuses them for lack of memory, of command buffers that run
 * once. */
void walk_cases_refused(struct walk *walk);
/** Very many states, and their picture on stdout. */
void walk_cases_states(struct walk *walk);
/** The shaders of walk_cases_states(): of vertices and of fragments, which write pushed constants. */
void walk_states_modules(struct walk *walk, VkShaderModule *ret_module);
/** Blending by constants, of the channels @p write. */
VkPipelineColorBlendAttachmentState walk_blend(VkColorComponentFlags write);
/** Render passes whose draws need the results of earlier draws, and their pictures on stdout. */
void walk_cases_instances(struct walk *walk);
void walk_cases_frame_window(struct walk *walk, const char *how);
void walk_cases_unwaited(struct walk *walk, uint32_t count);
void walk_cases_boundaries(struct walk *walk, const char *how, uint32_t frames);
void walk_device_group(void);

void walk_cases_held(struct walk *walk);
void walk_cases_held_overlapped(struct walk *walk);
void walk_cases_waits(struct walk *walk);
/** The host lets submissions go on: by an event, or by a semaphore. */
void walk_cases_by_host(struct walk *walk, bool by_event);
void walk_cases_varied(struct walk *walk);
void walk_cases_submit2(struct walk *walk);
/** All cases that need no special driver. @param threads Include those of several threads. */
void walk_all(struct walk *walk, bool threads);
/** Two instances and devices at once. */
void walk_two(void);
void walk_held_devices(void);

#endif
