/** @file
 * Configuration files: any text either sets options within their bounds, or gives one line with its place. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/config_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const games[] = {"game", NULL};
    static struct pp_config config;
    char error[PP_CONFIG_ERROR_MAX] = "";
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    pp_config_init(&config);
    int rc = pp_config_read_text(&config, text, "file", games, error);
    free(text);
    if (rc) {
        assert(strncmp(error, "file:", 5) == 0);
        assert(!strchr(error, '\n') && strlen(error) < sizeof(error));
    }
    assert(config.level <= PP_LEVEL_DRAW && config.frame_on <= PP_FRAME_ON_MARKER);
    assert(config.every >= 1 && config.frames_first <= config.frames_last && config.max_size_bytes >= 65536);
    assert(config.pipeline_mask < 1U << PP_PIPELINE_STATISTICS);
    assert(memchr(config.output, '\0', sizeof(config.output)) && config.output[0]);
    return 0;
}
