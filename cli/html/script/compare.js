/* The page of `diff --html`: two sessions side by side. */
"use strict";

/* What changed in a row's counts. */
const countsText = (row) => row.counts.map((count) => `${count.name.slice(count.name.indexOf(":") + 1)} ${number(count.old)} -> ${number(count.new)}`)
    .join(", ");

/* What changed on a surface. */
function changeTable(part, index) {
    const columns = [{name: "what", words: true, value: (row) => row.title}, {name: "table", words: true, value: (row) => row.table},
        {name: "old", value: (row) => row.old, text: (row) => row.old_text},
        {name: "new", value: (row) => row.new, text: (row) => row.new_text},
        {name: "change %", value: (row) => row.percent, text: (row) => row.change_text},
        {name: "change, ms", value: (row) => row.unit === "ns" ? row.change : null,
            text: (row) => row.unit === "ns" && row.change !== null ? (row.change > 0 ? "+" : "") + (row.change / 1e6).toFixed(3) : "-"},
        {name: "95 % interval", words: true, value: (row) => row.interval_text}, {name: "verdict", words: true, value: (row) => row.verdict_text},
        ...(part.rows.some((row) => row.limit_text) ? [{name: "limit", words: true, value: (row) => row.limit_text}] : []),
        {name: "counts", words: true, value: countsText}];
    return sortedTable(columns, part.rows, {caption: "Changes of " + part.surface, all: true, key: (row) => `row-${index}-${part.rows.indexOf(row)}`,
        filter: (row) => [row.title, row.table, row.verdict_text, row.limit_text].join(" ")});
}

/* One side of the plots: its frames, and below them the frame that is chosen. */
function frameSide(data, name, most) {
    const place = make("div"), section = make("section", {hidden: "", "aria-live": "polite"},
        make("h3", {tabindex: "-1", class: "frame-title"}), make("div", {class: "frame-body"}));
    const view = new FrameView(data, section), side = make("div", {}, make("h3", {}, name), place, section);
    return {side, show: () => {
        const strip = new Strip(place, data, 0, (frame) => view.show(0, frame));
        strip.graph.updateOptions({valueRange: [0, 1.05 * most / 1e6]});
        return strip;
    }};
}

function showFrames(sides) {
    const section = document.getElementById("time");
    const shown = sides.filter(([, data]) => data && data.frames.length && data.frames[0].frame.length > 1);
    if (!shown.length || typeof Dygraph === "undefined") {
        return;
    }
    section.hidden = false;
    const most = Math.max(...shown.map(([, data]) => data.report.surfaces[0].times.frame_time.max_ns || 0));
    const made = shown.map(([name, data]) => frameSide(data, name, most));
    section.querySelector(".dynamic").replaceChildren(...made.map((one) => one.side));
    window.strips = made.map((one) => one.show());
}

function showTrees(sides) {
    const section = document.getElementById("tree"), shown = sides.filter(([, data]) => data && data.trees.length);
    section.hidden = !shown.length;
    section.querySelector(".dynamic").replaceChildren(...shown.map(([name, data]) =>
        make("div", {}, make("h3", {}, name), treeSection(data.trees))));
}

/* Links to rows: they lead to the table that replaces the one that needs no script. */
function followLinks() {
    for (const link of document.querySelectorAll("#verdict a[href^='#row-']")) {
        link.addEventListener("click", (event) => {
            const wanted = link.getAttribute("href").slice(1), rows = [...document.querySelectorAll("#changes .dynamic tr[data-key]")];
            const row = rows.find((one) => one.dataset.key === wanted);
            if (row) { /* the filter does not hide it */
                event.preventDefault();
                rows.forEach((one) => one.classList.toggle("chosen", one === row));
                row.scrollIntoView({block: "center"});
            }
        });
    }
}

function beginCompare() {
    const data = JSON.parse(document.getElementById("data").textContent), sides = [["Old", data.old], ["New", data.new]];
    document.documentElement.classList.add("script");
    sides.forEach(([, side]) => side && keepTitles(side));
    if (data.diff.surfaces.length) {
        document.querySelector("#changes .static").classList.add("replaced");
        document.querySelector("#changes .dynamic").replaceChildren(...data.diff.surfaces.map(changeTable));
        followLinks();
    }
    showFrames(sides);
    showTrees(sides);
    for (const link of document.querySelectorAll("nav .only-script")) {
        link.hidden = document.querySelector(link.getAttribute("href")).hidden;
    }
}

beginCompare();
