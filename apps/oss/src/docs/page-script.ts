/** Draws `/openapi.json` into the page. Everything is set as text: nothing in it can act. */
export const PAGE_SCRIPT = `
const make = (name, text, parent) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
};
const rows = (title, entries, parent) => {
  if (entries.length === 0) return;
  make('h3', title, parent);
  const table = make('table', undefined, parent);
  for (const cells of entries) {
    const row = make('tr', undefined, table);
    cells.forEach((cell, index) => {
      make(index === 0 ? 'code' : 'span', cell, make('td', undefined, row));
    });
  }
};
const draw = (path, method, operation, parent) => {
  const section = make('section', undefined, parent);
  section.id = operation.operationId;
  const head = make('h2', undefined, section);
  make('b', method.toUpperCase(), head);
  make('code', path, head);
  make('p', operation.summary, section);
  const parameters = operation.parameters ?? [];
  rows('Parameters', parameters.map((p) => [p.name, p.in, p.description]), section);
  for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
    rows('Body', [[type, schema.$ref?.split('/').at(-1) ?? 'any text']], section);
  }
  const answers = Object.entries(operation.responses);
  rows('Answers', answers.map(([status, answer]) => [status, answer.description]), section);
};
const drawAll = (api, main) => {
  main.textContent = '';
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) draw(path, method, operation, main);
  }
  for (const [name, schema] of Object.entries(api.components.schemas)) {
    const details = make('details', undefined, make('section', undefined, main));
    make('summary', name, details);
    make('pre', JSON.stringify(schema, null, 2), details);
  }
};
const main = document.getElementById('main');
fetch('/openapi.json').then((answer) => answer.json()).then((api) => drawAll(api, main));
`;
