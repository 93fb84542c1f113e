/** @file
 * Machines for an application into which the fakes are preloaded. Variables of the environment choose the
 * devices, and what the kernel refuses: README.md lists them. */
#ifndef PP_TESTS_FAKE_KERNEL_MACHINES_H
#define PP_TESTS_FAKE_KERNEL_MACHINES_H

#include <stdint.h>

/** Add clocks of GPU_ACTIVE to the Mali's front end; found by name (dlsym). */
void fake_kernel_worked(uint64_t clocks);

/** Claim the devices that the environment names. */
void fake_machines_begin(void);

#endif
