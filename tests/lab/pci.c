/** @file
 * A PCI device's files in sysfs; see pci.h. Which of them libdrm and Mesa read was logged with Debian 12's
 * drivers. */
#include "tests/lab/pci.h"

#include <stdio.h>

#include "tests/lab/drm.h"
#include "tests/lab/files.h"

#define NODE LAB_PCI_PATH "/drm/renderD128"

void
lab_pci_add(const struct lab_pci *pci, const struct lab_model *model)
{
    char driver[128];
    uint32_t code = pci->class_code ? pci->class_code : 0x030000;
    lab_files_hide(LAB_PCI_PATH);
    lab_files_text(LAB_PCI_PATH "/vendor", "0x%04x\n", pci->vendor);
    lab_files_text(LAB_PCI_PATH "/device", "0x%04x\n", pci->device);
    lab_files_text(LAB_PCI_PATH "/subsystem_vendor", "0x%04x\n", pci->subvendor);
    lab_files_text(LAB_PCI_PATH "/subsystem_device", "0x%04x\n", pci->subdevice);
    lab_files_text(LAB_PCI_PATH "/revision", "0x%02x\n", pci->revision);
    lab_files_text(LAB_PCI_PATH "/class", "0x%06x\n", code);
    lab_files_text(LAB_PCI_PATH "/uevent",
                   "DRIVER=%s\nPCI_CLASS=%X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
                   "PCI_SLOT_NAME=0000:00:02.0\n",
                   pci->driver, code, pci->vendor, pci->device, pci->subvendor, pci->subdevice);
    lab_files_link(LAB_PCI_PATH "/subsystem", "../../../bus/pci");
    snprintf(driver, sizeof(driver), "../../../bus/pci/drivers/%s", pci->driver);
    lab_files_link(LAB_PCI_PATH "/driver", driver);
    lab_files_text(NODE "/dev", "226:%d\n", LAB_RENDER_MINOR);
    lab_files_text(NODE "/uevent", "MAJOR=226\nMINOR=%d\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n",
                   LAB_RENDER_MINOR);
    lab_files_link(NODE "/device", "../..");
    lab_files_link(NODE "/subsystem", "../../../../../class/drm");
    lab_files_link("/sys/class/drm/renderD128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128");
    lab_files_link("/sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:02.0/drm/renderD128");
    lab_files_node("/dev/dri/renderD128", 226, LAB_RENDER_MINOR);
    lab_drm_add_node(LAB_RENDER_MINOR, model);
}
