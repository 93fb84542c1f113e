/** @file
 * The files of sysfs for a PCI device with one render node, as libdrm and loaders read them. */
#ifndef LAB_PCI_H
#define LAB_PCI_H

#include <stdint.h>

struct lab_model;

#define LAB_RENDER_MINOR 128
/** Where the device's files are. */
#define LAB_PCI_PATH "/sys/devices/pci0000:00/0000:00:02.0"

/** A PCI device. */
struct lab_pci {
    uint16_t vendor, device, subvendor, subdevice;
    uint8_t revision;
    uint32_t class_code; /**< 0: a display controller that is VGA compatible, 0x030000 */
    const char *driver;  /**< name of the kernel's driver */
};

/** Make the files of @p pci, and /dev/dri/renderD128, which @p model serves. Before main(). */
void lab_pci_add(const struct lab_pci *pci, const struct lab_model *model);

#endif
