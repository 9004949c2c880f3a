import { TRY_SCRIPT } from './page-try.js';

/** Draws `/openapi.json` into the page. Everything is set as text: nothing in it can act. */
export const PAGE_SCRIPT = `
const make = (name, text, parent) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
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
  make('h3', title, parent);
  const table = make('table', undefined, parent);
  for (const { cells, schema } of entries) {
    const row = make('tr', undefined, table);
    cells.forEach((cell, index) => {
      make(index === 0 ? 'code' : 'span', cell, make('td', undefined, row));
    });
    const last = make('td', undefined, row);
    if (schema !== undefined) link(schema, 'schema-' + schema, last);
  }
};
const draw = (api, path, method, operation, parent) => {
  const section = make('section', undefined, parent);
  section.id = operation.operationId;
  const head = make('h2', undefined, section);
  make('b', method.toUpperCase(), head);
  make('code', path, head);
  make('p', operation.summary, section);
  const parameters = operation.parameters ?? [];
  const taken = parameters.map((p) => ({ cells: [p.name, p.in, p.description] }));
  rows('Parameters', taken, section);
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  rows('Body', bodies.map(([type, { schema }]) => ({ cells: [type], schema: schemaIn(schema) })), section);
  const answers = Object.entries(operation.responses).map(([status, answer]) => {
    const [content] = Object.values(answer.content ?? {});
    return { cells: [status, answer.description], schema: schemaIn(content?.schema) };
  });
  rows('Answers', answers, section);
  drawTry(api, path, method, operation, section);
};
const drawList = (operations, nav) => {
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'others');
  for (const [tag, list] of groups) {
    const details = make('details', undefined, nav);
    make('summary', tag, details);
    const items = make('ul', undefined, details);
    for (const { method, operation, path } of list) {
      const item = make('li', undefined, items);
      link(method.toUpperCase() + ' ' + path, operation.operationId, item);
      make('span', ' ' + operation.summary, item);
    }
  }
};
const drawAll = (api, main) => {
  main.textContent = '';
  const operations = Object.entries(api.paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, operation]) => ({ path, method, operation }));
  });
  const key = field('API key, where one is needed', main);
  key.id = 'key';
  key.type = 'password';
  key.autocomplete = 'off';
  const nav = make('nav', undefined, main);
  nav.setAttribute('aria-label', 'Operations');
  drawList(operations, nav);
  for (const { method, operation, path } of operations) draw(api, path, method, operation, main);
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    const section = make('section', undefined, main);
    section.id = 'schema-' + name;
    const details = make('details', undefined, section);
    make('summary', name, details);
    make('pre', JSON.stringify(schema, null, 2), details);
  }
  // A link from elsewhere came before there was anything to lead to.
  if (location.hash !== '') location.replace(location.hash);
};
const main = document.getElementById('main');
fetch('/openapi.json').then((answer) => answer.json()).then((api) => drawAll(api, main));
`;
