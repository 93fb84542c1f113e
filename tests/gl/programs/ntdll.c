/** @file
 * A library of the name by which Wine is known in a process. */
int ntdll_of_test;
