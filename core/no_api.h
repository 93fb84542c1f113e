/** @file
 * Poisons the type names of graphics APIs. The compiler's -include adds this file to every file of core/,
 * counters/ and annotate/, so that the compiler rejects any use of a graphics API there. */
#ifndef PP_CORE_NO_API_H
#define PP_CORE_NO_API_H

/* clang-format off */
#pragma GCC poison VkInstance VkPhysicalDevice VkDevice VkQueue VkCommandBuffer VkQueryPool VkResult VkFormat
#pragma GCC poison VkRenderPass VkFramebuffer VkImage VkBuffer VkDeviceMemory VkFence VkSemaphore
#pragma GCC poison GLuint GLenum GLint GLsizei GLboolean GLbitfield GLuint64 GLsync
#pragma GCC poison GLXContext GLXDrawable GLXFBConfig EGLDisplay EGLContext EGLSurface EGLConfig EGLBoolean
/* clang-format on */

#endif
