/** @file
 * See thread_stacks.h. What threads remember of their stacks;
 *
 * Remembers stacks; */
#include "core/stack/thread_stacks.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/util/compiler.h"
#include "core/util/hash.h"

_Thread_local struct pp_thread_stacks *pp_thread_stacks_current;

/* Calls free_thread() when a thread thread_end. The key stays for the process: threads may end after the
 * list. */
static struct {
    pthread_once_t once;
    pthread_key_t key;
    bool made;
    _Atomic(struct pp_thread_list *) list;
} thread_end = {.once = PTHREAD_ONCE_INIT};

static void
unlink_locked(struct pp_thread_list *list, struct pp_thread_stacks *thread)
{
    for (unsigned i = 0; i < PP_STACK_COUNTERS; i++)
        list->ended[i] += atomic_load(&thread->count[i]);
    if (thread->before)
        thread->before->next = thread->next;
    else
        list->first = thread->next;
    if (thread->next)
        thread->next->before = thread->before;
}

/* In pages of its own: the memo takes memory only where it is used. */
static struct pp_thread_stacks *
allocate(void)
{
    void *pages = mmap(NULL, sizeof(struct pp_thread_stacks), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void
release(struct pp_thread_stacks *thread)
{
    munmap(thread, sizeof(*thread));
}

/* The thread thread_end. */
static void
free_thread(void *entry)
{
    struct pp_thread_list *list = atomic_load(&thread_end.list);
    struct pp_thread_stacks *thread = entry;
    pp_thread_stacks_current = NULL;
    if (!list)
        return;
    pthread_mutex_lock(&list->lock);
    unlink_locked(list, thread);
    pthread_mutex_unlock(&list->lock);
    release(thread);
}

static void
make_key(void)
{
    thread_end.made = pthread_key_create(&thread_end.key, free_thread) == 0;
}

int
pp_thread_list_init(struct pp_thread_list *list)
{
    memset(list, 0, sizeof(*list));
    pthread_once(&thread_end.once, make_key);
    if (!thread_end.made)
        return -EAGAIN;
    int rc = -pthread_mutex_init(&list->lock, NULL);
    if (rc == 0)
        atomic_store(&thread_end.list, list);
    return rc;
}

void
pp_thread_list_finish(struct pp_thread_list *list)
{
    atomic_store(&thread_end.list, NULL);
    (void)pthread_setspecific(thread_end.key, NULL);
    pp_thread_stacks_current = NULL;
    while (list->first) {
        struct pp_thread_stacks *thread = list->first;
        unlink_locked(list, thread);
        release(thread);
    }
    pthread_mutex_destroy(&list->lock);
}

struct pp_thread_stacks *
pp_thread_stacks_create(struct pp_thread_list *list)
{
    struct pp_thread_stacks *thread = allocate();
    if (!thread)
        return NULL;
    if (pthread_setspecific(thread_end.key, thread)) {
        release(thread);
        return NULL;
    }
    pp_walk_find_bounds(&thread->bounds);
    pthread_mutex_lock(&list->lock);
    thread->next = list->first;
    if (thread->next)
        thread->next->before = thread;
    list->first = thread;
    pthread_mutex_unlock(&list->lock);
    pp_thread_stacks_current = thread;
    return thread;
}

void
pp_thread_list_counts(struct pp_thread_list *list, uint64_t ret_count[PP_STACK_COUNTERS])
{
    pthread_mutex_lock(&list->lock);
    memcpy(ret_count, list->ended, sizeof(list->ended));
    for (struct pp_thread_stacks *thread = list->first; thread; thread = thread->next)
        for (unsigned i = 0; i < PP_STACK_COUNTERS; i++)
            ret_count[i] += atomic_load_explicit(&thread->count[i], memory_order_relaxed);
    pthread_mutex_unlock(&list->lock);
}

/* The step of a hash, or where it goes: in the second of two places if another one has the first. */
static inline struct pp_memo_step *
step_of(struct pp_memo *memo, uint64_t hash)
{
    size_t at = (hash >> 32) % PP_MEMO_STEPS;
    struct pp_memo_step *step = &memo->step[at];
    if (PP_LIKELY(step->hash == hash || step->hash == 0))
        return step;
    struct pp_memo_step *second = &memo->step[at ^ 1];
    return second->hash == hash || second->hash == 0 ? second : step;
}

static inline uint64_t
first_hash(const struct pp_walk_registers *from)
{
    return pp_hash_mix(pp_hash_mix(0, from->ip), from->sp) | 1;
}

static inline uint32_t
set_of(uint64_t hash)
{
    return (uint32_t)(hash >> 20) % PP_MEMO_SETS;
}

/* Follow the words to their set. A word is read only where a walk with the same words before it read one.
 * @return false: no known stack begins so. */
static bool
find_set(struct pp_memo *memo, const struct pp_walk_registers *from, uint32_t *ret_set)
{
    uint64_t hash = first_hash(from);
    const struct pp_memo_step *step = step_of(memo, hash);
    if (step->hash == hash && step->uses_bp) {
        hash = pp_hash_mix(hash, from->bp) | 1;
        step = step_of(memo, hash);
    }
    for (uint32_t i = 0; i < PP_MEMO_PATH; i++) {
        if (step->hash != hash)
            return false;
        if (step->ends)
            break;
        hash = pp_hash_mix(hash, pp_memo_load(from->sp + step->offset)) | 1;
        step = step_of(memo, hash);
    }
    *ret_set = set_of(hash);
    return true;
}

/* Make the steps that lead to the set of a walk. @return The set. */
static uint32_t
make_path(struct pp_memo *memo, const struct pp_walk_registers *from, const struct pp_walk *walk)
{
    uint64_t hash = first_hash(from);
    struct pp_memo_step *step = step_of(memo, hash);
    bool uses_bp = walk->uses_bp || (step->hash == hash && step->uses_bp);
    if (uses_bp) {
        *step = (struct pp_memo_step){.hash = hash, .uses_bp = true};
        hash = pp_hash_mix(hash, from->bp) | 1;
    }
    for (uint32_t i = 0; i < PP_MEMO_PATH; i++) {
        bool ends = i == walk->words;
        *step_of(memo, hash) = (struct pp_memo_step){
            .hash = hash,
            .ends = ends,
            .offset = ends ? 0 : walk->word[i].offset,
        };
        if (ends)
            break;
        hash = pp_hash_mix(hash, walk->word[i].value) | 1;
    }
    return set_of(hash);
}

/* Note that an entry followed the last one. */
static inline const struct pp_memo_entry *
follow(struct pp_memo *memo, struct pp_memo_entry *entry)
{
    if (memo->last)
        memo->last->next = entry;
    memo->last = entry;
    return entry;
}

const struct pp_memo_entry *
pp_memo_find(struct pp_memo *memo, const struct pp_walk_registers *from)
{
    uint32_t set = 0;
    const struct pp_memo_entry *next = pp_memo_next(memo, from);
    if (next)
        return next;
    if (!find_set(memo, from, &set))
        return NULL;
    for (uint32_t way = 0; way < PP_MEMO_WAYS; way++)
        if (pp_memo_is_same(&memo->entry[set][way], from))
            return follow(memo, &memo->entry[set][way]);
    return NULL;
}

/* Do a word and the next ones fill a group of pairs? The upper word of each pair is first. */
static bool
begins_pairs(const struct pp_walk *walk, uint32_t first)
{
    const struct pp_walk_word *word = &walk->word[first];
    if (walk->words - first < 2 * PP_MEMO_PAIRS)
        return false;
    for (uint32_t i = 0; i < PP_MEMO_PAIRS; i++, word += 2)
        if (word[0].offset != word[1].offset + sizeof(word->value))
            return false;
    return true;
}

static void
set_pairs(struct pp_memo_group *group, const struct pp_walk_word *word)
{
    for (uint32_t i = 0; i < PP_MEMO_PAIRS; i++, word += 2) {
        group->pairs.offset[i] = word[1].offset;
        group->pairs.value[i][0] = word[1].value;
        group->pairs.value[i][1] = word[0].value;
    }
}

static void
set_words(struct pp_memo_group *group, const struct pp_walk_word *word, uint32_t words)
{
    for (uint32_t i = 0; i < PP_MEMO_WORDS; i++) {
        group->words.offset[i] = word->offset;
        group->words.value[i] = word->value;
        word += i + 1 < words;
    }
}

/* Copy the words of a walk. */
static void
set_groups(struct pp_memo_entry *entry, const struct pp_walk *walk)
{
    uint32_t i = 0;
    entry->groups = 0;
    entry->has_pairs = 0;
    for (; i < walk->words; entry->groups++) {
        assert(entry->groups < PP_MEMO_GROUPS);
        struct pp_memo_group *group = &entry->group[entry->groups];
        if (begins_pairs(walk, i)) {
            entry->has_pairs |= UINT64_C(1) << entry->groups;
            set_pairs(group, &walk->word[i]);
            i += 2 * PP_MEMO_PAIRS;
            continue;
        }
        uint32_t words = 1;
        while (words < PP_MEMO_WORDS && i + words < walk->words && !begins_pairs(walk, i + words))
            words++;
        set_words(group, &walk->word[i], words);
        i += words;
    }
}

void
pp_memo_add(struct pp_memo *memo, const struct pp_walk_registers *from, const struct pp_walk *walk,
            uint32_t stack)
{
    if (walk->too_large)
        return;
    uint32_t set = make_path(memo, from, walk);
    uint32_t way = 0;
    while (way < PP_MEMO_WAYS && memo->entry[set][way].ip)
        way++;
    if (way == PP_MEMO_WAYS)
        way = memo->next[set]++ % PP_MEMO_WAYS;
    struct pp_memo_entry *entry = &memo->entry[set][way];
    entry->ip = from->ip;
    entry->sp = from->sp;
    entry->bp = from->bp;
    entry->uses_bp = walk->uses_bp;
    entry->stack = stack;
    set_groups(entry, walk);
    (void)follow(memo, entry);
}

void
pp_memo_clear(struct pp_memo *memo)
{
    memo->last = NULL;
    memset(memo->step, 0, sizeof(memo->step));
    for (uint32_t set = 0; set < PP_MEMO_SETS; set++)
        for (uint32_t way = 0; way < PP_MEMO_WAYS; way++)
            if (memo->entry[set][way].ip) { /* writing would take memory */
                memo->entry[set][way].ip = 0;
                memo->entry[set][way].next = NULL;
            }
}
