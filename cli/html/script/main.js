/* The page's begin: read the data, and fill the places that need a script. */
"use strict";

function begin() {
    const data = JSON.parse(document.getElementById("data").textContent);
    document.documentElement.classList.add("script");
    return data;
}

begin();
