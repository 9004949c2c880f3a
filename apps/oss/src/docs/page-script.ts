/**
 * The part of the page's script that sends a request: fields for what an operation takes, and what
 * was answered. The key stays in its field: nothing is kept.
 */
const TRY_SCRIPT = `
const exampleOf = (api, content) => {
  const name = content.examples?.example.$ref.split('/').at(-1);
  return name === undefined ? {} : api.components.examples[name].value;
};
const field = (label, parent, isLong) => {
  const frame = make('label', undefined, parent);
  make('span', label, frame);
  const input = make(isLong ? 'textarea' : 'input', undefined, frame);
  input.spellcheck = false;
  if (isLong) input.rows = 8;
  return input;
};
const requestOf = (path, method, given) => {
  let address = path;
  const query = new URLSearchParams();
  const headers = {};
  for (const { input, name, place } of given.fields) {
    const value = input.value.trim();
    if (place === 'path') address = address.replace('{' + name + '}', encodeURIComponent(value));
    else if (value !== '' && place === 'query') query.append(name, value);
    else if (value !== '' && place === 'header') headers[name] = value;
  }
  const key = document.getElementById('key').value.trim();
  if (key !== '') headers.authorization = 'Bearer ' + key;
  const body = given.body?.value;
  if (body) headers['content-type'] = given.type;
  const search = query.size === 0 ? '' : '?' + query;
  return [address + search, { method: method.toUpperCase(), headers, ...(body && { body }) }];
};
const SHOWN_MAX = 200000;
const show = async (answer, place) => {
  const type = answer.headers.get('content-type') ?? '';
  make('p', answer.status + ' ' + answer.statusText + ', ' + type, place);
  if (type.startsWith('text/event-stream')) return readStream(answer, place);
  const text = await answer.text();
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {}
  make('pre', shown.slice(0, SHOWN_MAX), place);
};
const readStream = async (answer, place) => {
  const out = make('pre', '', place);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    out.textContent = (out.textContent + part.value).slice(-SHOWN_MAX);
  }
};
const drawTry = (api, path, method, operation, parent) => {
  const details = make('details', undefined, parent);
  make('summary', 'Try it', details);
  const fields = (operation.parameters ?? []).map((p) => {
    const input = field(p.name + (p.required ? ' (required)' : ''), details);
    if (p.required && p.in === 'header') input.value = String(p.schema?.default ?? '');
    return { input, name: p.name, place: p.in };
  });
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = type === undefined ? undefined : field('Body, ' + type, details, true);
  if (body && type.includes('json')) {
    body.value = JSON.stringify(exampleOf(api, content), null, 2);
  }
  const button = make('button', 'Send', details);
  button.type = 'button';
  const place = make('div', undefined, details);
  place.setAttribute('role', 'status');
  let stop = new AbortController();
  button.addEventListener('click', async () => {
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    place.textContent = '';
    try {
      const [address, init] = requestOf(path, method, { fields, body, type });
      await show(await fetch(address, { ...init, signal }), place);
    } catch (error) {
      if (!signal.aborted) make('p', 'No answer: ' + error.message, place);
    }
  });
};
`;

/** Draws `/openapi.json` into the page. Everything is set as text: nothing in it can act. */
export const PAGE_SCRIPT = `
const make = (name, text, parent) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
const words = (text, parent) => {
  text.split('\`').forEach((part, index, parts) => {
    // A backtick without its partner is a character like any other.
    const isCode = index % 2 === 1 && index < parts.length - 1;
    if (isCode) make('code', part, parent);
    else if (part !== '' || index % 2 === 1) parent.append((index % 2 === 1 ? '\`' : '') + part);
  });
  return parent;
};
const group = (name, count, id, parent) => {
  const details = make('details', undefined, parent);
  details.className = 'group';
  details.id = id;
  const summary = make('summary', name, details);
  make('span', ' ' + count, summary);
  return details;
};
${TRY_SCRIPT}
const link = (text, id, parent) => {
  const node = make('a', text, parent);
  node.href = '#' + id;
  return node;
};
const schemaIn = (schema) => schema?.$ref?.split('/').at(-1) ?? schema?.items?.$ref?.split('/').at(-1);
const rows = (title, entries, parent) => {
  if (entries.length === 0) return;
  if (title !== '') make('h3', title, parent);
  const table = make('table', undefined, parent);
  for (const { cells, schema } of entries) {
    const row = make('tr', undefined, table);
    cells.forEach((cell, index) => {
      const place = make('td', undefined, row);
      if (index === 0) make('code', cell, place);
      else words(cell ?? '', place);
    });
    const last = make('td', undefined, row);
    if (schema !== undefined) link(schema, 'schema-' + schema, last);
  }
};
const draw = (api, path, method, operation, parent) => {
  const section = make('section', undefined, parent);
  section.id = operation.operationId;
  const head = make('h2', undefined, section);
  make('b', method.toUpperCase(), head).className = 'method';
  make('code', path, head);
  words(operation.summary, make('p', undefined, section));
  words(operation.description, make('p', undefined, section));
  const parameters = operation.parameters ?? [];
  const taken = parameters.map((p) => ({ cells: [p.name, p.in, p.description] }));
  rows('Parameters', taken, section);
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  rows('Body', bodies.map(([type, { schema }]) => ({ cells: [type], schema: schemaIn(schema) })), section);
  const answers = Object.entries(operation.responses).map(([status, named]) => {
    const answer = named.$ref ? api.components.responses[named.$ref.split('/').at(-1)] : named;
    const [content] = Object.values(answer.content ?? {});
    return { cells: [status, answer.description], schema: schemaIn(content?.schema) };
  });
  const folded = make('details', undefined, section);
  make('summary', 'Answers', folded);
  rows('', answers, folded);
  drawTry(api, path, method, operation, section);
};
const drawList = (groups, nav) => {
  for (const [tag, list] of groups) {
    const details = make('details', undefined, nav);
    make('summary', tag, details);
    const items = make('ul', undefined, details);
    for (const { method, operation, path } of list) {
      const item = make('li', undefined, items);
      link(method.toUpperCase() + ' ' + path, operation.operationId, item);
      words(' ' + operation.summary, make('span', undefined, item));
    }
  }
};
const reveal = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  for (let at = target; at !== null; at = at.parentElement) if (at.localName === 'details') at.open = true;
  for (const inner of target.querySelectorAll(':scope > details.schema')) inner.open = true;
  target.scrollIntoView();
};
const drawAll = (api, main) => {
  main.textContent = '';
  main.className = 'api';
  const operations = Object.entries(api.paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, operation]) => ({ path, method, operation }));
  });
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'others');
  const nav = make('nav', undefined, main);
  nav.setAttribute('aria-label', 'Operations');
  drawList(groups, nav);
  const content = make('div', undefined, main);
  const key = field('API key, where one is needed', content);
  key.id = 'key';
  key.type = 'password';
  key.autocomplete = 'off';
  for (const [tag, list] of groups) {
    const details = group(tag, list.length, 'tag-' + tag, content);
    for (const { method, operation, path } of list) draw(api, path, method, operation, details);
  }
  const all = Object.entries(api.components.schemas);
  const schemas = group('Schemas', all.length, 'schemas', content);
  for (const [name, schema] of all) {
    const section = make('section', undefined, schemas);
    section.id = 'schema-' + name;
    const details = make('details', undefined, section);
    details.className = 'schema';
    make('summary', name, details);
    make('pre', JSON.stringify(schema, null, 2), details);
  }
  addEventListener('hashchange', reveal);
  // A link from elsewhere came before there was anything to lead to.
  reveal();
};
const main = document.getElementById('main');
fetch('/openapi.json').then((answer) => answer.json()).then((api) => drawAll(api, main));
`;
