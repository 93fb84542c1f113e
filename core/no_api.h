/** @file
 * Forced into every file of core/, counters/ and annotate/ by the compiler's -include: the type names of the
 * graphics APIs are poisoned there, so that the compiler and not a reviewer keeps the wall. */
#ifndef PP_CORE_NO_API_H
#define PP_CORE_NO_API_H

/* clang-format off */
#pragma GCC poison VkInstance VkPhysicalDevice VkDevice VkQueue VkCommandBuffer VkQueryPool VkResult VkFormat
#pragma GCC poison VkRenderPass VkFramebuffer VkImage VkBuffer VkDeviceMemory VkFence VkSemaphore
#pragma GCC poison GLuint GLenum GLint GLsizei GLboolean GLbitfield GLuint64 GLsync
#pragma GCC poison GLXContext GLXDrawable GLXFBConfig EGLDisplay EGLContext EGLSurface EGLConfig EGLBoolean
/* clang-format on */

#endif
