/** @file
 * Module: the GPU time of a session as a tree: functions of the application, then the label path, the pass
 * and the call. Prints nothing. See also print/flame.h. */
#ifndef PP_CLI_ANALYSIS_FLAME_TREE_H
#define PP_CLI_ANALYSIS_FLAME_TREE_H

#include <stddef.h>

#include "cli/analysis/stack_costs.h"

/** What a node is. */
enum pp_flame_kind { PP_FLAME_ROOT, PP_FLAME_FUNCTION, PP_FLAME_LABEL, PP_FLAME_PASS, PP_FLAME_CALL };

/** Instead of a node: there is none. */
#define PP_FLAME_NONE SIZE_MAX

/** A node. Node 0 is the root. */
struct pp_flame_node {
    const char *name; /**< of the tree's pool */
    enum pp_flame_kind kind;
    size_t parent;
    size_t first, next; /**< its first child, and the next child of its parent: in no order until the tree is
                           made, then by name; PP_FLAME_NONE */
    size_t depth;       /**< 0: the root */
    double self_ns;     /**< GPU time of this node without those below it */
    double ns;          /**< with them */
};

/** A tree. Everything in it is owned; begin with all zero. */
struct pp_flame_tree {
    struct pp_flame_node *node;
    size_t len, cap;
    size_t deepest; /**< largest depth */
    struct pp_text_pool texts;
};

/**
 * Make the tree.
 *
 * @param stacks Those of the costs; without any stack, the tree begins with labels.
 * @param costs  With the detail.
 * @param ret    Call pp_flame_tree_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_flame_tree_make(const struct pp_call_stacks *stacks,
                                                           const struct pp_stack_costs *costs,
                                                           struct pp_flame_tree *ret);

/** Free everything; the struct is all zero then. */
void pp_flame_tree_finish(struct pp_flame_tree *tree);

#endif
