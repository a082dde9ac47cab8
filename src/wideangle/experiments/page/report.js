// Finds tables by their words, and unfolds the one that an address names. The page is complete without it.
const items = [...document.querySelectorAll(".item")];
const words = items.map((item) => (item.textContent + (item.querySelector("img")?.alt ?? "")).toLowerCase());
const query = document.getElementById("query");
const unfold = document.getElementById("unfold");

function find() {
  const asked = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  items.forEach((item, place) => {
    item.hidden = !asked.every((word) => words[place].includes(word));
    found += !item.hidden;
  });
  for (const chapter of document.querySelectorAll(".chapter")) chapter.hidden = !chapter.querySelector(".item:not([hidden])");
  document.getElementById("found").textContent = asked.length ? `${found} of ${items.length}` : "";
}

function fold(open) {
  for (const item of items) if (item.tagName === "DETAILS") item.open = open;
  unfold.textContent = open ? "Fold all" : "Unfold all";
}

function reveal() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = named && named.closest("details");
  if (!folded) return;
  folded.open = true;
  named.scrollIntoView();
}

query.addEventListener("input", find);
unfold.addEventListener("click", () => fold(unfold.textContent === "Unfold all"));
addEventListener("hashchange", reveal);
addEventListener("beforeprint", () => fold(true));
document.querySelector(".finder").hidden = false;
find(); // A browser may have kept what was typed.
reveal();
