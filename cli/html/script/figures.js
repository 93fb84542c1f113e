/* Figures as text, and elements without innerHTML: names come from applications and stay text. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";

/* An element. Attributes as an object; children are elements or texts. */
function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

function draw(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/* A time with a fitting unit, as `report` prints it. */
function duration(ns) {
    if (ns === null || ns === undefined) {
        return "-";
    }
    const size = Math.abs(ns);
    const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "us"] : [1, "ns"];
    return (unit === 1 ? String(Math.round(ns)) : (ns / unit).toFixed(2)) + " " + name;
}

/* A label of an axis: of time in seconds, or a number where no time was measured. */
const axisLabel = (value, timed) => String(Number(value.toPrecision(6))) + (timed ? " s" : "");

/* A time in milliseconds, for columns. */
function milliseconds(ns) {
    if (ns === null || ns === undefined) {
        return "-";
    }
    const ms = ns / 1e6;
    return ms !== 0 && Math.abs(ms) < 0.001 ? "<0.001" : ms.toFixed(3);
}

function number(value, digits) {
    if (value === null || value === undefined) {
        return "-";
    }
    return digits === undefined && !Number.isInteger(value) && Math.abs(value) < 1000
        ? String(Number(value.toPrecision(4)))
        : value.toLocaleString("en", {maximumFractionDigits: digits || 0, minimumFractionDigits: digits || 0});
}

const plural = (count, one, many) => number(count) + " " + (count === 1 ? one : many);

/* Titles of passes by their ids, as `report` prints them. */
const TITLES = new Map();

function keepTitles(data) {
    for (const pass of data.report.surfaces.flatMap((surface) => surface.passes)) {
        TITLES.set(pass.id, pass.title);
    }
}

const passTitle = (pass) => pass.title || TITLES.get(pass.id)
    || (pass.label && pass.name ? pass.label + ": " + pass.name : pass.label || pass.name || pass.kind);

/* What bounds a frame, by the letter in the data. */
const VERDICTS = {
    g: {name: "gpu", style: "--gpu", class: "vg"}, c: {name: "cpu", style: "--cpu", class: "vc"},
    p: {name: "present", style: "--present", class: "vp"}, s: {name: "sync", style: "--sync", class: "vs"},
    z: {name: "sleep", style: "--sleep", class: "vz"},
    "-": {name: "unknown", style: "--none", class: "vn"},
};

/* A colour of the page's theme, for a canvas. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* The same class for the same text, so that a pass has one colour everywhere. */
function colourClass(text) {
    let hash = 0;
    for (const letter of text) {
        hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    }
    return "k" + hash % 8;
}

/* The first index whose value is not smaller. Values ascend. */
function lowerBound(values, wanted) {
    let low = 0, high = values.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A table that is closed until somebody asks for it. It is filled when it is opened. */
function closedTable(title, fill) {
    const details = make("details", {}, make("summary", {}, title));
    details.addEventListener("toggle", () => {
        if (details.open && details.childElementCount === 1) {
            details.append(fill());
        }
    });
    return details;
}
