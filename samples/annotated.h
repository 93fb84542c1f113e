/** @file
 * What the samples tell passprobe of their own through passprobe/annotate.h, with --annotate. Figures
 * that a test can work out from the frame's number. See also the header's own text. */
#ifndef SAMPLES_ANNOTATED_H
#define SAMPLES_ANNOTATED_H

/** A frame begins: a mark in the first one, the region "frame N % 2", counters. */
void annotated_begin(unsigned frame);

/** A pass begins in the frame's region, and ends. */
void annotated_pass_begin(const char *name);
void annotated_pass_end(void);

/** The frame's last command was given. */
void annotated_end(void);

#endif
