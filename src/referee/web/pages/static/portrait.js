// A picture is cut by dragging it or by its three sliders, and made small before it is sent: a phone's photograph is
// larger than a table keeps, and knows where it was taken.
"use strict";

const LONGEST = 800;

function cutting() {
  const box = document.querySelector(".cutting");
  if (!box) return;
  const picture = box.querySelector("svg");
  const field = (name) => document.querySelector(`#cut [name=${name}]`);
  const [width, height] = [Number(box.dataset.width), Number(box.dataset.height)];
  const show = () => {
    const side = Math.min(width, height) * Number(field("share").value) / 100;
    const left = (width - side) * Number(field("left").value) / 100;
    const top = (height - side) * Number(field("top").value) / 100;
    picture.setAttribute("viewBox", `${left} ${top} ${side} ${side}`);
  };
  document.getElementById("cut").addEventListener("input", show);
  let from = null;
  const room = (whole) => Math.max(1, whole - Math.min(width, height) * Number(field("share").value) / 100);
  picture.addEventListener("pointerdown", (event) => {
    from = { x: event.clientX, y: event.clientY, left: Number(field("left").value), top: Number(field("top").value) };
    picture.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  picture.addEventListener("pointermove", (event) => {
    if (!from) return;
    const scale = Math.min(width, height) * Number(field("share").value) / 100 / picture.clientWidth;
    field("left").value = from.left - (event.clientX - from.x) * scale / room(width) * 100;
    field("top").value = from.top - (event.clientY - from.y) * scale / room(height) * 100;
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { from = null; });
}

async function smaller(file) {
  const whole = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(whole.width, whole.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(whole.width * scale);
  canvas.height = Math.round(whole.height * scale);
  canvas.getContext("2d").drawImage(whole, 0, 0, canvas.width, canvas.height);
  const kind = file.type === "image/png" ? "image/png" : "image/jpeg";
  const blob = await new Promise((done) => canvas.toBlob(done, kind, 0.86));
  return new File([blob], file.name, { type: kind });
}

function uploading() {
  const form = document.getElementById("upload");
  form.addEventListener("submit", async (event) => {
    const field = form.elements.picture;
    if (form.dataset.ready || !field.files[0]) return;
    event.preventDefault();
    try {
      const list = new DataTransfer();
      list.items.add(await smaller(field.files[0]));
      field.files = list.files;
    } catch { // sent as it is; the table says what is wrong with it
    }
    form.dataset.ready = "yes";
    form.requestSubmit();
  });
}

document.addEventListener("DOMContentLoaded", () => { cutting(); uploading(); });
