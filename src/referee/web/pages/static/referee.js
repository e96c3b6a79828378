// The little that a page does by itself. Everything it shows and decides comes from the server.
"use strict";

const local = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function dress(root) {
  for (const time of root.querySelectorAll("time[datetime]")) time.textContent = local.format(new Date(time.dateTime));
}

function atTheEnd() {
  return window.innerHeight + window.scrollY > document.body.scrollHeight - 240;
}

// On a phone the parts of the table stand behind tabs.
function tabs() {
  const bar = document.querySelector(".tabs");
  if (!bar) return;
  document.body.classList.add("has-tabs");
  bar.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-tab]");
    if (!link) return;
    event.preventDefault();
    document.body.dataset.tab = link.dataset.tab;
    for (const each of bar.querySelectorAll("a")) each.removeAttribute("aria-current");
    link.setAttribute("aria-current", "page");
    window.scrollTo(0, link.dataset.tab === "story" ? document.body.scrollHeight : 0);
  });
}

// What somebody has opened, chosen or begun to type outlives the part of the page it stands in.
const kept = { open: new Set(), fields: new Map(), focus: null };

function remember() {
  kept.open = new Set([...document.querySelectorAll("details[id][open]")].map((each) => each.id));
  kept.fields = new Map();
  for (const form of document.querySelectorAll("details[open] form")) {
    for (const field of form.elements) {
      if (!field.name || field.type === "hidden" || field.type === "submit") continue;
      kept.fields.set(fieldKey(field), field.type === "checkbox" ? field.checked : field.value);
    }
  }
  const focused = document.activeElement;
  kept.focus = focused && focused.id ? focused.id : focused && focused.name ? fieldKey(focused) : null;
}

function fieldKey(field) {
  const around = field.closest("details[id]");
  return [around ? around.id : "", field.name, field.type === "checkbox" || field.tagName === "BUTTON" ? field.value : ""].join("|");
}

function restore() {
  for (const id of kept.open) {
    const found = document.getElementById(id);
    if (found && !found.open) found.open = true;
  }
  for (const field of document.querySelectorAll("details[open] form [name]")) {
    const value = kept.fields.get(fieldKey(field));
    if (value === undefined) continue;
    if (field.type === "checkbox") field.checked = value;
    else if (field.type !== "hidden" && field.value !== value && (field.tagName !== "SELECT" || [...field.options].some((each) => each.value === value))) field.value = value;
  }
  if (!kept.focus || (document.activeElement && document.activeElement !== document.body)) return;
  const again = document.getElementById(kept.focus) || [...document.querySelectorAll("[name]")].find((each) => fieldKey(each) === kept.focus);
  if (again) again.focus({ preventScroll: true });
}

// Range bands: tokens are dragged; the same can be said in words below.
function dragging() {
  let pair = null;
  document.addEventListener("dragstart", (event) => {
    const token = event.target.closest(".token[data-pair]");
    if (token) { pair = token.dataset.pair; event.dataTransfer.setData("text/plain", pair); }
  });
  document.addEventListener("dragover", (event) => {
    const zone = pair && event.target.closest(".zone");
    if (zone) { event.preventDefault(); zone.classList.add("over"); }
  });
  document.addEventListener("dragleave", (event) => {
    const zone = event.target.closest && event.target.closest(".zone");
    if (zone) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    const zone = pair && event.target.closest(".zone");
    if (!zone) return;
    event.preventDefault();
    const encounter = zone.closest(".zones").dataset.encounter;
    htmx.ajax("POST", `${location.pathname}/distance`, { swap: "none", values: { encounter, pair, band: zone.dataset.band } });
    pair = null;
  });
}

// Keys: "/" to say something, "r" to roll (the first line of the sheet), 1 to 9 to answer.
function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.id === "talk" && event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      event.target.form.requestSubmit();
      return;
    }
    if (event.target.closest("input, textarea, select")) return;
    const way = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (way) { event.preventDefault(); way.click(); return; }
    if (event.key === "/") {
      const field = document.querySelector("[data-search]") || document.getElementById("talk");
      if (field) { event.preventDefault(); field.focus(); }
    } else if (/^[1-9]$/.test(event.key)) {
      const button = document.querySelectorAll(".ask:not(.others) .option")[Number(event.key) - 1];
      if (button) { event.preventDefault(); button.focus(); }
    } else if (event.key === "r") {
      const button = document.querySelector(".skills button:not([disabled])");
      if (button) { event.preventDefault(); button.focus(); }
    }
  });
}

// Who looks at another tab sees by the title that something is asked.
const title = document.title;
function call() {
  document.title = document.querySelector(".ask:not(.others)") ? `● ${title}` : title;
}

document.addEventListener("DOMContentLoaded", () => {
  dress(document);
  call();
  tabs();
  dragging();
  keys();
  if (document.getElementById("story")) window.scrollTo(0, document.body.scrollHeight);
});

// What was done from the sheet is told in the story.
let acted = false;
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.path.endsWith("/act")) acted = true;
});
document.addEventListener("htmx:sseMessage", () => {
  const story = document.querySelector(".has-tabs .tabs a[data-tab='story']");
  if (acted && story) story.click();
  acted = false;
});

let follows = true;
document.addEventListener("htmx:sseBeforeMessage", () => { follows = atTheEnd(); remember(); });
document.addEventListener("htmx:sseMessage", () => {
  restore();
  call();
  const empty = document.getElementById("story-empty");
  if (empty && document.querySelector("#story .piece")) empty.remove();
  const pieces = document.querySelectorAll("#story .piece");
  for (let at = 0; at < pieces.length - 300; at += 1) pieces[at].remove(); // a long evening; the history has it all
  if (follows) window.scrollTo(0, document.body.scrollHeight);
});
// Odds that nobody looks at any more are not waited for.
document.addEventListener("htmx:beforeCleanupElement", (event) => htmx.trigger(event.target, "htmx:abort"));
document.addEventListener("htmx:beforeSwap", remember);
document.addEventListener("htmx:afterSwap", (event) => { dress(event.detail.elt || document); restore(); });
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target.id !== "story" || event.detail.target.matches("[hx-swap-oob='true'] > *")) return;
  for (const piece of event.detail.fragment.querySelectorAll(".piece")) piece.classList.add("fresh"); // its dice land
});
document.addEventListener("htmx:oobAfterSwap", () => dress(document));
document.addEventListener("htmx:sseError", () => { const note = document.querySelector(".offline"); if (note) note.hidden = false; });
document.addEventListener("htmx:sseOpen", (event) => {
  const note = document.querySelector(".offline");
  if (!note) return;
  note.hidden = true;
  event.detail.source.addEventListener("left", (left) => {
    event.detail.source.close();
    note.textContent = left.data;
    note.hidden = false;
  });
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr && event.detail.xhr.status >= 400) acted = false;
  const form = event.detail.elt;
  if (!event.detail.xhr || event.detail.xhr.status >= 400 || !event.detail.xhr.status || !form || form.tagName !== "FORM") return;
  const problem = form.querySelector(".problem-here");
  if (problem) problem.textContent = "";
  if (form.hasAttribute("data-reset")) form.reset();
});
