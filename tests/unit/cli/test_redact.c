/** @file
 * Redaction: texts, session.json, files of any cut, and the number of a machine. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/redact/redact_file.h"
#include "counters/util/array_size.h"

static char state_folder[] = "/tmp/passprobe-redact-XXXXXX";

/* A redaction of user "anna" on "gamebox", whatever machine the test runs on. */
static void
begin(struct pp_redaction *r)
{
    memset(r, 0, sizeof(*r));
    pp_redaction_init(r);
    r->users = 0;
    snprintf(r->home, sizeof(r->home), "/data/people/anna");
    pp_redaction_add_user(r, "anna");
    snprintf(r->host, sizeof(r->host), "gamebox");
}

static void
texts_lose_homes_and_names(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *words;
    } row[] = {
        {"", "", ""},
        {"shadow map", "shadow map", "shadow map"},
        {"/home/bob/game/x.c", "~/game/x.c", "~/game/x.c"},
        {"/home/bob", "~", "~"},
        {"/home/", "/home/", "/home/"},
        {"/var/home/bob/x", "/var~/x", "/var~/x"},
        {"file:///home/bob/x", "file://~/x", "file://~/x"},
        {"/data/people/anna/x", "~/x", "~/x"},
        {"/data/people/annabel/x", "/data/people/annabel/x", "/data/people/annabel/x"},
        {"/Users/Bob/x /users/bob", "~/x ~", "~/x ~"},
        {"C:\\users\\Bob Smith\\x", "C:~\\x", "C:~\\x"},
        {"C:\\\\Users\\\\bob\\\\x", "C:~\\\\x", "C:~\\\\x"},
        {"Z:\\home\\bob\\x", "Z:~\\x", "Z:~\\x"},
        {"/media/anna/disk", "/media/USER/disk", "/media/USER/disk"},
        {"/tmp/anna", "/tmp/USER", "/tmp/USER"},
        {"/tmp/anna-1/x", "/tmp/anna-1/x", "/tmp/anna-1/x"},
        {"anna", "anna", "anna"}, /* a label may be called so */
        {"gamebox:/x Gamebox gamebox2", "gamebox:/x Gamebox gamebox2", "HOST:/x HOST gamebox2"},
        {"a,/home/bob/x,\"/home/eve/y, z\"", "a,~/x,\"~/y, z\"", "a,~/x,\"~/y, z\""},
        /* paths of labels: "/" in a name of the application is "\\/" */
        {"frame/\\/home\\/bob\\/x.png/inner", "frame/~\\/x.png/inner", "frame/~\\/x.png/inner"},
        {"\\/home\\/bob is here", "~ is here", "~ is here"},
        /* other ways to write the same */
        {"/home//bob/x", "~/x", "~/x"},
        {"//home/bob/x", "/~/x", "/~/x"},
        {"/home/./bob/x", "~/x", "~/x"},
        {"\\/home\\/\\/bob\\/x", "~\\/x", "~\\/x"},
        {"C:\\users/bob/x", "C:~/x", "C:~/x"},
        {"C:/users\\bob\\x", "C:~\\x", "C:~\\x"},
        {"file:%2F%2F%2Fhome%2Fbob%2fx", "file:%2F%2F~%2fx", "file:%2F%2F~%2fx"},
        {"a=%5CUsers%5cbob", "a=~", "a=~"},
        {"%2Fdata%2Fpeople%2Fanna%2Fx", "~%2Fx", "~%2Fx"},
        {"/data//people/anna", "~", "~"},
        {"100%2", "100%2", "100%2"},
        {"/root/x", "/root/x", "/root/x"},
        {"\\/Users\\/Bob/x", "~/x", "~/x"},
        {"\\/data\\/people\\/anna\\/x", "~\\/x", "~\\/x"},
        {"\\/data\\/people\\/annabel", "\\/data\\/people\\/annabel", "\\/data\\/people\\/annabel"},
        {"\\/media\\/anna\\/disk", "\\/media\\/USER\\/disk", "\\/media\\/USER\\/disk"},
        {"\xff/home/\xfe\xfd/x", "\xff~/x", "\xff~/x"},
    };
    struct pp_redaction r;
    begin(&r);
    for (size_t i = 0; i < PP_ARRAY_SIZE(row); i++) {
        size_t len = 0;
        const char *text = pp_redact_text(&r, row[i].from, strlen(row[i].from), &len);
        assert_int_equal(len, strlen(row[i].to));
        assert_memory_equal(text, row[i].to, len);
        assert_true((text == row[i].from) == (strcmp(row[i].from, row[i].to) == 0));
        text = pp_redact_words(&r, row[i].from, strlen(row[i].from), &len);
        assert_int_equal(len, strlen(row[i].words));
        assert_memory_equal(text, row[i].words, len);
    }
    pp_redaction_finish(&r);
}

static void
nul_bytes_are_kept(void **state)
{
    (void)state;
    static const char from[] = "a\0/home/bob\0/home/eve/x";
    static const char to[] = "a\0~\0~/x";
    struct pp_redaction r;
    size_t len = 0;
    begin(&r);
    const char *text = pp_redact_text(&r, from, sizeof(from) - 1, &len);
    assert_int_equal(len, sizeof(to) - 1);
    assert_memory_equal(text, to, len);
    pp_redaction_finish(&r);
}

static void
names_that_many_folders_have_are_left(void **state)
{
    (void)state;
    struct pp_redaction r;
    begin(&r);
    static const char *const bad[] = {"root", "home", "ab", "", "a/b", "anna"};
    size_t before = r.users;
    for (size_t i = 0; i < PP_ARRAY_SIZE(bad); i++)
        pp_redaction_add_user(&r, bad[i]);
    pp_redaction_add_user(&r, NULL);
    assert_int_equal(r.users, before);
    pp_redaction_finish(&r);
}

static const char session[] =
    "{\"revision\":3,\"program\":{\"executable\":\"/home/bob/bin/game\",\"command\":[\"./"
    "game\",\"--token\",\"s3cret\"],"
    "\"start_realtime_ns\":1,\"pid\":7},\"host\":{\"name\":\"deck\",\"cpu\":\"x\"},\"messages\":[{\"text\":"
    "\"deck: cannot open /srv/bob/x\"}],\"tags\":{\"/home/bob\":\"y\"},\"revision_end\":3}";

/* Redact the session above. */
static json_t *
redacted(struct pp_redaction *r)
{
    json_t *json = json_loads(session, 0, NULL);
    assert_non_null(json);
    assert_int_equal(pp_redact_json(r, json), 0);
    return json;
}

static void
session_json_says_nothing_of_a_person(void **state)
{
    (void)state;
    struct pp_redaction r;
    char id[PP_MACHINE_ID_MAX], session_id[33];
    begin(&r);
    json_t *json = redacted(&r);
    char *text = json_dumps(json, 0);
    static const char *const gone[] = {"bob", "deck", "s3cret", "--token"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(gone); i++)
        assert_null(strstr(text, gone[i]));
    assert_non_null(strstr(text, "HOST: cannot open /srv/USER/x"));
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "program"), "arguments_removed")), 2);
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(json_object_get(json, "program"), "command"), 0)),
        "./game");
    assert_int_equal(pp_machine_id("deck", id), 0);
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "host"), "id")), id);
    assert_true(json_is_true(json_object_get(json, "redacted")));
    snprintf(session_id, sizeof(session_id), "%s", json_string_value(json_object_get(json, "session_id")));
    assert_int_equal(strlen(session_id), 32);
    /* a second time changes nothing */
    assert_int_equal(pp_redact_json(&r, json), 0);
    char *again = json_dumps(json, 0);
    assert_string_equal(again, text);
    free(text);
    free(again);
    json_decref(json);
    pp_redaction_finish(&r);
}

/* What a sink has taken. */
struct taken {
    char text[4096];
    size_t len;
};

static int
take(void *data, const char *bytes, size_t len)
{
    struct taken *taken = data;
    assert_true(taken->len + len < sizeof(taken->text));
    memcpy(taken->text + taken->len, bytes, len);
    taken->len += len;
    return 0;
}

/* Redact a file with this content. */
static int
redact_content(struct pp_redaction *r, const char *name, const char *content, size_t len, struct taken *ret)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, len, file), len);
    rewind(file);
    ret->len = 0;
    int rc = pp_redact_file(r, name, fileno(file), take, ret);
    fclose(file);
    return rc;
}

static void
files_are_redacted_by_rows(void **state)
{
    (void)state;
    static const char rows[] = "a,b\r\n1,/home/bob/x\r\n2,gamebox\r\n3,/home/bob"; /* a torn last row */
    struct pp_redaction r;
    struct taken taken;
    begin(&r);
    assert_int_equal(redact_content(&r, "passes.csv", rows, sizeof(rows) - 1, &taken), 0);
    taken.text[taken.len] = '\0';
    assert_string_equal(taken.text, "a,b\r\n1,~/x\r\n2,gamebox\r\n3,~");
    assert_int_equal(redact_content(&r, "modules.csv", rows, sizeof(rows) - 1, &taken), 0);
    taken.text[taken.len] = '\0';
    assert_string_equal(taken.text, "a,b\r\n1,~/x\r\n2,HOST\r\n3,~");
    char *row = malloc(PP_REDACT_ROW_MAX + (1 << 20));
    assert_non_null(row);
    memset(row, 'x', PP_REDACT_ROW_MAX + (1 << 20));
    assert_int_equal(redact_content(&r, "passes.csv", row, PP_REDACT_ROW_MAX + (1 << 20), &taken), -EFBIG);
    assert_int_equal(taken.len, 0);
    free(row);
    pp_redaction_finish(&r);
}

static void
the_number_of_a_machine_needs_the_salt(void **state)
{
    (void)state;
    char id[PP_MACHINE_ID_MAX], again[PP_MACHINE_ID_MAX], path[128];
    struct stat st;
    assert_int_equal(pp_machine_id("deck", id), 0);
    assert_int_equal(strspn(id, "0123456789abcdef"), 16);
    assert_int_equal(pp_machine_id("deck", again), 0);
    assert_string_equal(id, again);
    assert_int_equal(pp_machine_id("desk", again), 0);
    assert_string_not_equal(id, again);
    snprintf(path, sizeof(path), "%s/passprobe/salt", state_folder);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(pp_machine_id("deck", again), -EPERM);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(pp_machine_id("deck", again), 0);
    assert_string_not_equal(id, again); /* another salt */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/etc/hostname", path), 0);
    assert_int_equal(pp_machine_id("deck", again), -EPERM);
    assert_int_equal(unlink(path), 0);
}

static int
make_state(void **state)
{
    (void)state;
    return mkdtemp(state_folder) ? setenv("XDG_STATE_HOME", state_folder, 1) : -1;
}

static int
remove_state(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof(command), "rm -r '%s'", state_folder);
    return system(command); /* NOLINT(cert-env33-c): a fixed command */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_lose_homes_and_names),
                                       cmocka_unit_test(nul_bytes_are_kept),
                                       cmocka_unit_test(names_that_many_folders_have_are_left),
                                       cmocka_unit_test(session_json_says_nothing_of_a_person),
                                       cmocka_unit_test(files_are_redacted_by_rows),
                                       cmocka_unit_test(the_number_of_a_machine_needs_the_salt)};
    return cmocka_run_group_tests(tests, make_state, remove_state);
}
