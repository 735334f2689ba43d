// What the page shows and does not change: messages, values, types, differences, and what happened on the wire.

import {
  bytesOf, button, copyButton, counted, disclosure, factList, h, hidden, icon, isObject, limitsOf, namespaceOf, pager, paragraphs,
  replace, saveFile, shapeOf, shortName, stringify, typeText, effectiveSchema,
} from "./basics.js";

const linesPerPage = 400;
const childrenPerPage = 100;
const longestLine = 4000;
const longestText = 1000;

// MARK: Code

const xmlPattern = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<[?!][^>]*>?|<\/?[^\s/>]*|\/?>|[\w:.-]+(?=\s*=\s*["'])|"[^"]*"|'[^']*'/g;
/** Tags, and what may hold signs that look like them. */
const markPattern = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(?:[^<>"']|"[^"]*"|'[^']*')*>/g;
const patterns = {
  json: /("[^"\\]*(?:\\.[^"\\]*)*")(?=\s*:)|("[^"\\]*(?:\\.[^"\\]*)*")|(-?\b\d[\d.eE+-]*\b)|(\b(?:true|false|null)\b)/g,
  swift: /(\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*")|(\b\d[\d._]*\b)|(\b(?:let|var|func|import|try|await|struct|class|enum|return|if|else|guard|for|in|throws|async|nil|true|false|self|init|do|catch)\b)/g,
  shell: /(#[^\n]*)|("(?:[^"\\]|\\.)*"|'[^']*')|(\B--?[\w-]+)/g,
};
const classes = { json: ["name", "text", "number", "word"], swift: ["comment", "text", "number", "word"],
  shell: ["comment", "text", "name"] };

/** The parts of XML that get a colour, in the order of the text. */
function xmlTokens(text) {
  const tokens = [];
  let isTag = false;
  for (const { 0: part, index } of text.matchAll(xmlPattern)) {
    let kind = null;
    if (part.startsWith("<!--")) kind = "comment";
    else if (part.startsWith("<![")) kind = "text";
    else if (part.startsWith("<?") || part.startsWith("<!")) kind = "comment";
    else if (part.startsWith("<")) [kind, isTag] = ["tag", true];
    else if (part.endsWith(">")) [kind, isTag] = [isTag ? "tag" : null, false];
    else if (isTag) kind = part[0] === "\"" || part[0] === "'" ? "text" : "name";
    if (kind) tokens.push({ kind, start: index, end: index + part.length });
  }
  return tokens;
}

function tokensOf(text, language) {
  if (language === "xml") return xmlTokens(text);
  const pattern = patterns[language];
  if (!pattern) return [];
  return [...text.matchAll(pattern)].map((match) => ({
    kind: classes[language][match.slice(1).findIndex((group) => group !== undefined)], start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The pieces of a part of a text: texts, and spans where it has a colour. */
function coloured(text, start, end, tokens) {
  const pieces = [];
  let place = start;
  // The first token that ends behind the start.
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens[middle].end <= start) low = middle + 1; else high = middle;
  }
  for (let index = low; index < tokens.length && tokens[index].start < end; index += 1) {
    const from = Math.max(tokens[index].start, start);
    const to = Math.min(tokens[index].end, end);
    if (from > place) pieces.push(text.slice(place, from));
    pieces.push(h("span", { class: `code-${tokens[index].kind}` }, text.slice(from, to)));
    place = to;
  }
  if (place < end) pieces.push(text.slice(place, end));
  return pieces;
}

function linesOf(text) {
  const rows = [];
  let start = 0;
  while (start <= text.length) {
    const end = text.indexOf("\n", start);
    rows.push({ start, end: end < 0 ? text.length : end, depth: 0 });
    if (end < 0) break;
    start = end + 1;
  }
  if (rows.length > 1 && rows.at(-1).start === text.length) rows.pop();
  return rows;
}

/** Lines of XML with one element each, as places in the text, which stays as it came. */
function indentedLines(text) {
  const rows = [];
  let depth = 0;
  let place = 0;
  let open = null;
  const push = (start, end, level) => {
    while (start < end && /\s/.test(text[start])) start += 1;
    while (end > start && /\s/.test(text[end - 1])) end -= 1;
    if (start < end) rows.push({ start, end, depth: Math.max(0, level) });
  };
  for (const { 0: mark,
    index } of text.matchAll(markPattern)) {
    const end = index + mark.length;
    if (mark.startsWith("<![CDATA[")) continue;
    if (mark.startsWith("</")) {
      depth -= 1;
      if (open !== null) push(open, end, depth);
      else {
        push(place, index, depth + 1);
        push(index, end, depth);
      }
      open = null;
    } else {
      if (open !== null) push(open, index, depth - 1); else push(place, index, depth);
      open = null;
      if (/^<[?!]/.test(mark) || mark.endsWith("/>")) push(index, end, depth);
      else {
        open = index;
        depth += 1;
      }
    }
    place = end;
  }
  push(open ?? place, text.length, depth);
  return rows;
}

/**
 * A text in a language with line numbers.
 *
 * @param deviations what is wrong, each with the line and column of the text as it came.
 */
export function codeView(text, language, { label, deviations = [], file } = {}) {
  deviations = deviations.toSorted((one, other) => one.line - other.line || (one.column ?? 0) - (other.column ?? 0));
  const tokens = tokensOf(text, language);
  const original = linesOf(text);
  const host = h("div.code-view");
  const isOneLine = language === "xml" && original.length < text.length / 400;
  const wide = language === "xml" && h("input", { type: "checkbox", checked: isOneLine, change: show });
  let pages;
  let rows;

  function rowOf(deviation) {
    const line = original[Math.min(deviation.line, original.length) - 1];
    if (!line) return -1;
    const place = Math.min(line.start + Math.max(0, (deviation.column ?? 1) - 1), line.end);
    if (rows === original) return original.indexOf(line);
    const after = rows.findIndex((row) => row.end > place);
    return after < 0 ? rows.length - 1 : after;
  }
  function show() {
    rows = wide?.checked ? indentedLines(text) : original;
    const marks = new Map();
    for (const deviation of deviations) {
      const row = rowOf(deviation);
      marks.set(row, [...(marks.get(row) ?? []), deviation]);
    }
    pages = pager(rows.length, linesPerPage, "Lines",
      (first, last) => h("pre.code.lines", { tabindex: 0, role: "region", "aria-label": label },
      h("code", rows.slice(first, last).map((row, index) => line(row, first + index, marks.get(first + index))))));
    const notes = deviations.length
      ? h("ul.deviation-list", deviations.slice(0, 50).map(note),
        deviations.length > 50 ? h("li", `${deviations.length - 50} more deviations are marked in their lines.`) : null) : null;
    replace(host, bar, notes, pages.element);
  }
  function line(row, index, marks) {
    const end = Math.min(row.end, row.start + longestLine);
    const rest = row.end - end;
    const element = h("span", { class: marks ? "line marked" : "line", "data-line": index },
      h("span.line-number", { "aria-hidden": "true" }, String(index + 1)),
      h("span.line-text", "  ".repeat(Math.min(row.depth, 40)), coloured(text, row.start, end, tokens),
        rest > 0 ? h("span.cut", ` … ${rest.toLocaleString("en")} more characters; “Save” keeps all`) : null, "\n"));
    for (const mark of marks ?? []) element.append(h("span.line-note", icon("warning"), `${mark.message}\n`));
    return element;
  }
  function note(deviation) {
    const where = `Line ${deviation.line}${deviation.column ? `, column ${deviation.column}` : ""}`;
    return h("li", button(where, () => {
      const row = rowOf(deviation);
      pages.show(row);
      const element = host.querySelector(`[data-line="${row}"]`);
      element?.scrollIntoView({ block: "center" });
      host.querySelector("pre").focus({ preventScroll: true });
    }, { class: "link" }), ` ${deviation.message}`);
  }
  const bar = h("div.code-bar", wide ? h("label", wide, " Indent elements") : null,
    copyButton(() => text, label),
    file ? button("Save", () => saveFile(file, text, "text/plain"), { class: "small", "aria-label": `Save ${label}` }) : null);
  show();
  return host;
}

/** XML for comparing: one element in each line. */
export function textLines(text) {
  return indentedLines(text).map((row) => "  ".repeat(row.depth) + text.slice(row.start, row.end));
}

// MARK: Differences

/** The lines of two texts, each with a mark: " " in both, "-" in the first, "+" in the second. */
export function difference(before, after) {
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start += 1;
  let [left, right] = [before.length, after.length];
  while (left > start && right > start && before[left - 1] === after[right - 1]) [left, right] = [left - 1, right - 1];
  const same = (lines) => lines.map((line) => [" ", line]);
  return [...same(before.slice(0, start)), ...middle(before.slice(start, left), after.slice(start, right)), ...same(before.slice(left))];
}

function middle(before, after) {
  const [rows, columns] = [before.length, after.length];
  // The table takes the product of both: what differs so much is shown as a whole.
  if (rows * columns > 4_000_000) return [...before.map((line) => ["-", line]), ...after.map((line) => ["+", line])];
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] = before[row] === after[column]
        ? lengths[(row + 1) * width + column + 1] + 1
        : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
    }
  }
  const result = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      result.push([" ", before[row]]);
      [row, column] = [row + 1, column + 1];
    } else if (row < rows && (column === columns || lengths[(row + 1) * width + column] >= lengths[row * width + column + 1])) {
      result.push(["-", before[row]]);
      row += 1;
    } else {
      result.push(["+", after[column]]);
      column += 1;
    }
  }
  return result;
}

export function differenceView(title, before, after) {
  const lines = difference(textLines(before), textLines(after));
  const changed = lines.filter(([mark]) => mark !== " ").length;
  const words = { " ": "", "-": "only in the first: ", "+": "only in the second: " };
  const names = { " ": "same", "-": "old", "+": "new" };
  return h("section", h("h3", title, h("span.muted", changed ? ` ${counted(changed, "line")} differ` : " No line differs")),
    changed === 0 ? null : pager(lines.length, linesPerPage, "Lines", (first, last) =>
      h("pre.code.difference", { tabindex: 0, role: "region", "aria-label": title },
        h("code", lines.slice(first, last).map(([mark, line]) =>
        h("span", { class: `line ${names[mark]}` }, hidden(words[mark]), h("span.line-number", { "aria-hidden": "true" }, mark),
          h("span.line-text", `${line.slice(0, longestLine)}\n`)))))).element);
}

// MARK: Values

/** The deviations of a value by the parts of the value; paths are those of the message. */
function deviationTree(deviations, name) {
  const tree = { own: [], inner: new Map(), count: 0 };
  for (const deviation of deviations) {
    const steps = deviation.path.replace(/\{[^}]*\}/g, "").split("/").filter(Boolean).map((step) => step.replace(/^[\w.-]+:/, ""));
    const start = steps.findIndex((step) => step.replace(/\[\d+\]$/, "") === name);
    let node = tree;
    node.count += 1;
    for (const step of steps.slice(start + 1)) {
      const [, key, index] = /^(.*?)(?:\[(\d+)\])?$/.exec(step);
      for (const part of index ? [key, Number(index) - 1] : [key]) {
        if (!node.inner.has(part)) node.inner.set(part, { own: [], inner: new Map(), count: 0 });
        node = node.inner.get(part);
        node.count += 1;
      }
    }
    node.own.push(deviation);
  }
  return tree;
}

/** All deviations of a part and of what is in it. */
const allOf = (marks) => [...marks.own, ...[...marks.inner.values()].flatMap(allOf)];

/**
 * The deviations of a value that concern itself, and those of its parts. What belongs to a part that is not there, or to an item of a list
 * without saying which, is told at the value.
 */
function placed(marks, value) {
  if (!marks) return { own: [], of: () => undefined };
  if (Array.isArray(value)) {
    const parts = [...marks.inner].filter(([key]) => typeof key === "string").map(([, part]) => part);
    if (value.length === 1 && parts.length) return { own: marks.own, of: () => ({ ...marks, own: [] }) };
    return { own: [...marks.own, ...parts.flatMap(allOf)], of: (key) => marks.inner.get(Number(key)) };
  }
  if (!isObject(value)) return { own: allOf(marks), of: () => undefined };
  // The path of an element that occurs once may say that it is the first.
  const first = marks.inner.get(0);
  const inner = new Map([...marks.inner, ...(first?.inner ?? [])]);
  inner.delete(0);
  const names = new Set(Object.keys(value).map(shortName));
  const absent = [...inner].filter(([key]) => !names.has(key)).map(([, part]) => part);
  return { own: [...marks.own, ...(first?.own ?? []), ...absent.flatMap(allOf)], of: (key) => inner.get(shortName(key)) };
}

/** Gives deviations paths that say which of several elements is meant, by their places in the message. */
function located(deviations, xml) {
  const lines = linesOf(xml);
  const offsetOf = ({ line, column }) => {
    const row = lines[Math.min(line, lines.length) - 1];
    return row ? Math.min(row.start + Math.max(0, (column ?? 1) - 1), row.end) : 0;
  };
  const waiting = deviations.map((deviation) => ({ deviation, offset: offsetOf(deviation) }))
    .sort((one, other) => other.offset - one.offset);
  const result = [];
  const steps = [];
  const counts = [new Map()];
  const settle = (end) => {
    while (waiting.length && waiting.at(-1).offset < end) {
      const { deviation } = waiting.pop();
      const path = deviation.path.split("/").filter(Boolean);
      const plain = steps.map((step) => step.replace(/\[\d+\]$/, ""));
      const start = plain.indexOf(path[0]);
      const isSame = start >= 0 && plain.slice(start).every((step, place) => step === path[place]);
      result.push(isSame ? { ...deviation, path: [...steps.slice(start), ...path.slice(steps.length - start)].join("/") } : deviation);
    }
  };
  for (const { 0: mark, index } of xml.matchAll(markPattern)) {
    if (waiting.length === 0) break;
    const name = /^<\/?(?:[^\s/>:]*:)?([^\s/>]+)/.exec(mark)?.[1];
    if (/^<[?!]/.test(mark) || !name) continue;
    settle(index);
    if (mark.startsWith("</")) {
      steps.pop();
      counts.pop();
      continue;
    }
    const count = (counts.at(-1)?.get(name) ?? 0) + 1;
    counts.at(-1)?.set(name, count);
    steps.push(`${name}[${count}]`);
    counts.push(new Map());
    if (!mark.endsWith("/>")) continue;
    settle(index + mark.length);
    steps.pop();
    counts.pop();
  }
  settle(Infinity);
  return result;
}

/** A value as a tree; what deviates from the schema is marked where it is. */
export function valueTree(value, { name, schema = {}, deviations = [], xml = "" }) {
  const marks = deviationTree(deviations.length ? located(deviations, xml) : [], shortName(name));
  return h("ul.tree", branch(name, value, { schema, root: schema, marks, depth: 0 }));
}

function branch(title, value, context) {
  const { schema, root, marks, depth } = context;
  const shape = shapeOf(schema, root);
  const label = [h("span.tree-name", { title: namespaceOf(title) ? `Namespace ${namespaceOf(title)}` : null }, shortName(title))];
  const { own, of } = placed(marks, value);
  const notes = own.map((mark) => h("span.tree-note", icon("warning"), mark.message));
  if (!isObject(value) && !Array.isArray(value)) {
    const isBinary = shape.schema.contentEncoding === "base64" && typeof value === "string";
    return h("li", h("div.leaf", label, isBinary ? binary(shortName(title), value) : leaf(value)), notes);
  }
  const inside = (marks?.count ?? 0) - own.length;
  const keys = Object.keys(value);
  const size = Array.isArray(value) ? counted(value.length, "item") : keys.length === 0 ? "empty" : "";
  const count = inside > 0 ? h("span.badge.warning", `${counted(inside, "deviation")} inside`) : null;
  const heading = [...label, h("span.type", size), count];
  if (keys.length === 0) return h("li", h("div.leaf", heading), notes);
  const isOpen = inside > 0 || depth < (keys.length > 20 ? 1 : 3);
  return h("li", notes, disclosure(heading, () => children(value, keys, shape, { ...context, of }), { isOpen }));
}

function children(value, keys, shape, { root, of, depth }) {
  const type = effectiveSchema(shape.schema, value, root);
  return pager(keys.length, childrenPerPage, Array.isArray(value) ? "Items" : "Members", (first, last) =>
    h("ul", keys.slice(first, last).map((key) => branch(Array.isArray(value) ? `${Number(key) + 1}` : key, value[key], {
      schema: Array.isArray(value) ? type.items : type.properties?.[key], root, depth: depth + 1,
      marks: of(key),
    })))).element;
}

function leaf(value) {
  if (value === null) return h("span.code-word", "nil");
  if (typeof value !== "string") return h("span", { class: typeof value === "boolean" ? "code-word" : "code-number" }, String(value));
  if (value === "") return h("span.muted", "empty text");
  if (value.length <= longestText) return h("span.value", value);
  const text = h("span.value", `${value.slice(0, longestText)}…`);
  const more = button(`Show all ${value.length.toLocaleString("en")} characters`, () => {
    text.textContent = value;
    more.remove();
  }, { class: "link" });
  return [text, more];
}

function binary(name, value) {
  const bytes = bytesOf(value);
  if (!bytes) return leaf(value);
  return [h("span.muted", counted(bytes.length, "byte")),
    button("Save", () => saveFile(name, bytes, "application/octet-stream"), { class: "small", "aria-label": `Save ${name}` }),
    h("span.value", value.length > 60 ? `${value.slice(0, 60)}…` : value)];
}

// MARK: Types

/** A schema as a tree that is made as it is opened: a type may contain itself. */
export function typeTree(name, schema) {
  return h("ul.tree.types", typeBranch(name, schema, schema, { isRequired: true, isOpen: true }));
}

function typeBranch(title, schema, root, { isRequired = false, isOpen = false, note = null }) {
  let shape = shapeOf(schema, root);
  const isList = shape.kind === "array";
  const description = shape.description;
  const words = [];
  if (shape.isNillable) words.push("may be nil");
  if (isList) {
    words.push("list", limitsOf(shape.schema));
    shape = shapeOf(shape.schema.items, root);
  }
  words.push(limitsOf(shape.schema));
  const heading = [
    h("span.tree-name", { title: namespaceOf(title) ? `Namespace ${namespaceOf(title)}` : null }, shortName(title)),
    h("span.type", typeText(shape)), h("span.muted", words.filter(Boolean).join(", ")),
    isRequired ? h("span.required", "required") : null, note ? h("span.badge", note) : null,
  ];
  const about = [
    description ?? shape.description ? h("p.help", description ?? shape.description) : null,
    shape.schema.enum ? h("p.help.values", shape.schema.enum.slice(0, 100).map((item) => [h("code", String(item)), " "]),
      shape.schema.enum.length > 100 ? `and ${shape.schema.enum.length - 100} more` : null) : null,
  ];
  const inner = typeChildren(shape, root);
  if (inner.length === 0) return h("li", h("div.leaf", heading), about);
  return h("li", disclosure(heading, () => pager(inner.length, childrenPerPage, "Members", (first, last) =>
    h("ul", inner.slice(first, last).map((make) => make()))).element, { isOpen }), about);
}

function typeChildren(shape, root) {
  const { schema } = shape;
  if (shape.kind === "array") return [() => typeBranch("item", schema.items, root, {})];
  if (shape.kind !== "object") return [];
  const required = new Set(schema.required ?? []);
  const noteOf = (key) => {
    const index = (schema["x-choices"] ?? []).findIndex((choice) => choice.branches.flat().includes(key));
    if (index < 0) return null;
    const choice = schema["x-choices"][index];
    return `choice${schema["x-choices"].length > 1 ? ` ${index + 1}` : ""}, branch ${choice.branches.findIndex((branch) => branch.includes(key)) + 1}`;
  };
  const makers = Object.keys(schema.properties).map((key) =>
    () => typeBranch(key, schema.properties[key], root, { isRequired: required.has(key), note: noteOf(key) }));
  for (const key of Object.keys(schema.properties)) {
    const types = schema.properties[key]["x-types"] ?? {};
    for (const name of Object.keys(types)) makers.push(() => typeBranch(name, { $ref: types[name] }, root, { note: "derived type" }));
  }
  if (schema.additionalProperties === true) makers.push(() => h("li.muted", "Other content is allowed."));
  return makers;
}

// MARK: On the wire

/** What happened on one connection after the other. */
export function wireView(entry, trust) {
  if (entry.wire.length === 0) return h("p.muted", "The client opened no connection.");
  return h("div.wire", entry.wire.map((exchange, index) => exchangeView(exchange, index, entry, trust)));
}

function exchangeView(exchange, index, entry, trust) {
  const { connection, tls, legs, timing, error, lines } = exchange;
  const facts = connection ? [`Connection ${connection.number} to ${connection.address}`, connection.http && `HTTP/${connection.http}`,
    connection.reused ? "used again" : "new", connection.proxy && `through the proxy ${connection.proxy}`] : ["No connection"];
  return h("section.exchange",
    h("h3", entry.wire.length > 1 ? `Exchange ${index + 1}` : "Exchange"), h("p.muted", facts.filter(Boolean).join(" · ")),
    error ? h("p.failure-line", icon("warning"), error) : null,
    timing ? [h("h4", "Timing"), timingBar(timing)] : null,
    h("h4", "Certificates"),
    tls ? certificates(tls, error || tls.exception ? null : trust)
      : h("p", connection?.reused ? "The handshake was on an earlier exchange."
        : "The connection was not encrypted, or the handshake did not end."),
    legs?.length ? [h("h4", "Requests and answers"), sequence(legs)] : null,
    lines?.length ? disclosure("In words",
      () => h("pre.code.plain", { tabindex: 0, role: "region", "aria-label": "In words" }, lines.join("\n"))) : null);
}

const phases = [["name", "Name lookup"], ["connect", "Connecting"], ["handshake", "TLS handshake"], ["waiting", "Waiting for the server"],
  ["content", "Reading the answer"]];

export const milliseconds = (time) => {
  const value = Number(time);
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
};

export function timingBar(timing) {
  const known = phases.filter(([key]) => timing[key] !== null && timing[key] !== undefined);
  const bar = h("div.timing-bar",
    { role: "img", "aria-label": `Timing: ${known.map(([key, text]) => `${text} ${milliseconds(timing[key])}`).join(", ")}` },
    known.map(([key]) => {
      const part = h("span", { class: `phase phase-${key}` });
      part.style.flexGrow = String(Math.max(0, Number(timing[key])));
      return part;
    }));
  const legend = h("dl.legend", known.map(([key, text]) =>
    h("div", h("dt", h("span", { class: `swatch phase-${key}` }), text), h("dd", milliseconds(timing[key])))),
  timing.total === null || timing.total === undefined ? null : h("div.total", h("dt", "In all"), h("dd", milliseconds(timing.total))));
  return h("div.timing", bar, legend);
}

/** The certification path as boxes, from the authority to the server, and the client on the other side. */
function certificates(tls, trust) {
  const path = [...(tls.path ?? [])].reverse();
  const box = (role, name, notes = [], kind = "") => h("li", { class: `certificate ${kind}` },
    h("span.certificate-role", role), h("span.certificate-name", name),
    notes.filter(Boolean).map((note) => h("span.certificate-note", note)));
  const role = (index) => (index === path.length - 1 ? "Server" : index === 0 ? "Authority" : "Intermediate authority");
  const boxes = path.map((name, index) => box(role(index), name, [
    index === 0 && trust ? `Trusted: ${trust}` : null,
    index === path.length - 1 && tls.expires ? `Valid until ${String(tls.expires).replace("T", " ").replace(/:00Z$/, " UTC")}` : null,
    ...(index === path.length - 1 ? tls.pins ?? [] : []),
  ], index === path.length - 1 ? "server" : "authority"));
  const client = box("Client", tls.proved ?? "No certificate",
    [
      tls.asked ? "The server asked for a certificate." : "The server did not ask for a certificate.",
      tls.proved ? "The client proved that it holds the key." : null,
      tls.late && `The server asked in a second handshake${typeof tls.late === "string" ? `: ${tls.late}` : "."}`,
    ], tls.proved ? "client" : "client absent");
  return h("div.tls",
    boxes.length ? h("ol.path", { "aria-label": "Certification path, from the authority to the server" }, boxes)
      : h("p", "The certification path is not known."),
    h("div.channel", icon("lock"), h("strong", tls.version ?? "TLS"), tls.cipher ? h("span", tls.cipher.replaceAll("_", "_\u200b")) : null),
    h("ul.path", client),
    tls.exception || tls.revocation?.length
      ? h("ul.tls-notes", tls.exception ? h("li", icon("warning"), tls.exception) : null,
        (tls.revocation ?? []).map((line) => h("li", line))) : null);
}

function sequence(legs) {
  const steps = legs.flatMap((leg) => [
    h("li.step.to-server", h("span.actor", "Client → server"),
      leg.sent ? `The client sent the request with ${leg.sent}.` : "The client sent the request without credentials."),
    h("li", { class: `step to-client ${Number(leg.status) >= 400 ? "refused" : ""}` }, h("span.actor", "Server → client"),
      h("strong", leg.status === null || leg.status === undefined ? "no status" : String(leg.status)),
      leg.asked?.length ? ` The server asked for ${leg.asked.join(" or ")}.` : Number(leg.status) < 400 ? " The server answered."
        : " The server refused the request."),
  ]);
  return h("ol.sequence", steps);
}

// MARK: Faults and failures

export function faultView(fault) {
  return h("section.outcome-box.fault", h("h3", "The service answered with a fault"), h("p.reason", fault.reason),
    (fault.explanation ?? []).map((line) => h("p", line)),
    factList([["Code", fault.code], ["Role", fault.role], ["Detail", fault.element]]));
}

export function failureView(failure) {
  const [first, ...rest] = failure.lines;
  return h("section.outcome-box.failure", h("h3", "The call failed"), h("p.reason", first), rest.map((line) => h("p", line)),
    failure.causes?.length ? disclosure("Causes", () => h("ul", failure.causes.map((line) => h("li", line)))) : null,
    failure.code ? h("p.muted", "Code ", h("code", failure.code)) : null);
}

export function documentation(text) {
  return text ? h("div.documentation", paragraphs(text)) : null;
}

export const jsonText = (value) => stringify(value, "  ");
