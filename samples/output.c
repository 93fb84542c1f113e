/** @file
 * The image and the last line of the samples; see output.h. */
#include "samples/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t
checksum(const uint8_t *rgba, size_t pixels)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < pixels * 4; i++)
        hash = (hash ^ rgba[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int
write_ppm(const char *path, const struct options *options, const uint8_t *rgba)
{
    size_t pixels = (size_t)options->width * options->height;
    FILE *file = fopen(path, "wbe");
    bool good;
    if (!file)
        return -errno;
    fprintf(file, "P6\n%u %u\n255\n", options->width, options->height);
    for (size_t i = 0; i < pixels; i++)
        fwrite(rgba + 4 * i, 1, 3, file);
    good = !ferror(file);
    return fclose(file) == 0 && good ? 0 : -EIO;
}

int
output_frame(const char *program, const struct options *options, const uint8_t *rgba)
{
    int err = options->image ? write_ppm(options->image, options, rgba) : 0;
    if (err < 0) {
        fprintf(stderr, "%s: %s: %s\n", program, options->image, strerror(-err));
        return -1;
    }
    printf("%s: %u frames of %ux%u, last one %016" PRIx64 "\n", program, options->frames, options->width,
           options->height, checksum(rgba, (size_t)options->width * options->height));
    return 0;
}
