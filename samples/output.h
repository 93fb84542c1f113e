/** @file
 * What the samples write: an image file, and a line with its checksum. */
#ifndef SAMPLES_OUTPUT_H
#define SAMPLES_OUTPUT_H

#include <stdint.h>

#include "samples/options.h"

/**
 * Write the last frame where --image asks for it, and one line about it to stdout.
 *
 * @param program Name at the start of the line.
 * @param rgba    options->width * options->height pixels of four bytes, row by row.
 * @return 0, or -1 after a message when the file cannot be written.
 */
int output_frame(const char *program, const struct options *options, const uint8_t *rgba);

#endif
