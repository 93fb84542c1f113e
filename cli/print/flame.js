/* The script inside a flame graph: a click shows a node in the whole width, a click on the root shows all. The
 * search field of the page marks nodes whose name has the text. */
(function () {
    "use strict";
    const width = 1200, letter = 6.6;
    const boxes = Array.from(document.querySelectorAll("g[data-x]"));
    const name = (box) => box.querySelector("title").textContent.split("\n")[0];
    function fit(text, pixels) {
        const letters = Math.floor(pixels / letter);
        return letters < 3 ? "" : text.length <= letters ? text : text.slice(0, letters - 3) + "...";
    }
    function show(from, share) {
        for (const box of boxes) {
            const x = Number(box.dataset.x), w = Number(box.dataset.w);
            const left = Math.max(0, (x - from) / share * width);
            const right = Math.min(width, (x + w - from) / share * width);
            box.style.display = right - left < 0.1 ? "none" : "";
            const rect = box.querySelector("rect"), text = box.querySelector("text");
            rect.setAttribute("x", left);
            rect.setAttribute("width", Math.max(0, right - left));
            text.setAttribute("x", left + 3);
            text.textContent = fit(name(box), right - left);
        }
    }
    for (const box of boxes) {
        box.addEventListener("click", () => show(Number(box.dataset.x), Number(box.dataset.w)));
    }
    const search = document.getElementById("search");
    if (search) {
        search.addEventListener("input", () => {
            const wanted = search.value.toLowerCase();
            for (const box of boxes) {
                box.classList.toggle("found", wanted !== "" && name(box).toLowerCase().includes(wanted));
            }
        });
    }
})();
