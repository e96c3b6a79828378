// Before anything is drawn: with a script, a phone has tabs.
document.body.classList.add("has-tabs");
