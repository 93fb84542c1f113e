/* A table that can be sorted and filtered. */
"use strict";

const ROWS_AT_FIRST = 20;

/* The columns that have a text in a row at least. */
function filledColumns(columns, rows) {
    return columns.filter((column) => rows.some((row) => ![null, undefined, ""].includes(column.value(row))));
}

/*
 * Make a table.
 *
 * columns: {name, value(row), text(row), words, click(row)} - value sorts, text is shown, words: the column is no number;
 *          click: the cell is a button.
 * options: caption, filter (text of a row that is searched; none: no filter), sort (index of a column), descending,
 *          last (a row that stays at the end: texts), key(row): text for data-key,
 *          all: every row is shown from the start.
 */
function sortedTable(columns, rows, options) {
    const state = {column: options.sort, descending: options.descending !== false, wanted: "", all: Boolean(options.all)};
    const body = make("tbody"), foot = make("tfoot"), count = make("span", {class: "hint", role: "status"});
    const more = make("button", {type: "button"});
    const heads = columns.map((column, index) => {
        const button = make("button", {type: "button"}, column.name);
        const head = make("th", {scope: "col", class: column.words ? "" : "n", "aria-sort": "none"}, button);
        button.addEventListener("click", () => {
            state.descending = state.column === index ? !state.descending : !column.words;
            state.column = index;
            show();
        });
        return head;
    });
    const shownText = (column, row) => column.text ? column.text(row) : column.value(row) === null ? "-" : String(column.value(row));

    function compare(a, b) {
        const column = columns[state.column], x = column.value(a), y = column.value(b);
        if (x === null || x === undefined || y === null || y === undefined) { /* unknown ones last */
            return (x === null || x === undefined ? 1 : 0) - (y === null || y === undefined ? 1 : 0);
        }
        const order = column.words ? String(x).localeCompare(String(y), "en") : x - y;
        return state.descending ? -order : order;
    }

    function rowElement(row) {
        const element = make("tr", options.key ? {"data-key": options.key(row)} : {});
        for (const column of columns) {
            const cell = make("td", {class: column.words ? "name" : "n"}, shownText(column, row));
            if (column.click && column.value(row) !== null) {
                cell.replaceChildren(make("button", {type: "button"}, shownText(column, row)));
                cell.firstChild.addEventListener("click", () => column.click(row));
            }
            element.append(cell);
        }
        return element;
    }

    function show() {
        let chosen = rows;
        if (state.wanted) {
            chosen = rows.filter((row) => options.filter(row).toLowerCase().includes(state.wanted));
        }
        if (state.column !== undefined) {
            chosen = [...chosen].sort(compare);
        }
        heads.forEach((head, index) => head.setAttribute("aria-sort",
            index !== state.column ? "none" : state.descending ? "descending" : "ascending"));
        const few = state.all ? chosen : chosen.slice(0, ROWS_AT_FIRST);
        body.replaceChildren(...few.map(rowElement));
        count.textContent = chosen.length === rows.length ? plural(rows.length, "row", "rows")
            : plural(chosen.length, "row", "rows") + " of " + number(rows.length);
        more.hidden = few.length === chosen.length;
        more.textContent = "Show all " + number(chosen.length) + " rows";
        foot.hidden = Boolean(state.wanted);
    }

    more.addEventListener("click", () => {
        state.all = true;
        show();
    });
    if (options.last) {
        foot.append(make("tr", {}, ...options.last.map((text, index) => make("td", {class: columns[index].words ? "name" : "n"}, text))));
    }
    const tools = make("div", {class: "tools"});
    if (options.filter) {
        const input = make("input", {type: "search", placeholder: "filter", "aria-label": "Filter: " + options.caption});
        input.addEventListener("input", () => {
            state.wanted = input.value.trim().toLowerCase();
            show();
        });
        tools.append(input);
    }
    tools.append(count);
    show();
    return make("div", {class: "table"}, tools,
        make("div", {class: "scroll", tabindex: "0"},
            make("table", {}, make("caption", {}, options.caption), make("thead", {}, make("tr", {}, ...heads)), body, foot)), more);
}
