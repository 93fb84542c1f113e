/** @file
 * Both drivers of Mali; see mali.h. Sources: panfrost_perfcnt.c; kbase's mali_kbase_kinstr_prfcnt.c and
 * mali_kbase_hwcnt_reader.h (facts about their behaviour, no code). */
#include "tests/fake/kernel/mali.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "counters/mali/mali_decode.h"
#include "counters/sources/mali/mali_uapi.h"
#include "tests/fake/kernel/calls.h"

enum { WORDS = 64, INSTANCES = 64, ITEM = 48, BUFFERS = 4, MAP = 1 << 18, BUFFER = MAP / BUFFERS };

static struct fake_mali machine;
static uint64_t hardware[PP_MALI_BLOCK_KINDS][INSTANCES][WORDS];
static bool enabled, stretched, late;
static int failing;
static unsigned begun;    /* attempts to have the counters */
static const void *owner; /* panfrost: the file that has the counters on */

/* kbase's session */
static struct {
    int fd;
    bool open, running, fetched;
    uint8_t *memory;
    uint64_t written, taken; /* samples */
} session;

void
fake_mali_count(unsigned kind, unsigned instance, unsigned word, uint64_t amount)
{
    if (word < 4 || word >= WORDS)
        abort();
    if (enabled)
        hardware[kind][instance][word] += amount;
}

static struct {
    unsigned kind, instance, word;
    uint64_t amount;
} steady[16];
static unsigned steadies;

void
fake_mali_before_samples(unsigned kind, unsigned instance, unsigned word, uint64_t amount)
{
    if (steadies == sizeof(steady) / sizeof(steady[0]))
        abort();
    steady[steadies].kind = kind;
    steady[steadies].instance = instance;
    steady[steadies].word = word;
    steady[steadies].amount = amount;
    steadies++;
}

static void
count_steadily(void)
{
    for (unsigned i = 0; i < steadies; i++)
        if (steady[i].amount)
            fake_mali_count(steady[i].kind, steady[i].instance, steady[i].word, steady[i].amount);
}

void
fake_mali_fail(int error)
{
    failing = error;
}

void
fake_mali_stretch(void)
{
    stretched = true;
}

void
fake_mali_be_late(void)
{
    late = true;
}

bool
fake_mali_enabled(void)
{
    return enabled;
}

static void
clear(void)
{
    memset(hardware, 0, sizeof(hardware));
}

static bool
has_core(unsigned core)
{
    return machine.cores >> core & 1;
}

static unsigned
core_blocks(void)
{
    return 64U - (unsigned)__builtin_clzll(machine.cores);
}

/* panfrost */

static uint8_t *
write_block(uint8_t *to, unsigned kind, unsigned instance, bool there)
{
    for (unsigned i = 4; i < WORDS && there; i++) {
        uint64_t value = hardware[kind][instance][i];
        uint32_t word = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
        memcpy(to + (size_t)4 * i, &word, sizeof(word));
    }
    if (there)
        memset(to + 8, 0xff, 4);
    return to + (size_t)4 * WORDS;
}

static int
dump(const void *file, uint64_t buffer)
{
    uint8_t *to = (uint8_t *)(uintptr_t)buffer;
    if (!enabled || file != owner)
        fake_kernel_violation("a dump by who has not switched the counters on (EINVAL)");
    if (!to)
        fake_kernel_violation("a dump to nowhere (EFAULT)");
    count_steadily();
    if (failing) {
        int error = failing;
        failing = 0;
        clear();
        return -error;
    }
    /* Words that the hardware does not write keep their value: here never 0. */
    memset(to, 0xa5, (2 + machine.slices + core_blocks()) * (size_t)4 * WORDS);
    to = write_block(to, PP_MALI_JM, 0, true);
    to = write_block(to, PP_MALI_TILER, 0, true);
    for (unsigned i = 0; i < machine.slices; i++)
        to = write_block(to, PP_MALI_L2, i, true);
    for (unsigned i = 0; i < core_blocks(); i++)
        to = write_block(to, PP_MALI_SHADER_CORE, i, has_core(i));
    clear();
    return 0;
}

static int
get_param(struct pp_panfrost_get_param *get)
{
    if (get->pad)
        fake_kernel_violation("GET_PARAM's pad is %u (EINVAL)", get->pad);
    switch (get->param) {
    case PP_PANFROST_GPU_PROD_ID:
        get->value = machine.product;
        return 0;
    case PP_PANFROST_SHADER_PRESENT:
        get->value = machine.cores;
        return 0;
    case PP_PANFROST_L2_FEATURES:
        get->value = (uint64_t)machine.bus_log2 << 24 | 0x1234;
        return 0;
    case PP_PANFROST_MEM_FEATURES:
        get->value = (machine.slices - 1) << 8 | 1;
        return 0;
    default:
        return -EINVAL;
    }
}

static int
control_panfrost(void *file, unsigned long request, void *arg)
{
    const struct pp_panfrost_perfcnt_enable *enable = arg;
    if (request == PP_PANFROST_GET_PARAM)
        return get_param(arg);
    if (machine.stable_only)
        return -ENOSYS;
    if (request == PP_PANFROST_PERFCNT_DUMP)
        return dump(file, ((const struct pp_panfrost_perfcnt_dump *)arg)->buffer);
    if (request != PP_PANFROST_PERFCNT_ENABLE)
        fake_kernel_violation("ioctl %lx is none of panfrost's", request);
    if (enable->counterset != 0)
        fake_kernel_violation("the counters' set %u: the tables are of the primary one", enable->counterset);
    if (!enable->enable && (!enabled || file != owner))
        fake_kernel_violation("the counters are switched off by who has not switched them on (EINVAL)");
    if (machine.owned || (enabled && file != owner))
        return -EBUSY;
    if (enable->enable && enabled) /* this call does nothing, whatever the caller expects */
        fake_kernel_violation("the counters are switched on twice");
    if (enable->enable && begun++ > 0 && machine.later_error)
        return -machine.later_error;
    clear();
    enabled = enable->enable;
    owner = enabled ? file : NULL;
    return 0;
}

static void
close_panfrost(void *file)
{
    if (file == owner) {
        enabled = false;
        owner = NULL;
    }
    free(file);
}

/* Each file may own the counters. */
static int
open_panfrost(void *device, void **ret_file)
{
    (void)device;
    *ret_file = malloc(1);
    return *ret_file ? 0 : -ENOMEM;
}

static const struct fake_file_ops panfrost = {
    .open = open_panfrost, .ioctl = control_panfrost, .close = close_panfrost};

/* kbase: samples */

static void
put(uint8_t *to, uint64_t value, size_t bytes)
{
    memcpy(to, &value, bytes);
}

/* A block's item and values. @return Where the next item goes. */
static uint8_t *
describe_block(uint8_t *item, uint8_t **values, unsigned kind, unsigned index, unsigned instance)
{
    bool off = kind == PP_MALI_SHADER_CORE && (machine.disabled_core >> instance & 1);
    memset(item, 0, ITEM);
    put(item, 0x2002, 2);
    put(item + 8, kind, 1);
    put(item + 9, index, 1);
    put(item + 12, off ? 2 | 4 | 16 : 1 | 4 | 16, 4);
    put(item + 16, (uint64_t)(*values - session.memory), 4);
    memset(*values, 0, (size_t)8 * WORDS);
    put(*values + 16, off ? 0 : 0xffffffff, 8);
    for (unsigned i = 4; i < WORDS && !off; i++)
        put(*values + (size_t)8 * i, hardware[kind][instance][i], 8);
    *values += (size_t)8 * WORDS;
    return item + ITEM;
}

static int
write_sample(uint64_t user_data)
{
    if (!session.running)
        fake_kernel_violation("a sample of a session that was not started (EINVAL)");
    if (session.written - session.taken == BUFFERS - 1)
        fake_kernel_violation("no buffer is free: samples were not put back (EBUSY)");
    count_steadily();
    if (failing) {
        int error = failing;
        failing = 0;
        clear();
        return -error;
    }
    uint8_t *item = session.memory + session.written % BUFFERS * BUFFER;
    uint8_t *values = item + (size_t)ITEM * 96;
    unsigned index = 0;
    memset(item, 0, ITEM);
    put(item, 0x2000, 2);
    put(item + 24, session.written, 8);
    put(item + 32, user_data, 8);
    put(item + 40, stretched ? 1 : 0, 4);
    stretched = false;
    item += ITEM;
    item = describe_block(item, &values, PP_MALI_JM, 0, 0);
    item = describe_block(item, &values, PP_MALI_TILER, 0, 0);
    for (unsigned i = 0; i < machine.slices; i++)
        item = describe_block(item, &values, PP_MALI_L2, i, i);
    for (unsigned i = 0; i < core_blocks(); i++) {
        if (has_core(i))
            item = describe_block(item, &values, PP_MALI_SHADER_CORE, index++, i);
        else
            values += (size_t)8 * WORDS; /* a hole in memory; not in the list */
    }
    memset(item, 0, ITEM);
    session.written++;
    clear();
    return 0;
}

static int
control_session(void *file, unsigned long request, void *arg)
{
    struct pp_kinstr_access *access = arg;
    const struct pp_kinstr_command *command = arg;
    uint64_t offset = session.taken % BUFFERS * BUFFER;
    (void)file;
    if (request == PP_KINSTR_GET_SAMPLE) {
        if (session.fetched)
            fake_kernel_violation("a sample is fetched before the last one was put back (EBUSY)");
        if (session.written == session.taken)
            fake_kernel_violation("a sample is fetched that was not taken (EINVAL)");
        session.fetched = true;
        *access = (struct pp_kinstr_access){.sequence = session.taken, .offset = offset};
        return 0;
    }
    if (request == PP_KINSTR_PUT_SAMPLE) {
        if (!session.fetched || access->sequence != session.taken || access->offset != offset)
            fake_kernel_violation("a sample is put back that was not fetched (EINVAL)");
        session.fetched = false;
        session.taken++;
        return 0;
    }
    if (request != PP_KINSTR_COMMAND)
        fake_kernel_violation("ioctl %lx is none of a session", request);
    if (command->command == PP_KINSTR_SAMPLE_SYNC)
        return write_sample(command->user_data);
    if (command->command != PP_KINSTR_START || session.running)
        fake_kernel_violation("command %u to a session%s (EINVAL)", command->command,
                              session.running ? " that runs" : "");
    session.running = enabled = true;
    clear();
    return 0;
}

static bool
has_sample(void *file)
{
    (void)file;
    bool there = session.written > session.taken && !late;
    late = false;
    return there;
}

static void
close_session(void *file)
{
    (void)file;
    (void)munmap(session.memory, MAP);
    memset(&session, 0, sizeof(session));
    enabled = false;
}

static const struct fake_file_ops session_ops = {
    .ioctl = control_session, .readable = has_sample, .close = close_session};

/* kbase: the device */

static int
set_up(union pp_kinstr_setup *setup)
{
    const struct pp_kinstr_request *request = (void *)(uintptr_t)setup->in.requests;
    unsigned blocks = 0, modes = 0;
    if (setup->in.size != sizeof(*request) || setup->in.count < 2 || setup->in.count > 32)
        fake_kernel_violation("a session by %u requests of %u bytes (EINVAL)", setup->in.count,
                              setup->in.size);
    for (uint32_t i = 0; i + 1 < setup->in.count; i++) {
        if (request[i].version == 0 && request[i].type == PP_KINSTR_REQUEST_MODE &&
            request[i].u.mode.mode == 0 && request[i].u.mode.period_ns == 0)
            modes++;
        else if (request[i].version == 0 && request[i].type == PP_KINSTR_REQUEST_ENABLE &&
                 request[i].u.enable.set == 0 && request[i].u.enable.block_type < 4 &&
                 request[i].u.enable.mask[0] == UINT64_MAX)
            blocks |= 1U << request[i].u.enable.block_type;
        else
            fake_kernel_violation("request %u of a session, of type %x (EINVAL)", i, request[i].type);
    }
    if (request[setup->in.count - 1].type != 0 || modes != 1 || blocks != 15)
        fake_kernel_violation("a session with %u modes, of the blocks %x%s (EINVAL)", modes, blocks,
                              request[setup->in.count - 1].type ? ", without an end" : "");
    if (machine.setup_error)
        return -machine.setup_error;
    if (begun++ > 0 && machine.later_error)
        return -machine.later_error;
    if (session.open) /* kbase would give another descriptor; the source must not ask for one */
        fake_kernel_violation("a second session");
    session.fd = fake_kernel_file(&session_ops, &session, MAP);
    session.memory = fake_kernel_memory(session.fd, MAP);
    session.open = true;
    setup->out.metadata_item_size = ITEM;
    setup->out.mmap_bytes = MAP;
    return session.fd;
}

/* Key and value; sizes as kbase has them. */
static uint8_t *
add_property(uint8_t *to, uint32_t key, uint64_t value, unsigned size_code)
{
    put(to, key << 2 | size_code, 4);
    put(to + 4, value, (size_t)1 << size_code);
    return to + 4 + ((size_t)1 << size_code);
}

static int
get_properties(const struct pp_kbase_get_gpuprops *get)
{
    uint8_t bytes[128], *to = bytes;
    uint64_t low = machine.cores & 0xff, high = machine.cores & ~UINT64_C(0xff);
    to = add_property(to, 2, 7, 0); /* an item that no reader needs */
    to = add_property(to, PP_KBASE_PRODUCT_ID, machine.product, 2);
    to = add_property(to, PP_KBASE_L2_SLICES, machine.slices, 0);
    to = add_property(to, PP_KBASE_RAW_L2_FEATURES, (uint64_t)machine.bus_log2 << 24 | 7, 2);
    to = add_property(to, PP_KBASE_COHERENCY_GROUP_0, low, 3);
    to = add_property(to, PP_KBASE_COHERENCY_GROUP_0 + 1, high, 3);
    size_t size = (size_t)(to - bytes);
    if (get->flags)
        return -EINVAL;
    if (get->size == 0)
        return (int)size;
    if (get->size < size)
        fake_kernel_violation("properties are read into %u of %zu bytes (EINVAL)", get->size, size);
    memcpy((void *)(uintptr_t)get->buffer, bytes, size);
    return (int)size;
}

/* The list of what can be requested: three kinds of requests, the clocks, and the blocks. */
static int
enumerate(struct pp_kinstr_enum_info *info)
{
    enum { SIZE = 32, REQUESTS = 3, COUNT = REQUESTS + 1 + PP_MALI_BLOCK_KINDS + 1 };
    const unsigned instances[PP_MALI_BLOCK_KINDS] = {[PP_MALI_JM] = 1,
                                                     [PP_MALI_TILER] = 1,
                                                     [PP_MALI_L2] = machine.slices,
                                                     [PP_MALI_SHADER_CORE] =
                                                         (unsigned)__builtin_popcountll(machine.cores)};
    uint8_t *item = (uint8_t *)(uintptr_t)info->list;
    if (!item) {
        *info = (struct pp_kinstr_enum_info){.item_size = SIZE, .item_count = COUNT};
        return 0;
    }
    if (info->item_size != SIZE || info->item_count != COUNT)
        fake_kernel_violation("a list of %u items of %u bytes (EINVAL)", info->item_count, info->item_size);
    memset(item, 0, (size_t)SIZE * COUNT);
    for (unsigned i = 0; i < REQUESTS; i++, item += SIZE) {
        put(item, 1, 2);
        put(item + 8, 0x1000 + i, 2);
        put(item + 12, 1, 4); /* versions: 0 */
    }
    put(item, 2, 2);
    put(item + 8, 2, 4);
    for (unsigned kind = 0; kind < PP_MALI_BLOCK_KINDS; kind++) {
        item += SIZE;
        put(item + 8, kind, 1);
        put(item + 12, instances[kind], 2);
        put(item + 14, WORDS, 2);
        put(item + 16, UINT64_MAX, 8);
        put(item + 24, UINT64_MAX, 8);
    }
    return 0;
}

static int
control_kbase(void *file, unsigned long request, void *arg)
{
    bool *greeted = file;
    if (request == PP_KBASE_VERSION_CHECK) {
        struct pp_kbase_version *version = arg;
        if (!machine.version)
            return -EPERM;
        *greeted = true;
        *version = (struct pp_kbase_version){.major = 11, .minor = machine.version};
        return 0;
    }
    if (!*greeted)
        fake_kernel_violation("ioctl %lx before the version was agreed upon (EPERM)", request);
    if (request == PP_KBASE_SET_FLAGS)
        return -EPERM;
    if (request == PP_KBASE_GET_GPUPROPS)
        return get_properties(arg);
    if (machine.no_kinstr)
        return -ENOTTY;
    if (request == PP_KINSTR_ENUM_INFO)
        return enumerate(arg);
    if (request != PP_KINSTR_SETUP)
        fake_kernel_violation("ioctl %lx is none of kbase's", request);
    return set_up(arg);
}

static const struct fake_file_ops kbase = {.ioctl = control_kbase};
static bool greeted_kbase;

static void
start(const struct fake_mali *of, const struct fake_file_ops *ops)
{
    machine = *of;
    enabled = stretched = late = false;
    owner = NULL;
    begun = 0;
    greeted_kbase = false;
    failing = 0;
    memset(&session, 0, sizeof(session));
    memset(&steady, 0, sizeof(steady));
    clear();
    fake_kernel_claim(machine.node, ops, &greeted_kbase);
}

void
fake_mali_panfrost(const struct fake_mali *of)
{
    start(of, &panfrost);
}

void
fake_mali_kbase(const struct fake_mali *of)
{
    start(of, &kbase);
}
