// The little that a page does by itself. Everything it shows and decides comes from the server.
"use strict";

const local = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function dress(root) {
  for (const time of root.querySelectorAll("time[datetime]")) time.textContent = local.format(new Date(time.dateTime));
  for (const field of root.querySelectorAll("[data-find-in]")) field.closest(".find").hidden = false;
  for (const field of root.querySelectorAll("[data-find], [data-find-acts]")) field.closest(".find").hidden = false;
  for (const button of root.querySelectorAll("[data-print], [data-copy]")) button.hidden = false;
}

// Pages are printed, and texts copied, by buttons that need a script.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-print], [data-copy]");
  if (!button) return;
  if ("print" in button.dataset) return window.print();
  const text = document.getElementById(button.dataset.copy);
  const done = () => { button.textContent = button.dataset.done; };
  if (navigator.clipboard) return navigator.clipboard.writeText(text.value).then(done);
  text.closest("details").open = true;  // not a secure address: it stands there, marked, to be copied by hand
  text.focus();
  text.select();
});

// What has to be put right after parts of a page were laid out anew: once for all parts that arrive together.
function onceFor(work) {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => { isDue = false; work(); });
  };
}

// On a phone the parts of the table stand behind tabs.
function tabs() {
  const bar = document.querySelector(".tabs");
  if (!bar) return;
  document.body.classList.add("has-tabs");
  if (!document.body.classList.contains("at-table")) return; // elsewhere they are links to the table
  const show = (link) => {
    document.body.dataset.tab = link.dataset.tab;
    for (const each of bar.querySelectorAll("a")) each.removeAttribute("aria-current");
    link.setAttribute("aria-current", "page");
    window.scrollTo(0, 0);
    document.getElementById("main").scrollTo(0, 0);
    if (link.dataset.tab === "story") toEnd();
  };
  bar.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-tab]");
    if (!link) return;
    event.preventDefault();
    show(link);
  });
  const wanted = bar.querySelector(`a[href="${CSS.escape(location.hash)}"]`);
  const named = location.hash && [...bar.querySelectorAll("a")].find((each) => each.hash === location.hash);
  if (wanted || named) show(wanted || named);
}

// The story grows at its end and is scrolled there, so that nothing on the page moves.
let isAtEnd = true;
function toEnd() {
  const box = document.querySelector(".story-scroll");
  if (box) box.scrollTop = box.scrollHeight;
}
function storyEnd() {
  const box = document.querySelector(".story-scroll");
  if (!box) return;
  box.classList.add("grows");
  toEnd();
  box.addEventListener("scroll", () => { isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40; }, { passive: true });
  new ResizeObserver(() => { if (isAtEnd) toEnd(); }).observe(box);
}

// A kind of actions has the best chance of its actions, as far as their figures stand.
function best() {
  for (const place of document.querySelectorAll(".best-of .kind > .best")) {
    const panel = place.closest("label").nextElementSibling;
    const figures = [...panel.querySelectorAll(".how .p")].map((each) => each.textContent.trim()).filter((each) => each.includes("%"));
    const value = (text) => (text.includes("<") ? 0.5 : text.includes(">") ? 99.5 : Number.parseFloat(text.replace(/[^0-9.]/g, "")) || 0);
    if (!panel.querySelector(".how .p:not(.none), .act-kind")) continue;
    const highest = figures.sort((one, other) => value(other) - value(one))[0] || "";
    if (place.textContent !== highest) place.textContent = highest;
    place.classList.toggle("none", !highest);
  }
}

// A form that is opened asks for its figures, wherever on the page they will stand.
document.addEventListener("toggle", (event) => {
  if (!event.target.open || !event.target.matches("details.act")) return;
  for (const each of event.target.querySelectorAll(".confirm > .forecast:empty")) htmx.trigger(each, "again");
}, true);

// Many ways of doing something are found by their words.
document.addEventListener("input", (event) => {
  const into = event.target.dataset && event.target.dataset.findIn;
  if (!into) return;
  const text = event.target.value.trim().toLowerCase();
  const box = document.getElementById(into);
  box.classList.toggle("finding", text !== "");
  for (const label of box.querySelectorAll(":scope > .how")) {
    label.classList.toggle("found", text !== "" && label.textContent.toLowerCase().includes(text));
  }
});

// What somebody has opened, chosen or begun to type outlives the part of the page it stands in.
const kept = { open: new Set(), sheet: undefined, fields: new Map(), picked: [], typed: [], focus: null };
const TYPED = "#draft form:not(.htmx-request) :is(input, textarea)[id]:not([type=hidden]), #draft [data-find]";

function remember() {
  kept.open = new Set([...document.querySelectorAll("details[id][open]")].map((each) => each.id));
  kept.sheet = document.querySelector(".pick[data-sheet]")?.dataset.sheet;
  kept.fields = new Map();
  kept.picked = [...document.querySelectorAll(":is(.pick, .together) input[type=radio]:checked")].map((each) => each.id);
  for (const form of document.querySelectorAll("details[open] form, .pick form")) {
    for (const field of form.elements) {
      if (!field.name || ["hidden", "submit", "radio"].includes(field.type)) continue;
      kept.fields.set(fieldKey(field), field.type === "checkbox" ? field.checked : field.value);
    }
  }
  kept.typed = [...document.querySelectorAll(TYPED)].filter((each) => each.value !== each.defaultValue);
  const focused = document.activeElement;
  kept.focus = focused && focused.id ? focused.id : focused && focused.name ? fieldKey(focused) : null;
}

function fieldKey(field) {
  const around = field.closest("details[id], .act-form");
  return [around ? around.id : "", field.name, field.type === "checkbox" || field.tagName === "BUTTON" ? field.value : ""].join("|");
}

function restore() {
  for (const id of kept.open) {
    const found = document.getElementById(id);
    if (found && !found.open) found.open = true;
  }
  for (const id of kept.picked) {
    const found = document.getElementById(id);
    if (found) found.checked = true;
  }
  for (const pick of kept.sheet ? document.querySelectorAll(".pick[data-all]:not([data-sheet])") : []) pick.dataset.sheet = kept.sheet;
  for (const button of document.querySelectorAll(".pick .go")) named(button);
  hand();
  for (const field of document.querySelectorAll("details[open] form [name], .pick form [name]:not([type=radio])")) {
    const value = kept.fields.get(fieldKey(field));
    if (value === undefined) continue;
    if (field.type === "checkbox") field.checked = value;
    else if (field.type !== "hidden" && field.value !== value && (field.tagName !== "SELECT" || [...field.options].some((each) => each.value === value))) field.value = value;
  }
  for (const typed of kept.typed) retype(document.getElementById(typed.id), typed.value);
  kept.typed = [];
  if (!kept.focus || (document.activeElement && document.activeElement !== document.body)) return;
  const again = document.getElementById(kept.focus) || [...document.querySelectorAll("[name]")].find((each) => fieldKey(each) === kept.focus);
  if (again) again.focus({ preventScroll: true });
}

function retype(field, text) {
  if (!field || field.value === text) return;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  if (field.form) field.form.dispatchEvent(new Event("change", { bubbles: true })); // it has not been saved yet
}

// The button says all of what it does: the action, at whom, with what.
function named(button) {
  const picked = button.form && button.form.querySelector("input[name=answer]:checked, .whom input:checked");
  if (!picked) return;
  const whom = picked.closest("label").querySelector(".what b");
  button.querySelector(".go-words").textContent = picked.dataset.words || `${button.dataset.action}: ${whom.textContent.trim()}`;
}

function choosing() {
  document.addEventListener("change", (event) => {
    const pick = event.target.closest(".pick");
    if (pick) for (const button of pick.querySelectorAll(".go")) named(button);
  });
  for (const button of document.querySelectorAll(".pick .go")) named(button);
}

// On a phone a turn is a sentence: each of its words opens what may stand there instead, and three other ways are one tap away.
function chosenIn(pick) {
  const kind = pick.querySelector(":scope > .kinds > .tab:checked + .kind");
  const how = kind && kind.nextElementSibling.querySelector(".hows > .tab:checked + .how");
  if (!how || how.previousElementSibling.matches(".more-hows")) return null;
  const manner = how.nextElementSibling.querySelector(".manners > .tab:checked + .manner");
  const panel = (manner || how).nextElementSibling;
  const target = [...panel.querySelectorAll(".target")].find((each) => each.querySelector("input:checked"));
  return { kind, how, manner, panel, target };
}

function part(tag, kind, ...inside) {
  const made = document.createElement(tag);
  made.className = kind;
  made.append(...inside);
  return made;
}

function figure(of) {
  const place = of && of.querySelector(".p");
  return part("span", place ? place.className : "p none", place ? place.textContent.trim() : "");
}

function word(pick, name, text) {
  const made = part("button", "hand-word", text);
  Object.assign(made, { type: "button", ariaExpanded: String(pick.dataset.sheet === name) });
  made.dataset.word = name;
  return made;
}

function other(icon, text, of, inputs) {
  const made = part("button", "hand-other", icon.cloneNode(true), part("span", "hand-name", text), figure(of));
  made.type = "button";
  made.addEventListener("click", () => { for (const each of inputs) each.click(); });
  return made;
}

function othersOf(pick, chosen) {
  const icon = (kind) => kind.querySelector(".icon");
  const next = [...chosen.panel.querySelectorAll(":scope .target")].find((each) => each !== chosen.target && !each.closest(".fold"));
  const found = next ? [other(icon(chosen.kind), next.querySelector(".what b").textContent, next, [next.querySelector("input")])] : [];
  for (const kind of pick.querySelectorAll(":scope > .kinds > .kind")) {
    const how = kind !== chosen.kind && kind.nextElementSibling.querySelector(".hows > .how");
    if (how) found.push(other(icon(kind), how.querySelector("span").textContent, how, [kind.previousElementSibling, how.previousElementSibling]));
  }
  const all = part("button", "hand-other", part("span", "hand-name", pick.dataset.all.replace("{count}", pick.querySelectorAll(".hows > .tab:not(.more-hows)").length)));
  all.type = "button";
  all.dataset.word = "all";
  return [...found.slice(0, 3), all];
}

function hand() {
  for (const pick of document.querySelectorAll(".ask.turning:not(.others) .pick[data-all]")) {
    const chosen = chosenIn(pick);
    if (!chosen) continue;
    const { how, manner, target } = chosen;
    const line = part("div", "hand-line", word(pick, "how", how.querySelector("span").textContent));
    if (target) line.append(word(pick, "whom", target.querySelector(".what b").textContent));
    if (manner) line.append(pick.dataset.with, word(pick, "with", manner.textContent.trim()));
    const then = target?.querySelector(".may-come");
    const odds = part("p", "hand-odds", figure(target || how), part("span", "note", then ? then.textContent : ""));
    const made = part("div", "", line, odds, part("div", "hand-others", ...othersOf(pick, chosen)));
    const box = pick.querySelector(":scope > .hand");
    if (box.innerHTML === made.innerHTML) continue;
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.word : null;
    box.replaceChildren(...made.children);
    if (focused) box.querySelector(`[data-word="${focused}"]`)?.focus({ preventScroll: true });
  }
}
document.addEventListener("click", (event) => {
  const button = event.target.closest(".hand [data-word]");
  if (!button) return;
  const pick = button.closest(".pick");
  if (pick.dataset.sheet === button.dataset.word || pick.dataset.sheet === "all") delete pick.dataset.sheet;
  else pick.dataset.sheet = button.dataset.word;
  hand();
});
document.addEventListener("change", (event) => {
  const pick = event.target.closest(".pick");
  if (!pick) return;
  if (pick.dataset.sheet !== "all" && event.target.matches(".hows > .tab:not(.more-hows), .manners > .tab, .target > input")) delete pick.dataset.sheet;
  hand();
});

// What stands on the screen of a thing that several panels have.
function inSight(all) {
  return [...all].filter((each) => each.getClientRects().length > 0);
}

// Range bands and zones: tokens are dragged; the same can be said in words below.
const PLACES = ".lane[data-band], .zone[data-zone]";
function dragging() {
  let moved = null;
  document.addEventListener("dragstart", (event) => {
    const token = event.target.closest(".man[data-pair], .man[data-token]");
    if (token) { moved = { ...token.dataset }; event.dataTransfer.setData("text/plain", moved.token || moved.pair); }
  });
  document.addEventListener("dragover", (event) => {
    const place = moved && event.target.closest(PLACES);
    if (place) { event.preventDefault(); place.classList.add("over"); }
  });
  document.addEventListener("dragleave", (event) => {
    const place = event.target.closest && event.target.closest(PLACES);
    if (place && !place.contains(event.relatedTarget)) place.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    const place = moved && event.target.closest(PLACES);
    if (!place) return;
    event.preventDefault();
    place.classList.remove("over");
    const encounter = place.closest("[data-encounter]").dataset.encounter;
    const [where, values] = moved.token
      ? ["zones/place", { who: moved.token, zone: place.dataset.zone }]
      : ["distance", { pair: moved.pair, band: place.dataset.band }];
    htmx.ajax("POST", `${location.pathname}/${where}`, { swap: "none", values: { encounter, ...values } });
    moved = null;
  });
}

// Keys: "/" to say something, "r" to roll (the first line of the sheet), 1 to 9 to answer.
function keys() {
  for (const button of document.querySelectorAll("[data-keys]")) button.hidden = false;
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-keys]")) document.getElementById("keys").showModal();
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.id === "talk" && event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      event.target.form.requestSubmit();
      return;
    }
    const dialog = document.getElementById("keys");
    if (dialog && dialog.open) return;
    if (event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const way = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
    if (way) { event.preventDefault(); way.click(); return; }
    if (event.key === "?" && dialog) {
      event.preventDefault();
      dialog.showModal();
    } else if (event.key === "/") {
      const field = document.querySelector("[data-search]") || document.getElementById("talk");
      if (field) { event.preventDefault(); if (field.closest("details")) field.closest("details").open = true; field.focus(); }
    } else if (/^[1-9]$/.test(event.key) && document.querySelector(".tapping .held input")) {
      const card = document.querySelector(`.tapping .held input.at-${Number(event.key) - 1}`);
      if (card) { event.preventDefault(); card.click(); card.focus({ preventScroll: true }); }
    } else if (/^[1-9]$/.test(event.key) && document.querySelector(".ask:not(.others) .pick")) {
      const kind = document.querySelectorAll(".ask:not(.others) .pick .kinds > .tab")[Number(event.key) - 1];
      if (kind) { event.preventDefault(); kind.click(); kind.focus({ preventScroll: true }); }
    } else if (/^[1-9]$/.test(event.key)) {
      const button = document.querySelectorAll(".ask:not(.others) .option")[Number(event.key) - 1];
      if (button) { event.preventDefault(); button.focus(); }
    } else if (event.key === "u") {
      const offer = document.getElementById("undo-offer");
      if (offer) { event.preventDefault(); offer.open = true; (offer.querySelector("button") || offer.querySelector("summary")).focus(); }
    } else if (event.key === "Enter" && event.target === document.body) {
      const button = inSight(document.querySelectorAll(".ask:not(.others) .pick .go"))[0];
      if (button) { event.preventDefault(); button.click(); }
    } else if (event.key === "Escape") {
      const open = document.querySelector("#undo-offer[open]") || event.target.closest("details[open]");
      const leave = document.querySelector("a[data-leave]");
      if (open) { open.open = false; open.querySelector("summary").focus(); } else if (leave) leave.click();
    } else if (/^[a-z]$/.test(event.key) && inSight(document.querySelectorAll(`.target:has([data-letter="${event.key.toUpperCase()}"])`)).length) {
      const row = inSight(document.querySelectorAll(`.target:has([data-letter="${event.key.toUpperCase()}"])`))[0];
      const target = row.querySelector("input");
      event.preventDefault();
      target.click();
      target.focus({ preventScroll: true });
    } else if (event.key === "r") {
      const button = document.querySelector(".ask:not(.others) .again") || document.querySelector(".skills button:not([disabled])");
      if (button) { event.preventDefault(); button.focus(); }
    }
  });
}

// A long list is narrowed to what is typed above it; groups with a match open.
function finding() {
  document.addEventListener("input", (event) => {
    const list = event.target.dataset && event.target.dataset.find;
    if (!list) return;
    const wanted = event.target.value.trim().toLowerCase();
    const groups = [...document.querySelectorAll(`[data-rows="${CSS.escape(list)}"]`)];
    const words = wanted.split(/\s+/).filter((each) => each.length > 2);
    const text = (row) => `${row.querySelector(".level-name").textContent} ${row.dataset.index || ""}`.toLowerCase();
    const fits = (row) => words.filter((each) => text(row).includes(each)).length;
    const whole = (row) => row.querySelector(".level-name").textContent.toLowerCase().includes(wanted);
    const indexed = groups.flatMap((group) => [...group.querySelectorAll(".level-row[data-index]")]);
    const best = Math.max(0, ...indexed.map(fits)); // of words such as "climb the wall", those rows that have most
    for (const group of groups) {
      let found = 0;
      for (const row of group.querySelectorAll(".level-row")) {
        row.hidden = !whole(row) && !(best && fits(row) === best);
        found += !row.hidden;
      }
      group.hidden = !found;
      if (wanted && found && group.tagName === "DETAILS") group.open = true;
    }
  });
}

// Whoever says what they want to do finds it in whatever group it stands: "climb the wall", "mend the engine".
function findingActs() {
  const small = new Set(["the", "and", "for", "with", "from", "into", "over", "her", "his", "that", "this", "somebody", "something"]);
  const stem = (word) => word.replace(/(ing|ed|es|s|e|y)$/, (end) => (word.length > end.length + 2 ? "" : end));
  const words = (text) => text.toLowerCase().split(/[^\p{L}\d]+/u).filter((each) => each.length > 2 && !small.has(each)).map(stem);
  const said = (act) => new Set(words(`${act.querySelector("summary").innerHTML.replace(/<[^>]+>/g, " ")} ${act.dataset.index || ""}`));
  const told = (act) => new Set(words(act.querySelector(".says")?.textContent || ""));
  document.addEventListener("input", (event) => {
    if (!event.target.matches("[data-find-acts]")) return;
    const box = event.target.closest("[data-acts]"), wanted = words(event.target.value);
    const acts = [...box.querySelectorAll("details.act")];
    const score = (act) => {  // how many of the words fit, and then how many of them are in its name
      const name = said(act), says = told(act);
      return wanted.filter((each) => name.has(each) || says.has(each)).length * 100 + wanted.filter((each) => name.has(each)).length;
    };
    const scores = new Map(acts.map((act) => [act, wanted.length ? score(act) : 1]));
    const best = Math.max(0, ...scores.values());
    for (const act of acts) act.hidden = !best || scores.get(act) < best;
    box.classList.toggle("finding", wanted.length > 0);
    for (const group of [...box.querySelectorAll(".act-kind")].reverse()) {
      const found = [...group.querySelectorAll("details.act")].some((act) => !act.hidden);
      group.hidden = !found;
      if (wanted.length && found && !group.open) group.dataset.opened = group.open = true;
      if (!wanted.length && group.dataset.opened) group.open = delete group.dataset.opened && false;
    }
    box.querySelector(".found-none").hidden = Boolean(best);
  });
}

// Movement and sound are off unless somebody wants them, in this browser.
const likes = { motion: false, sound: false };

function remembered(name, value) {
  try {
    if (value) localStorage.setItem(`likes-${name}`, value);
    return localStorage.getItem(`likes-${name}`);
  } catch { // a browser that keeps nothing
    return null;
  }
}

function liking() {
  const box = document.querySelector(".liking");
  if (!box) return;
  box.hidden = false;
  for (const field of box.querySelectorAll("[data-liking]")) {
    const name = field.dataset.liking;
    const set = () => {
      likes[name] = field.checked;
      if (name === "motion") document.body.classList.toggle("moves", field.checked);
    };
    field.checked = remembered(name) === "yes";
    set();
    field.addEventListener("change", () => {
      remembered(name, field.checked ? "yes" : "no");
      set();
      if (name === "sound" && field.checked) chime();
    });
  }
}

function chime() {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.4);
  tone.frequency.value = 660;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.4);
  tone.onended = () => audio.close();
}

// Who looks at another tab sees by the title that something is asked.
const title = document.title;
let asked = "";
function call() {
  const mine = [...document.querySelectorAll(".ask:not(.others)")].map((each) => each.id).join(" ");
  document.title = mine ? `● ${title}` : title;
  if (likes.sound && mine && mine !== asked) chime();
  asked = mine;
}

document.addEventListener("DOMContentLoaded", () => {
  dress(document);
  call();
  liking();
  tabs();
  storyEnd();
  best();
  dragging();
  keys();
  finding();
  findingActs();
  choosing();
  hand();
});

// What was done from the sheet is told at the table.
let acted = false;
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.path.endsWith("/act")) acted = true;
});
document.addEventListener("htmx:sseMessage", () => {
  const table = document.querySelector(".has-tabs .tabs a[data-tab='table']");
  if (acted && table) table.click();
  acted = false;
});

document.addEventListener("htmx:sseBeforeMessage", remember);
document.addEventListener("htmx:sseMessage", () => {
  restore();
  call();
  if (isAtEnd) toEnd();
  const empty = document.getElementById("story-empty");
  if (empty && document.querySelector("#story .piece")) empty.remove();
  const pieces = document.querySelectorAll("#story .piece");
  for (let at = 0; at < pieces.length - 300; at += 1) pieces[at].remove(); // a long evening; the history has it all
});
// Odds that nobody looks at any more are not waited for. What somebody sent is never taken back with the form it was in.
document.addEventListener("htmx:beforeCleanupElement", (event) => {
  if (event.target.tagName !== "FORM") htmx.trigger(event.target, "htmx:abort");
});

// A button or a choice that is laid out anew while it is being pressed is pressed all the same, if it still says the same.
let pressed = null;
function says(button) {
  return button.form ? `${button.form.action}?${new URLSearchParams(new FormData(button.form, button))}` : null;
}
let picked = null;
document.addEventListener("pointerdown", (event) => {
  const button = event.target.closest("form button");
  pressed = button && { button, says: says(button) };
  picked = event.target.closest(".pick label");
});
document.addEventListener("pointerup", (event) => {
  const again = pressed && !pressed.button.isConnected && event.target.closest("form button:not([disabled])");
  if (again && (says(again) === pressed.says || (again.id && again.id === pressed.button.id))) again.click();
  pressed = null;
  const field = picked && !picked.isConnected && picked.control && document.getElementById(picked.control.id);
  if (field && !field.checked) field.click();
  picked = null;
});
document.addEventListener("change", (event) => {
  if (event.target.closest(".pick, .together")) remember(); // what is laid out next keeps this choice, not an older one
});

// While a character is built, one thing is done after the other: what is tapped or typed before an earlier tap is
// answered waits for it. Once the page is being left, nothing more is sent.
const waiting = [];
let isLeaving = false;
const isBusy = () => isLeaving || document.querySelector("#draft form.htmx-request") !== null;
const tapped = (button) => button.id || button.getAttribute("aria-label") || button.textContent.trim();
function later(event, act) {
  event.preventDefault();
  event.stopImmediatePropagation();
  waiting.push(act);
}
function goOn() {
  while (waiting.length && !isBusy()) waiting.shift()();
}
document.addEventListener("submit", (event) => {
  if (!isBusy() || !event.submitter || !event.target.closest("#draft")) return;
  const name = tapped(event.submitter);
  later(event, () => [...document.querySelectorAll("#draft button:not([disabled])")].find((each) => tapped(each) === name)?.click());
}, true);
document.addEventListener("change", (event) => {
  if (isBusy() && event.target.closest("#texts")) later(event, () => document.getElementById("texts")?.dispatchEvent(new Event("change", { bubbles: true })));
}, true);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (isBusy() && link && !event.ctrlKey && !event.metaKey && !event.shiftKey) later(event, () => location.assign(link.href));
}, true);
document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.closest("#draft")) isLeaving = true;
});
document.addEventListener("htmx:afterRequest", () => setTimeout(goOn));
document.addEventListener("htmx:sendError", () => { waiting.length = 0; });
window.addEventListener("pageshow", () => { isLeaving = false; waiting.length = 0; });

// Nothing moves under a thumb: what was touched last, or the row it is in, stays where it is on the screen.
let touched = null;
let anchors = [];
document.addEventListener("pointerdown", (event) => { touched = event.target; });
document.addEventListener("focusin", (event) => { touched = event.target; });
document.addEventListener("htmx:beforeSwap", (event) => {
  anchors = [];
  if (event.detail.target.id !== "draft" || !event.detail.shouldSwap) return;
  for (let at = touched?.closest("#draft [id]"); at; at = at.parentElement.closest("#draft [id]")) anchors.push({ id: at.id, top: at.getBoundingClientRect().top });
});
function hold() {
  const anchor = anchors.find((each) => document.getElementById(each.id));
  if (!anchor) return;
  anchors = [];
  const again = document.getElementById(anchor.id), draft = document.getElementById("draft");
  const move = () => {
    window.scrollBy({ top: again.getBoundingClientRect().top - anchor.top, behavior: "instant" });
    return again.getBoundingClientRect().top - anchor.top;
  };
  touched = again;
  const list = again.closest(".grow-list");
  if (list) list.scrollTop += again.getBoundingClientRect().top - anchor.top;
  const rest = move(); // what a page that is too short to be scrolled leaves
  if (draft.classList.contains("grow-page")) return;
  if (rest <= -1) draft.style.paddingBlockStart = `${-rest}px`;
  else if (rest >= 1) { draft.style.paddingBlockEnd = `${rest}px`; move(); }
}

document.addEventListener("htmx:beforeSwap", remember);
document.addEventListener("htmx:afterSwap", onceFor(() => { dress(document); restore(); hold(); best(); hand(); }));
// Figures that arrive late, hundreds of them perhaps, are put into their places; nothing around them is touched.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!event.detail.serverResponse.includes(" data-late")) return;
  const sent = document.createElement("template");
  sent.innerHTML = event.detail.serverResponse;
  for (const figure of sent.content.querySelectorAll("[data-late]")) {
    figure.removeAttribute("data-late");
    const place = document.getElementById(figure.id);
    figure.remove();
    if (place && place.tagName === "OPTION") place.textContent = figure.textContent;
    else if (place) place.replaceWith(figure);
  }
  event.detail.serverResponse = sent.innerHTML;
});
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target.id !== "story" || event.detail.target.matches("[hx-swap-oob='true'] > *")) return;
  for (const piece of event.detail.fragment.querySelectorAll(".piece")) piece.classList.add("fresh"); // its dice land
});
document.addEventListener("htmx:oobAfterSwap", onceFor(() => { dress(document); figureAnew(); hand(); }));

// Figures are about the scene as this seat sees it. When that changes, those that were asked for are asked for anew, and
// until they come their places say so.
const mark = () => document.getElementById("seen")?.dataset.mark;
let figured;
document.addEventListener("DOMContentLoaded", () => { figured = mark(); });
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.matches("[data-figures]")) event.target.dataset.figures = "asked";
});
const figures = () => [...document.querySelectorAll("[data-figures=asked]")];
function figureAnew() {
  if (mark() === figured) return;
  figured = mark();
  for (const asker of figures()) {
    const places = asker.matches(".beside") ? asker.closest("form").querySelectorAll(".whom .p") : asker.matches(".p") ? [asker] : asker.querySelectorAll("button > .p");
    for (const place of places) { place.className = "p pending"; place.textContent = ""; }
    if (asker.matches(".beside")) for (const each of asker.closest("form").querySelectorAll(".whom .may-come")) each.textContent = "";
    if (asker.matches(".forecast, .beside")) asker.replaceChildren();
  }
  setTimeout(() => { // parts that were laid out anew have asked by then
    for (const asker of figures()) {
      htmx.trigger(asker, "htmx:abort");
      htmx.trigger(asker, "again");
    }
  }, 50);
}

// Without a connection a bar says so, where the eyes are. A click that could not be sent is kept and sent again, once:
// it carries a key, so that the table does nothing twice, and the number of things told by then, so that it is never
// the answer to a later question.
const KEPT = /\/(act|answer|say|cancel|undo|redo|resume|stop|distance|place|map)$/;
let unsent = null;
let isLost = false;
let told = 0;

function notice(text, may_drop) {
  const bar = document.querySelector(".offline");
  if (!bar) return;
  bar.hidden = !text;
  bar.querySelector("p").textContent = text;
  bar.querySelector("button").hidden = !may_drop;
}

function words(key, what) {
  return document.querySelector(".offline").dataset[key].replace("{what}", what);
}

function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
}

function keep(request, submitter) {
  const talk = request.formData.get("text");
  const named = submitter && (submitter.querySelector(".option-label") || submitter.querySelector("span") || submitter);
  const said = talk || (named && named.textContent) || "…";
  const what = said.trim().replace(/\s+/g, " ").slice(0, 60);
  // Encoded as it was the first time: the same key is only good for the same request.
  const body = [...request.formData].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  unsent = { path: request.path, body, key: request.headers["Idempotency-Key"], what, told, form: request.elt };
  notice(words("kept", what), true);
  setTimeout(sendAgain, 3000);
}

async function sendAgain() {
  const again = unsent;
  if (!again || again.busy) return;
  again.busy = true;
  const headers = { "HX-Request": "true", "Idempotency-Key": again.key, "Content-Type": "application/x-www-form-urlencoded" };
  if (!again.path.endsWith("/say")) headers["If-Match"] = `"${again.told}"`;
  try {
    const reply = await fetch(again.path, { method: "POST", headers, body: again.body });
    if (unsent === again) unsent = null;
    if (reply.ok) {
      notice(isLost ? words("lost", "") : "", false);
      if (again.form && again.form.hasAttribute("data-reset")) again.form.reset();
      return;
    }
    if (reply.status === 409) { notice(words("moved", again.what), false); return; }
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    notice(`${words("refused", again.what)} ${page.body.textContent.trim().replace(/\s+/g, " ")}`, false);
  } catch {
    again.busy = false;
    setTimeout(sendAgain, 3000);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const main = document.querySelector("main[data-cursor]");
  const drop = document.querySelector(".offline button");
  if (main) told = Number(main.dataset.cursor);
  if (drop) drop.addEventListener("click", () => { unsent = null; notice(isLost ? words("lost", "") : "", false); });
});
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb === "post" && KEPT.test(event.detail.path)) event.detail.headers["Idempotency-Key"] = newKey();
});
document.addEventListener("htmx:sendError", (event) => {
  const request = event.detail.requestConfig;
  if (document.querySelector(".offline") && request.headers["Idempotency-Key"]) keep(request, (request.triggeringEvent || {}).submitter);
});
// Odds that were under way when the connection was lost are asked for again once it is back.
const missed = new Set();
for (const name of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(name, (event) => {
    const isAway = [0, 502, 503, 504].includes(event.detail.xhr.status);
    if (isAway && event.target.matches("[hx-trigger*='again']")) missed.add(event.target);
  });
}
function askAgain() {
  const waiting = [...missed].filter((each) => each.isConnected);
  missed.clear();
  for (const each of waiting) htmx.trigger(each, "again");
}

document.addEventListener("htmx:sseMessage", (event) => { told = Number(event.detail.lastEventId) || told; });
document.addEventListener("htmx:sseError", () => {
  isLost = true;
  if (!unsent) notice(words("lost", ""), false);
});
document.addEventListener("htmx:sseOpen", (event) => {
  isLost = false;
  if (unsent) sendAgain();
  else notice("", false);
  askAgain();
  event.detail.source.addEventListener("left", (left) => {
    hasLeft = true;
    event.detail.source.close();
    notice(left.data, false);
  });
});
// Who has no seat any more asks for no odds; what they send is refused with its reason.
let hasLeft = false;
document.addEventListener("htmx:beforeRequest", (event) => {
  if (hasLeft && event.target.tagName !== "FORM") event.preventDefault();
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr && event.detail.xhr.status >= 400) acted = false;
  const form = event.detail.elt;
  if (!event.detail.xhr || event.detail.xhr.status >= 400 || !event.detail.xhr.status || !form || form.tagName !== "FORM") return;
  const problem = form.querySelector(".problem-here");
  if (problem && event.detail.xhr.status === 204) problem.textContent = "";
  if (form.hasAttribute("data-reset")) form.reset();
  form.closest(".talk-around")?.removeAttribute("open");
});
