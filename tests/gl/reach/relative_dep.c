/** @file
 * Found only through the RUNPATH of relative.c's plug-in. */
const char *relative_name(void);
const char *relative_where(void);

const char *
relative_name(void)
{
    return "dependency";
}

const char *
relative_where(void)
{
    return "dependency";
}
