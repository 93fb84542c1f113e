/** @file
 * Running over a directory of vectors. */
#include "tests/unit/counters/vector_programs/vectors.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
vec_true(struct vec *vec, bool right, const char *format, ...)
{
    vec->values++;
    if (right)
        return;
    vec->missed++;
    va_list args;
    va_start(args, format);
    printf("     %s: ", vec->file);
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

void
vec_close(struct vec *vec, const char *what, double got, double want, double tolerance)
{
    double error = fabs(got - want);
    bool right = got == want || error <= tolerance * fmax(1, fabs(want));
    vec_true(vec, right, "%s is %.17g, should be %.17g", what, got, want);
}

static int
is_json(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".json");
}

static void
check_file(struct vec *vec, const char *dir, vec_check *check)
{
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof(path), "%s/%s", dir, vec->file);
    json_t *root = json_load_file(path, 0, &error);
    vec->values = vec->missed = 0;
    vec->cases++;
    if (!root) {
        vec_true(vec, false, "line %d column %d: %s", error.line, error.column, error.text);
    } else {
        check(vec, root);
        vec_true(vec, vec->values > 0, "nothing to check in it");
        json_decref(root);
    }
    vec->missed_cases += vec->missed > 0;
    printf("%-4s %s: %u of %u values\n", vec->missed ? "MISS" : "ok", vec->file, vec->values - vec->missed,
           vec->values);
}

int
vec_main(int argc, char **argv, const char *standard, vec_check *check)
{
    const char *dir = argc > 1 ? argv[1] : standard;
    struct dirent **entry;
    int n = scandir(dir, &entry, is_json, alphasort);
    if (n < 0) {
        perror(dir);
        return 1;
    }
    struct vec vec = {0};
    for (int i = 0; i < n; i++) {
        vec.file = entry[i]->d_name;
        check_file(&vec, dir, check);
        free(entry[i]);
    }
    free(entry);
    printf("total: %u of %u cases\n", vec.cases - vec.missed_cases, vec.cases);
    return vec.cases > 0 && !vec.missed_cases ? 0 : 1;
}
