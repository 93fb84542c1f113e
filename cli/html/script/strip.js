/* The frame times of a surface over time. dygraphs makes axes, zoom and selection; the bars are drawn here. */
"use strict";

/* The legend of dygraphs sets style attributes, which the page's policy forbids, and writes HTML: it is left out. */
if (typeof Dygraph !== "undefined") {
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);
}

const BUDGETS_NS = [1e9 / 60, 1e9 / 30]; /* of a frame, at 60 and 30 FPS */

/* What the plot shows of a surface: one row for each point. x: seconds, or numbers of frames if no begin is known. */
function stripRows(of) {
    const timed = of.start_ns.every((start, i) => start !== null && (i === 0 || start > of.start_ns[i - 1]));
    const time = of.frame_time_ns.some((ns) => ns !== null) ? of.frame_time_ns : of.gpu_busy_ns;
    return {timed, time, rows: of.frame.map((frame, i) => [timed ? of.start_ns[i] / 1e9 : frame, time[i] === null ? null : time[i] / 1e6])};
}

/* When a mark was made, on the time axis of a surface, in ns; null: not known. */
const markStart = (mark, of) => mark.at_ns === null ? null : mark.at_ns - of.begin_ns;

/* The longest and the shortest bar of each column of pixels. */
function stripColumns(points, of, width) {
    const columns = new Map();
    for (const point of points) {
        const column = width > 1 ? point.canvasx : Math.round(point.canvasx);
        const known = columns.get(column);
        if (Number.isNaN(point.canvasy)) {
            continue;
        }
        if (!known) {
            columns.set(column, {top: point.canvasy, low: point.canvasy, verdict: of.verdict[point.idx]});
        } else if (point.canvasy < known.top) {
            known.top = point.canvasy;
            known.verdict = of.verdict[point.idx];
        } else {
            known.low = Math.max(known.low, point.canvasy);
        }
    }
    return columns;
}

/* The plot of a surface. onFrame(frame) is called for the frame that is chosen. */
class Strip {
    constructor(place, data, index, onFrame) {
        this.data = data;
        this.of = data.frames[index];
        this.surface = data.report.surfaces[index];
        this.onFrame = onFrame;
        this.shown = stripRows(this.of);
        this.at = 0;
        this.slow = new Set((this.surface.slow_frames || []).map((frame) => frame.frame));
        this.readOut = make("p", {class: "read-out", role: "status"});
        this.box = make("div", {class: "plot", tabindex: "0", role: "group", "aria-label": this.label()});
        place.replaceChildren(this.tools(), this.box, this.readOut, this.legend());
        this.graph = new Dygraph(this.box, this.shown.rows, this.options());
        this.box.addEventListener("keydown", (event) => this.key(event));
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.graph.updateOptions({}));
    }

    label() {
        const times = this.surface.times.frame_time;
        return "Frame times of " + this.surface.surface + ": " + plural(this.of.frames, "frame", "frames") + ", p50 "
            + duration(times.p50_ns) + ", max " + duration(times.max_ns) + " at frame " + times.max_frame
            + ". Arrow keys move from frame to frame, Enter opens a frame, plus and minus zoom, Escape shows all.";
    }

    /* The numbers that a canvas does not show. */
    options() {
        const median = this.surface.times.frame_time.p50_ns;
        return {
            labels: ["x", "ms"], legend: "never", drawGrid: false, stepPlot: false, connectSeparatedPoints: false,
            axes: {x: {drawGrid: false, axisLabelFormatter: (value) => axisLabel(value, this.shown.timed)}, y: {drawGrid: true, includeZero: true}}, gridLineColor: colour("--line"), axisLineColor: colour("--line"),
            includeZero: true, highlightCircleSize: 5, showRangeSelector: this.shown.rows.length > 400, rangeSelectorHeight: 28,
            rangeSelectorPlotFillColor: "", rangeSelectorPlotStrokeColor: "", /* its plot would lose extremes */
            xRangePad: 6, colors: [colour("--fore")],
            plotter: (event) => {
                this.drawBars(event);
                this.drawLines(event.drawingContext, event.plotArea, event.dygraph, median);
            },
            highlightCallback: (event, x, points, row) => this.tell(row),
            clickCallback: (event, x) => this.choose(lowerBound(this.shown.rows.map((row) => row[0]), x)),
        };
    }

    tools() {
        const cut = make("button", {type: "button", "aria-pressed": "false"}, "Cut long frames");
        const all = make("button", {type: "button"}, "Show all");
        cut.addEventListener("click", () => {
            const on = cut.getAttribute("aria-pressed") !== "true";
            cut.setAttribute("aria-pressed", String(on));
            const median = this.surface.times.frame_time.p50_ns;
            this.graph.updateOptions({valueRange: on && median ? [0, 3 * median / 1e6] : null});
        });
        all.addEventListener("click", () => this.graph.resetZoom());
        return make("div", {class: "tools"}, all, cut,
            make("span", {class: "hint"}, this.of.buckets === this.of.frames ? "Each bar is a frame, in milliseconds."
                : number(this.of.frames) + " frames in " + number(this.of.buckets) + " buckets: the shortest and the longest frame of each."));
    }

    legend() {
        const list = make("ul", {class: "legend"});
        for (const [letter, verdict] of Object.entries(VERDICTS)) {
            if (this.of.verdict.includes(letter)) {
                list.append(make("li", {}, draw("svg", {"aria-hidden": "true"}, draw("rect", {class: verdict.class, width: 14, height: 14})),
                    "bound by " + verdict.name));
            }
        }
        for (const [sign, text, any] of [["\u25cb", "slow frame", this.slow.size], ["\u25bc", "mark", this.data.marks.length],
            ["\u25c6", "pipelines created", this.of.pipelines.length]]) {
            if (any) {
                list.append(make("li", {}, sign + " " + text));
            }
        }
        return list;
    }

    drawBars(event) {
        const context = event.drawingContext, area = event.plotArea, bottom = area.y + area.h;
        const points = event.points.filter((point) => point.canvasx >= area.x - 4 && point.canvasx <= area.x + area.w + 4);
        const width = Math.min(14, Math.max(1, 0.8 * area.w / Math.max(1, points.length)));
        for (const [x, column] of stripColumns(points, this.of, width)) {
            context.fillStyle = colour(VERDICTS[column.verdict].style);
            context.globalAlpha = column.low > column.top + 1 ? 0.55 : 1;
            context.fillRect(x - width / 2, column.top, width, bottom - column.top);
            context.globalAlpha = 1;
            context.fillRect(x - width / 2, column.low, width, bottom - column.low);
        }
        context.strokeStyle = colour("--fore");
        for (const point of points) {
            if (this.slow.has(this.of.frame[point.idx])) {
                context.beginPath();
                context.arc(point.canvasx, Math.max(area.y + 6, point.canvasy), 5, 0, 2 * Math.PI);
                context.stroke();
            }
        }
    }

    /* Write the text of a line above its right end. It can be read over bars, too. */
    drawText(context, text, right, y) {
        const width = context.measureText(text).width;
        context.fillStyle = colour("--back");
        context.fillRect(right - width - 8, y - 15, width + 8, 13);
        context.fillStyle = colour("--fore");
        context.fillText(text, right - width - 4, y - 5);
    }

    /* Lines of p50 and of budgets, marks, and pipelines that were created. */
    drawLines(context, area, graph, median) {
        context.save();
        context.font = "11px system-ui, sans-serif";
        const texts = []; /* above all lines */
        for (const [ns, text] of [[median, "p50"], ...BUDGETS_NS.map((ns) => [ns, duration(ns)])]) {
            const y = ns ? graph.toDomYCoord(ns / 1e6) : -1;
            const apart = texts.every(([, other]) => Math.abs(y - other) > 14); /* else its text would lie on the other line */
            if (y > area.y && y < area.y + area.h && apart) {
                texts.push([text, y]);
                context.strokeStyle = context.fillStyle = colour("--fore");
                context.setLineDash([4, 4]);
                context.beginPath();
                context.moveTo(area.x, y);
                context.lineTo(area.x + area.w, y);
                context.stroke();
            }
        }
        context.setLineDash([]);
        texts.forEach(([text, y]) => this.drawText(context, text, area.x + area.w, y));
        for (const [x, sign, style] of this.signs()) {
            const at = graph.toDomXCoord(x);
            context.strokeStyle = context.fillStyle = colour(style);
            if (sign === "\u25bc" && at >= area.x && at <= area.x + area.w) {
                context.beginPath();
                context.moveTo(at, area.y);
                context.lineTo(at, area.y + area.h);
                context.stroke();
            }
            if (at >= area.x && at <= area.x + area.w) {
                context.fillText(sign, at - 5, sign === "\u25bc" ? area.y + 10 : area.y + area.h - 3);
            }
        }
        context.restore();
    }

    /* Where marks and created pipelines stand. */
    signs() {
        const x = (frame) => {
            const row = this.shown.rows[Math.min(lowerBound(this.of.frame, frame), this.of.frame.length - 1)];
            return row ? row[0] : 0;
        };
        const marks = this.data.marks.map((mark) => [this.shown.timed && mark.at_ns !== null ? markStart(mark, this.of) / 1e9 : x(mark.frame || 0),
            "\u25bc", "--mark"]);
        return [...marks, ...this.of.pipelines.map(([frame]) => [x(frame), "\u25c6", "--fore"])];
    }

    /* Say what the point is. */
    tell(row) {
        const of = this.of, frame = of.frame[row];
        const marks = this.data.marks.filter((mark) => mark.frame === frame).map((mark) => mark.label);
        const pipelines = of.pipelines.find((created) => created[0] === frame);
        this.at = row;
        this.readOut.textContent = "Frame " + number(frame) + (of.start_ns[row] === null ? "" : " at " + (of.start_ns[row] / 1e9).toFixed(3) + " s")
            + ": " + duration(this.shown.time[row]) + ", CPU busy " + duration(of.cpu_busy_ns[row]) + ", GPU busy " + duration(of.gpu_busy_ns[row])
            + ", bound by " + VERDICTS[of.verdict[row]].name + (this.slow.has(frame) ? ", slow" : "")
            + (pipelines ? ", " + plural(pipelines[1], "pipeline", "pipelines") + " created in " + duration(pipelines[2]) : "")
            + (marks.length ? ", marked: " + marks.join(", ") : "");
    }

    choose(row) {
        const at = Math.min(row, this.of.frame.length - 1);
        this.tell(at);
        this.graph.setSelection(at);
        this.onFrame(this.of.frame[at]);
    }

    /* Move to a point, and show it if it is outside of the zoom. */
    move(row) {
        const at = Math.max(0, Math.min(row, this.shown.rows.length - 1)), x = this.shown.rows[at][0];
        const [from, to] = this.graph.xAxisRange();
        if (x < from || x > to) {
            this.graph.updateOptions({dateWindow: [x - (to - from) / 2, x + (to - from) / 2]});
        }
        this.graph.setSelection(at);
        this.tell(at);
    }

    zoom(factor) {
        const [from, to] = this.graph.xAxisRange(), x = this.shown.rows[this.at][0];
        const middle = x >= from && x <= to ? x : (from + to) / 2;
        this.graph.updateOptions({dateWindow: [middle - (middle - from) * factor, middle + (to - middle) * factor]});
    }

    key(event) {
        const actions = {
            ArrowRight: () => this.move(this.at + 1), ArrowLeft: () => this.move(this.at - 1), Home: () => this.move(0),
            End: () => this.move(this.shown.rows.length - 1), Enter: () => this.choose(this.at), Escape: () => this.graph.resetZoom(),
            PageDown: () => this.move(this.at + 50), PageUp: () => this.move(this.at - 50), "+": () => this.zoom(0.5), "-": () => this.zoom(2),
        };
        if (actions[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
            event.preventDefault();
            actions[event.key]();
        }
    }
}

/* The points of a plot as a table. */
function stripTable(data, index, onFrame) {
    const of = data.frames[index], column = (name, values, words) => ({
        name, words, value: (row) => values[row], text: (row) => words ? VERDICTS[values[row]].name : milliseconds(values[row])});
    const columns = [
        {name: "frame", value: (row) => of.frame[row], text: (row) => number(of.frame[row]), click: (row) => onFrame(of.frame[row])},
        {name: "at s", value: (row) => of.start_ns[row], text: (row) => of.start_ns[row] === null ? "-" : (of.start_ns[row] / 1e9).toFixed(3)},
        column("frame time, ms", of.frame_time_ns), column("CPU busy, ms", of.cpu_busy_ns), column("GPU busy, ms", of.gpu_busy_ns),
        column("bound by", of.verdict, true)];
    return sortedTable(columns, of.frame.map((_, row) => row), {caption: "Frames of the plot, the longest first", sort: 2});
}

/* Marks and created pipelines as tables; null: there are none. */
function eventTables(data, index, onFrame) {
    const of = data.frames[index], box = make("div");
    if (data.marks.length) {
        box.append(closedTable(plural(data.marks_found, "mark", "marks") + " of the application", () => sortedTable([
            {name: "frame", value: (mark) => mark.frame, text: (mark) => number(mark.frame), click: (mark) => onFrame(mark.frame)},
            {name: "at s", value: (mark) => markStart(mark, of), text: (mark) => mark.at_ns === null ? "-" : (markStart(mark, of) / 1e9).toFixed(3)},
            {name: "mark", words: true, value: (mark) => mark.label}], data.marks,
        {caption: "Marks of the application", sort: 1, descending: false, filter: (mark) => mark.label})));
    }
    if (of.pipelines.length) {
        box.append(closedTable(plural(of.pipeline_frames, "frame", "frames") + " created pipelines", () => sortedTable([
            {name: "frame", value: (row) => row[0], text: (row) => number(row[0]), click: (row) => onFrame(row[0])},
            {name: "pipelines", value: (row) => row[1], text: (row) => number(row[1])},
            {name: "time, ms", value: (row) => row[2], text: (row) => milliseconds(row[2])}], of.pipelines,
        {caption: "Pipelines and shader programs that were created", sort: 2})));
    }
    return box;
}

/* Times of 1, 2 and 5 in each power of ten between two times. */
function roundTimes(from, to) {
    const times = [];
    for (let ten = 10 ** Math.floor(Math.log10(from)); ten <= to; ten *= 10) {
        times.push(...[ten, 2 * ten, 5 * ten].filter((ns) => ns >= from && ns <= to));
    }
    return times;
}

/* The axes of the histogram: frames to the left, times below. area: left, right, top, bottom; most: frames; x(ns); from, to: ns. */
function histogramAxes(svg, area) {
    const line = (x1, y1, x2, y2) => draw("line", {class: "axis", x1, y1, x2, y2});
    svg.append(line(area.left, area.top, area.left, area.bottom), line(area.left, area.bottom, area.right, area.bottom));
    for (const count of area.most > 1 ? [Math.floor(area.most / 2), area.most] : [area.most]) {
        const y = area.bottom - (area.bottom - area.top) * count / area.most;
        svg.append(line(area.left - 4, y, area.left, y), draw("text", {x: area.left - 6, y: y + 4, "text-anchor": "end"}, number(count)));
    }
    for (const ns of roundTimes(area.from, area.to)) {
        svg.append(line(area.x(ns), area.bottom, area.x(ns), area.bottom + 4),
            draw("text", {x: area.x(ns), y: area.bottom + 16, "text-anchor": "middle"}, ns >= 1e9 ? ns / 1e9 + " s" : ns >= 1e6 ? ns / 1e6 + " ms" : ns / 1e3 + " us"));
    }
    svg.append(draw("text", {x: area.left - 6, y: area.top - 16, "text-anchor": "end"}, "frames"));
}

/* How often which frame time: bars, and the percentiles. */
function histogramPicture(of, surface) {
    const bins = of.histogram, left = 46, top = 28, width = 950, height = 150, most = Math.max(...bins.map((bin) => bin[2]));
    const from = Math.log(bins[0][0]), to = Math.log(bins[bins.length - 1][1]), bottom = top + height;
    const x = (ns) => left + (Math.log(ns) - from) / (to - from) * width;
    const times = surface.times.frame_time;
    const svg = draw("svg", {class: "timeline", viewBox: `0 0 1000 ${bottom + 80}`, role: "img", "aria-label": "Histogram of frame times: "
        + bins.map((bin) => `${duration(bin[0])} to ${duration(bin[1])}: ${bin[2]}`).slice(0, 40).join("; ")});
    histogramAxes(svg, {left, top, bottom, right: left + width, most, x, from: bins[0][0], to: bins[bins.length - 1][1]});
    for (const [low, high, count] of bins) {
        const tall = count ? Math.max(1.5, height * count / most) : 0;
        svg.append(draw("rect", {class: "k1", x: x(low), width: Math.max(0.5, x(high) - x(low)), y: bottom - tall, height: tall},
            draw("title", {}, `${duration(low)} to ${duration(high)}: ${plural(count, "frame", "frames")}`)));
    }
    [["p50", times.p50_ns], ["p95", times.p95_ns], ["p99", times.p99_ns], ["max", times.max_ns]].forEach(([name, ns], row) => {
        if (ns) {
            const at = Math.min(left + width, x(ns));
            svg.append(draw("line", {class: "median", x1: at, x2: at, y1: top, y2: bottom}),
                draw("text", {x: at, y: bottom + 30 + 15 * row, "text-anchor": at > width / 2 ? "end" : "start"}, `${name} ${duration(ns)}`));
        }
    });
    return make("div", {}, svg, closedTable("Histogram as a table", () => sortedTable([
        {name: "from, ms", value: (bin) => bin[0], text: (bin) => milliseconds(bin[0])},
        {name: "to, ms", value: (bin) => bin[1], text: (bin) => milliseconds(bin[1])},
        {name: "frames", value: (bin) => bin[2], text: (bin) => number(bin[2])}], bins, {caption: "Frames by frame time", sort: 0, descending: false, all: true})));
}
