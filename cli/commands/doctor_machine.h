/** @file
 * `passprobe doctor` without CMD: the installation, the configuration, the drivers and permissions. */
#ifndef PP_CLI_COMMANDS_DOCTOR_MACHINE_H
#define PP_CLI_COMMANDS_DOCTOR_MACHINE_H

#include <stdbool.h>

#include "cli/launch/install_paths.h"

/** Check that passprobe's files are installed. @return false: neither the shim nor the layer is. */
bool pp_doctor_check_files(const struct pp_install_paths *places);

/** Print the variables on which windows depend: DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR. */
void pp_doctor_check_display(void);

/** Check the loader, the configuration, the drivers and permissions. @return Can applications be profiled? */
bool pp_doctor_check_machine(const struct pp_install_paths *places);

/** Check everything that needs no application. @return The exit status. */
int pp_doctor_examine_machine(const struct pp_install_paths *places);

#endif
