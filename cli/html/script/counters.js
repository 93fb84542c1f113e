/* Counters and metrics over time, small plots that share their time axis. */
"use strict";

const PLOTS_AT_FIRST = 12;

/* A number with at most four digits, for an axis. */
function shortNumber(value) {
    const [unit, name] = Math.abs(value) >= 1e9 ? [1e9, " G"] : Math.abs(value) >= 1e6 ? [1e6, " M"] : Math.abs(value) >= 1e4 ? [1e3, " k"] : [1, ""];
    return String(Number((value / unit).toPrecision(4))) + name;
}

/* One plot: the mean of each band, between the least and the most. */
function counterPlot(of, counter) {
    const box = make("div", {class: "plot", role: "img", "aria-label": counter.name + " over time"});
    const figures = counter.mean.filter((value) => value !== null), timed = of.counters_start_ns.every((start) => start !== null);
    const article = make("div", {class: "small"}, make("h3", {}, counter.name), box);
    if (figures.length) {
        article.append(make("p", {class: "hint"}, "from " + number(Math.min(...counter.least.filter((value) => value !== null))) + " to "
            + number(Math.max(...counter.most.filter((value) => value !== null)))));
    }
    const bands = counter.mean.map((_, i) => i).filter((i) => counter.mean[i] !== null);
    article.append(closedTable("As a table", () => sortedTable([
        {name: timed ? "from s" : "band", value: (i) => timed ? of.counters_start_ns[i] : i, text: (i) => timed ? (of.counters_start_ns[i] / 1e9).toFixed(3) : String(i)},
        {name: "least", value: (i) => counter.least[i], text: (i) => number(counter.least[i])},
        {name: "mean", value: (i) => counter.mean[i], text: (i) => number(counter.mean[i])},
        {name: "most", value: (i) => counter.most[i], text: (i) => number(counter.most[i])}], bands, {caption: counter.name, sort: 0, descending: false})));
    const rows = counter.mean.map((mean, i) => [timed ? of.counters_start_ns[i] / 1e9 : i,
        mean === null ? [null, null, null] : [counter.least[i], mean, counter.most[i]]]);
    const show = () => new Dygraph(box, rows, {labels: ["x", "y"], legend: "never", customBars: true, includeZero: true, colors: [colour("--cpu")],
        axes: {y: {axisLabelWidth: 60, pixelsPerLabel: 25, drawGrid: true, axisLabelFormatter: shortNumber}, x: {drawGrid: false, pixelsPerLabel: 60, axisLabelFormatter: (value) => axisLabel(value, timed)}}, gridLineColor: colour("--line"),
        axisLineColor: colour("--line"), xRangePad: 2, highlightCircleSize: 0, interactionModel: {}});
    return {article, show};
}

/* All counters of a surface. */
function counterSection(of) {
    const grid = make("div", {class: "many"}), tools = make("div", {class: "tools"});
    const filter = make("input", {type: "search", placeholder: "filter", "aria-label": "Filter: counters"});
    const more = make("button", {type: "button"}), made = new Map();
    let all = false;
    function show() {
        const wanted = filter.value.trim().toLowerCase();
        const found = of.counters.filter((counter) => counter.name.toLowerCase().includes(wanted));
        const few = all || wanted ? found.slice(0, 64) : found.slice(0, PLOTS_AT_FIRST);
        const plots = few.map((counter) => made.get(counter) || counterPlot(of, counter));
        grid.replaceChildren(...plots.map((plot) => plot.article));
        few.forEach((counter, i) => {
            if (!made.has(counter)) {
                made.set(counter, plots[i]);
                plots[i].show();
            }
        });
        more.hidden = few.length === found.length;
        more.textContent = "Show more of " + plural(found.length, "counter", "counters");
    }
    filter.addEventListener("input", show);
    more.addEventListener("click", () => {
        all = true;
        show();
    });
    tools.append(filter, more);
    return {element: make("div", {}, make("h3", {}, "Over time"), tools,
        make("p", {class: "hint"}, "The line is the mean of neighbouring frames, the band reaches from the least to the most."), grid), show};
}

/* Counters and metrics by pass; null: there are none. Columns that are 0 in every pass are left out. */
function passCounterTable(data) {
    const of = data.pass_counters, used = of.names.map((_, i) => i).filter((i) => of.rows.some((row) => row.mean[i]));
    if (!used.length) {
        return null;
    }
    return sortedTable([{name: "pass", words: true, value: passTitle},
        ...used.map((i) => ({name: of.names[i], value: (row) => row.mean[i], text: (row) => number(row.mean[i])}))], of.rows,
    {caption: "Counters and metrics by pass: the mean of one run", filter: passTitle});
}
