/* The GPU time as a flame graph, its root on top: by label region, or by call stack. */
"use strict";

const NODE = 20, LETTER = 6.6, LEAST_PIXELS = 0.5;
const KINDS = {root: "k7", function: "k5", label: "k2", pass: "k1", call: "k6"};

class Tree {
    constructor(tree) {
        this.tree = tree;
        this.depth = tree.parent.map(() => 0);
        this.begin = tree.parent.map(() => 0); /* in ns from the root's begin */
        const next = tree.parent.map(() => 0); /* where a node's next child begins, from its own begin */
        tree.parent.forEach((parent, i) => {
            if (parent >= 0) { /* parents stand before their children */
                this.depth[i] = this.depth[parent] + 1;
                this.begin[i] = this.begin[parent] + next[parent];
                next[parent] += tree.ns[i];
            }
        });
        this.deepest = this.depth.reduce((a, b) => Math.max(a, b), 0);
        this.root = 0;
        this.at = 0;
        this.height = NODE * (this.deepest + 1);
        this.readOut = make("p", {class: "read-out", role: "status"});
        this.svg = draw("svg", {class: "tree", height: this.height, tabindex: "0", role: "group", "aria-label": "Flame graph by " + tree.by
            + ". Arrow keys move between boxes, Enter shows a box in the whole width, Escape shows all."});
        this.svg.addEventListener("keydown", (event) => this.key(event));
        this.search = make("input", {type: "search", placeholder: "search", "aria-label": "Search the flame graph"});
        this.search.addEventListener("input", () => this.show());
        const all = make("button", {type: "button"}, "Show all");
        all.addEventListener("click", () => this.zoom(0));
        this.element = make("div", {}, make("div", {class: "tools"}, this.search, all), this.svg, this.readOut,
            closedTable("Flame graph as a table", () => this.table()));
        new ResizeObserver(() => this.show()).observe(this.svg);
    }

    title(i) {
        const tree = this.tree;
        return tree.name[i] + ": " + duration(tree.ns[i] / Math.max(1, tree.frames)) + " a frame, " + (100 * tree.ns[i] / tree.ns[0]).toFixed(2) + " %";
    }

    /* Is a node above or below the one that fills the width? */
    isShown(i) {
        return this.begin[i] < this.begin[this.root] + this.tree.ns[this.root]
            && this.begin[i] + this.tree.ns[i] > this.begin[this.root];
    }

    show() {
        const width = Math.max(200, this.svg.clientWidth || 1000), scale = width / this.tree.ns[this.root];
        const wanted = this.search.value.trim().toLowerCase(), boxes = [];
        let found = 0;
        this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
        this.tree.name.forEach((name, i) => {
            const left = Math.max(0, (this.begin[i] - this.begin[this.root]) * scale);
            const right = Math.min(width, (this.begin[i] + this.tree.ns[i] - this.begin[this.root]) * scale);
            const isFound = wanted !== "" && name.toLowerCase().includes(wanted);
            found += isFound;
            if (this.isShown(i) && right - left >= LEAST_PIXELS) {
                boxes.push(this.box(i, left, right - left, isFound));
            }
        });
        this.svg.replaceChildren(...boxes);
        this.readOut.textContent = wanted ? plural(found, "box has", "boxes have") + " this name" : this.title(this.at);
    }

    box(i, x, width, isFound) {
        const name = this.tree.name[i], letters = Math.floor((width - 6) / LETTER), y = NODE * this.depth[i];
        const group = draw("g", {tabindex: "-1", "data-node": i}, draw("title", {}, this.title(i)),
            draw("rect", {class: KINDS[this.tree.kind[i]] + (isFound ? " found" : ""), x, y, width, height: NODE - 1}));
        if (letters >= 3) {
            group.append(draw("text", {class: "on", x: x + 3, y: y + 14}, name.length > letters ? name.slice(0, letters - 2) + ".." : name));
        }
        group.addEventListener("click", () => this.zoom(i));
        group.addEventListener("mouseenter", () => {
            this.readOut.textContent = this.title(i);
        });
        return group;
    }

    zoom(i) {
        this.root = i;
        this.at = i;
        this.show();
        this.svg.focus();
    }

    /* Move to another box. */
    go(i) {
        if (i >= 0 && i < this.tree.name.length) {
            this.at = i;
            this.readOut.textContent = this.title(i);
            this.svg.querySelector("[data-current]")?.removeAttribute("data-current");
            this.svg.querySelector(`[data-node="${i}"]`)?.setAttribute("data-current", "");
        }
    }

    sibling(step) {
        const parent = this.tree.parent;
        for (let i = this.at + step; i >= 0 && i < parent.length; i += step) {
            if (parent[i] === parent[this.at]) {
                return i;
            }
        }
        return this.at;
    }

    key(event) {
        const child = this.tree.parent.indexOf(this.at);
        const actions = {ArrowDown: () => this.go(child), ArrowUp: () => this.go(this.tree.parent[this.at]), ArrowLeft: () => this.go(this.sibling(-1)),
            ArrowRight: () => this.go(this.sibling(1)), Enter: () => this.zoom(this.at), Escape: () => this.zoom(0)};
        if (actions[event.key]) {
            event.preventDefault();
            actions[event.key]();
        }
    }

    table() {
        const tree = this.tree;
        return sortedTable([{name: "name", words: true, value: (i) => tree.name[i]}, {name: "kind", words: true, value: (i) => tree.kind[i]},
            {name: "below", words: true, value: (i) => tree.parent[i] < 0 ? "" : tree.name[tree.parent[i]]},
            {name: "ms/frame", value: (i) => tree.ns[i], text: (i) => milliseconds(tree.ns[i] / Math.max(1, tree.frames))},
            {name: "%", value: (i) => tree.ns[i], text: (i) => (100 * tree.ns[i] / tree.ns[0]).toFixed(2)}],
        tree.name.map((_, i) => i), {caption: "GPU time by " + tree.by, sort: 3, filter: (i) => tree.name[i]});
    }
}

/* All trees of a session, of which one is shown. */
function treeSection(trees) {
    const made = trees.map((tree) => new Tree(tree)), box = make("div");
    const choice = make("div", {class: "tools", role: "group", "aria-label": "Flame graph by"});
    const buttons = made.map((one, i) => {
        const button = make("button", {type: "button", "aria-pressed": String(i === 0)}, one.tree.by === "stack" ? "By call stack" : "By label region");
        button.addEventListener("click", () => {
            buttons.forEach((other, k) => other.setAttribute("aria-pressed", String(k === i)));
            box.replaceChildren(one.element);
            one.show();
        });
        return button;
    });
    if (made.length > 1) {
        choice.append(...buttons);
    }
    box.append(made[0].element);
    return make("div", {}, choice, box);
}
