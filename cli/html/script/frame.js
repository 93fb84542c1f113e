/* One frame: its passes and draws on the GPU's time line, each with what it usually takes. */
"use strict";

const LANE = 46, AXIS = 22, PASS_HEIGHT = 24, DRAWS_MOST = 1500;
const WHY = {slow: "slow, or marked", p50: "its frame time is p50", p95: "its frame time is p95", p99: "its frame time is p99",
    longest: "one of the longest"};

/* The spans of a chosen frame: passes with the draws in them, times in ns. Where no begin was measured, one follows another. */
function spansOf(data, chosen) {
    const spans = chosen.passes.map(([pass, number, start, time, usual], index) =>
        ({index, pass: data.passes[pass], number, start, time, usual, draws: []}));
    const measured = spans.some((span) => span.start !== null && span.time !== null);
    let end = 0;
    for (const span of spans) {
        if (!measured || span.start === null) {
            span.start = end;
        }
        end = span.start + (span.time || 0);
    }
    for (const [number, call, pipeline, start, time, vertices] of chosen.draws || []) {
        const span = spans.find((candidate) => candidate.number === number);
        if (span) {
            span.draws.push({call: data.texts[call], pipeline: data.texts[pipeline], start, time, vertices, span});
        }
    }
    return {spans, measured};
}

/* The time line of a frame. */
class Timeline {
    constructor(data, chosen, onPass) {
        Object.assign(this, spansOf(data, chosen));
        this.onPass = onPass;
        this.queues = [...new Set(this.spans.map((span) => span.pass.queue))];
        this.first = Math.min(...this.spans.map((span) => span.start));
        this.last = Math.max(this.first + 1, ...this.spans.map((span) => span.start + (span.time || 0)));
        this.from = this.first;
        this.to = this.last;
        this.names = this.queues.length > 1 ? 14 : 0; /* height of a queue's name */
        this.lane = LANE + this.names;
        this.height = AXIS + this.lane * this.queues.length;
        this.svg = draw("svg", {class: "timeline", height: this.height, tabindex: "0", role: "group", "aria-label":
            "Time line of the GPU: " + this.spans.map((span) => passTitle(span.pass) + " " + duration(span.time)).slice(0, 50).join(", ")
            + ". Plus and minus zoom, arrow keys move, 0 shows all."});
        this.svg.addEventListener("keydown", (event) => this.key(event));
        this.svg.addEventListener("wheel", (event) => {
            if (event.ctrlKey) { /* without the key, the page scrolls */
                event.preventDefault();
                this.zoom(event.deltaY > 0 ? 1.5 : 1 / 1.5, this.from + (this.to - this.from) * event.offsetX / this.svg.clientWidth);
            }
        }, {passive: false});
    }

    element() {
        const button = (text, action) => {
            const made = make("button", {type: "button"}, text);
            made.addEventListener("click", action);
            return made;
        };
        new ResizeObserver(() => this.show()).observe(this.svg);
        return make("div", {},
            make("div", {class: "tools"}, button("Zoom in", () => this.zoom(0.5)), button("Zoom out", () => this.zoom(2)),
                button("Whole frame", () => this.zoom(Infinity)),
                make("span", {class: "hint"}, "The thin bar below a pass is what it usually takes. " + (this.spans.some((span) => span.draws.some((one) => one.time !== null))
                    ? "Draws appear below passes when you zoom in." : "") + (this.measured ? "" : " No begins were measured: passes are shown one after another."))),
            this.svg);
    }

    zoom(factor, around) {
        const middle = around === undefined ? (this.from + this.to) / 2 : around;
        this.from = Math.max(this.first, factor === Infinity ? this.first : middle - (middle - this.from) * factor);
        this.to = Math.min(this.last, factor === Infinity ? this.last : middle + (this.to - middle) * factor);
        this.show();
    }

    pan(part) {
        const step = (this.to - this.from) * part, by = Math.max(this.first - this.from, Math.min(this.last - this.to, step));
        this.from += by;
        this.to += by;
        this.show();
    }

    show() {
        const width = Math.max(200, this.svg.clientWidth || 1000), scale = width / (this.to - this.from);
        const focus = document.activeElement && this.svg.contains(document.activeElement) ? document.activeElement.dataset.pass : undefined;
        this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
        this.svg.replaceChildren(...this.ticks(width, scale));
        this.queues.forEach((queue, lane) => {
            const y = AXIS + this.lane * lane;
            if (this.names) {
                this.svg.append(draw("text", {x: 2, y: y + 10}, queue));
            }
            for (const span of this.spans.filter((one) => one.pass.queue === queue)) {
                this.showPass(span, y + this.names, width, scale);
            }
        });
        this.showDraws(width, scale);
        if (focus !== undefined) {
            this.svg.querySelector(`[data-pass="${focus}"]`)?.focus();
        }
    }

    ticks(width, scale) {
        const raw = 90 / scale, power = 10 ** Math.floor(Math.log10(raw)), step = power * [1, 2, 5, 10].find((times) => times * power >= raw);
        const marks = [];
        for (let at = Math.ceil((this.from - this.first) / step) * step; at <= this.to - this.first; at += step) {
            const x = (at + this.first - this.from) * scale;
            marks.push(draw("line", {class: "median", x1: x, x2: x, y1: 0, y2: this.height}),
                draw("text", {x: x + 3, y: 12}, at === 0 ? "0" : duration(at)));
        }
        return marks;
    }

    showPass(span, y, width, scale) {
        const x = (span.start - this.from) * scale, wide = Math.max(1.5, (span.time || 0) * scale);
        if (x + wide < 0 || x > width) {
            return;
        }
        const left = Math.max(0, x), seen = Math.min(width, x + wide) - left, title = passTitle(span.pass);
        const group = draw("g", {tabindex: "0", role: "button", "data-pass": span.index, "aria-label": title + ", " + duration(span.time)
            + ", usually " + duration(span.usual)},
        draw("title", {}, title + "\n" + duration(span.time) + ", usually " + duration(span.usual)),
        draw("rect", {class: colourClass(span.pass.id), x: left, y, width: seen, height: PASS_HEIGHT}));
        if (span.usual !== null) {
            group.append(draw("rect", {class: "k7", x: left, y: y + PASS_HEIGHT, width: Math.max(1, Math.min(width - left, span.usual * scale)), height: 4}));
        }
        if (seen > 40) {
            const text = draw("text", {x: left + 4, y: y + 16, class: "on"}, title.slice(0, Math.floor(seen / 6.5)));
            group.append(text);
        }
        group.addEventListener("click", () => this.onPass(span.index));
        group.addEventListener("dblclick", () => {
            this.from = span.start;
            this.to = span.start + Math.max(1, span.time || 0);
            this.show();
        });
        group.addEventListener("keydown", (event) => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                this.onPass(span.index);
            }
        });
        this.svg.append(group);
    }

    /* Draws of the visible part, as soon as there are few enough of them. */
    showDraws(width, scale) {
        const seen = this.spans.flatMap((span) => span.draws).filter((one) => one.time !== null && one.start !== null
            && one.start + one.time >= this.from && one.start <= this.to);
        if (seen.length > DRAWS_MOST) {
            return;
        }
        for (const one of seen) {
            const x = Math.max(0, (one.start - this.from) * scale), right = Math.min(width, (one.start + one.time - this.from) * scale);
            const y = AXIS + this.lane * this.queues.indexOf(one.span.pass.queue) + this.names + PASS_HEIGHT + 5, wide = Math.max(0.8, right - x);
            const group = draw("g", {"data-draw": one.call}, draw("title", {}, one.call + " " + one.pipeline + "\n" + duration(one.time)),
                draw("rect", {class: colourClass(one.pipeline + one.call), x, y, width: wide, height: 14}));
            if (wide > 60) {
                group.append(draw("text", {x: x + 3, y: y + 11, class: "on"}, (one.call + " " + one.pipeline).slice(0, Math.floor(wide / 6.5))));
            }
            this.svg.append(group);
        }
    }

    key(event) {
        const actions = {"+": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.zoom(Infinity),
            ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2)};
        if (actions[event.key] && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            actions[event.key]();
        }
    }
}

/* The section of one frame: an element with a title and a body. */
class FrameView {
    constructor(data, section) {
        this.data = data;
        this.section = section;
        this.title = section.querySelector(".frame-title");
        this.body = section.querySelector(".frame-body");
    }

    /* Show a frame of a surface. */
    show(index, frame) {
        const of = this.data.frames[index], at = lowerBound(of.details.map((one) => one.frame), frame);
        const chosen = of.details[at] && of.details[at].frame === frame ? of.details[at] : null;
        this.index = index;
        this.section.hidden = false;
        this.title.textContent = "Frame " + number(frame);
        this.body.replaceChildren(this.buttons(of, at, chosen), this.facts(index, frame, chosen));
        if (chosen && chosen.passes.length) {
            this.body.append(...this.details(chosen));
        } else {
            this.body.append(make("p", {class: "hint"}, of.details.some((one) => one.passes.length)
                ? "The passes of this frame are not in the page. This command shows them: passprobe report --frame " + frame
                : "No passes of frames were measured."));
        }
        this.title.focus({preventScroll: true});
        this.section.scrollIntoView({block: "nearest"});
    }

    buttons(of, at, chosen) {
        const box = make("div", {class: "tools"});
        for (const [text, to] of [["Previous frame with passes", of.details[at - 1]], ["Next frame with passes", of.details[at + (chosen ? 1 : 0)]]]) {
            if (to) {
                const button = make("button", {type: "button"}, text + ": " + number(to.frame));
                button.addEventListener("click", () => this.show(this.index, to.frame));
                box.append(button);
            }
        }
        const close = make("button", {type: "button"}, "Close");
        close.addEventListener("click", () => {
            this.section.hidden = true;
        });
        box.append(close);
        return box;
    }

    facts(index, frame, chosen) {
        const of = this.data.frames[index], surface = this.data.report.surfaces[index], row = lowerBound(of.frame, frame);
        const slow = (surface.slow_frames || []).find((one) => one.frame === frame), list = make("dl", {class: "facts"});
        const put = (name, text) => list.append(make("dt", {}, name), make("dd", {}, text));
        if (of.frame[row] === frame) {
            put("frame time", duration(of.frame_time_ns[row]) + ", p50 " + duration(surface.times.frame_time.p50_ns));
            put("CPU busy", duration(of.cpu_busy_ns[row]) + ", p50 " + duration(surface.times.cpu_busy.p50_ns));
            put("GPU busy", duration(of.gpu_busy_ns[row]) + ", p50 " + duration(surface.times.gpu_busy.p50_ns));
            put("bound by", VERDICTS[of.verdict[row]].name);
        }
        if (slow) {
            put("slow because", slow.texts.join("; "));
        }
        for (const mark of this.data.marks.filter((one) => one.frame === frame)) {
            put("mark", mark.label);
        }
        if (chosen && WHY[chosen.why]) {
            put("shown because", WHY[chosen.why]);
        }
        return list;
    }

    details(chosen) {
        const box = make("div"), timeline = new Timeline(this.data, chosen, (index) => {
            for (const row of box.querySelectorAll("tr[data-key]")) {
                row.classList.toggle("chosen", row.dataset.key === String(index));
            }
            box.querySelector("tr.chosen")?.scrollIntoView({block: "nearest"});
        });
        const any = timeline.spans.some((span) => span.draws.length); /* else they were not measured */
        const longer = (span) => span.time === null || span.usual === null ? null : span.time - span.usual;
        box.append(sortedTable(filledColumns([
            {name: "pass", words: true, value: (span) => passTitle(span.pass)},
            {name: "this frame, ms", value: (span) => span.time, text: (span) => milliseconds(span.time)},
            {name: "usually, ms", value: (span) => span.usual, text: (span) => milliseconds(span.usual)},
            {name: "longer by, ms", value: longer, text: (span) => longer(span) === null ? "-" : (longer(span) / 1e6).toFixed(3)},
            {name: "draws and other actions", value: (span) => any ? span.draws.length : null, text: (span) => number(span.draws.length)},
            {name: "queue", words: true, value: (span) => span.pass.queue}], timeline.spans), timeline.spans,
        {caption: "Passes of frame " + chosen.frame, key: (span) => span.index, filter: (span) => passTitle(span.pass)}));
        const draws = timeline.spans.flatMap((span) => span.draws);
        if (draws.length) {
            box.append(closedTable(plural(draws.length, "draw or other action", "draws and other actions"), () => sortedTable([
                {name: "pass", words: true, value: (one) => passTitle(one.span.pass)}, {name: "call", words: true, value: (one) => one.call},
                {name: "shader program or pipeline", words: true, value: (one) => one.pipeline},
                {name: "ms", value: (one) => one.time, text: (one) => milliseconds(one.time)},
                {name: "vertices", value: (one) => one.vertices, text: (one) => number(one.vertices)}], draws,
            {caption: "Draws of frame " + chosen.frame, filter: (one) => one.call + " " + one.pipeline + " " + passTitle(one.span.pass)})));
        } else if (chosen.draws === null) {
            box.append(make("p", {class: "hint"}, "The draws of this frame are not in the page: there are too many."));
        }
        return [timeline.element(), box];
    }
}
