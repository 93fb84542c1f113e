/* The page's begin: read the data, and fill the places that need a script. */
"use strict";

const placeOf = (id) => document.querySelector("#" + id + " .dynamic");

/* Show an element in place of what needed no script. */
function replaceStatic(id, ...elements) {
    placeOf(id).replaceChildren(...elements);
    document.querySelector("#" + id + " .static")?.classList.add("replaced");
}

/* The frame of a row's maximum; work of no frame may have it. */
function frameOf(row) {
    return row.max_frame === null && row.max_ns !== null ? "none" : number(row.max_frame);
}

/* The columns of a table, as data.columns lists them. Options: below: a time may be below the resolution. */
function listedColumns(listed, onFrame, below) {
    const made = (id, form) => ({
        words: {words: true, value: (row) => row[id] || ""},
        title: {words: true, value: passTitle},
        percent: {value: (row) => row[id], text: (row) => number(row[id], 1)},
        mean: {value: (row) => row[id], text: (row) => number(row[id], 1)},
        time: {value: (row) => row[id], text: (row) => below && row.below_resolution && row[id] !== null ? "below" : milliseconds(row[id])},
        frame: {value: (row) => row[id], text: frameOf, click: (row) => onFrame(row[id])},
        count: {value: (row) => row[id], text: (row) => number(row[id])},
        size: {value: (row) => row.width === null ? null : row.width * row.height,
            text: (row) => row.width === null ? "-" : row.width + "x" + row.height},
    })[form];
    return listed.map(({id, heading, form}) => ({...made(id, form), id,
        name: heading.startsWith("/") ? "ms" + heading : form === "frame" ? "at " + heading : heading}));
}

function passTable(data, index, onFrame) {
    const surface = data.report.surfaces[index], left = surface.passes_left_out;
    const columns = filledColumns(listedColumns(data.columns.passes, onFrame, true), surface.passes);
    const share = columns.findIndex((column) => column.id === "gpu_share_percent");
    return sortedTable(columns, surface.passes, {caption: "Passes of " + surface.surface + ", times in milliseconds",
        sort: share < 0 ? undefined : share, filter: passTitle,
        key: (pass) => pass.id, last: left ? restRow(columns, left, surface.passes_left_out_percent) : null});
}

/* A row for what the page leaves out, so that the shares add up. */
function restRow(columns, count, percent) {
    return columns.map((column, i) => i === 0 ? "and " + number(count) + " more" : column.name.endsWith("%") ? number(percent, 1) : "");
}

function labelTable(data, onFrame) {
    return sortedTable(listedColumns(data.columns.labels, onFrame, false), data.report.labels,
        {caption: "Label regions, times in milliseconds", sort: 1, filter: (row) => row.title});
}

function drawTable(data, table) {
    const timed = table.measure === "gpu_time_ns", figure = (value) => timed ? milliseconds(value) : number(value);
    const passOf = (row) => TITLES.get(row.pass_id) || row.label;
    const unit = timed ? "ms" : table.measure.replaceAll("_", " ");
    const columns = [{name: "call", words: true, value: (row) => row.call}, {name: "shader program or pipeline", words: true, value: (row) => row.pipeline},
        {name: "pass", words: true, value: passOf}, {name: "%", value: (row) => row.share_percent, text: (row) => number(row.share_percent, 1)},
        {name: unit + " a frame", value: (row) => row.per_frame, text: (row) => figure(row.per_frame)},
        {name: "mean", value: (row) => row.mean, text: (row) => figure(row.mean)}];
    if (timed) {
        columns.push({name: "p95", value: (row) => row.p95, text: (row) => figure(row.p95)}, {name: "max", value: (row) => row.max, text: (row) => figure(row.max)});
    }
    columns.push({name: "count", value: (row) => row.count, text: (row) => number(row.count)},
        {name: "vertices", value: (row) => row.vertices, text: (row) => number(row.vertices)},
        {name: "instances", value: (row) => row.instances, text: (row) => number(row.instances)});
    if (table.rows.some((row) => row.at)) {
        columns.push({name: "called at", words: true, value: (row) => row.at || ""});
    }
    return sortedTable(columns, table.rows, {sort: 3, filter: (row) => [row.call, row.pipeline, passOf(row), row.at || ""].join(" "),
        caption: timed ? "Draws by GPU time" : "Draws without GPU time, by " + unit,
        last: table.left_out ? restRow(columns, table.left_out, table.left_out_percent) : null});
}

/* Everything that belongs to one surface. */
function showSurface(data, view, index) {
    const of = data.frames[index], surface = data.report.surfaces[index], onFrame = (frame) => frame !== null && view.show(index, frame);
    const more = document.getElementById("strip-more"), histogram = document.getElementById("histogram");
    document.getElementById("frame").hidden = true;
    if (typeof Dygraph !== "undefined" && of.frame.length > 1) {
        document.getElementById("strip-static").classList.add("replaced");
        document.getElementById("time-help").textContent =
            "Click a bar, or press Enter on it, to see the frame's passes. Drag to zoom, with Shift to move; a double click shows all.";
        window.strip = new Strip(document.getElementById("strip-plot"), data, index, onFrame);
    }
    more.replaceChildren(closedTable("The plot as a table", () => stripTable(data, index, onFrame)), eventTables(data, index, onFrame));
    histogram.hidden = !of.histogram.length;
    if (of.histogram.length) {
        document.getElementById("histogram-body").replaceChildren(histogramPicture(of, surface));
    }
    if (surface.passes.length) {
        replaceStatic("passes", passTable(data, index, onFrame));
    }
    showCounters(data, of);
    for (const cell of document.querySelectorAll("#slow td.frame")) { /* numbers of slow frames become buttons */
        const frame = Number(cell.dataset.frame), button = make("button", {type: "button"}, number(frame));
        button.addEventListener("click", () => view.show(Number(cell.dataset.surface), frame));
        cell.replaceChildren(button);
    }
}

function showCounters(data, of) {
    const place = placeOf("counters"), metrics = passCounterTable(data);
    place.replaceChildren(...(metrics ? [make("h3", {}, "By pass"), metrics] : []));
    if (typeof Dygraph !== "undefined" && of.counters.length && of.counters_start_ns.length > 1) {
        const section = counterSection(of);
        place.append(section.element);
        section.show();
    }
}

/* A choice of the surface, if there are several. */
function surfaceChoice(data, show) {
    const select = make("select", {"aria-label": "Window or other surface"});
    data.frames.forEach((_, i) => select.append(make("option", {value: String(i)}, data.report.surfaces[i].surface)));
    select.addEventListener("change", () => show(Number(select.value)));
    document.getElementById("surface-choice").replaceChildren(make("label", {}, "Surface: ", select));
}

function begin() {
    const data = JSON.parse(document.getElementById("data").textContent);
    document.documentElement.classList.add("script");
    keepTitles(data);
    const view = new FrameView(data, document.getElementById("frame")), show = (index) => showSurface(data, view, index);
    if (data.report.labels.length) {
        replaceStatic("labels", labelTable(data, (frame) => view.show(0, frame)));
    }
    for (const [id, any, fill] of [["draws", data.draws.length, () => data.draws.map((table) => drawTable(data, table))],
        ["tree", data.trees.length, () => [treeSection(data.trees)]]]) {
        document.getElementById(id).hidden = !any;
        document.querySelector(`[data-needs="${id}"]`).hidden = !any;
        if (any) {
            placeOf(id).replaceChildren(...fill());
        }
    }
    if (data.frames.length > 1) {
        surfaceChoice(data, show);
    }
    if (data.frames.length) {
        show(0);
    }
}

begin();
