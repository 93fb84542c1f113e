/** @file
 * What a round of the collector does for clients: it answers only some of what they wrote, and loses nothing
 * of it; it answers `quit` at its end. */
#include "tests/lib/cmocka_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control/client.h"
#include "core/engine/clock.h"
#include "core/engine/session_private.h"

static struct pp_control control;
static int far_end = -1;

/* Connect a client. @return The side of the profiled process. */
static int
connect_client(void)
{
    int fd[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd), 0);
    far_end = fd[1];
    return fd[0];
}

/* Write a text this many times, at once. */
static void
tell(const char *text, size_t times)
{
    static char all[1 << 16];
    size_t len = strlen(text);
    assert_true(len * times <= sizeof(all));
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * len, text, len);
    assert_int_equal(send(far_end, all, len * times, MSG_NOSIGNAL), len * times);
}

/* Count the lines that the client got. */
static unsigned
lines(void)
{
    static char text[1 << 16];
    unsigned count = 0;
    ssize_t got = recv(far_end, text, sizeof(text), MSG_DONTWAIT);
    for (ssize_t i = 0; i < got; i++)
        count += text[i] == '\n';
    return count;
}

/* The round's time is over at its begin: then each client gets one answer. */
static void
a_round_ends_before_the_commands_do(void **state)
{
    struct pp_connection *client = &control.client[0];
    (void)state;
    memset(&control, 0, sizeof(control));
    pp_connection_init(client);
    pp_connection_open(client, connect_client(), 0);
    tell("nonsense\n", 300); /* more than the line reader holds */
    assert_int_equal(shutdown(far_end, SHUT_WR), 0);
    for (unsigned i = 0; i < 299; i++) {
        pp_client_serve(&control, client, 1);
        assert_int_equal(lines(), 1);
        assert_true(pp_connection_is_open(client));
    }
    control.round_ns = pp_now_ns();
    pp_client_serve(&control, client, 1);
    assert_int_equal(lines(), 1);
    pp_client_serve(&control, client, 1);
    assert_false(pp_connection_is_open(client));
    close(far_end);
}

/* Bytes without a line end are read piece by piece, too. */
static void
a_round_ends_before_the_bytes_do(void **state)
{
    struct pp_scraper *scraper = &control.scraper[0];
    char piece[PP_LINE_BYTES + 1];
    char rest[16 * PP_LINE_BYTES];
    (void)state;
    memset(&control, 0, sizeof(control));
    memset(piece, 'x', PP_LINE_BYTES);
    piece[PP_LINE_BYTES] = '\0';
    for (unsigned which = 0; which < 2; which++) {
        struct pp_connection *connection = which ? &scraper->connection : &control.client[0];
        pp_connection_init(connection);
        pp_connection_open(connection, connect_client(), 0);
        int fd = atomic_load(&connection->fd);
        tell(piece, 8);
        if (which)
            pp_scraper_serve(&control, scraper, 1);
        else
            pp_client_serve(&control, connection, 1);
        assert_true(recv(fd, rest, sizeof(rest), MSG_PEEK) >= 4 * (ssize_t)PP_LINE_BYTES);
        pp_connection_close(connection);
        close(far_end);
    }
}

static void
no_facts(void *self, struct pp_control_facts *ret)
{
    (void)self;
    (void)ret;
}

static void
quit_nothing(void *self)
{
    (void)self;
}

/* A client that has the answer to `quit` may end the process: the last lines of others are sent before. */
static void
quit_is_not_answered_in_its_round(void **state)
{
    const struct pp_control_ops ops = {.facts = no_facts, .quit = quit_nothing};
    static struct pp_session session;
    struct pp_connection *client = &control.client[0];
    (void)state;
    memset(&control, 0, sizeof(control));
    atomic_store(&session.active, true);
    control.session = &session;
    control.ops = &ops;
    pp_connection_init(client);
    pp_connection_open(client, connect_client(), 0);
    tell("quit\n", 1);
    pp_client_serve(&control, client, 1);
    assert_true(control.quit);
    assert_true(pp_connection_is_open(client));
    assert_int_equal(lines(), 0);
    pp_connection_close(client);
    close(far_end);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_ends_before_the_commands_do),
        cmocka_unit_test(a_round_ends_before_the_bytes_do),
        cmocka_unit_test(quit_is_not_answered_in_its_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
