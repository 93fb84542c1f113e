/** @file
 * vectors_intel_oa [DIR]: check reports, sums and metrics with all vectors in DIR (format:
 * tests/unit/counters/vectors/intel-oa/README.md). Prints a line for each case, then a total; exit status 1
 * if a value is wrong, 2 if there are no vectors. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/counters/vector_programs/oa_vectors.h"

#define MAX_FILES 64

/** The JSON files of the directory. */
struct files {
    struct {
        char *name;
        json_t *root;
    } file[MAX_FILES];
    size_t files;
};

static bool
ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static int
is_json(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".json");
}

static void
load(struct tally *tally, const char *directory, const char *name, struct files *files)
{
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    json_t *root = json_load_file(path, 0, &error);
    if (!root || files->files == MAX_FILES) {
        case_begin(tally, name, "(file)");
        miss(tally, "line %d: %s", error.line, root ? "too many files" : error.text);
        case_end(tally);
        json_decref(root);
        return;
    }
    read_devices(tally, root);
    files->file[files->files].name = strdup(name);
    files->file[files->files++].root = root;
}

static void
load_all(struct tally *tally, const char *directory, struct files *files)
{
    struct dirent **entry = NULL;
    int count = scandir(directory, &entry, is_json, alphasort);
    for (int i = 0; i < count; i++) {
        load(tally, directory, entry[i]->d_name, files);
        free(entry[i]);
    }
    free(entry);
}

int
main(int argc, char **argv)
{
    const char *directory = argc > 1 ? argv[1] : PP_VECTORS_DIR;
    static struct tally tally;
    static struct files files;
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: %s [DIR]\n", argv[0]);
        return 2;
    }
    load_all(&tally, directory, &files);
    for (size_t i = 0; i < files.files; i++) {
        run_json(&tally, files.file[i].name, files.file[i].root);
        json_decref(files.file[i].root);
        free(files.file[i].name);
    }
    run_tsv(&tally, directory, "pairs", false);
    run_tsv(&tally, directory, "sequences", true);
    if (tally.cases == 0) {
        fprintf(stderr, "%s: no vectors in %s\n", argv[0], directory);
        return 2;
    }
    printf("intel-oa: %u cases, %u failed, %lu values compared; %lu of %lu floats to the last bit\n",
           tally.cases, tally.failed, tally.values, tally.exact, tally.floats);
    return tally.failed != 0;
}
