/** @file
 * The files of sysfs for devices of a system on a chip, as libdrm and loaders read them. */
#ifndef LAB_NO_WORK_PLATFORM_H
#define LAB_NO_WORK_PLATFORM_H

struct lab_model;

/**
 * Make a device of the platform bus with one node.
 *
 * @param minor       From 128 on it is a render node, below 64 a node for displays.
 * @param name        Of the device's folder; it differs between devices.
 * @param compatible  What the device tree calls the device.
 * @param model       Serves the node.
 */
void lab_platform_add(unsigned minor, const char *name, const char *compatible,
                      const struct lab_model *model);

#endif
