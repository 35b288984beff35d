/** The page before the user is known. Its script fills in the rest. */
export const SIGN_IN_HTML: string = page(
  'Sign in to MCP servers',
  `<form id="key-form" hidden>
      <label for="key">API key of this gateway</label>
      <input id="key" type="password" autocomplete="off" required>
      <button type="submit">Continue</button>
    </form>
    <p id="status" role="status">Loading…</p>
    <ul id="servers"></ul>`,
  '<script type="module" src="sign-in/page.js"></script>',
);

/** The message at the end of a sign-in. */
export function outcomePage(title: string, text: string): string {
  // One folder further down than the page itself.
  return page(
    escapeHtml(title),
    `<p>${escapeHtml(text)}</p>\n    <p><a href="../sign-in">All servers</a></p>`,
    '',
    '../',
  );
}

/** The key stays in this script's memory: it is in no cookie, no storage and no address. */
export const SIGN_IN_SCRIPT = `const form = document.querySelector('#key-form');
const input = document.querySelector('#key');
const status = document.querySelector('#status');
const list = document.querySelector('#servers');
const wanted = new URLSearchParams(location.search).get('server');
let key = '';

async function request(method, body) {
  const headers = { ...(key === '' ? {} : { 'x-api-key': key }), 'content-type': 'application/json' };
  const response = await fetch('v1/sign-ins', { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const answer = await response.json();
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error?.message ?? response.statusText), { status: response.status });
}

function entry({ server, signed_in: isSignedIn }) {
  const item = document.createElement('li');
  const name = document.createElement('strong');
  name.textContent = server;
  const state = document.createElement('span');
  state.textContent = isSignedIn ? 'signed in' : 'not signed in';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = isSignedIn ? 'Sign in again' : 'Sign in';
  button.setAttribute('aria-label', button.textContent + ' at ' + server);
  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = 'Asking ' + server + ' where to sign in…';
    try {
      location.assign((await request('POST', { server })).url);
    } catch (error) {
      status.textContent = error.message;
      button.disabled = false;
    }
  });
  item.append(name, state, button);
  return { server, item, button };
}

async function show() {
  try {
    const { data } = await request('GET');
    form.hidden = true;
    const entries = data.map(entry);
    list.replaceChildren(...entries.map(({ item }) => item));
    const asked = entries.find(({ server }) => server === wanted);
    asked?.button.focus();
    const isMissing = wanted !== null && asked === undefined;
    status.textContent = isMissing
      ? 'This key has no server "' + wanted + '" to sign in at.'
      : data.length === 0
        ? 'No server that this key may use asks for a sign-in.'
        : '';
  } catch (error) {
    status.textContent = error.status === 401 && key === '' ? '' : error.message;
    form.hidden = error.status !== 401;
    if (!form.hidden) input.focus();
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  key = input.value.trim();
  input.value = '';
  void show();
});
void show();
`;

export const SIGN_IN_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
h1 { font-size: 1.25rem; }
form, li { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
[hidden] { display: none; }
ul { padding: 0; list-style: none; }
li { padding: 0.5rem 0; border-bottom: 1px solid GrayText; }
li strong { flex: 1; overflow-wrap: anywhere; }
input, button { font: inherit; padding: 0.25rem 0.75rem; }
`;

function page(title: string, body: string, script: string, folder = ''): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="${folder}sign-in/page.css">
    ${script}
  </head>
  <body>
  <main>
    <h1>${title}</h1>
    ${body}
  </main>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
