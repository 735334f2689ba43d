// The form: fields for a value in JSON, made from its JSON Schema. It writes into the value that it was given.

import {
  alertBox, bytesOf, button, copyOf, counted, disclosure, effectiveSchema, freshID, h, hidden, icon, iconButton, isNumber, isObject,
  limitsOf, namespaceOf, number, pager, parse, record, replace, shapeOf, shortName, stringify, typeKeyOf, typeText,
} from "./basics.js";

const itemsPerPage = 50;
/** Groups deeper than this are closed at first: a type may contain itself. */
const openDepth = 5;
const fewOptional = 12;
/** A longer text in base64 makes the field slow, and nobody reads it. */
const longestShown = 100_000;
/** A select with more entries is slower to use than a field that completes what is typed. */
const mostInSelect = 200;

// MARK: Values

/** What a member has before the user gives it a value: that of the sample, or the least that the type asks for. */
export function startValue(schema, root, sample, depth = 0) {
  if (sample !== undefined) return requiredPart(schema, root, sample);
  const { schema: type, kind } = shapeOf(schema, root);
  if (type.enum?.length) return copyOf(type.enum[0]);
  if (kind === "boolean") return false;
  if (kind === "array") {
    // Each level doubles what a hostile schema costs.
    const count = depth > 6 ? 0 : Math.min(Number(type.minItems ?? 0), 20);
    return Array.from({ length: count }, () => startValue(type.items, root, undefined, depth + 1));
  }
  if (kind !== "object") return kind === "any" ? record() : "";
  const value = record();
  const wanted = new Set(type.required ?? []);
  for (const choice of type["x-choices"] ?? []) if (choice.required) choice.branches[0]?.forEach((key) => wanted.add(key));
  for (const key of Object.keys(type.properties)) {
    if (wanted.has(key) && depth < 8) value[key] = startValue(type.properties[key], root, undefined, depth + 1);
  }
  return value;
}

/** A sample without the optional members: what the user does not touch is not sent. */
export function requiredPart(schema, root, sample) {
  const { schema: type, kind } = shapeOf(schema, root);
  if (kind === "array" && Array.isArray(sample)) return sample.map((item) => requiredPart(type.items, root, item));
  if (kind !== "object" || !isObject(sample)) return copyOf(sample);
  const effective = effectiveSchema(type, sample, root);
  const wanted = new Set(effective.required ?? []);
  // The other members depend on the type that the sample names.
  if (effective !== type) wanted.add(typeKeyOf(type));
  for (const choice of effective["x-choices"] ?? []) {
    if (choice.required) choice.branches.flat().forEach((key) => wanted.add(key));
  }
  const value = record();
  for (const key of Object.keys(sample)) {
    if (wanted.has(key)) value[key] = requiredPart(effective.properties[key] ?? {}, root, sample[key]);
  }
  return value;
}

/** What a text that was typed means: numbers keep the digits that were typed. */
function fromText(text, shape) {
  const kinds = shape.kind === "union" ? shape.schema.anyOf.map((item) => item.type) : [shape.kind];
  for (const kind of kinds) {
    if (kind === "number" || kind === "integer") {
      const value = number(text);
      if (value !== undefined && (kind === "number" || /^-?\d+$/.test(text))) return value;
    }
    if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
    if (kind === "string") return text;
  }
  return text;
}

const zone = "(?:Z|[+-]\\d\\d:\\d\\d)?";
const formats = {
  date: [new RegExp(`^-?\\d{4,}-\\d\\d-\\d\\d${zone}$`),
    "A date looks like 2026-11-30. A time zone may follow: 2026-11-30Z, 2026-11-30+01:00."],
  "date-time": [new RegExp(`^-?\\d{4,}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?${zone}$`),
    "A date and time looks like 2026-11-30T14:05:00. A time zone may follow: …00Z, …00+01:00."],
  duration: [/^-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/, "A duration looks like P1DT2H30M."],
};

/** What is wrong with a value as far as the page can tell; the server knows the rest. */
function complaint(shape, value) {
  const { schema, kind } = shape;
  const text = String(value ?? "");
  if (kind === "integer" || kind === "number") {
    if (text === "") return "A number is needed.";
    if (!isNumber(value)) return /^[-+]?INF$|^NaN$/.test(text) ? null
      : `This is not ${kind === "integer" ? "a whole number" : "a number"} of JSON.`;
    const size = Number(value);
    const isOutside = size < Number(schema.minimum) || size > Number(schema.maximum)
      || size <= Number(schema.exclusiveMinimum) || size >= Number(schema.exclusiveMaximum);
    if (isOutside) return `The number must be ${limitsOf(schema)}.`;
  }
  if (kind !== "string") return null;
  if (schema.contentEncoding === "base64") return bytesOf(text) ? null : "This is not base64.";
  if (schema.enum && !schema.enum.some((allowed) => String(allowed) === text)) return "This is not one of the allowed values.";
  const format = Object.hasOwn(formats, schema.format ?? "") ? formats[schema.format] : null;
  if (format && !format[0].test(text.trim())) return format[1];
  // Characters as XML Schema counts them, not as JavaScript does.
  const length = [...text.slice(0, 100_000)].length;
  if (length < Number(schema.minLength) || length > Number(schema.maxLength)) return `The text must have ${limitsOf(schema)}.`;
  return null;
}

// MARK: The form

/** What the user chose and took away, by the object it belongs to: the form is made anew more often than the value. */
const branches = new WeakMap();
const stashes = new WeakMap();

/** Fields for one value. `holder.value` is the value; `changed` is called after each change. */
export class Form {
  constructor({ schema, name, holder, sample, changed, label = name }) {
    Object.assign(this, { root: schema, name, changed, label });
    /** The rows by their paths, to mark those that the server complains about. */
    this.rows = new Map();
    this.element = h("div.form");
    this.node = { schema, container: holder, key: "value", path: name, title: label, isRequired: true, depth: 0, sample, actions: [] };
    this.render();
  }

  render() {
    this.rows.clear();
    const shape = shapeOf(this.node.schema, this.root);
    const isPlain = shape.kind === "object" && isObject(this.node.container.value) && !shape.isNillable;
    if (isPlain && Object.keys(shape.schema.properties).length === 0 && !shape.schema.additionalProperties) {
      replace(this.element, h("p.muted", "The client sends this without any content."));
    } else {
      replace(this.element, isPlain ? this.members(this.node, shape) : this.editor(this.node));
    }
  }

  /** Marks the field of a path such as `LogEntryQuery.kind[1]`, or the nearest around it. */
  mark(path, message) {
    // Names count without their namespaces; the first is that of the whole value.
    const plain = (text) => text.replace(/\{[^}]*\}/g, "").replace(/^[^.[]*/, "");
    for (let wanted = plain(path); ; wanted = wanted.replace(/(?:\[\d+\]|\.[^.[\]]*)$/, "")) {
      const row = [...this.rows].find(([candidate, { problem }]) => plain(candidate) === wanted && problem.isConnected)?.[1];
      if (row) return row.mark(message, wanted === plain(path));
      if (!/(?:\[\d+\]|\.[^.[\]]*)$/.test(wanted)) return false;
    }
  }

  // MARK: Any value

  editor(node) {
    const host = h("div.member");
    const show = () => {
      const shape = shapeOf(node.schema, this.root);
      const value = node.container[node.key];
      if (value === null && (shape.isNillable || shape.kind !== "any")) replace(host, this.nilRow(node, shape, show));
      else if (shape.kind === "object" && isObject(value)) replace(host, this.group(node, shape, show));
      else if (shape.kind === "array" && Array.isArray(value)) replace(host, this.list(node, shape, show));
      else replace(host, this.row(node, shape, show));
    };
    show();
    return host;
  }

  set(node, value) {
    node.container[node.key] = value;
    this.changed();
  }

  head(node, shape, show, labelFor) {
    const kind = h("span.type", typeText(shape));
    const title = this.title(node);
    return {
      label: labelFor ? h("label", { for: labelFor, class: "name" }, title) : h("span.name", title),
      facts: h("span.facts", kind, node.isRequired ? h("span.required", "required") : null),
      actions: h("span.actions", shape.isNillable ? this.nilBox(node, shape, show) : null, node.actions),
    };
  }

  title(node) {
    const namespace = namespaceOf(node.title);
    return namespace === undefined ? node.title : h("span", { title: `Namespace ${namespace}` }, shortName(node.title));
  }

  help(node, shape, id) {
    const limits = limitsOf(shape.schema);
    // The list says it for all of its items.
    const description = node.isItem ? null : shape.description
      ?? (shape.kind === "array" ? shapeOf(shape.schema.items, this.root).description : null);
    if (!description && !limits) return null;
    return h("p.help", { id }, description ? h("span", description) : null, limits ? h("span.limits", limits) : null);
  }

  // MARK: Nil

  nilBox(node, shape, show) {
    const isNil = node.container[node.key] === null;
    const box = h("input", {
      type: "checkbox", checked: isNil, "aria-label": `${shortName(node.title)} is nil`,
      change: () => {
        const kept = node.beforeNil;
        if (box.checked) node.beforeNil = node.container[node.key];
        this.set(node, box.checked ? null : kept ?? startValue(shape.schema, this.root, node.sample ?? undefined));
        show();
        document.getElementById(box.id)?.focus();
      },
    });
    box.id = node.nilID ??= freshID("nil");
    return h("label.nil", { for: box.id }, box, " nil");
  }

  nilRow(node, shape, show) {
    const forced = { ...shape, isNillable: true };
    const { label, facts, actions } = this.head(node, forced, show);
    const problem = h("p.problem");
    this.register(node, problem, () => document.getElementById(node.nilID));
    return h("div.row", h("div.row-label", label, facts),
      h("div.row-control", h("p.nil-value", "The element is sent as nil: it is there and has no value."), problem), actions);
  }

  // MARK: Groups

  group(node, shape, show) {
    const { label, facts, actions } = this.head(node, shape, show);
    return this.box(node, shape, { label, facts, actions }, () => this.members(node, shape));
  }

  /** A heading that opens and closes what belongs to a group or list. */
  box(node, shape, { label, facts, actions }, make) {
    const labelID = label.id = freshID("group");
    const body = h("div.group-body", { id: freshID("body") });
    const problem = h("p.problem");
    const help = this.help(node, shape);
    let isOpen = null;
    const toggle = h("button.toggle", {
      type: "button", "aria-controls": body.id, click: () => open(!isOpen),
    }, icon("closed"), label);
    const open = (wanted) => {
      isOpen = node.isOpen = wanted;
      toggle.setAttribute("aria-expanded", String(wanted));
      body.hidden = !wanted;
      if (wanted && !body.firstChild) replace(body, help, make());
    };
    open(node.isOpen ?? node.depth < openDepth);
    this.register(node, problem, () => { open(true); return toggle; });
    return h("div", { class: `group depth-${Math.min(node.depth, 6)}`, role: "group", "aria-labelledby": labelID },
      h("div.group-head", toggle, facts, actions), problem, body);
  }

  members(node, shape) {
    const host = h("div.members");
    const value = node.container[node.key];
    const show = (focusKey) => {
      replace(host, this.memberParts(node, shape, value, show));
      if (focusKey !== undefined) this.focusMember(host, focusKey);
    };
    show();
    return host;
  }

  memberParts(node, shape, value, show) {
    const type = effectiveSchema(shape.schema, value, this.root);
    const typeKey = typeKeyOf(type);
    const required = new Set(type.required ?? []);
    const choices = this.choices(type, value);
    const parts = [];
    const absent = [];
    for (const key of Object.keys(type.properties)) {
      for (const choice of choices) if (choice.keys[0] === key) parts.push(this.choiceRow(node, type, value, choice, choices, show));
      if (key === typeKey) {
        parts.push(this.typeRow(node, type, value, key, required.has(key), show));
      } else if (value[key] !== undefined) {
        parts.push(this.member(node, type, value, key, required.has(key), show));
      } else if (this.isAllowed(key, choices)) {
        absent.push(key);
      }
    }
    const order = (key) => Number(!required.has(key));
    absent.sort((one, other) => order(one) - order(other));
    parts.push(this.addRow(node, type, value, absent, required, show));
    if (type.additionalProperties || Object.keys(value).some((key) => !type.properties[key])) {
      parts.push(this.otherContent(node, type, value));
    }
    return parts;
  }

  member(node, type, value, key, isRequired, show) {
    const remove = iconButton("remove", `Remove ${shortName(key)}`, () => {
      this.stash(value).set(key, value[key]);
      delete value[key];
      this.changed();
      show(key);
    });
    const element = this.editor({
      schema: type.properties[key], container: value, key, path: `${node.path}.${key}`, title: key, isRequired,
      depth: node.depth + 1, sample: node.sample?.[key], actions: isRequired ? [] : [remove],
    });
    element.dataset.key = key;
    return element;
  }

  addRow(node, type, value, absent, required, show) {
    if (absent.length === 0) return null;
    const chips = absent.map((key) => h("button.chip", {
      type: "button", "data-add": key, title: shapeOf(type.properties[key], this.root).description,
      click: () => {
        this.add(node, type, value, key);
        this.changed();
        show(key);
      },
    }, icon("add"), hidden("Add "), shortName(key), required.has(key) ? h("span.required", "required") : null));
    if (chips.length <= fewOptional) return h("div.add", chips);
    const filter = h("input", {
      type: "search", placeholder: "Filter", "aria-label": "Filter what can be added",
      input: () => chips.forEach((chip) => { chip.hidden = !chip.dataset.add.toLowerCase().includes(filter.value.toLowerCase()); }),
    });
    const more = disclosure(`Add one of ${chips.length} members`, () => h("div", filter, h("div.add", chips)),
      { isOpen: node.isAdding, attributes: { class: "add-more" } });
    more.addEventListener("toggle", () => { node.isAdding = more.open; });
    return more;
  }

  add(node, type, value, key) {
    value[key] = this.stash(value).get(key) ?? startValue(type.properties[key], this.root, node.sample?.[key]);
    const first = shapeOf(type.properties[key], this.root);
    // A list that was added without an item would not be sent at all.
    if (Array.isArray(value[key]) && value[key].length === 0
      && first.kind === "array") value[key].push(startValue(first.schema.items, this.root));
    this.sort(type, value);
  }

  /** Puts members into the order of the schema, in which people expect them. */
  sort(type, value) {
    const order = Object.keys(type.properties).filter((key) => value[key] !== undefined);
    for (const key of [...order, ...Object.keys(value).filter((key) => !type.properties[key])]) {
      const member = value[key];
      delete value[key];
      value[key] = member;
    }
  }

  /** What was removed from an object, to come back when it is added again. */
  stash(value) {
    if (!stashes.has(value)) stashes.set(value, new Map());
    return stashes.get(value);
  }

  focusMember(host, key) {
    const member = [...host.children].find((child) => child.dataset.key === key);
    const chip = [...host.querySelectorAll("[data-add]")].find((child) => child.dataset.add === key);
    const target = member?.querySelector("input:not([type=hidden]), select, textarea, button") ?? chip
      ?? host.querySelector("input, select, textarea, button");
    target?.focus();
  }

  otherContent(node, type, value) {
    const others = () => Object.keys(value).filter((key) => !type.properties[key]);
    return disclosure("Other content, as JSON", () => {
      const current = record();
      for (const key of others()) current[key] = value[key];
      return this.jsonField(`Other content of ${shortName(node.title)}`, current, (content) => {
        if (!isObject(content)) throw new Error("An object of JSON is expected: { … }");
        for (const key of others()) delete value[key];
        for (const key of Object.keys(content)) if (!type.properties[key]) value[key] = content[key];
        this.changed();
      });
    }, { isOpen: others().length > 0, attributes: { class: "other" } });
  }

  // MARK: Choices

  /** The choices of a type, each with the branch that is chosen: of what is there, or the user's. */
  choices(type, value) {
    if (!branches.has(value)) branches.set(value, new Map());
    const chosen = branches.get(value);
    return (type["x-choices"] ?? []).map((choice, index) => {
      const own = (branch) => branch.filter((key) => value[key] !== undefined).length;
      const counts = choice.branches.map(own);
      const most = Math.max(...counts);
      const isChosenKept = chosen.has(index) && (most === 0 || counts[chosen.get(index)] === most);
      const current = isChosenKept ? chosen.get(index) : most > 0 ? counts.indexOf(most) : choice.required ? 0 : -1;
      const present = new Set(choice.branches.flat().filter((key) => value[key] !== undefined));
      const isMixed = current >= 0 && [...present].some((key) => !choice.branches[current].includes(key));
      const order = Object.keys(type.properties);
      const keys = [...new Set(choice.branches.flat())].sort((one, other) => order.indexOf(one) - order.indexOf(other));
      return { ...choice, index, keys, current, isMixed, choose: (branch) => chosen.set(index, branch) };
    });
  }

  isAllowed(key, choices) {
    return choices.every((choice) => !choice.keys.includes(key) || choice.branches[choice.current]?.includes(key));
  }

  choiceRow(node, type, value, choice, choices, show) {
    const others = choices.filter((other) => other !== choice);
    const isWithin = choice.keys.some((key) => this.isAllowed(key, others));
    if (!isWithin) return null;
    const id = freshID("choice");
    const options = choice.branches.map((branch, index) =>
      h("option", { value: String(index), selected: index === choice.current }, branch.map(shortName).join(" and ") || "nothing"));
    if (!choice.required) options.unshift(h("option", { value: "-1", selected: choice.current < 0 }, "none"));
    const select = h("select", { id, change: () => {
      this.choose(node, type, value, choice, Number(select.value));
      show();
      document.getElementById(select.id)?.focus();
    } }, options);
    select.id = (this.choiceIDs ??= new WeakMap()).get(value)?.[choice.index] ?? id;
    this.choiceIDs.set(value, { ...this.choiceIDs.get(value), [choice.index]: select.id });
    return h("div.row.choice",
      h("div.row-label", h("label", { for: select.id, class: "name" }, "Choice"),
        h("span.facts", choice.required ? h("span.required", "required") : null)),
      h("div.row-control", select,
        choice.isMixed ? h("p.problem", "Members of more than one branch are present. The service expects those of one branch.") : null));
  }

  choose(node, type, value, choice, branch) {
    choice.choose(branch);
    const wanted = choice.branches[branch] ?? [];
    for (const key of choice.keys) {
      if (value[key] === undefined || wanted.includes(key)) continue;
      this.stash(value).set(key, value[key]);
      delete value[key];
    }
    for (const key of wanted) {
      if (value[key] === undefined && this.isAllowed(key, this.choices(type, value))) this.add(node, type, value, key);
    }
    this.changed();
  }

  // MARK: Derived types

  typeRow(node, type, value, key, isRequired, show) {
    const id = freshID("type");
    const names = Object.keys(type.properties[key]["x-types"]);
    const select = h("select", { id, change: () => {
      this.chooseType(node, value, key, select.value);
      show(key);
    } }, [...(isRequired ? [] : [""]), ...(value[key] !== undefined && !names.includes(value[key]) ? [value[key]] : []),
      ...names].map((name) =>
      h("option", { value: name, selected: name === (value[key] ?? "") }, name === "" ? "the type itself" : String(name))));
    if (isRequired && value[key] === undefined) select.selectedIndex = -1;
    const row = h("div.row.choice", { "data-key": key },
      h("div.row-label", h("label", { for: id, class: "name" }, "Type"),
        h("span.facts", isRequired ? h("span.required", "required") : null)),
      h("div.row-control", select));
    return row;
  }

  chooseType(node, value, key, name) {
    if (name === "") delete value[key];
    else value[key] = name;
    const type = effectiveSchema(shapeOf(node.schema, this.root).schema, value, this.root);
    for (const member of Object.keys(value)) {
      if (type.properties[member]) continue;
      this.stash(value).set(member, value[member]);
      delete value[member];
    }
    for (const member of type.required ?? []) {
      if (value[member] === undefined && type.properties[member]) this.add(node, type, value, member);
    }
    for (const choice of this.choices(type, value)) {
      if (choice.required && choice.keys.every((member) => value[member] === undefined)) this.choose(node, type, value, choice, 0);
    }
    this.sort(type, value);
    this.changed();
  }

  // MARK: Lists

  list(node, shape, show) {
    const items = node.container[node.key];
    const head = this.head(node, shape, show);
    const count = h("span.type");
    head.facts.append(count);
    return this.box(node, shape, head, () => this.listBody(node, shape, items, count));
  }

  listBody(node, shape, items, count) {
    const host = h("div.items");
    const adder = button([icon("add"), "Add an item"], () => {
      items.push(startValue(shape.schema.items, this.root, node.sample?.[0]));
      this.changed();
      show(items.length - 1, 0);
    }, { class: "chip", "aria-label": `Add an item to ${shortName(node.title)}` });
    const show = (index, place) => {
      count.textContent = counted(items.length, "item");
      const pages = pager(items.length, itemsPerPage, "Items", (first, last) =>
        items.slice(first, last).map((_, offset) => this.item(node, shape, items, first + offset, show)));
      if (index !== undefined) pages.show(Math.min(index, items.length - 1));
      replace(host, pages.element, h("div.add", adder));
      if (place === undefined) return;
      const row = [...host.querySelectorAll(":scope > .pages > .member")].find((member) => member.dataset.index === String(index));
      const controls = row?.querySelectorAll("input, select, textarea, button") ?? [];
      const target = typeof place === "string" ? row?.querySelector(`[data-move=${place}]:not(:disabled)`) : null;
      (target ?? controls[0] ?? adder).focus();
    };
    show();
    return host;
  }

  item(node, shape, items, index, show) {
    const title = `${shortName(node.title)} ${index + 1}`;
    const move = (offset) => () => {
      const other = index + offset;
      [items[index], items[other]] = [items[other], items[index]];
      this.changed();
      show(other, offset < 0 ? "up" : "down");
    };
    const actions = [
      iconButton("up", `Move ${title} up`, move(-1), { disabled: index === 0, "data-move": "up" }),
      iconButton("down", `Move ${title} down`, move(1), { disabled: index === items.length - 1, "data-move": "down" }),
      iconButton("remove", `Remove ${title}`, () => {
        items.splice(index, 1);
        this.changed();
        show(Math.min(index, items.length - 1), 0);
      }),
    ];
    const element = this.editor({
      schema: shape.schema.items ?? record(), container: items, key: index, path: `${node.path}[${index}]`, title,
      isItem: true, isRequired: false, depth: node.depth + 1, sample: node.sample?.[0], actions,
    });
    element.dataset.index = String(index);
    return element;
  }

  // MARK: Simple values

  row(node, shape, show) {
    const id = freshID("field");
    const helpID = `${id}-help`;
    const problem = h("p.problem", { id: `${id}-problem` });
    const { label, facts, actions } = this.head(node, shape, show, id);
    const control = this.control(node, shape, id, (message) => say(message));
    const field = control.field;
    field.setAttribute("aria-describedby", `${helpID} ${problem.id}`);
    if (node.isRequired) field.setAttribute("aria-required", "true");
    if (field.type === "checkbox") field.removeAttribute("aria-required");
    const say = (message) => {
      problem.textContent = message ?? "";
      if (message) field.setAttribute("aria-invalid", "true");
      else field.removeAttribute("aria-invalid");
    };
    this.register(node, problem, () => field, say);
    return h("div.row", h("div.row-label", label, facts),
      h("div.row-control", control.element ?? field, this.help(node, shape, helpID) ?? h("span", { id: helpID, hidden: true }), problem),
      actions);
  }

  register(node, problem, target, say = (message) => { problem.textContent = message; }) {
    this.rows.set(node.path, { problem, mark: (message, isExact) => {
      if (isExact) say(message); else problem.textContent = message;
      target()?.focus();
      return true;
    } });
  }

  control(node, shape, id, say) {
    const value = node.container[node.key];
    const isComposed = isObject(value) || Array.isArray(value);
    if (shape.kind === "any" || shape.kind === "object" || shape.kind === "array" || isComposed) return this.jsonControl(node, shape, id);
    if (shape.kind === "boolean" && typeof value === "boolean") return this.checkbox(node, id);
    if (shape.schema.enum) return this.enumeration(node, shape, id, say);
    if (shape.schema.contentEncoding === "base64") return this.base64(node, shape, id, say);
    const field = this.textField(node, shape, id, say);
    if (shape.schema.format === "date" || shape.schema.format === "date-time") return this.dated(field, shape);
    if (shape.kind === "union") return this.union(field, shape);
    return { field };
  }

  textField(node, shape, id, say) {
    const text = String(node.container[node.key] ?? "");
    const isNumeric = shape.kind === "integer" || shape.kind === "number";
    // A text field of one line would take away line breaks.
    const isLong = shape.kind === "string" && !shape.schema.format || text.includes("\n");
    const field = h(isLong ? "textarea" : "input", {
      id, value: text, rows: isLong ? 1 : null, type: isLong ? null : "text", spellcheck: "false", autocomplete: "off",
      inputmode: shape.kind === "integer" ? "numeric" : isNumeric ? "decimal" : null,
      class: isNumeric ? "short" : null,
      input: () => this.set(node, fromText(field.value, shape)),
      change: () => say(complaint(shape, node.container[node.key])),
    });
    return field;
  }

  checkbox(node, id) {
    const word = h("span", { "aria-hidden": "true" }, String(node.container[node.key]));
    const field = h("input", { id, type: "checkbox", checked: node.container[node.key], change: () => {
      this.set(node, field.checked);
      word.textContent = String(field.checked);
    } });
    return { field, element: h("div.check", field, word) };
  }

  enumeration(node, shape, id, say) {
    const allowed = shape.schema.enum;
    if (allowed.length > mostInSelect) return this.completed(this.textField(node, { ...shape, schema: { ...shape.schema, format: "enum" } },
      id, say), allowed);
    const value = node.container[node.key];
    const index = allowed.findIndex((item) => String(item) === String(value));
    const options = allowed.map((item, place) => h("option", { value: String(place), selected: place === index }, String(item)));
    if (index < 0) options.unshift(h("option", { value: "-1", selected: true }, `${value} (not allowed)`));
    const field = h("select", { id, change: () => {
      this.set(node, field.value === "-1" ? value : copyOf(allowed[Number(field.value)]));
      say(field.value === "-1" ? "This is not one of the allowed values." : null);
    } }, options);
    return { field };
  }

  union(field, shape) {
    const words = shape.schema.anyOf.flatMap((item) => item.enum ?? []);
    return words.length ? this.completed(field, words) : { field };
  }

  completed(field, words) {
    const list = h("datalist", { id: freshID("words") }, words.map((word) => h("option", { value: String(word) })));
    field.setAttribute("list", list.id);
    return { field, element: h("div", field, list) };
  }

  /** A field for a date as XML Schema writes it, and the browser's picker, which knows no time zones: they stay as they are. */
  dated(field, shape) {
    const hasTime = shape.schema.format === "date-time";
    const pattern = /^(-?\d{4,}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(.*)$/;
    const picker = h("input", {
      type: hasTime ? "datetime-local" : "date", step: hasTime ? "1" : null, class: "picker", tabindex: -1, "aria-hidden": "true",
      change: () => {
        const [date, time] = picker.value.split("T");
        if (!date) return;
        const [, , oldTime = "T00:00:00", rest = ""] = pattern.exec(field.value.trim()) ?? [];
        const newTime = time ? `T${time.length === 5 ? `${time}:00` : time}` : oldTime;
        field.value = date + (hasTime ? newTime : "") + rest;
        field.dispatchEvent(new Event("input"));
        field.dispatchEvent(new Event("change"));
        field.focus();
      },
    });
    const open = iconButton("calendar", hasTime ? "Pick a date and time" : "Pick a date", () => {
      const [, date = "", time = "T00:00:00"] = pattern.exec(field.value.trim()) ?? [];
      picker.value = hasTime ? date + time.slice(0, 9) : date;
      try { picker.showPicker(); } catch { field.focus(); }
    });
    return { field, element: h("div.dated", field, picker, open) };
  }

  base64(node, shape, id, say) {
    const size = h("span.muted");
    const field = this.textField(node, shape, id, say);
    const show = () => {
      const text = String(node.container[node.key] ?? "");
      const bytes = bytesOf(text);
      const isLong = text.length > longestShown;
      size.textContent = bytes ? counted(bytes.length, "byte") : "";
      field.readOnly = isLong;
      field.placeholder = isLong ? "The content is too long to be shown." : "";
      field.value = isLong ? "" : text;
    };
    field.classList.add("code");
    field.addEventListener("input", show);
    const file = h("input", { type: "file", "aria-label": `File for ${shortName(node.title)}`, change: async () => {
      if (!file.files[0]) return;
      this.set(node, await base64Of(file.files[0]));
      say(null);
      show();
    } });
    show();
    return { field, element: h("div.base64", field, h("div.file", file, size)) };
  }

  jsonControl(node, shape, id) {
    const isOther = shape.kind !== "any";
    const field = this.jsonArea(node.container[node.key], (value) => this.set(node, value));
    field.area.id = id;
    const note = isOther ? h("p.problem", `The value does not have the form of the type (${typeText(shape)}). It can be changed as JSON.`)
      : null;
    return { field: field.area, element: h("div", field.area, field.problem, note) };
  }

  jsonField(label, value, take) {
    const { area, problem } = this.jsonArea(value, take);
    area.setAttribute("aria-label", label);
    return h("div", area, problem);
  }

  jsonArea(value, take) {
    const problem = h("div");
    const area = h("textarea.code", { rows: 3, spellcheck: "false", value: stringify(value, "  "), input: () => {
      try {
        take(parse(area.value));
        problem.replaceChildren();
        area.removeAttribute("aria-invalid");
      } catch (error) {
        replace(problem, alertBox(`${error.message} The last correct content counts.`));
        area.setAttribute("aria-invalid", "true");
      }
    } });
    return { area, problem };
  }
}

export function base64Of(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}
