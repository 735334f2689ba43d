// The page of the Signet console: what is chosen, what is sent, and what came back.

import {
  alertBox, breakable, button, copyOf, counted, dialog, disclosure, factList, h, hidden, icon, isObject, keepingFocus, parse, record,
  replace,
  shortName,
  stringify, tabs, warningList,
} from "./basics.js";
import { base64Of, Form, requiredPart, startValue } from "./form.js";
import {
  codeView, differenceView, documentation, failureView, faultView, jsonText, milliseconds, typeTree, valueTree, wireView,
} from "./views.js";

const operationsPerPage = 200;
const readDelay = 500;

const part = (id) => document.getElementById(id);
const state = {
  service: null, port: null, draft: null, filter: "", search: "", entries: [], collections: [], compared: new Set(),
  drafts: new Map(), descriptions: new Map(), confirmed: new Set(), running: null, identity: "none", credentials: "none",
};
let side = null;
let work = null;

// MARK: The server

class ServerError extends Error {
  constructor(message, lines = [], path = null) {
    super(message);
    Object.assign(this, { lines, path });
  }
}

async function ask(path, content, signal) {
  let answer;
  let text;
  try {
    answer = await fetch(`api/${path}`, content === undefined ? { signal } : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: stringify(content), signal,
    });
    text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    showGone();
    throw new ServerError("The program of the console has ended, or cannot be reached.");
  }
  part("banner").replaceChildren();
  let value;
  try { value = parse(text); } catch { throw new ServerError(`The program of the console answered with status ${answer.status} and no JSON.`); }
  if (!answer.ok) throw new ServerError(value?.error ?? `The program of the console answered with status ${answer.status}.`, value?.lines,
    value?.path);
  return value;
}

function showGone() {
  replace(part("banner"), h("div", { role: "alert", class: "gone" },
    h("p", h("strong", "The program of the console has ended, or cannot be reached. "),
      "Start “signet console” again and open the address that it prints. What you typed is still on this page."),
    button("Try again", () => ask("history").catch(() => {}))));
}

function say(text) {
  // A text that is the same as before would not be read again.
  part("live").textContent = "";
  setTimeout(() => { part("live").textContent = text; }, 50);
}

// MARK: Drafts

const portOf = (id) => state.service.ports.find((port) => port.id === id);
const operationOf = (port, name) => port?.operations.find((operation) => operation.name === name);

async function description(port, name) {
  const key = stringify([port.id, name]);
  if (!state.descriptions.has(key)) {
    state.descriptions.set(key, await ask(`operation?port=${encodeURIComponent(port.id)}&name=${encodeURIComponent(name)}`));
  }
  return state.descriptions.get(key);
}

/** What the user has made of an operation's input. It is kept while the page is open. */
async function draftOf(port, operation) {
  const key = stringify([port.id, operation.name]);
  const about = await description(port, operation.name);
  if (!state.drafts.has(key)) {
    state.drafts.set(key, {
      port, operation, about, holder: { value: requiredPart(about.schema, about.schema, about.sample) }, headers: record(),
      endpoint: port.address ?? "",
      origin: null, isChanged: false, badJSON: null, unreadXML: null, tab: "form", entry: null, notice: null, problem: null,
    });
  }
  return state.drafts.get(key);
}

/** Puts other content into a draft. The user can take that back. */
function fill(draft, { value, headers, endpoint, origin = null }, reason) {
  const { holder, endpoint: oldEndpoint, headers: oldHeaders, origin: oldOrigin, badJSON, unreadXML } = draft;
  const before = { holder, headers: oldHeaders, endpoint: oldEndpoint, origin: oldOrigin, badJSON, unreadXML };
  Object.assign(draft, { holder: { value: copyOf(value) }, badJSON: null, unreadXML: null, problem: null, isChanged: true });
  if (headers) draft.headers = copyOf(headers);
  if (endpoint) Object.assign(draft, { endpoint, origin });
  draft.notice = { text: reason, undo: () => Object.assign(draft, before, { notice: null }) };
}

window.addEventListener("beforeunload", (event) => {
  if ([...state.drafts.values()].some((draft) => draft.isChanged)) event.preventDefault();
});

// MARK: The side

function showSide(chosen = side?.current() ?? "operations") {
  side = tabs("What the side shows", [
    { id: "operations", label: "Operations", make: operationsPanel },
    { id: "collections", label: "Collections", make: collectionsPanel, count: state.collections.length },
    { id: "history", label: "History", make: historyPanel, count: state.entries.length },
  ], { chosen, name: "side" });
  keepingFocus(() => replace(part("side"), side.element));
}

function operationsPanel() {
  const { ports } = state.service;
  const list = h("ul.operations", { "aria-label": "Operations", keydown: moveInList });
  const count = h("p.muted.small-text", { role: "status" });
  const filter = h("input",
    { type: "search", id: "filter", value: state.filter, placeholder: "Filter operations", "aria-label": "Filter operations",
      autocomplete: "off", input: () => {
    state.filter = filter.value;
    show(operationsPerPage);
  }, keydown: (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.querySelector("button")?.focus();
  } });
  const port = h("select", { id: "port", change: () => {
    state.port = portOf(port.value);
    state.draft = null;
    showSide();
    showOverview();
    part("port").focus();
  } }, ports.map((item) => h("option", { value: item.id, selected: item === state.port },
  `${item.service} · ${item.port}${item.reasonNotUsable ? " (not usable)" : ""}`)));

  function show(limit) {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const all = state.port?.operations ?? [];
    const total = all.length;
    const text = (item) => `${item.name} ${item.documentation ?? ""}`.toLowerCase();
    const found = all.filter((item) => words.every((word) => text(item).includes(word)));
    count.textContent = words.length ? `${found.length.toLocaleString("en")} of ${counted(total, "operation")}`
      : counted(total, "operation");
    replace(list, found.slice(0, limit).map(operationItem),
      found.length > limit ? h("li", button(`Show ${Math.min(operationsPerPage, found.length - limit)} more`, () => {
      show(limit + operationsPerPage);
      list.querySelectorAll("button")[limit]?.focus();
    }, { class: "link" })) : null);
    const items = [...list.querySelectorAll("button")];
    (items.find((item) => item.getAttribute("aria-current")) ?? items[0])?.setAttribute("tabindex", "0");
  }
  show(operationsPerPage);
  return [
    ports.length > 1 ? h("div.field", h("label", { for: "port" }, "Port"), port) : null,
    h("div.field", filter), h("div.side-bar", count, button("About the service", () => { showOverview(true); }, { class: "link" })), list,
  ];
}

function operationItem(operation) {
  const reason = state.port.reasonNotUsable ?? operation.reasonNotCallable;
  const isCurrent = state.draft?.operation === operation;
  return h("li", h("button", {
    type: "button", tabindex: -1, class: reason ? "operation-item unusable" : "operation-item", "aria-current": isCurrent ? "true" : null,
    click: () => choose(state.port, operation),
  }, h("span.operation-name", breakable(operation.name)),
  reason ? h("span.operation-note", `Not callable: ${reason}`)
    : operation.documentation ? h("span.operation-note", operation.documentation.trim().slice(0, 160)) : null));
}

/** One stop of the Tab key for a list; arrow keys move in it. */
function moveInList(event) {
  const items = [...event.currentTarget.querySelectorAll("button")];
  const index = items.indexOf(document.activeElement);
  const places = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1, PageDown: index + 10, PageUp: index - 10 };
  if (index < 0 || places[event.key] === undefined) return;
  event.preventDefault();
  if (event.key === "ArrowUp" && index === 0) return part("filter")?.focus();
  const next = items[Math.max(0, Math.min(items.length - 1, places[event.key]))];
  items.forEach((item) => { item.tabIndex = item === next ? 0 : -1; });
  next.focus();
  return undefined;
}

function markCurrent() {
  if (side.current() !== "operations") return;
  for (const item of part("side").querySelectorAll(".operation-item")) {
    const isCurrent = state.draft?.operation.name === item.firstChild.textContent;
    if (isCurrent) item.setAttribute("aria-current", "true"); else item.removeAttribute("aria-current");
  }
}

function collectionsPanel() {
  const file = h("input", { type: "file", id: "import", change: () => importFiles([...file.files]) });
  return [
    h("div.field", h("label", { for: "import" }, "Import a collection"), file,
      h("p.help", "A project of SoapUI, or a collection of Postman or Bruno. You can also drop a file on the page.")),
    h("div", { id: "import-problem" }),
    state.collections.map(collectionView),
  ];
}

function collectionView(collection) {
  const folders = new Map();
  for (const request of collection.requests) folders.set(request.folder ?? "", [...(folders.get(request.folder ?? "") ?? []), request]);
  return h("section.collection", h("h2", collection.name, " ", h("span.badge", collection.kind)),
    warningList(collection.warnings),
    [...folders].map(([folder, requests]) => disclosure(folder || "Requests",
      () => h("ul.operations", requests.map((request) => requestItem(collection, request))), { isOpen: folders.size < 6 })));
}

function requestItem(collection, request) {
  const isUsable = request.port !== null && request.operation !== null && !request.problem;
  const content = [h("span.operation-name", request.name), h("span.operation-note", request.problem ?? request.endpoint ?? "")];
  if (!isUsable) return h("li", h("div.operation-item.unusable", content));
  const take = (draft) => fill(draft,
    { value: request.value ?? draft.holder.value, headers: request.headers, endpoint: request.endpoint,
      origin: request.endpoint ? collection.name : null },
    `The form holds “${request.name}” of the collection “${collection.name}”.`);
  return h("li", h("button", { type: "button", class: "operation-item", click: () => open(request.port, request.operation, take) },
    content));
}

async function importFiles(files) {
  for (const file of files) {
    try {
      const collection = await ask("import", { name: file.name, content: await base64Of(file) });
      state.collections.push(collection);
      for (const kind of ["identities", "credentials"]) {
        const known = new Set(state.service[kind].map((item) => item.id));
        state.service[kind].push(...(collection[kind] ?? []).filter((item) => !known.has(item.id)));
      }
      showSide("collections");
      say(`The collection ${collection.name} was imported.`);
    } catch (error) {
      showSide("collections");
      replace(part("import-problem"), alertBox(`${file.name}: ${error.message}`, error.lines));
    }
  }
  work?.showSendBar();
}

// MARK: History

const outcomes = { answered: ["good", "Answered"], taken: ["good", "Taken"], fault: ["warning", "Fault"], failed: ["remove", "Failed"] };

function outcomeBadge(entry) {
  const [drawing, text] = outcomes[entry.outcome] ?? ["warning", String(entry.outcome)];
  return h("span", { class: `badge outcome-${entry.outcome}` }, icon(drawing), text);
}

const clock = (time) => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toLocaleTimeString("en-GB");
};

function totalOf(entry) {
  const times = entry.wire.map((exchange) => exchange.timing?.total).filter((time) => time !== null && time !== undefined);
  return times.length ? milliseconds(times.reduce((sum, time) => sum + Number(time), 0)) : null;
}

function historyPanel() {
  const list = h("ul.history");
  const search = h("input",
    { type: "search", id: "history-search", value: state.search, placeholder: "Search the history", "aria-label": "Search the history",
      input: () => {
    state.search = search.value;
    show();
  } });
  const compare = button("Compare two", showComparison);
  const updateCompare = () => { compare.disabled = state.compared.size !== 2; };

  function show() {
    const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (entry) => `${entry.operation} ${entry.outcome} ${entry.summary} ${entry.endpoint} ${entry.request}`.toLowerCase();
    const found = state.entries.filter((entry) => words.every((word) => text(entry).includes(word))).reverse();
    replace(list, found.map(item),
      found.length === 0 ? h("li.muted", state.entries.length ? "No call matches." : "Nothing was sent yet.") : null);
    updateCompare();
  }
  function item(entry) {
    const box = h("input",
      { type: "checkbox", checked: state.compared.has(entry.id), "aria-label": `Compare call ${entry.id}`, change: () => {
      if (box.checked) state.compared.add(entry.id); else state.compared.delete(entry.id);
      updateCompare();
    } });
    return h("li.history-item", box,
      h("button", { type: "button", class: "operation-item", click: () => openEntry(entry) },
        h("span.operation-name", entry.operation),
        h("span.history-facts", outcomeBadge(entry), [clock(entry.time), totalOf(entry)].filter(Boolean).join(" · ")),
        h("span.operation-note", entry.summary)),
      button("Replay", () => replay(entry),
        { class: "small", "aria-label": `Put call ${entry.id} into the form`, title: "Put it into the form" }));
  }
  show();
  return [h("div.field", search),
    h("div.side-buttons", compare, h("a.button", { href: "api/history/export", download: "" }, "Export"),
      button("Clear…", clearHistory, { disabled: state.entries.length === 0 })),
    list];
}

function clearHistory() {
  dialog("Clear the history", h("p", `The server forgets ${state.entries.length} calls. This cannot be taken back.`),
    { action: "Clear", submit: async () => {
    await ask("history/clear", {});
    state.entries = [];
    state.compared.clear();
    showSide("history");
  } });
}

function showComparison() {
  const [one, other] = state.entries.filter((entry) => state.compared.has(entry.id));
  const answer = (entry) => entry.answer?.xml ?? entry.fault?.xml ?? "";
  const line = (entry) => h("li", `Call ${entry.id}: ${entry.operation} at ${clock(entry.time)} `, outcomeBadge(entry),
    ` ${entry.summary}`);
  dialog("Compare two calls",
    [h("ol", line(one), line(other)), differenceView("Request", one.request, other.request),
      differenceView("Answer", answer(one), answer(other))], { isWide: true });
}

/** Shows an operation after its draft was changed. */
async function open(portID, name, change) {
  const port = portOf(portID);
  const operation = operationOf(port, name);
  if (!operation) return void dialog("This cannot be shown", h("p", `The service of this WSDL has no operation ${name}.`));
  try { change(await draftOf(port, operation)); } catch { /* `choose` shows why there is no draft. */ }
  return choose(port, operation);
}

async function openEntry(entry) {
  await open(entry.port, entry.operation, (draft) => { draft.entry = entry; });
  work?.showResult(true);
}

function replay(entry) {
  return open(entry.port, entry.operation, (draft) => {
    fill(draft, entry, `The form holds what call ${entry.id} sent.`);
    Object.assign(draft, { entry, tab: "form" });
  });
}

// MARK: The service

function showOverview(isMoving = false) {
  const { service, port } = state;
  state.draft = null;
  work = null;
  markCurrent();
  document.title = "Signet console";
  const heading = h("h1", { tabindex: -1 }, port?.service ?? service.file);
  replace(part("main"), h("section.overview", heading,
    documentation(port?.documentation), port?.reasonNotUsable ? alertBox(`This port cannot be used: ${port.reasonNotUsable}`) : null,
    port ? factList([["Port", port.port], ["Address", port.address], ["Binding", port.binding], ["Trust", service.trust]]) : null,
    demands("What the service demands", port?.requirements),
    service.warnings?.length ? [h("h2", "Warnings"), warningList(service.warnings)] : null,
    h("p.muted", "Choose an operation to call it.")));
  closeMenu();
  if (isMoving) heading.focus();
}

function demands(title, lines) {
  return lines?.length ? h("div.demands", h("h2", title), h("ul", lines.map((line) => h("li", line)))) : null;
}

async function choose(port, operation) {
  const wanted = `${port.id} ${operation.name}`;
  state.wanted = wanted;
  if (state.port !== port) {
    state.port = port;
    showSide();
  }
  try {
    const draft = await draftOf(port, operation);
    if (state.wanted !== wanted) return;
    state.draft = draft;
    work = new Work(draft);
    replace(part("main"), work.element);
    work.heading.focus({ preventScroll: true });
  } catch (error) {
    if (state.wanted !== wanted) return;
    const reason = port.reasonNotUsable ?? operation.reasonNotCallable;
    state.draft = work = null;
    replace(part("main"), h("section.overview", h("h1", operation.name), documentation(operation.documentation),
      reason ? alertBox(`This operation cannot be called: ${reason}`, operation.unsupported)
        : [alertBox(error.message, error.lines), button("Try again", () => choose(port, operation))]));
  }
  document.title = `${operation.name} · Signet console`;
  window.scrollTo(0, 0);
  markCurrent();
  closeMenu();
}

// MARK: An operation

class Work {
  constructor(draft) {
    this.draft = draft;
    this.headerForms = new Map();
    const { operation, port } = draft;
    this.reason = port.reasonNotUsable ?? operation.reasonNotCallable;
    this.heading = h("h1", { tabindex: -1 }, breakable(operation.name));
    this.sendBar = h("form.send", { "aria-label": "Send", submit: (event) => {
      event.preventDefault();
      this.send();
    } });
    this.notices = h("div");
    this.result = h("section.result", { "aria-label": "Result" });
    this.tabs = tabs("Input", [
      { id: "form", label: "Form", make: () => this.formTab() }, { id: "json", label: "JSON", make: () => this.jsonTab() },
      { id: "xml", label: "XML", make: () => this.xmlTab() },
      { id: "command", label: "signet call", make: () => this.previewTab("command", "shell") },
      { id: "swift", label: "Swift", make: () => this.previewTab("swift", "swift") },
      { id: "types", label: "Types", make: () => this.typesTab() },
    ], { chosen: draft.tab, name: "input", onShow: (id) => {
      draft.tab = id;
      if (this.readTimer) this.readNow();
    } });
    this.element = h("div.work",
      h("section.operation", { "aria-label": "Operation", keydown: (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.send();
      } }, this.heading, this.about(), this.sendBar, this.notices, this.tabs.element),
      this.result);
    this.showSendBar();
    this.showNotices();
    this.showResult();
  }

  get isCurrent() { return work === this; }

  about() {
    const { operation, port, about } = this.draft;
    return [documentation(operation.documentation),
      this.reason ? alertBox(`This operation cannot be called: ${this.reason}`, operation.unsupported) : warningList(operation.unsupported),
      disclosure(operation.requirements.length ? `${counted(operation.requirements.length, "demand")} and details` : "Details", () => [
        operation.requirements.length ? h("ul", operation.requirements.map((line) => h("li", line))) : null,
        factList([["SOAPAction", operation.soapAction], ["Binding", port.binding], ["Input", operation.input],
          ["Answer", operation.output ?? "none: the service sends no answer"],
          ["Faults", about.faults.map((fault) => shortName(fault.name)).join(", ")]]),
      ], { attributes: { class: "details" } })];
  }

  // MARK: Sending

  showSendBar() {
    const { draft } = this;
    const endpoint = h("input",
      { id: "endpoint", type: "url", value: draft.endpoint, spellcheck: "false", autocomplete: "off", class: "code", input: () => {
      Object.assign(draft, { endpoint: endpoint.value, origin: null, isChanged: true });
      this.sendBar.querySelector(".origin")?.remove();
    } });
    const chooser = (id, label, items, add) => {
      const select = h("select", { id, change: () => { state[id] = select.value; } },
        items.map((item) => h("option", { value: item.id, selected: item.id === state[id] }, item.label)));
      return h("div.field", h("label", { for: id }, label),
        h("div.joined", select, button("Add…", add, { "aria-label": `Add: ${label.toLowerCase()}` })));
    };
    const isRunning = state.running !== null;
    replace(this.sendBar,
      h("div.field.endpoint", h("label", { for: "endpoint" }, "Endpoint"), endpoint,
        draft.origin ? h("p.origin", icon("warning"), `This address comes from the collection “${draft.origin}”.`) : null),
      chooser("identity", "Identity", state.service.identities, addIdentity),
      chooser("credentials", "Credentials", state.service.credentials, addCredentials),
      h("div.send-buttons",
        isRunning ? button("Cancel", () => state.running?.controller.abort(), { id: "cancel" }) : null,
        h("button.primary", { id: "send", title: "Ctrl+Enter", "aria-keyshortcuts": "Control+Enter",
          disabled: isRunning || Boolean(this.reason) },
          isRunning ? "Running…" : "Send", icon("send"))));
  }

  showNotices() {
    const { notice, problem } = this.draft;
    replace(this.notices,
      notice ? h("div.notice", h("p", notice.text), button("Back to what was there", () => {
        notice.undo();
        this.refresh();
      }, { class: "small" }), button("Close", () => {
        this.draft.notice = null;
        this.showNotices();
      }, { class: "small", "aria-label": "Close the notice" })) : null,
      problem ? alertBox(problem.message, problem.lines) : null);
  }

  /** Shows the draft anew after something else has changed it. */
  refresh() {
    this.showSendBar();
    this.showNotices();
    this.tabs.show(this.draft.tab, false);
  }

  changed() {
    this.draft.isChanged = true;
    if (this.draft.problem) {
      this.draft.problem = null;
      this.showNotices();
    }
  }

  content() {
    const { draft } = this;
    return { port: draft.port.id, operation: draft.operation.name, value: draft.holder.value, headers: draft.headers,
      endpoint: draft.endpoint };
  }

  /** What keeps the draft from being sent: the JSON or XML that was typed is not correct. */
  async obstacle() {
    const { draft } = this;
    if (this.readTimer) await this.readNow();
    if (draft.badJSON !== null) return ["json", "The text in the tab “JSON” is not correct JSON. Correct it first, or discard it."];
    if (draft.unreadXML !== null) return ["xml", "The text in the tab “XML” could not be read. Correct it first, or discard it."];
    return null;
  }

  async send() {
    const { draft } = this;
    if (state.running || this.reason) return;
    const obstacle = await this.obstacle();
    if (obstacle) {
      draft.problem = new ServerError(obstacle[1]);
      this.showNotices();
      this.tabs.show(obstacle[0]);
      return;
    }
    if (draft.origin && !state.confirmed.has(this.confirmation())) return void this.confirm();
    draft.problem = null;
    draft.notice = null;
    const controller = new AbortController();
    state.running = { draft, controller };
    this.showNotices();
    this.showSendBar();
    part("cancel")?.focus();
    this.showProgress();
    try {
      const entry = await ask("call", { ...this.content(), identity: state.identity, credentials: state.credentials }, controller.signal);
      Object.assign(draft, { entry, isChanged: false });
      state.entries = [...state.entries, entry].slice(-100);
      say(`${outcomes[entry.outcome]?.[1] ?? entry.outcome}: ${entry.summary}`);
    } catch (error) {
      const isCancelled = error.name === "AbortError";
      draft.problem = isCancelled ? new ServerError("You cancelled the call. The service may have processed the request.") : error;
      if (isCancelled) say("The call was cancelled.");
      // The server keeps what it knows of a call that was given up.
      if (isCancelled) setTimeout(() => ask("history").then((all) => { state.entries = all.entries; showSide(); }).catch(() => {}), 500);
    }
    state.running = null;
    // Who has gone on to type elsewhere stays there.
    const isWaiting = [part("cancel"), document.body].includes(document.activeElement);
    showSide();
    keepingFocus(() => work?.showSendBar());
    if (work?.draft !== draft) return;
    work.showNotices();
    work.showResult(isWaiting && !draft.problem);
    if (isWaiting && draft.problem) work.markProblem(draft.problem);
  }

  markProblem(problem) {
    if (!problem.path) return part("send")?.focus();
    this.tabs.show("form");
    const message = problem.message.startsWith(`${problem.path}: `) ? problem.message.slice(problem.path.length + 2) : problem.message;
    const header = this.headerForms.get(problem.path.split(/[.[]/)[0]);
    return (header ?? this.form).mark(problem.path, message);
  }

  /** What a person confirms: that this goes to an address which a collection names. */
  confirmation() { return JSON.stringify([this.draft.origin, this.draft.endpoint, state.identity, state.credentials]); }

  confirm() {
    const { draft } = this;
    const label = (items, id) => items.find((item) => item.id === id)?.label ?? id;
    dialog("Send to this address?", [
      h("p", `The collection “${draft.origin}” names this address. The WSDL does not have to name it.`),
      h("p.address", h("code", draft.endpoint)),
      h("p", `The client would use the identity “${label(state.service.identities, state.identity)}” and the credentials “${label(state.service.credentials, state.credentials)}”.`),
      draft.port.address ? h("p", "The address of the WSDL is ", h("code", draft.port.address), ".") : null,
    ], { action: "Send there", submit: async () => {
      state.confirmed.add(this.confirmation());
      // The dialog closes before the call begins, so that the call can be cancelled.
      setTimeout(() => this.send());
    } });
  }

  showProgress() {
    const time = h("span", "0 s");
    const start = performance.now();
    replace(this.result, h("div.progress", h("p", `The client is calling ${this.draft.operation.name}. `, time), h("div.progress-line")));
    const timer = setInterval(() => {
      if (!state.running || !time.isConnected) return clearInterval(timer);
      time.textContent = `${Math.round((performance.now() - start) / 1000)} s`;
      return undefined;
    }, 1000);
  }

  // MARK: Input

  formTab() {
    const { draft } = this;
    const { about } = draft;
    const changed = () => this.changed();
    const name = shortName(draft.operation.input || draft.operation.name);
    this.form = new Form({ schema: about.schema, name: draft.operation.name, label: name, holder: draft.holder, sample: about.sample,
      changed });
    const restart = (value, text) => () => {
      fill(draft, { value }, text);
      this.refresh();
    };
    return [
      draft.badJSON !== null ? this.discardBox("JSON", "badJSON") : null,
      draft.unreadXML !== null ? this.discardBox("XML", "unreadXML") : null,
      h("div.form-bar", h("p.muted.small-text", "The client sends only the members that are here."),
        button("Fill in everything", restart(about.sample, "The form holds the whole sample, with all optional members."),
          { class: "small" }),
        button("Start again", restart(requiredPart(about.schema, about.schema, about.sample), "The form holds the sample again."),
          { class: "small" })),
      this.form.element, about.headers.length ? this.headerFields(changed) : null,
    ];
  }

  headerFields(changed) {
    const { draft } = this;
    // Each header has definitions of its own: a form for each keeps them apart.
    const host = h("section.headers");
    const show = (focus) => {
      this.headerForms.clear();
      replace(host, h("h2", "Headers"), draft.about.headers.map((header) => {
        if (draft.headers[header.name] === undefined) {
          return button([icon("add"), hidden("Add the header "), header.name], () => {
            draft.headers[header.name] = startValue(header.schema, header.schema);
            changed();
            show(header.name);
          }, { class: "chip", "data-header": header.name });
        }
        const holder = { get value() { return draft.headers[header.name]; }, set value(value) { draft.headers[header.name] = value; } };
        const form = new Form({ schema: header.schema, name: header.name, holder, changed });
        this.headerForms.set(shortName(header.name), form);
        return h("div.header-form", { "data-header": header.name },
          h("div.group-head", h("span.name", header.name), button("Remove", () => {
          delete draft.headers[header.name];
          changed();
          show(header.name);
        }, { class: "small", "aria-label": `Remove the header ${header.name}` })), form.element);
      }));
      const target = focus && [...host.children].find((child) => child.dataset.header === focus);
      (target?.matches?.("button") ? target : target?.querySelector("input, select, textarea, button"))?.focus();
    };
    show();
    return host;
  }

  discardBox(tab, key) {
    return h("div.notice", h("p", `The tab “${tab}” holds a text that is not correct. This is the last correct value.`),
      button("Discard the text", () => {
      this.draft[key] = null;
      this.refresh();
    }, { class: "small" }));
  }

  jsonTab() {
    const { draft } = this;
    const problem = h("div");
    const area = h("textarea.code.editor",
      { id: "json", spellcheck: "false", rows: 16, value: draft.badJSON ?? jsonText(draft.holder.value) });
    const read = () => {
      let error = null;
      try {
        draft.holder.value = parse(area.value);
        draft.badJSON = null;
        area.removeAttribute("aria-invalid");
      } catch (found) {
        error = found;
        draft.badJSON = area.value;
        area.setAttribute("aria-invalid", "true");
      }
      replace(problem, error ? alertBox(error.message) : null);
    };
    area.addEventListener("input", () => {
      this.changed();
      read();
    });
    if (draft.badJSON !== null) read();
    return [h("label", { for: "json", class: "editor-label" }, "The input as JSON"), area, problem, this.headerJSON()];
  }

  headerJSON() {
    const { draft } = this;
    if (draft.about.headers.length === 0) return null;
    const problem = h("div");
    const area = h("textarea.code.editor",
      { id: "headers-json", spellcheck: "false", rows: 4, value: jsonText(draft.headers), input: () => {
      try {
        const value = parse(area.value);
        if (!isObject(value)) throw new ServerError("An object of JSON is expected: { … }");
        draft.headers = value;
        this.changed();
        problem.replaceChildren();
      } catch (error) { replace(problem, alertBox(`${error.message} The last correct headers count.`)); }
    } });
    return [h("label", { for: "headers-json", class: "editor-label" }, "The headers as JSON"), area, problem];
  }

  async preview(host, show, kind = "xml") {
    replace(host, h("p.muted", "The server is writing the message."));
    try {
      const obstacle = await this.obstacle();
      if (obstacle && obstacle[0] !== "xml") throw new ServerError(obstacle[1]);
      show(await ask("preview", { ...this.content(), identity: state.identity, credentials: state.credentials, kind }));
    } catch (error) {
      replace(host, alertBox(error.message, error.lines), error.path ? button("Show the field", () => this.markProblem(error)) : null);
    }
  }

  previewTab(key, language) {
    const host = h("div");
    this.preview(host, (preview) => replace(host, codeView(preview[key], language, { label: key === "swift" ? "Swift" : "signet call" })), key);
    return host;
  }

  xmlTab() {
    const { draft } = this;
    const host = h("div");
    const status = this.xmlStatus = h("div");
    const http = h("p.muted.small-text.break");
    const area = h("textarea.code.editor", { id: "xml", spellcheck: "false", rows: 18, "aria-describedby": "xml-help", input: () => {
      this.changed();
      draft.unreadXML = area.value;
      clearTimeout(this.readTimer);
      this.readTimer = setTimeout(() => this.readNow(), readDelay);
    } });
    const parts = () => replace(host, http, h("label", { for: "xml", class: "editor-label" }, "The message as XML"), area,
      h("p.help", { id: "xml-help" }, "You can change the XML or paste a message. The server reads it into the form."), status);
    if (draft.unreadXML !== null) {
      area.value = draft.unreadXML;
      parts();
      this.readNow();
    } else {
      this.preview(host, (preview) => {
        area.value = preview.xml;
        http.textContent = preview.http;
        parts();
      });
    }
    return host;
  }

  /** Lets the server read the XML that was typed. */
  async readNow() {
    clearTimeout(this.readTimer);
    this.readTimer = null;
    const { draft, xmlStatus } = this;
    const xml = draft.unreadXML;
    if (xml === null) return;
    try {
      const read = await ask("read", { port: draft.port.id, operation: draft.operation.name, xml });
      // What was typed meanwhile is read by itself.
      if (draft.unreadXML !== xml) return;
      if (read.operation !== draft.operation.name) return void this.offerOther(read, xmlStatus);
      draft.holder.value = read.value;
      draft.headers = read.headers ?? record();
      draft.unreadXML = null;
      replace(xmlStatus, h("p.muted", { role: "status" }, "The form and the JSON hold this message."), warningList(read.problems));
    } catch (error) {
      replace(xmlStatus, alertBox(error.message, error.lines));
    }
    if (this.isCurrent && this.tabs.current() !== "xml") this.tabs.show(this.tabs.current(), false);
  }

  offerOther(read, host) {
    replace(host, h("div.notice", { role: "status" }, h("p", `This message belongs to the operation ${read.operation}.`),
      button(`Go to ${read.operation}`, () => {
      this.draft.unreadXML = null;
      return open(this.draft.port.id, read.operation, (other) => fill(other, read, "The form holds the message that you pasted."));
    }, { class: "small" })));
  }

  typesTab() {
    const { about, operation } = this.draft;
    const trees = [["Input", operation.input || operation.name, about.schema],
      ...(about.answer ? [["Answer", operation.output || "answer", about.answer]] : []),
      ...about.faults.map((fault) => ["Fault", fault.name, fault.schema]),
      ...about.headers.map((header) => ["Header", header.name, header.schema])];
    return trees.map(([title, name, schema]) => h("section.type-section", h("h2", title), typeTree(name, schema)));
  }

  // MARK: The result

  showResult(isMoving = false) {
    const { draft } = this;
    const { entry } = draft;
    if (state.running?.draft === draft) return this.showProgress();
    if (!entry) return void replace(this.result, h("p.muted.empty", "The result of the call will be here."));
    const heading = h("h2", { tabindex: -1 }, "Result ", outcomeBadge(entry));
    const deviations = entry.answer?.deviations ?? [];
    const facts = [`Call ${entry.id} at ${clock(entry.time)}`, totalOf(entry), entry.identity && `certificate ${entry.identity}`,
      entry.credentials].filter(Boolean);
    const xml = entry.answer?.xml ?? entry.fault?.xml;
    const views = [
      entry.answer || entry.fault?.detail ? { id: "answer", label: entry.answer ? "Answer" : "Detail", make: () => this.answerView(entry) }
        : null,
      xml ? { id: "xml", label: "XML", count: deviations.length,
        make: () => codeView(xml, "xml", { label: "Answer as XML", deviations, file: "answer.xml" }) } : null,
      { id: "wire", label: "On the wire", make: () => wireView(entry, state.service.trust) },
      { id: "request", label: "Request", make: () => codeView(entry.request, "xml", { label: "Request as XML", file: "request.xml" }) },
    ].filter(Boolean);
    replace(this.result, h("div.result-head", heading, h("p.summary", entry.summary), h("p.muted.small-text", facts.join(" · "))),
      entry.fault ? faultView(entry.fault) : null, entry.failure ? failureView(entry.failure) : null,
      tabs("Result", views, { name: "result", chosen: draft.resultTab, onShow: (id) => { draft.resultTab = id; } }).element);
    if (!isMoving) return undefined;
    heading.focus({ preventScroll: true });
    return heading.scrollIntoView({ block: "nearest" });
  }

  answerView(entry) {
    const { about, operation } = this.draft;
    if (!entry.answer) {
      const fault = about.faults.find((item) => item.name === entry.fault.element);
      return valueTree(entry.fault.detail, { name: entry.fault.element ?? "detail", schema: fault?.schema });
    }
    const { value, headers, xml, deviations = [], attachments = [] } = entry.answer;
    return [
      deviations.length ? h("p.deviation-summary", icon("warning"),
        `The answer departs from the schema in ${counted(deviations.length, "place")}.`) : null,
      valueTree(value, { name: operation.output || "answer", schema: about.answer ?? {}, deviations, xml }),
      Object.keys(headers ?? {}).length ? [h("h3", "Headers"), valueTree(headers, { name: "headers" })] : null,
      attachments.length ? [h("h3", "Attachments"),
        h("ul", attachments.map((item) => h("li", `${item.id}, ${item.type}, ${counted(item.bytes, "byte")}`)))] : null,
      disclosure("As JSON", () => codeView(jsonText(value), "json", { label: "Answer as JSON", file: "answer.json" }),
        { attributes: { class: "as-json" } }),
    ];
  }
}

// MARK: Dialogs

const field = (label, name, attributes = {}) => {
  const id = `dialog-${name}`;
  return h("div.field", h("label", { for: id }, label),
    h("input", { id, name, type: "text", autocomplete: "off", spellcheck: "false", ...attributes }));
};

function added(kind, items, item) {
  if (!items.some((other) => other.id === item.id)) items.push(item);
  state[kind] = item.id;
  work?.showSendBar();
  setTimeout(() => part(kind)?.focus());
}

function addIdentity() {
  dialog("Add an identity", [
    h("p", "The server reads the file: PKCS#12, or PEM with a key and a certificate. The page does not keep the password."),
    field("File on this computer", "path", { required: true, placeholder: "/home/me/device.p12" }),
    field("Password", "password", { type: "password" }),
  ], { action: "Add", submit: async (data) => {
    added("identity", state.service.identities, await ask("identity", { path: data.get("path"), password: data.get("password") }));
  } });
}

function addCredentials() {
  const kinds = { account: "User and password", bearer: "Bearer token" };
  const account = [field("User", "user"), field("Password", "password", { type: "password" }),
    field("Domain (for NTLM and Negotiate)", "domain")];
  const bearer = [field("Token", "token", { type: "password" })];
  const show = (kind) => {
    account.forEach((item) => { item.hidden = kind !== "account"; });
    bearer.forEach((item) => { item.hidden = kind !== "bearer"; });
  };
  const radios = h("fieldset", { change: (event) => show(event.target.value) }, h("legend", "Kind"),
    Object.entries(kinds).map(([kind, label]) => h("label.radio",
      h("input", { type: "radio", name: "kind", value: kind, checked: kind === "account" }), label)));
  show("account");
  dialog("Add credentials",
    [radios, account, bearer,
      h("label.radio", h("input", { type: "checkbox", name: "plaintext" }), "Send them over connections without TLS, too")],
    { action: "Add", submit: async (data) => {
      const content = Object.fromEntries(["kind", "user", "password", "domain", "token"].map((name) => [name, data.get(name) ?? ""]));
      added("credentials", state.service.credentials, await ask("credentials", { ...content, plaintext: data.get("plaintext") !== null }));
    } });
}

// MARK: The page

function closeMenu() {
  part("side").classList.remove("open");
  part("menu").setAttribute("aria-expanded", "false");
}

function setUp() {
  const menu = part("menu");
  menu.addEventListener("click", () => {
    menu.setAttribute("aria-expanded", String(part("side").classList.toggle("open")));
  });
  const appearance = part("appearance");
  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
  };
  // A browser may forbid storage.
  try { appearance.value = sessionStorage.getItem("appearance") ?? ""; } catch { /* The system's appearance stays. */ }
  apply(appearance.value);
  appearance.addEventListener("change", () => {
    apply(appearance.value);
    try { sessionStorage.setItem("appearance", appearance.value); } catch { /* It holds until the page is left. */ }
  });
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    // A field for a file takes it by itself.
    if (!holdsFiles(event) || event.target.type === "file") return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!holdsFiles(event) || event.target.type === "file") return;
    event.preventDefault();
    importFiles([...event.dataTransfer.files]);
  });
}

async function start() {
  setUp();
  try {
    const [service, history] = await Promise.all([ask("service"), ask("history")]);
    Object.assign(state, { service, entries: history.entries, collections: service.collections ?? [],
      identity: service.chosen?.identity ?? "none", credentials: service.chosen?.credentials ?? "none",
      port: service.ports.find((port) => !port.reasonNotUsable) ?? service.ports[0] ?? null });
    part("file").textContent = `${service.file} · signet ${service.version}`;
    showSide();
    showOverview();
  } catch (error) {
    replace(part("main"),
      h("section.overview", h("h1", "Signet console"), alertBox(error.message, error.lines), button("Try again", () => location.reload())));
  }
}

start();
