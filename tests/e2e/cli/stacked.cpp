/** @file
 * An application for test_annotate.py: it simulates draws whose call stacks are known, and writes its session itself:
 * stacks.csv, modules.csv, frames.csv, passes.csv and draws.csv. A comment "at: NAME" marks the line of each call;
 * the test compares these lines with those that `passprobe annotate` finds.
 *
 *     stacked FOLDER [LIBRARY]: LIBRARY has a function `int library_draw(int (*draw)(int), int)`. */
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

namespace
{
struct Module {
    std::string path, build_id;
    uintptr_t bias, start, end;
};

struct Draw {
    int stack, time_ns;
};

std::vector<Module> modules;
std::vector<std::vector<void *>> stacks;
std::vector<Draw> draws;

int
add_module(struct dl_phdr_info *info, size_t, void *)
{
    Module module = {info->dlpi_name, "", info->dlpi_addr, UINTPTR_MAX, 0};
    if (module.path.empty()) {
        char self[4096] = "";
        if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
            abort();
        module.path = self;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &p = info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + p.p_vaddr;
        if (p.p_type == PT_LOAD) {
            module.start = at < module.start ? at : module.start;
            module.end = at + p.p_memsz > module.end ? at + p.p_memsz : module.end;
        }
        if (p.p_type != PT_NOTE)
            continue;
        for (uintptr_t n = at; n + sizeof(ElfW(Nhdr)) <= at + p.p_memsz;) {
            const ElfW(Nhdr) *note = reinterpret_cast<const ElfW(Nhdr) *>(n);
            const uintptr_t name = n + sizeof(*note), desc = name + (note->n_namesz + 3U) / 4 * 4;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
                for (unsigned b = 0; b < note->n_descsz; b++) {
                    char hex[3];
                    snprintf(hex, sizeof(hex), "%02x", reinterpret_cast<const unsigned char *>(desc)[b]);
                    module.build_id += hex;
                }
            n = desc + (note->n_descsz + 3U) / 4 * 4;
        }
    }
    modules.push_back(module);
    return 0;
}

/* What the graphics API is: notes the stack of its caller. */
__attribute__((noinline)) int
api_draw(int time_ns)
{
    void *frame[64];
    const int found = backtrace(frame, 64);
    std::vector<void *> stack(frame + 1, frame + found); /* without this function */
    size_t id = 0;
    while (id < stacks.size() && stacks[id] != stack)
        id++;
    if (id == stacks.size())
        stacks.push_back(stack);
    draws.push_back({static_cast<int>(id), time_ns});
    return time_ns;
}

int
write_session(const char *folder)
{
    const std::string top = folder;
    dl_iterate_phdr(add_module, nullptr);
    FILE *out = fopen((top + "/modules.csv").c_str(), "w");
    fputs("module,path,build_id,load_bias,start,end,loaded_ns,unloaded_ns,debuglink\r\n", out);
    for (size_t i = 0; i < modules.size(); i++)
        fprintf(out, "%zu,%s,%s,0x%zx,0x%zx,0x%zx,0,,\r\n", i, modules[i].path.c_str(), modules[i].build_id.c_str(),
                modules[i].bias, modules[i].start, modules[i].end);
    fclose(out);
    out = fopen((top + "/stacks.csv").c_str(), "w");
    fputs("stack,truncated,frames\r\n", out);
    for (size_t s = 0; s < stacks.size(); s++) {
        fprintf(out, "%zu,,\"", s + 1);
        for (size_t f = 0; f < stacks[s].size(); f++) {
            const uintptr_t at = reinterpret_cast<uintptr_t>(stacks[s][f]) - 1;
            size_t m = 0;
            while (m < modules.size() && (at < modules[m].start || at >= modules[m].end))
                m++;
            if (m < modules.size())
                fprintf(out, "%s%zu+0x%zx", f ? ";" : "", m, at - modules[m].bias);
            else
                fprintf(out, "%s?0x%zx", f ? ";" : "", at);
        }
        fputs("\"\r\n", out);
    }
    fclose(out);
    out = fopen((top + "/draws.csv").c_str(), "w");
    fputs("frame,pass,draw,draw_id,call,label,pipeline,stack,vertices,instances,groups,gpu_start_ns,gpu_time_ns,"
          "bound_by\r\n",
          out);
    for (size_t i = 0; i < draws.size(); i++)
        fprintf(out, "1,0,%zu,d%zu,glDrawArrays,,,%d,3,1,,,%d,\r\n", i, i, draws[i].stack + 1,
                draws[i].time_ns);
    fclose(out);
    return 0;
}

template <typename T>
struct Renderer {
    __attribute__((noinline)) int draw_all(T count)
    {
        int sum = 0;
        for (T i = 0; i < count; i++)
            sum += api_draw(1000); /* at: method */
        return sum + 1;
    }
};

inline __attribute__((always_inline)) int
draw_inlined(int time_ns)
{
    return api_draw(time_ns) + 1; /* at: inlined */
}

inline __attribute__((always_inline)) int
draw_twice_inlined(int time_ns)
{
    return draw_inlined(time_ns) + 1; /* at: middle */
}

__attribute__((noinline)) int
outer(int time_ns)
{
    return draw_twice_inlined(time_ns) + 1; /* at: outer */
}

__attribute__((noinline)) int
recursive(int depth)
{
    if (depth == 0)
        return api_draw(64000) + 1; /* at: leaf */
    return recursive(depth - 1) + 1; /* at: recursion */
}

ucontext_t back, routine;
int from_coroutine;

__attribute__((noinline)) void
coroutine()
{
    from_coroutine = api_draw(128000); /* at: coroutine */
    swapcontext(&routine, &back);
}

__attribute__((noinline)) int
in_coroutine()
{
    static char stack[256 * 1024];
    getcontext(&routine);
    routine.uc_stack.ss_sp = stack;
    routine.uc_stack.ss_size = sizeof(stack);
    routine.uc_link = &back;
    makecontext(&routine, coroutine, 0);
    swapcontext(&back, &routine);
    return from_coroutine;
}

__attribute__((noinline)) int
in_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    typedef int function(int (*)(int), int);
    function *draw = library ? reinterpret_cast<function *>(dlsym(library, "library_draw")) : nullptr;
    if (!draw)
        abort();
    return draw(api_draw, 256000) + 1; /* at: caller of the library */
}
} // namespace

int
main(int argc, char **argv)
{
    Renderer<int> renderer;
    int sum = renderer.draw_all(3); /* at: main of the method */
    sum += outer(16000);
    sum += recursive(3);
    const std::function<int(int)> lambda = [&](int time_ns) {
        return api_draw(time_ns) + sum; /* at: lambda */
    };
    sum += lambda(32000);
    sum += in_coroutine();
    if (argc > 2)
        sum += in_library(argv[2]);
    return sum == 0 ? 1 : write_session(argv[1]);
}
