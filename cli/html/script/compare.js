/* The page of `diff --html`: two sessions side by side. */
"use strict";

/* A value of a row in its unit. */
function valueText(row, value) {
    if (value === null) {
        return "-";
    }
    return row.unit === "ns" ? duration(value) : row.unit === "fps" ? value.toPrecision(4) + " FPS" : number(value);
}

/* What a row is about. Names of frames' figures are the files'; the others are the application's. */
const rowName = (row) => row.kind === "rest" ? "overlaps and gaps" : row.kind === "frame" ? row.name.replaceAll("_", " ") : row.name;

const percentText = (value) => value === null ? "-" : (value > 0 ? "+" : "") + value.toFixed(1) + " %";

function intervalText(row) {
    if (row.low_percent === null || row.high_percent === null) {
        return "";
    }
    const text = percentText(row.low_percent).replace(" %", "") + " .. " + percentText(row.high_percent);
    return row.interval_of_frames ? "(" + text + ")" : text;
}

/* What changed on a surface. */
function changeTable(part) {
    const columns = [{name: "what", words: true, value: rowName}, {name: "kind", words: true, value: (row) => row.kind},
        {name: "statistic", words: true, value: (row) => row.stat === "total" ? "" : row.stat},
        {name: "old", value: (row) => row.old, text: (row) => valueText(row, row.old)},
        {name: "new", value: (row) => row.new, text: (row) => valueText(row, row.new)},
        {name: "change", value: (row) => row.percent, text: (row) => percentText(row.percent)},
        {name: "ms", value: (row) => row.unit === "ns" ? row.change : null,
            text: (row) => row.unit === "ns" && row.change !== null ? (row.change > 0 ? "+" : "") + (row.change / 1e6).toFixed(3) : "-"},
        {name: "95 % interval", words: true, value: intervalText}, {name: "verdict", words: true, value: (row) => row.verdict.replaceAll("_", " ")},
        ...(part.rows.some((row) => row.limit) ? [{name: "limit", words: true, value: (row) => row.limit || ""}] : []),
        {name: "counts", words: true, value: (row) => row.counts.map((count) => `${count.name} ${number(count.old)} \u2192 ${number(count.new)}`).join(", ")}];
    return sortedTable(columns, part.rows, {caption: "Changes of " + part.surface, all: true,
        filter: (row) => [rowName(row), row.kind, row.verdict, row.limit || ""].join(" ")});
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

function beginCompare() {
    const data = JSON.parse(document.getElementById("data").textContent), sides = [["Old", data.old], ["New", data.new]];
    document.documentElement.classList.add("script");
    if (data.diff.surfaces.length) {
        document.querySelector("#changes .static").classList.add("replaced");
        document.querySelector("#changes .dynamic").replaceChildren(...data.diff.surfaces.map(changeTable));
    }
    showFrames(sides);
    showTrees(sides);
    for (const link of document.querySelectorAll("nav .only-script")) {
        link.hidden = document.querySelector(link.getAttribute("href")).hidden;
    }
}

beginCompare();
