// What every part of the page uses: JSON that keeps all digits, JSON Schema, and elements of the page.

// MARK: JSON

/** A number that JavaScript's own numbers would change: `0.10`, or one with more than 17 digits. */
export class Numeral {
  constructor(text) { this.text = text; }
  valueOf() { return Number(this.text); }
  toString() { return this.text; }
}

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wholeNumber = new RegExp(`^${numberPattern.source}$`);
const literals = [["true", true], ["false", false], ["null", null]];

/** The number of a text, with all its digits; undefined when JSON has no such number. */
export function number(text) {
  if (!wholeNumber.test(text)) return undefined;
  const value = Number(text);
  return String(value) === text ? value : new Numeral(text);
}

export const isNumber = (value) => typeof value === "number" || value instanceof Numeral;
export const isObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Numeral);

/** An object without a prototype: the names of its members come from outside, and may be `__proto__`. */
export const record = (members = {}) => Object.assign(Object.create(null), members);

export class JSONError extends Error {}

/** Reads JSON. Objects have no prototype, and numbers keep their digits. */
export function parse(text) {
  let place = 0;

  function fail(expected) {
    const before = text.slice(0, place).split("\n");
    throw new JSONError(`Line ${before.length}, column ${before.at(-1).length + 1}: ${expected} is expected.`);
  }
  function skipSpace() {
    while (" \t\n\r".includes(text[place] || "x")) place += 1;
  }
  function take(mark) {
    skipSpace();
    if (text[place] !== mark) return false;
    place += 1;
    return true;
  }
  function string() {
    let end = place;
    for (;;) {
      end = text.indexOf("\"", end + 1);
      if (end < 0) fail("the end of a text");
      let slashes = 0;
      while (text[end - 1 - slashes] === "\\") slashes += 1;
      if (slashes % 2 === 0) break;
    }
    let value;
    try { value = JSON.parse(text.slice(place, end + 1)); } catch { fail("a text without line breaks and with correct escapes"); }
    place = end + 1;
    return value;
  }
  function object() {
    const members = record();
    if (take("}")) return members;
    do {
      skipSpace();
      if (text[place] !== "\"") fail("a name in quotes");
      const name = string();
      if (!take(":")) fail("a colon");
      members[name] = value();
    } while (take(","));
    if (!take("}")) fail("a comma or }");
    return members;
  }
  function array() {
    const items = [];
    if (take("]")) return items;
    do items.push(value()); while (take(","));
    if (!take("]")) fail("a comma or ]");
    return items;
  }
  function value() {
    if (take("{")) return object();
    if (take("[")) return array();
    if (text[place] === "\"") return string();
    numberPattern.lastIndex = place;
    const digits = numberPattern.exec(text)?.[0];
    if (digits) {
      place += digits.length;
      return number(digits);
    }
    for (const [word, meaning] of literals) {
      if (!text.startsWith(word, place)) continue;
      place += word.length;
      return meaning;
    }
    return fail("a value");
  }

  const result = value();
  skipSpace();
  if (place < text.length) fail("the end");
  return result;
}

/** Writes JSON; with `indent`, for people. */
export function stringify(value, indent = "", margin = "\n") {
  if (value instanceof Numeral) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const inner = margin + indent;
  const parts = Array.isArray(value)
    ? value.map((item) => stringify(item, indent, inner))
    : Object.keys(value).map((key) => `${JSON.stringify(key)}:${indent && " "}${stringify(value[key], indent, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (parts.length === 0) return open + close;
  return indent ? open + inner + parts.join(`,${inner}`) + margin + close : open + parts.join(",") + close;
}

export const copyOf = (value) => (value === undefined ? undefined : parse(stringify(value)));

// MARK: JSON Schema

const simpleKinds = ["array", "string", "integer", "number", "boolean"];

/** Follows references and takes away what says that a value may be nil. */
export function shapeOf(schema, root) {
  let isNillable = false;
  let name = null;
  let description = schema?.description;
  // A broken schema may refer to itself.
  for (let step = 0; step < 32; step += 1) {
    if (typeof schema?.$ref === "string") {
      name = schema.$ref.split("/").at(-1).replaceAll("~1", "/").replaceAll("~0", "~");
      schema = root?.$defs?.[name];
    } else if (isNilUnion(schema)) {
      isNillable = true;
      schema = schema.anyOf.find((item) => item.type !== "null");
    } else break;
    description ??= schema?.description;
  }
  schema = isObject(schema) ? schema : record();
  return { schema, name, description, isNillable, kind: kindOf(schema) };
}

function isNilUnion(schema) {
  return Array.isArray(schema?.anyOf) && schema.anyOf.length === 2 && schema.anyOf.some((item) => item.type === "null");
}

function kindOf(schema) {
  if (schema.type === "object" && schema.properties) return "object";
  if (Array.isArray(schema.anyOf)) return "union";
  return simpleKinds.includes(schema.type) ? schema.type : "any";
}

/** The property that names the type of an object; undefined for types from which none is derived. */
export function typeKeyOf(schema) {
  return Object.keys(schema.properties ?? {}).find((key) => schema.properties[key]["x-types"]);
}

/** The schema whose members count for an object: that of the type it names, or its own. */
export function effectiveSchema(schema, value, root) {
  const key = typeKeyOf(schema);
  const place = key !== undefined && schema.properties[key]["x-types"][value?.[key]];
  if (!place) return schema;
  const derived = shapeOf(record({ $ref: place }), root).schema;
  const properties = record({ [key]: schema.properties[key] });
  for (const name of Object.keys(derived.properties ?? {})) {
    if (name !== key) properties[name] = derived.properties[name];
  }
  return record({ ...derived, properties });
}

/** A few words that say what a value is. */
export function typeText(shape) {
  const { schema, kind } = shape;
  if (shape.name) return shape.name;
  if (kind === "any") return "any content";
  if (kind === "union") return schema.anyOf.map((item) => typeText({ schema: item, kind: kindOf(item) })).join(" or ");
  if (kind === "object") return "group";
  if (kind === "array") return "list";
  if (schema.enum) return "one of " + schema.enum.length;
  return schema.contentEncoding ?? { "date-time": "date and time", "uri-reference": "address" }[schema.format]
    ?? schema.format ?? (kind === "string" ? "text" : kind);
}

/** The limits of a value, for people. */
export function limitsOf(schema) {
  const limits = [
    ["minItems", "at least", "item"], ["maxItems", "at most", "item"],
    ["minLength", "at least", "character"], ["maxLength", "at most", "character"],
    ["minimum", "≥"], ["exclusiveMinimum", ">"], ["maximum", "≤"], ["exclusiveMaximum", "<"],
  ];
  return limits.filter(([key]) => schema[key] !== undefined)
    .map(([key, words, unit]) => `${words} ${schema[key]}${unit ? ` ${plural(schema[key], unit)}` : ""}`).join(", ");
}

export const plural = (count, noun) => (Number(count) === 1 ? noun : `${noun}s`);
/** A number for people, with what it counts. */
export const counted = (count, noun) => `${Number(count).toLocaleString("en")} ${plural(count, noun)}`;

/** A name as it is read: without its namespace. */
export const shortName = (key) => key.replace(/^(@?)\{[^}]*\}/, "$1");
export const namespaceOf = (key) => /^@?\{([^}]*)\}/.exec(key)?.[1];

// MARK: Elements

/**
 * Makes an element, for example `h("p.muted", { id: "x" }, "text")`. Functions among the attributes are listeners. Children are elements,
 * texts, and lists of them. Only literals of the page count as attributes: what comes from the server has no prototype.
 */
export function h(name, ...rest) {
  const [tag, ...names] = name.split(".");
  const element = document.createElement(tag);
  const isWithAttributes = rest.length > 0 && isObject(rest[0]) && Object.getPrototypeOf(rest[0]) === Object.prototype;
  if (names.length) element.className = names.join(" ");
  for (const [key, value] of Object.entries(isWithAttributes ? rest.shift() : {})) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "value") element.value = value;
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  append(element, rest);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

let lastID = 0;
export const freshID = (prefix) => `${prefix}-${lastID += 1}`;

/** Puts the focus back where it was after a change that makes elements anew. */
export function keepingFocus(change) {
  const { id, selectionStart } = document.activeElement;
  change();
  const again = id ? document.getElementById(id) : null;
  if (!again || again === document.activeElement) return;
  again.focus({ preventScroll: true });
  if (typeof selectionStart === "number") again.setSelectionRange(selectionStart, selectionStart);
}

/** A name of a program that may be broken before its capital letters. */
export const breakable = (name) => name.split(/(?<=[a-z0-9_])(?=[A-Z])/).flatMap((word, index) => (index ? [h("wbr"), word] : [word]));

export const hidden = (text) => h("span.hidden", text);

export function button(text, action, attributes = {}) {
  return h("button", { type: "button", click: action, ...attributes }, text);
}

const svg = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

const drawings = {
  up: "M8 12.5v-9M4 7l4-4 4 4", down: "M8 3.5v9M4 9l4 4 4-4", remove: "M4 4l8 8M12 4l-8 8", add: "M8 3v10M3 8h10",
  closed: "M6 3.5L10.5 8 6 12.5", calendar: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3", send: "M2.5 8h10M8.5 4l4 4-4 4",
  warning: "M8 2l6.5 11.5h-13zM8 6.5v3.2M8 11.4v.4", good: "M3 8.5l3.5 3.5L13 4.5", lock: "M4 7h8v6.5H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
};

/** A drawing of 16 × 16, which says nothing that the text beside it does not. */
export function icon(name) {
  const drawing = svg("svg", { viewBox: "0 0 16 16", class: `icon icon-${name}`, "aria-hidden": "true", focusable: "false" });
  drawing.append(svg("path", { d: drawings[name] }));
  return drawing;
}

export function iconButton(name, label, action, attributes = {}) {
  return h("button", { type: "button", class: "bare", title: label, "aria-label": label, click: action, ...attributes }, icon(name));
}

/** Text from outside, with its line breaks. */
export function paragraphs(text) {
  const blocks = String(text).trim().split(/\n\s*\n/);
  return blocks.map((block) => h("p.prose", block.split("\n").map((line) => line.trim()).join("\n")));
}

/** A problem, said at once by screen readers. */
export function alertBox(text, lines = []) {
  return h("div", { role: "alert", class: "alert" }, h("p", icon("warning"), h("strong", text)),
    lines.map((line) => h("p", line)));
}

export function warningList(lines) {
  return lines?.length ? h("ul.warnings", lines.map((line) => h("li", icon("warning"), line))) : null;
}

/** Names with their values; those without a value are left out. */
export function factList(facts) {
  return h("dl.facts-list", facts.filter(([, value]) => value).map(([name, value]) => h("div", h("dt", name), h("dd", value))));
}

// MARK: Parts

/**
 * Tabs by the practices of WAI-ARIA: arrow keys move between them, and showing one makes its content.
 *
 * @param items objects with `id`, `label` and `make`, which returns the content and is called whenever the tab is shown.
 */
export function tabs(label, items, { chosen = items[0].id, onShow = () => {}, name = freshID("tabs") } = {}) {
  const panel = h("div", { role: "tabpanel", class: "tab-panel", id: `${name}-panel`, tabindex: -1 });
  const buttons = items.map((item) => h("button", {
    type: "button", role: "tab", id: `${name}-${item.id}`, "aria-controls": panel.id, click: () => show(item.id),
  }, item.label, item.count ? h("span.count", String(item.count)) : null));
  const list = h("div", { role: "tablist", class: "tabs", "aria-label": label, keydown: move }, buttons);
  let current = null;

  function show(id, isMoving = true) {
    if (current !== null && current !== id) onShow(id, current);
    current = id;
    items.forEach((item, index) => {
      buttons[index].setAttribute("aria-selected", String(item.id === id));
      buttons[index].tabIndex = item.id === id ? 0 : -1;
    });
    panel.setAttribute("aria-labelledby", `${name}-${id}`);
    replace(panel, items.find((item) => item.id === id).make());
    if (isMoving) buttons[items.findIndex((item) => item.id === id)].scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }
  function move(event) {
    const index = items.findIndex((item) => item.id === current);
    const places = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: items.length - 1 };
    if (places[event.key] === undefined) return;
    event.preventDefault();
    const next = (places[event.key] + items.length) % items.length;
    show(items[next].id);
    buttons[next].focus();
  }
  show(items.some((item) => item.id === chosen) ? chosen : items[0].id, false);
  return { element: h("div.tab-group", list, panel), show, current: () => current };
}

/** Shows a part of many things at a time, so that 10,000 of them do not stop the browser. */
export function pager(total, size, noun, render) {
  const host = h("div.pages");
  let first = 0;
  function show(index) {
    first = Math.max(0, Math.min(Math.floor(index / size) * size, Math.max(0, total - 1)));
    const last = Math.min(total, first + size);
    const bar = total <= size ? null : h("div.page-bar",
      button("Previous", () => turn(first - size), { disabled: first === 0 }),
      h("span", { role: "status" },
        `${noun} ${(first + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${total.toLocaleString("en")}`),
      button("Next", () => turn(last), { disabled: last === total }));
    replace(host, bar, render(first, last));
  }
  function turn(index) {
    const isForward = index > first;
    show(index);
    const [back, forth] = host.querySelectorAll(":scope > .page-bar > button");
    const wanted = isForward ? forth : back;
    (wanted.disabled ? (isForward ? back : forth) : wanted).focus();
  }
  show(0);
  return { element: host, show, holds: (index) => index >= first && index < first + size };
}

/** A row with a heading that opens and closes; the content is made when it is first opened. */
export function disclosure(summary, make, { isOpen = false, attributes = {} } = {}) {
  let isMade = false;
  const element = h("details", {
    ...attributes,
    toggle: () => { if (element.open) fill(); },
  }, h("summary", icon("closed"), summary));
  function fill() {
    if (isMade) return;
    isMade = true;
    append(element, [make()]);
  }
  if (isOpen) {
    element.open = true;
    fill();
  }
  return element;
}

/** A modal dialog with a form. `submit` returns when everything is done, or throws what the dialog then shows. */
export function dialog(title, content, { action = null, submit = async () => {}, isWide = false } = {}) {
  const problem = h("div");
  const heading = h("h2", { id: freshID("dialog") }, title);
  const accept = action && h("button.primary", action);
  const form = h("form", { submit: onSubmit }, heading, h("div.dialog-content", content), problem,
    h("div.dialog-buttons",
      button(action ? "Cancel" : "Close", () => element.close()), accept));
  const element = h("dialog", { "aria-labelledby": heading.id, class: isWide ? "wide" : null, close: () => element.remove() }, form);

  async function onSubmit(event) {
    event.preventDefault();
    if (!action) return element.close();
    accept.disabled = true;
    try {
      await submit(new FormData(form));
      element.close();
    } catch (error) {
      replace(problem, alertBox(error.message, error.lines));
    }
    accept.disabled = false;
    return undefined;
  }
  document.body.append(element);
  element.showModal();
  return element;
}

/** Lets the user keep a text or bytes as a file. */
export function saveFile(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  // The browser needs the address until the download has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export function copyButton(text, what) {
  const element = button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(text());
      element.textContent = "Copied";
    } catch {
      element.textContent = "The browser does not allow copying";
    }
    setTimeout(() => { element.textContent = "Copy"; }, 2000);
  }, { class: "small", "aria-label": `Copy ${what}` });
  return element;
}

export function bytesOf(base64) {
  try { return Uint8Array.from(atob(base64.replace(/\s+/g, "")), (mark) => mark.charCodeAt(0)); } catch { return null; }
}
