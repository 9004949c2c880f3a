/**
 * The part of the page's script that sends a request: fields for what an operation takes, and what
 * was answered. The key stays in its field: nothing is kept.
 */
export const TRY_SCRIPT = `
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
